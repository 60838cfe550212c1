//! The reader: lines, statements, games.

use std::collections::VecDeque;

use super::headers::{Form, read_header, read_seconds, time_of_game_name};
use super::placement::Placement;
use super::statement::{Statement, statements};
use super::*;
use crate::end::{End, GameResult};
use crate::error::{KifuError, Mode};
use crate::header::{HeaderKey, Headers};
use crate::lines::split_line;
use crate::reading::{Fault, Reporter, Step};
use crate::record::{Event, NodeId, Record, Rules};

struct Reader<'t> {
    report: Reporter<'t>,
    context: Context,
    records: Vec<Record>,
    game: Game<'t>,
    /// Bytes from the line that is being read to the end of the text.
    left: usize,
}

/// State carried from the games of a file to the games after them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Context {
    pub(super) version: Version,
    pub(super) has_records: bool,
}

/// Some games of a file, one after the other.
#[derive(Debug)]
pub(super) struct Part<'t> {
    pub(super) records: Vec<Record>,
    pub(super) report: Reporter<'t>,
    /// For the games after them.
    pub(super) context: Context,
}

impl<'t> Part<'t> {
    /// Reads the games of `part`, a part of `file`, that come after others of this context.
    ///
    /// # Errors
    /// In strict mode, the first deviation.
    pub(super) fn read(part: &'t str, file: &'t str, mode: Mode, context: Context) -> Result<Self, KifuError> {
        let mut reader =
            Reader { report: Reporter::new(file, mode), context, records: Vec::new(), game: Game::default(), left: 0 };
        let outcome = reader.lines(part).and_then(|()| reader.finish_game());
        let Reader { records, mut report, context, .. } = reader;
        outcome.map_err(|fault| report.located(fault))?;
        Ok(Self { records, report, context })
    }

    /// Appends the games after these.
    pub(super) fn append(&mut self, next: Self) {
        self.records.extend(next.records);
        self.report.append(next.report);
        self.context = next.context;
    }
}

#[derive(Default)]
struct Game<'t> {
    headers: Headers,
    rules: Rules,
    placement: Placement,
    turn: Option<Color>,
    /// Comments on the start position that came before it was complete.
    early_comments: VecDeque<Statement<'t>>,
    play: Option<Play<'t>>,
    summary: Option<Summary>,
    /// A server's note on the foul that ended the game.
    foul_note: Option<&'t str>,
    /// Broken off: the rest is skipped up to the next separator.
    broken: bool,
    /// The last statement, for faults that show only at the end of the game.
    last: Option<Statement<'t>>,
}

/// The moves of a game while they are being read.
struct Play<'t> {
    record: Record,
    board: Board,
    at: NodeId,
    last_move: Option<&'t str>,
    /// A foul that was the last move so far; one that ends the game is no deviation.
    foul: Option<Statement<'t>>,
}

/// Content of a `'summary:` line of shogi-server.
struct Summary {
    kind: EndKind,
    /// `None` where the line has no words for it; `unknown` is `Some(None)`.
    result: Option<Option<GameResult>>,
}

/// Bytes of a move and its line end.
const SHORTEST_MOVE: usize = 8;

impl<'t> Play<'t> {
    /// Reads lines that consist of nothing but a move or a time, as long as nothing is
    /// wrong with them; returns the bytes after them.
    fn plain_lines(&mut self, text: &'t str) -> &'t [u8] {
        let mut rest = text.as_bytes();
        // A foul that was passed over must be reported.
        let Some(game) = self.board.for_good().filter(|_| self.foul.is_none()) else { return rest };
        let mut last_move = None;
        if let Some(plain) = plain::read_time(rest)
            && self.record.set_time_of_move(self.at, plain.value)
        {
            rest = plain.rest;
        }
        let Some(mut line) = self.record.line_behind(self.at) else { return rest };
        while let Some(plain) = plain::read_move(rest, game)
            && game.advance(plain.value).is_ok()
        {
            last_move = Some(rest.len());
            rest = plain.rest;
            let time = plain::read_time(rest);
            if let Some(plain) = &time {
                rest = plain.rest;
            }
            line.add(plain.value.into(), time.map(|plain| plain.value));
        }
        self.at = line.end().unwrap_or(self.at);
        if let Some(left) = last_move {
            let at = text.len() - left;
            self.last_move = text.get(at..at + SHORTEST_MOVE - 1);
        }
        rest
    }

    /// Returns true if anything has happened after the start position.
    fn is_begun(&self) -> bool {
        self.at != self.record.root()
    }

    fn is_ended(&self) -> bool {
        matches!(self.record.node(self.at).event(), Event::End(_))
    }

    /// Ends the game. A foul that is in the record is its mover's, not that
    /// of the side to move after it.
    fn end(&mut self, kind: EndKind) {
        let after_foul = matches!(self.record.node(self.at).event(), Event::Foul(_));
        let turn = match kind {
            EndKind::IllegalMove if after_foul => !self.board.turn(),
            _ => self.board.turn(),
        };
        self.at = self.record.add(self.at, Event::from(End::new(kind, turn)));
    }
}

impl<'t> Reader<'t> {
    fn lines(&mut self, text: &'t str) -> Step<'t> {
        let mut left = (!text.is_empty()).then_some(text);
        while let Some(text) = left {
            let text = self.plain_lines(text);
            let (line, rest) = split_line(text);
            self.left = text.len();
            statements(line).try_for_each(|statement| self.statement(statement))?;
            left = rest;
        }
        Ok(())
    }

    /// Reads the plain, faultless lines of a game; returns the text after them. All else is left
    /// to [`statement`](Self::statement).
    fn plain_lines(&mut self, text: &'t str) -> &'t str {
        let play = self.game.play.as_mut().filter(|play| !self.game.broken && !play.is_ended());
        let rest = play.map_or(text.len(), |play| play.plain_lines(text).len());
        text.get(text.len() - rest..).unwrap_or_default()
    }

    /// Reads one statement; an error only in strict mode.
    fn statement(&mut self, statement: Statement<'t>) -> Step<'t> {
        if statement.text == "/" {
            return self.finish_game();
        }
        if self.game.broken {
            return Ok(());
        }
        match self.dispatch(statement) {
            Ok(()) => Ok(()),
            Err(fault) => {
                self.game.broken = true;
                self.report.error(fault)
            }
        }
    }

    fn dispatch(&mut self, statement: Statement<'t>) -> Step<'t> {
        let text = statement.text;
        if !text.starts_with('\'') {
            self.game.last = Some(statement);
        }
        match text.as_bytes() {
            [b'\'', ..] => self.comment(statement),
            [b'V', ..] => self.read_version(statement),
            [b'N', ..] => self.player(statement),
            [b'$', ..] => {
                self.expect_header_here(statement)?;
                let Game { headers, rules, .. } = &mut self.game;
                read_header(&statement, self.context.version, headers, rules, &mut self.report)
            }
            [b'P', ..] => self.place(statement),
            [b'+' | b'-'] => self.turn(statement),
            [b'+' | b'-', ..] => self.read_move(statement),
            [b'T', ..] => self.time(statement),
            [b'%', ..] => self.end(statement),
            _ => self.report.warn(statement.fault(Problem::UnknownStatement)),
        }
    }

    fn read_version(&mut self, statement: Statement<'t>) -> Step<'t> {
        let version = match Version::named(statement.text) {
            Some(version) => version,
            None => {
                let number = statement.text.as_bytes().get(1).is_some_and(u8::is_ascii_digit);
                let problem = if number { Problem::UnknownVersion } else { Problem::UnknownStatement };
                self.report.warn(statement.fault(problem))?;
                if !number {
                    return Ok(());
                }
                Version::V3
            }
        };
        if self.game.play.is_some() {
            // Files that were joined without a separator.
            self.report.warn(statement.fault(Problem::OutOfPlace("version")))?;
            self.finish_game()?;
        } else if self.game.turn.is_some() || self.game.placement.is_stated() || !self.game.headers.is_empty() {
            self.report.warn(statement.fault(Problem::OutOfPlace("version")))?;
        }
        self.context.version = version;
        Ok(())
    }

    /// Headers belong above the start position, but also occur after the moves.
    fn expect_header_here(&mut self, statement: Statement<'t>) -> Step<'t> {
        if self.game.placement.is_stated() || self.game.turn.is_some() {
            self.report.warn(statement.fault(Problem::OutOfPlace("header")))?;
        }
        Ok(())
    }

    fn player(&mut self, statement: Statement<'t>) -> Step<'t> {
        let key = match statement.text.as_bytes().get(1) {
            Some(b'+') => HeaderKey::BlackName,
            Some(b'-') => HeaderKey::WhiteName,
            _ => return self.report.warn(statement.fault(Problem::UnknownStatement)),
        };
        self.expect_header_here(statement)?;
        self.game.headers.push(key, statement.text.get(2..).unwrap_or_default().trim_start());
        Ok(())
    }

    fn place(&mut self, statement: Statement<'t>) -> Step<'t> {
        if self.game.play.is_some() {
            return Err(statement.fault(Problem::OutOfPlace("start position")));
        }
        if self.game.turn.is_some() {
            self.report.warn(statement.fault(Problem::OutOfPlace("start position")))?;
        }
        self.game.placement.read(&statement, &mut self.report)
    }

    fn turn(&mut self, statement: Statement<'t>) -> Step<'t> {
        if self.game.play.is_some() || self.game.turn.is_some() {
            self.report.warn(statement.fault(Problem::OutOfPlace("side to move")))?;
        }
        if self.game.play.is_none() {
            self.game.turn = statement.text.bytes().next().and_then(color_of_sign);
        }
        Ok(())
    }

    /// The game from its start position on, which must be complete by now.
    fn play(&mut self, statement: Statement<'t>) -> Result<&mut Play<'t>, Fault<'t>> {
        if self.game.play.is_none() {
            if !self.game.placement.is_stated() {
                return Err(statement.fault(Problem::NoBoard));
            }
            let turn = self.game.turn.ok_or_else(|| statement.fault(Problem::NoTurn))?;
            let placement = &self.game.placement;
            let setup = placement.setup(turn);
            let board = if placement.is_startpos(turn) { Board::startpos() } else { Board::new(&setup) };
            self.start(setup, board)?;
        }
        self.game.play.as_mut().ok_or_else(|| statement.fault(Problem::NoBoard))
    }

    fn start(&mut self, setup: Setup, board: Board) -> Step<'t> {
        let record = Record::with_room(setup, self.left / SHORTEST_MOVE);
        let at = record.root();
        self.game.play = Some(Play { record, board, at, last_move: None, foul: None });
        while let Some(comment) = self.game.early_comments.pop_front() {
            self.readable_comment(comment)?;
        }
        Ok(())
    }

    fn read_move(&mut self, statement: Statement<'t>) -> Step<'t> {
        let play = self.play(statement)?;
        if play.is_ended() {
            return self.report.warn(statement.fault(Problem::AfterEnd));
        }
        let mv = move_on(&play.board, statement.text)
            .map_err(|(problem, byte)| Fault::new(problem, statement.text.get(byte..).unwrap_or(statement.text)))?;
        let event = play.board.play(mv).map_err(|problem| statement.fault(problem))?;
        let foul = matches!(event, Event::Foul(_)).then_some(statement);
        play.at = play.record.add(play.at, event);
        play.last_move = Some(statement.text);
        let passed_over = std::mem::replace(&mut play.foul, foul);
        passed_over.map_or(Ok(()), |foul| self.report.warn(foul.fault(Problem::IllegalMove)))
    }

    fn end(&mut self, statement: Statement<'t>) -> Step<'t> {
        let play = self.play(statement)?;
        if play.is_ended() {
            return self.report.warn(statement.fault(Problem::AfterEnd));
        }
        let word = statement.text.get(1..).unwrap_or_default();
        let word = word.split_whitespace().next().unwrap_or_default();
        let kind = end_of_word(word);
        let unknown = matches!(kind, EndKind::Other(_));
        let foul = play.foul.take().filter(|_| !kind.is_foul());
        play.end(kind);
        if let Some(foul) = foul {
            self.report.warn(foul.fault(Problem::IllegalMove))?;
        }
        if unknown {
            self.report.strictly(statement.fault(Problem::UnknownEnd))?;
        }
        if word == "MAX_MOVES" && self.context.version < Version::V3 {
            self.report.warn(statement.fault(Problem::WrongVersion))?;
        }
        Ok(())
    }

    fn time(&mut self, statement: Statement<'t>) -> Step<'t> {
        let text = statement.text.get(1..).unwrap_or_default().trim();
        let Some(play) = self.game.play.as_mut().filter(|play| play.is_begun()) else {
            return self.report.warn(statement.fault(Problem::StrayTime));
        };
        let node = play.record.node_mut(play.at);
        if node.time_ms.is_some() {
            return self.report.warn(statement.fault(Problem::StrayTime));
        }
        let Some((ms, form)) = read_seconds(text) else {
            return self.report.warn(statement.fault(Problem::TimeValue));
        };
        node.time_ms = Some(ms);
        if form == Form::Loose {
            self.report.warn(statement.fault(Problem::TimeValue))?;
        }
        if text.contains('.') && self.context.version < Version::V3 {
            self.report.warn(statement.fault(Problem::WrongVersion))?;
        }
        Ok(())
    }

    fn comment(&mut self, statement: Statement<'t>) -> Step<'t> {
        if statement.text.starts_with("'*") {
            if self.game.play.is_none() {
                self.game.early_comments.push_back(statement);
                return Ok(());
            }
            return self.readable_comment(statement);
        }
        self.server_comment(statement);
        Ok(())
    }

    /// `'*` and `'**`, on the position that the game has come to.
    fn readable_comment(&mut self, statement: Statement<'t>) -> Step<'t> {
        let Some(play) = self.game.play.as_mut() else { return Ok(()) };
        let text = statement.text.get(2..).unwrap_or_default();
        if text == "*" {
            return Ok(());
        }
        let analysis = text.strip_prefix('*').and_then(|text| analysis::read(text, &mut play.board, play.last_move));
        if let (Some(word), Event::End(end)) = (text.strip_prefix(END_COMMENT), play.record.node(play.at).event())
            && end.kind == EndKind::Abort
        {
            play.record.set_kind(play.at, end_of_word(word));
            return Ok(());
        }
        let node = play.record.node_mut(play.at);
        let Some(read) = analysis else {
            node.remarks_mut().comments.push(text.to_owned());
            return Ok(());
        };
        node.remarks_mut().analyses.push(read.analysis);
        read.broken.map_or(Ok(()), |word| self.report.warn(Fault::new(Problem::BrokenPv, word)))
    }

    /// Reads the comments of shogi-server.
    fn server_comment(&mut self, statement: Statement<'t>) {
        let text = statement.text.get(1..).unwrap_or_default();
        let game = &mut self.game;
        if text.starts_with("ILLEGAL_MOVE(") {
            game.foul_note = Some(text);
            return;
        }
        let Some((key, value)) = text.split_once(':') else { return };
        match key {
            "summary" => game.summary = summary(value),
            "Max_Moves" => {
                game.rules.max_moves = game.rules.max_moves.or(value.parse().ok().filter(|&moves| moves > 0))
            }
            "$END_TIME" => game.headers.push(HeaderKey::EndTime, value),
            "black_rate" | "white_rate" => {
                game.headers.push(HeaderKey::Other(key.to_ascii_uppercase()), value);
            }
            _ => {}
        }
    }

    /// Closes the game, at a separator or at the end of the text.
    fn finish_game(&mut self) -> Step<'t> {
        if !self.game.broken && self.game.play.is_none() {
            self.start_position_only()?;
        }
        let game = std::mem::take(&mut self.game);
        let Some(mut play) = game.play.filter(|play| !game.broken || play.is_begun()) else { return Ok(()) };
        if let Some(summary) = game.summary.filter(|_| !game.broken) {
            conclude(&mut play, summary, game.foul_note);
        }
        if let Some(foul) = play.foul.filter(|_| !play.record.end().is_some_and(|end| end.kind.is_foul())) {
            self.report.warn(foul.fault(Problem::IllegalMove))?;
        }
        play.record.headers = game.headers;
        play.record.rules = game.rules;
        complete_time(&mut play.record);
        // A file may hold hundreds of thousands of tiny games.
        play.record.shrink();
        self.records.push(play.record);
        self.context.has_records = true;
        Ok(())
    }

    /// A game without moves: a position, or only headers.
    fn start_position_only(&mut self) -> Step<'t> {
        let Some(last) = self.game.last else { return Ok(()) };
        let game = &self.game;
        let outcome = if game.placement.is_stated() {
            self.play(last).map(drop)
        } else if let Some(turn) = game.turn {
            // V3.0, 2.6 (5): pieces that are not placed stay in the box.
            self.report.warn(last.fault(Problem::NoBoard))?;
            let setup = Setup { turn, ..Setup::empty() };
            let board = Board::new(&setup);
            self.start(setup, board)
        } else if !game.headers.is_empty() && !self.context.has_records {
            self.report.warn(last.fault(Problem::NoBoard))?;
            self.start(Setup::startpos(), Board::startpos())
        } else {
            Ok(())
        };
        outcome.or_else(|fault| {
            self.game.broken = true;
            self.report.error(fault)
        })
    }
}

/// Reads `reason:black win:white lose`, where `win` and `lose` may change places
/// and both may be `draw` or, in our own files, `unknown`.
fn summary(value: &str) -> Option<Summary> {
    let (reason, names) = value.split_once(':')?;
    let result = match names.rsplit(' ').next()?.trim() {
        "win" => Some(Some(GameResult::WhiteWins)),
        "lose" => Some(Some(GameResult::BlackWins)),
        "draw" => Some(Some(GameResult::Draw)),
        "unknown" => Some(None),
        _ => None,
    };
    let kind = match (reason, winner_of(result)) {
        ("oute_sennichite", Some(winner)) => EndKind::IllegalAction(!winner),
        ("toryo", _) => EndKind::Resign,
        ("time up", _) => EndKind::TimeUp,
        ("abnormal" | "chudan", _) => EndKind::Abort,
        ("sennichite", _) => EndKind::Repetition,
        ("kachi" | "try", _) | ("jishogi", Some(_)) => EndKind::DeclarationWin,
        ("jishogi", None) => EndKind::Impasse,
        ("max_moves", _) => EndKind::MaxMoves,
        ("illegal move" | "illegal kachi" | "uchifuzume" | "oute_kaihimore", _) => EndKind::IllegalMove,
        (other, _) => EndKind::Other(other.to_owned()),
    };
    Some(Summary { kind, result })
}

/// Takes the end from the server's summary: wholly if no `%` line gives it,
/// else only the result.
fn conclude(play: &mut Play<'_>, summary: Summary, foul_note: Option<&str>) {
    let Summary { kind, result } = summary;
    let set_result = |play: &mut Play<'_>| {
        if let Some(result) = result {
            play.record.set_result(play.at, result);
        }
    };
    if play.is_ended() {
        return set_result(play);
    }
    let turn = play.board.turn();
    let kind = match (kind, winner_of(result)) {
        (EndKind::IllegalMove, Some(winner)) if winner == turn => EndKind::IllegalAction(!winner),
        (kind, _) => kind,
    };
    play.end(kind);
    set_result(play);
    if let Some(note) = foul_note {
        play.record.node_mut(play.at).remarks_mut().comments.push(note.to_owned());
    }
}

fn winner_of(result: Option<Option<GameResult>>) -> Option<Color> {
    result.flatten().and_then(GameResult::winner)
}

/// Sets the clock from the name of a server's game, if no header gives it.
fn complete_time(record: &mut Record) {
    if record.rules.time == [None, None] {
        let control = record.headers.value(&HeaderKey::Event).and_then(time_of_game_name);
        record.rules.time = [control; 2];
    }
}
