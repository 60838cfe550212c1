//! The reader: games, their moves, and how they ended.

use enbu_movegen::Setup;

use super::comment;
use super::psn;
use super::san::{self, Plus};
use super::tags::{self, Tags};
use super::token::{Place, Token, Tokens};
use crate::board::Board;
use crate::end::{End, EndKind, GameResult};
use crate::error::Reporter;
use crate::error::{KifuError, Mode, Problem};
use crate::kakinoki::{score, time_ms};
use crate::reading::Reading;
use crate::record::{Event, NodeId, Record};
use crate::usi;

/// Variations inside variations that are followed.
const MAX_DEPTH: usize = 256;

/// Reads all games of a text.
///
/// # Errors
/// In tolerant mode when no game could be read: the error of the first, or
/// [`NoRecord`](Problem::NoRecord). In strict mode the first deviation.
///
/// ```
/// use enbu_kifu::{Mode, pgn};
/// let reading = pgn::read("[Result \"1-0\"]\n\n1. Pc4 Pg6 2. Bxh8=H 1-0\n", Mode::Tolerant)?;
/// let moves: Vec<_> = reading.records[0].moves().map(|mv| mv.to_string()).collect();
/// assert_eq!(moves, ["7g7f", "3c3d", "8h2b+"]);
/// # Ok::<(), enbu_kifu::KifuError>(())
/// ```
pub fn read(text: &str, mode: Mode) -> Result<Reading, KifuError> {
    let mut reader = Reader { report: Reporter::new(mode), records: Vec::new(), game: Game::default() };
    let mut tokens = Tokens::new(text);
    let mut ahead = Tokens::new(text);
    while let Some((token, place)) = tokens.next() {
        if reader.game.is_new() || reader.game.ends_before(&token) {
            // The meaning of `+` follows from the whole game.
            ahead = tokens;
        }
        reader.token(token, place, &ahead)?;
    }
    reader.finish_game()?;
    reader.report.finish(reader.records, text)
}

struct Reader<'t> {
    report: Reporter,
    records: Vec<Record>,
    game: Game<'t>,
}

/// One game while it is being read.
#[derive(Default)]
struct Game<'t> {
    tags: Tags,
    place: Option<Place<'t>>,
    play: Option<Play<'t>>,
    /// The game is lost; the rest of it is skipped.
    broken: bool,
    terminator: Option<String>,
}

struct Play<'t> {
    record: Record,
    board: Board,
    at: NodeId,
    /// The moves before the variations that are open.
    open: Vec<NodeId>,
    /// Number of open variations that are too deep to be followed.
    too_deep: usize,
    /// The rest of this line is skipped, up to the end of the variation.
    skipping: bool,
    skipped: Vec<bool>,
    /// The last move, when it was a foul; one that ends its line is no deviation.
    foul: Option<(Place<'t>, &'t str)>,
    plus: Plus,
    mate: bool,
    main_end: NodeId,
    main_broken: bool,
    /// A variation of PSN was read, after which the main line does not go on.
    left_main: bool,
}

impl Game<'_> {
    fn is_new(&self) -> bool {
        self.play.is_none() && self.tags.list.is_empty()
    }

    /// Returns true if the next game begins with this token: a tag after moves.
    fn ends_before(&self, token: &Token<'_>) -> bool {
        matches!(token, Token::Tag { .. }) && (self.play.is_some() || self.broken)
    }
}

impl Play<'_> {
    fn new(setup: Setup, plus: Plus) -> Self {
        let board = Board::new(&setup);
        let record = Record::new(setup);
        let at = record.root();
        Self {
            record,
            board,
            at,
            open: Vec::new(),
            too_deep: 0,
            skipping: false,
            skipped: Vec::new(),
            foul: None,
            plus,
            mate: false,
            main_end: at,
            main_broken: false,
            left_main: false,
        }
    }

    fn is_ended(&self) -> bool {
        matches!(self.record.node(self.at).event(), Event::End(_))
    }

    /// Goes back to before the last move.
    fn step_back(&mut self) {
        if let Some(parent) = self.record.node(self.at).parent() {
            if self.record.node(self.at).event().played().is_some() {
                self.board.undo();
            }
            self.at = parent;
        }
    }

    /// `(`: another move instead of the last, or instead of an end.
    fn open(&mut self) {
        if self.open.len() >= MAX_DEPTH || self.too_deep > 0 {
            self.too_deep += 1;
            return;
        }
        self.open.push(self.at);
        self.skipped.push(self.skipping);
        self.step_back();
        self.foul = None;
    }

    /// `)`: back to where the variation began. `false` when none is open.
    fn close(&mut self) -> bool {
        if self.too_deep > 0 {
            self.too_deep -= 1;
            return true;
        }
        let Some(back) = self.open.pop() else { return false };
        self.skipping = self.skipped.pop().unwrap_or(false);
        let parent = self.record.node(back).parent();
        while Some(self.at) != parent && self.at != self.record.root() {
            self.step_back();
        }
        if parent.is_some() && self.board.follow(self.record.node(back).event()).is_ok() {
            self.at = back;
        }
        self.foul = None;
        true
    }
}

impl<'t> Reader<'t> {
    fn token(&mut self, token: Token<'t>, place: Place<'t>, ahead: &Tokens<'t>) -> Result<(), KifuError> {
        match token {
            Token::Tag { name, value } => self.tag(name, value, place),
            Token::Unclosed("tag", text) => self.report.warn(place.fault(Problem::Unclosed("tag"), text)),
            Token::Odd(text) => self.report.warn(place.fault(Problem::UnknownStatement, text)),
            _ => {
                let Some(play) = self.play(place, ahead)? else { return Ok(()) };
                match token {
                    Token::Comment(text) => {
                        self.comment(text);
                        Ok(())
                    }
                    Token::Open => {
                        play.open();
                        let deep = play.too_deep == 1;
                        if deep { self.report.warn(place.fault(Problem::TooDeep(MAX_DEPTH), "(")) } else { Ok(()) }
                    }
                    Token::Close => {
                        if play.close() {
                            Ok(())
                        } else {
                            self.report.warn(place.fault(Problem::OutOfPlace("end of a variation"), ")"))
                        }
                    }
                    Token::Nag(digits) => self.nag(digits, place),
                    Token::Time(text) => self.time(text, place),
                    Token::Result(text) => self.result(text, place),
                    Token::Word(text) => self.word(text, place),
                    Token::Unclosed(what, text) => self.report.error(place.fault(Problem::Unclosed(what), text)),
                    Token::Tag { .. } | Token::Odd(_) => Ok(()),
                }
            }
        }
    }

    fn tag(&mut self, name: &str, value: &str, place: Place<'t>) -> Result<(), KifuError> {
        if self.game.play.is_some() || self.game.broken {
            self.finish_game()?;
        }
        self.game.place.get_or_insert(place);
        // PSN2 has its tags in any case.
        const OWN: [&str; 7] = ["Sente", "Gote", "Black", "White", "Sfen", "BlackTimeSetting", "WhiteTimeSetting"];
        let name = OWN.into_iter().find(|own| own.eq_ignore_ascii_case(name)).unwrap_or(name);
        self.game.tags.list.push((name.to_owned(), tags::unquote(value)));
        Ok(())
    }

    /// The game from its start position on; `None` when it is lost.
    fn play(&mut self, place: Place<'t>, ahead: &Tokens<'t>) -> Result<Option<&mut Play<'t>>, KifuError> {
        if self.game.broken {
            return Ok(None);
        }
        if self.game.play.is_none() {
            self.game.place.get_or_insert(place);
            if let Err(fault) = self.begin(place, ahead) {
                self.game.broken = true;
                self.report.error(fault)?;
            }
        }
        Ok(self.game.play.as_mut())
    }

    fn begin(&mut self, place: Place<'t>, ahead: &Tokens<'t>) -> Result<(), KifuError> {
        let variant = self.game.tags.value("Variant").unwrap_or_default().to_owned();
        let place = self.game.place.unwrap_or(place);
        // To lishogi, which wrote PSN, standard is shogi.
        let is_psn = self.game.tags.value("Sente").is_some() && variant.eq_ignore_ascii_case("standard");
        match if is_psn { Ok(None) } else { tags::check_variant(&variant) } {
            Ok(None) => {}
            Ok(Some(odd)) => self.report.warn(place.fault(odd, &variant))?,
            Err(problem) => return Err(place.fault(problem, &variant)),
        }
        let (setup, odd) = tags::start_position(&self.game.tags)
            .map_err(|problem| place.fault(problem, self.game.tags.value("FEN").unwrap_or_default()))?;
        if let Some(odd) = odd {
            self.report.warn(place.fault(odd, self.game.tags.value("Sfen").unwrap_or_default()))?;
        }
        let fairy = self.game.tags.value("Variant") == Some("Shogi");
        self.game.play = Some(Play::new(setup, meaning_of_plus(ahead, fairy)));
        Ok(())
    }

    fn comment(&mut self, text: &str) {
        let Some(play) = self.game.play.as_mut().filter(|play| play.too_deep == 0 && !play.skipping) else { return };
        let comment = comment::read(text, !play.board.turn());
        if let Some((kind, result)) = comment.end {
            if play.is_ended() {
                play.step_back();
            }
            play.at = play.record.add(play.at, Event::from(End { kind, result }));
        }
        let node = play.record.node_mut(play.at);
        let old = node.remarks().comments.len();
        node.remarks_mut().comments.extend(comment.text);
        score::extract(node, old, &mut play.board);
        node.remarks_mut().analyses.extend(comment.analysis);
        node.time_ms = comment.time_ms.or(node.time_ms);
        if comment.bookmark.is_some() {
            node.remarks_mut().bookmark = comment.bookmark;
        }
    }

    fn nag(&mut self, digits: &str, place: Place<'t>) -> Result<(), KifuError> {
        let Ok(nag) = digits.parse::<u8>() else {
            return self.report.warn(place.fault(Problem::UnknownStatement, digits));
        };
        if let Some(play) = self.game.play.as_mut().filter(|play| play.too_deep == 0 && !play.skipping) {
            let node = play.record.node_mut(play.at);
            if node.remarks().nags.len() >= 16 {
                return self.report.warn(place.fault(Problem::OutOfPlace("glyph after sixteen others"), digits));
            }
            node.remarks_mut().nags.push(nag);
        }
        Ok(())
    }

    fn word(&mut self, text: &'t str, place: Place<'t>) -> Result<(), KifuError> {
        let Some(play) = self.game.play.as_mut().filter(|play| play.too_deep == 0 && !play.skipping) else {
            return Ok(());
        };
        if text.trim_matches(['!', '?', '+', '-', '=', '.']).is_empty() || text == "e.p." {
            // Suffixes as words of their own.
            if let Some(nag) = san::nag_of_suffix(text) {
                play.record.node_mut(play.at).remarks_mut().nags.push(nag);
            }
            return Ok(());
        }
        if let Some(number) = text.strip_prefix("Variation:").and_then(|number| number.parse::<usize>().ok()) {
            let before = number.saturating_sub(usize::from(play.record.setup().ply.max(1)));
            while play.is_ended() || play.board.plies_played() > before {
                play.step_back();
            }
            play.left_main = true;
            return Ok(());
        }
        if let Some(end) = psn::end_of_word(text, play.board.turn()) {
            play.foul = play.foul.filter(|_| !end.kind.is_foul());
            play.at = play.record.add(play.at, Event::from(end));
            return Ok(());
        }
        if play.is_ended() {
            play.step_back();
        }
        let mv = if text.is_ascii() {
            san::resolve(text, &play.board, play.plus)
        } else {
            let last = play.record.node(play.at).event().played().map(|mv| mv.to());
            san::read_japanese(text, &play.board, last)
        };
        let event = mv.and_then(|mv| play.board.play(mv));
        let event = match event {
            Ok(event) => event,
            Err(problem) => {
                play.skipping = true;
                play.main_broken |= play.open.is_empty();
                return self.report.error(place.fault(problem, text));
            }
        };
        let foul = matches!(event, Event::Foul(_)).then(|| (place, text));
        play.at = play.record.add(play.at, event);
        if play.open.is_empty() {
            play.main_end = play.at;
            play.mate = san::says_mate(text);
        }
        if let Some(nag) = san::nag_of_suffix(text) {
            play.record.node_mut(play.at).remarks_mut().nags.push(nag);
        }
        let passed_over = std::mem::replace(&mut play.foul, foul);
        match passed_over {
            Some((place, text)) => self.report.warn(place.fault(Problem::IllegalMove, text)),
            None => Ok(()),
        }
    }

    /// The times of a move in PSN.
    fn time(&mut self, text: &str, place: Place<'t>) -> Result<(), KifuError> {
        let ms = time_ms(text).filter(|&ms| ms > 0);
        match self.game.play.as_mut().filter(|play| play.at != play.record.root()) {
            Some(play) if !play.skipping => play.record.node_mut(play.at).time_ms = ms,
            Some(_) => {}
            None => return self.report.warn(place.fault(Problem::StrayTime, text)),
        }
        Ok(())
    }

    fn result(&mut self, text: &str, place: Place<'t>) -> Result<(), KifuError> {
        if self.game.play.as_ref().is_some_and(|play| !play.open.is_empty() || play.too_deep > 0) {
            // Some programs end variations with results, which are not kept.
            return self.report.warn(place.fault(Problem::OutOfPlace("result of a variation"), text));
        }
        self.game.terminator = Some(text.to_owned());
        self.finish_game()
    }

    /// Closes the game, at its result, at the tags of the next or at the end of the text.
    fn finish_game(&mut self) -> Result<(), KifuError> {
        let place = self.game.place.unwrap_or(Place::START);
        if self.game.play.is_none() && !self.game.broken && !self.game.tags.list.is_empty() {
            let nothing = Tokens::new("");
            self.play(place, &nothing)?;
        }
        let game = std::mem::take(&mut self.game);
        let Some(mut play) = game.play else { return Ok(()) };
        if play.main_broken && play.record.main_line().next().is_none() {
            return Ok(());
        }
        let told = tags::result(game.tags.value("Result").unwrap_or_default());
        let stated = game.terminator.as_deref().and_then(tags::result);
        let tag_is_known = game.tags.value("Result").is_some();
        if tag_is_known && game.terminator.is_some() && told != stated {
            self.report.warn(place.fault(Problem::ResultMismatch, game.terminator.as_deref().unwrap_or_default()))?;
        }
        if !play.open.is_empty() {
            self.report.warn(place.fault(Problem::Unclosed("variation"), "("))?;
        }
        let (headers, rules) = tags::read(&game.tags);
        if !play.main_broken && !play.left_main {
            conclude(&mut play, &game.tags, told.or(stated));
        }
        if let Some((place, text)) = play.foul.filter(|_| !play.record.end().is_some_and(|end| end.kind.is_foul())) {
            self.report.warn(place.fault(Problem::IllegalMove, text))?;
        }
        play.record.headers = headers;
        play.record.rules = rules;
        play.record.shrink();
        self.records.push(play.record);
        Ok(())
    }
}

/// Adds the end of the main line, from result and tags.
fn conclude(play: &mut Play<'_>, tags: &Tags, result: Option<GameResult>) {
    while let Some(back) = play.open.pop() {
        play.open.push(back);
        play.close();
    }
    if play.is_ended() {
        if result.is_some() {
            play.record.set_result(play.at, result);
        }
        return;
    }
    let turn = play.board.turn();
    let winner = result.and_then(GameResult::winner);
    let loser_to_move = winner == Some(!turn);
    let termination = tags.value("Termination").unwrap_or_default().to_ascii_lowercase();
    let kind = match (tags.value("End").and_then(usi::end_kind), termination.as_str()) {
        (Some(kind), _) => kind,
        (None, "time forfeit") => EndKind::TimeUp,
        (None, "rules infraction" | "illegal move") => match winner {
            Some(winner) if winner == turn => EndKind::IllegalAction(!winner),
            _ => EndKind::IllegalMove,
        },
        (None, "abandoned" | "emergency" | "death" | "stalled connection") => EndKind::Abort,
        (None, "unterminated") => return,
        (None, termination) => match result {
            None => return,
            Some(_) if termination == "adjudication" => EndKind::Other(tags::result_text(result).to_owned()),
            Some(_) if loser_to_move && play.mate => EndKind::Mate,
            Some(_) if loser_to_move => EndKind::Resign,
            Some(_) => EndKind::Other(tags::result_text(result).to_owned()),
        },
    };
    play.record.add(play.at, Event::from(End { kind, result }));
}

/// The meaning of `+` after a move in the game that follows.
fn meaning_of_plus(ahead: &Tokens<'_>, fairy: bool) -> Plus {
    let mut meaning = if fairy { Plus::Unclear } else { Plus::Promotion };
    let mut in_moves = false;
    for (token, _) in *ahead {
        match token {
            Token::Tag { .. } if in_moves => break,
            Token::Word(text) => {
                in_moves = true;
                if ["=G", "=H", "=D"].iter().any(|sign| text.contains(sign)) {
                    return Plus::Check;
                }
                if text.starts_with('+') || ends_in_shogi_square(text) {
                    meaning = Plus::Promotion;
                }
            }
            Token::Result(_) => break,
            _ => {}
        }
    }
    meaning
}

/// Returns true if a move ends with a square such as `7f` or `76`, as Hodges writes them.
fn ends_in_shogi_square(text: &str) -> bool {
    let plain = text.trim_end_matches(['+', '=', '#', '!', '?']).as_bytes();
    matches!(plain, [.., b'1'..=b'9', b'a'..=b'i' | b'1'..=b'9'])
}
