//! The reader: games, their moves, and how they ended.

use enbu_language::Words;

use super::comment;
use super::psn;
use super::san::{self, Plus};
use super::tags::{self, Tags};
use super::token::{TAG, Token, Tokens};
use crate::end::{End, EndKind, GameResult};
use crate::error::{KifuError, Mode, Problem};
use crate::kakinoki::{score, time_ms};
use crate::reading::{Fault, Reading, Reporter, Step};
use crate::record::{Event, NodeId, Record};
use crate::terms::Naming;
use crate::track::Track;
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
    let mut reader = Reader { report: Reporter::new(text, mode), records: Vec::new(), game: Game::default() };
    let outcome = reader.tokens(Tokens::new(text)).and_then(|()| reader.finish_game());
    reader.report.finish(outcome, reader.records)
}

struct Reader<'t> {
    report: Reporter<'t>,
    records: Vec<Record>,
    game: Game<'t>,
}

#[derive(Default)]
struct Game<'t> {
    tags: Tags,
    /// The first tag or word.
    place: Option<&'t str>,
    play: Option<Play<'t>>,
    /// The game is lost; the rest of it is skipped.
    broken: bool,
    terminator: Option<&'t str>,
}

struct Play<'t> {
    track: Track<'t>,
    /// The moves that the open variations replace, and true where the line of one is skipped.
    open: Vec<(NodeId, bool)>,
    /// Number of open variations that are too deep to be followed.
    too_deep: usize,
    /// The rest of this line is skipped, up to the end of the variation.
    skipping: bool,
    plus: Plus,
    mate: bool,
    main_broken: bool,
    /// A variation of PSN was read, after which the main line does not go on.
    left_main: bool,
}

impl<'t> Game<'t> {
    /// The game, unless its text is skipped.
    fn followed(&mut self) -> Option<&mut Play<'t>> {
        self.play.as_mut().filter(|play| play.too_deep == 0 && !play.skipping)
    }
}

impl Play<'_> {
    fn add_nag(&mut self, nag: u8) {
        self.track.record.node_mut(self.track.at).remarks_mut().nags.push(nag);
    }

    /// `(`: another move instead of the last, or instead of an end. Returns the number of levels that are too deep.
    fn open(&mut self) -> usize {
        if self.open.len() >= MAX_DEPTH || self.too_deep > 0 {
            self.too_deep += 1;
            return self.too_deep;
        }
        self.open.push((self.track.at, self.skipping));
        self.track.step_back();
        self.track.foul = None;
        0
    }

    /// `)`: back to where the variation began. `false` when none is open.
    fn close(&mut self) -> bool {
        if self.too_deep > 0 {
            self.too_deep -= 1;
            return true;
        }
        let Some((back, was_skipping)) = self.open.pop() else { return false };
        self.skipping = was_skipping;
        let track = &mut self.track;
        let parent = track.record.node(back).parent();
        while Some(track.at) != parent && track.is_begun() {
            track.step_back();
        }
        if parent.is_some() && track.board.follow(track.record.node(back).event()).is_ok() {
            track.at = back;
        }
        track.foul = None;
        true
    }
}

impl<'t> Reader<'t> {
    fn tokens(&mut self, mut tokens: Tokens<'t>) -> Step<'t> {
        let mut ahead = tokens;
        while let Some((token, place)) = tokens.next() {
            let Game { tags, play, broken, .. } = &self.game;
            let has_moves = play.is_some() || *broken;
            if play.is_none() && tags.list.is_empty() || has_moves && matches!(token, Token::Tag { .. }) {
                // The meaning of `+` follows from the whole game.
                ahead = tokens;
            }
            self.token(token, place, &ahead)?;
        }
        Ok(())
    }

    fn token(&mut self, token: Token<'t>, place: &'t str, ahead: &Tokens<'t>) -> Step<'t> {
        match token {
            Token::Tag { name, value } => self.tag(name, value, place),
            Token::Unclosed(TAG, text) => self.report.warn(Fault::new(Problem::Unclosed(TAG), text)),
            Token::Odd(text) => self.report.warn(Fault::new(Problem::UnknownStatement, text)),
            _ => {
                let Some(play) = self.play(place, ahead)? else { return Ok(()) };
                match token {
                    Token::Comment(text) => self.comment(text),
                    Token::Open => match play.open() {
                        1 => self.report.warn(Fault::new(Problem::TooDeep(MAX_DEPTH), place)),
                        _ => Ok(()),
                    },
                    Token::Close if play.close() => Ok(()),
                    Token::Close => self.report.warn(Fault::out_of_place("end of a variation", "変化の終わり", place)),
                    Token::Nag(digits) => self.nag(digits, place),
                    Token::Time(text) => self.time(text),
                    Token::Result(text) => self.result(text),
                    Token::Word(text) => self.word(text),
                    Token::Unclosed(what, text) => self.report.error(Fault::new(Problem::Unclosed(what), text)),
                    Token::Tag { .. } | Token::Odd(_) => Ok(()),
                }
            }
        }
    }

    fn tag(&mut self, name: &str, value: &str, place: &'t str) -> Step<'t> {
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
    fn play(&mut self, place: &'t str, ahead: &Tokens<'t>) -> Result<Option<&mut Play<'t>>, Fault<'t>> {
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

    fn begin(&mut self, place: &'t str, ahead: &Tokens<'t>) -> Step<'t> {
        let variant = self.game.tags.value("Variant").unwrap_or_default().to_owned();
        let place = self.game.place.unwrap_or(place);
        // To lishogi, which wrote PSN, standard is shogi.
        let is_psn = self.game.tags.value("Sente").is_some() && variant.eq_ignore_ascii_case("standard");
        match if is_psn { Ok(None) } else { tags::check_variant(&variant) } {
            Ok(None) => {}
            Ok(Some(odd)) => self.report.warn(Fault::new(odd, place).quoting(&variant))?,
            Err(problem) => return Err(Fault::new(problem, place).quoting(&variant)),
        }
        let fault = |problem, tag| Fault::new(problem, place).quoting(self.game.tags.value(tag).unwrap_or_default());
        let (setup, odd) = tags::start_position(&self.game.tags).map_err(|problem| fault(problem, "FEN"))?;
        odd.map(|odd| fault(odd, "Sfen")).map_or(Ok(()), |odd| self.report.warn(odd))?;
        let fairy = self.game.tags.value("Variant") == Some("Shogi");
        self.game.play = Some(Play {
            track: Track::new(&setup),
            open: Vec::new(),
            too_deep: 0,
            skipping: false,
            plus: meaning_of_plus(ahead, fairy),
            mate: false,
            main_broken: false,
            left_main: false,
        });
        Ok(())
    }

    fn comment(&mut self, text: &str) -> Step<'t> {
        let Some(Play { track, .. }) = self.game.followed() else { return Ok(()) };
        let comment = comment::read(text, !track.board.turn());
        if let Some((kind, result)) = comment.end {
            if track.is_ended() {
                track.step_back();
            }
            track.at = track.record.add(track.at, Event::from(End { kind, result }));
        }
        let node = track.record.node_mut(track.at);
        let old = node.remarks().comments.len();
        node.remarks_mut().comments.extend(comment.text);
        score::extract(node, old, &mut track.board);
        node.remarks_mut().analyses.extend(comment.analysis);
        node.time_ms = comment.time_ms.or(node.time_ms);
        if comment.bookmark.is_some() {
            node.remarks_mut().bookmark = comment.bookmark;
        }
        Ok(())
    }

    fn nag(&mut self, digits: &str, place: &'t str) -> Step<'t> {
        let Ok(nag) = digits.parse::<u8>() else {
            return self.report.warn(Fault::new(Problem::UnknownStatement, place).quoting(digits));
        };
        if let Some(play) = self.game.followed() {
            if play.track.record.node(play.track.at).remarks().nags.len() >= 16 {
                return self.report.warn(Fault::out_of_place("glyph after sixteen others", "17 個目以降の記号", place));
            }
            play.add_nag(nag);
        }
        Ok(())
    }

    fn word(&mut self, text: &'t str) -> Step<'t> {
        let Some(play) = self.game.followed() else { return Ok(()) };
        if text.trim_matches(['!', '?', '+', '-', '=', '.']).is_empty() || text == "e.p." {
            // Suffixes as words of their own.
            san::nag_of_suffix(text).into_iter().for_each(|nag| play.add_nag(nag));
            return Ok(());
        }
        if let Some(number) = text.strip_prefix("Variation:").and_then(|number| number.parse::<usize>().ok()) {
            play.track.back_to(number.saturating_sub(play.track.record.number_after(0)));
            play.left_main = true;
            return Ok(());
        }
        if let Some(end) = psn::end_of_word(text, play.track.board.turn()) {
            let foul = play.track.end(end);
            return self.report.foul(foul);
        }
        if play.track.is_ended() {
            play.track.step_back();
        }
        let mv = if text.is_ascii() {
            san::resolve(text, &play.track.board, play.plus)
        } else {
            san::read_japanese(text, &play.track.board, play.track.last_to())
        };
        let passed_over = match mv.and_then(|mv| play.track.make(mv, text)) {
            Ok(foul) => foul,
            Err(problem) => {
                play.skipping = true;
                play.main_broken |= play.open.is_empty();
                return self.report.error(Fault::new(problem, text));
            }
        };
        if play.open.is_empty() {
            play.mate = text.trim_end_matches(['!', '?']).ends_with('#');
        }
        san::nag_of_suffix(text).into_iter().for_each(|nag| play.add_nag(nag));
        self.report.foul(passed_over)
    }

    /// The times of a move in PSN.
    fn time(&mut self, text: &'t str) -> Step<'t> {
        let ms = time_ms(text).filter(|&ms| ms > 0);
        match self.game.play.as_mut().filter(|play| play.track.is_begun()) {
            None => return self.report.warn(Fault::new(Problem::StrayTime, text)),
            Some(play) if play.skipping => {}
            Some(Play { track, .. }) => track.record.node_mut(track.at).time_ms = ms,
        }
        Ok(())
    }

    fn result(&mut self, text: &'t str) -> Step<'t> {
        if self.game.play.as_ref().is_some_and(|play| !play.open.is_empty() || play.too_deep > 0) {
            // Some programs end variations with results, which are not kept.
            return self.report.warn(Fault::out_of_place("result of a variation", "変化の結果", text));
        }
        self.game.terminator = Some(text);
        self.finish_game()
    }

    /// Closes the game, at its result, at the tags of the next or at the end of the text.
    fn finish_game(&mut self) -> Step<'t> {
        let place = self.game.place.unwrap_or_default();
        if self.game.play.is_none() && !self.game.broken && !self.game.tags.list.is_empty() {
            let nothing = Tokens::new("");
            self.play(place, &nothing)?;
        }
        let game = std::mem::take(&mut self.game);
        let Some(mut play) = game.play else { return Ok(()) };
        if play.main_broken && play.track.record.main_line().next().is_none() {
            return Ok(());
        }
        let result = |word| GameResult::named(word, Naming::Pgn).flatten();
        let told = game.tags.value("Result").and_then(result);
        let stated = game.terminator.and_then(result);
        if let Some(terminator) = game.terminator.filter(|_| game.tags.value("Result").is_some() && told != stated) {
            self.report.warn(Fault::new(Problem::ResultMismatch, place).quoting(terminator))?;
        }
        if !play.open.is_empty() {
            self.report.warn(Fault::new(Problem::Unclosed(Words("variation", "変化")), place).quoting("("))?;
        }
        let (headers, rules) = tags::read(&game.tags);
        if !play.main_broken && !play.left_main {
            conclude(&mut play, &game.tags, told.or(stated));
        }
        let is_foul = play.track.record.end().is_some_and(|end| end.kind.is_foul());
        self.report.foul(play.track.foul.filter(|_| !is_foul))?;
        self.records.push(play.track.finish(headers, rules));
        Ok(())
    }
}

/// Adds the end of the main line, from result and tags.
fn conclude(play: &mut Play<'_>, tags: &Tags, result: Option<GameResult>) {
    while !play.open.is_empty() {
        play.close();
    }
    let track = &mut play.track;
    if let Some(end) = track.record.end_mut(track.at) {
        end.result = result.or(end.result);
        return;
    }
    let turn = track.board.turn();
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
            Some(_) if termination == "adjudication" || !loser_to_move => {
                EndKind::Other(GameResult::name(result, Naming::Pgn).to_owned())
            }
            Some(_) if play.mate => EndKind::Mate,
            Some(_) => EndKind::Resign,
        },
    };
    track.record.add(track.at, Event::from(End { kind, result }));
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
