//! The reader: lines, statements, games.

use std::collections::VecDeque;

use super::headers::{read_header, read_seconds, time_of_game_name};
use super::placement::Placement;
use super::statement::statements;
use super::*;
use crate::board::START;
use crate::end::GameResult;
use crate::error::{KifuError, Mode};
use crate::header::{HeaderKey, Headers};
use crate::lines::split_line;
use crate::reading::{Fault, Reading, Reporter, Step};
use crate::record::{Record, Rules};
use crate::track::Track;

/// Reads all games and positions of a text.
///
/// # Errors
/// In tolerant mode when no game or position could be read: the error that broke off the
/// first one, or [`NoRecord`](crate::error::Problem::NoRecord). In strict mode the first deviation.
///
/// ```
/// use enbu_kifu::{EndKind, Mode, csa};
/// let reading = csa::read("PI\n+\n+7776FU,T12\n-3334FU\n%TORYO\n", Mode::Tolerant)?;
/// let record = &reading.records[0];
/// assert_eq!(record.moves().map(|mv| mv.to_string()).collect::<Vec<_>>(), ["7g7f", "3c3d"]);
/// assert_eq!(record.end().map(|end| &end.kind), Some(&EndKind::Resign));
/// # Ok::<(), enbu_kifu::KifuError>(())
/// ```
pub fn read(text: &str, mode: Mode) -> Result<Reading, KifuError> {
    let (version, records) = (Version::V1, Vec::with_capacity(1));
    let mut reader = Reader { report: Reporter::new(text, mode), version, records, game: Game::default() };
    let outcome = reader.lines(text).and_then(|()| reader.finish_game());
    reader.report.finish(outcome, reader.records)
}

/// Reads the games of a file, one after the other.
struct Reader<'t> {
    report: Reporter<'t>,
    /// That of the last line that says it: it holds for all games after it.
    version: Version,
    records: Vec<Record>,
    game: Game<'t>,
}

#[derive(Default)]
struct Game<'t> {
    headers: Headers,
    rules: Rules,
    placement: Placement,
    turn: Option<Color>,
    /// Comments on the start position that came before it was complete.
    early_comments: VecDeque<&'t str>,
    play: Option<Track<'t>>,
    last_move: Option<&'t str>,
    summary: Option<Summary>,
    /// A server's note on the foul that ended the game.
    foul_note: Option<&'t str>,
    /// Broken off: the rest is skipped up to the next separator.
    broken: bool,
    /// The last statement, for faults that show only at the end of the game.
    last: Option<&'t str>,
}

/// Content of a `'summary:` line of shogi-server. The result is `None` where the line has no words for it;
/// `unknown` is `Some(None)`.
type Summary = (EndKind, Option<Option<GameResult>>);

impl<'t> Reader<'t> {
    fn lines(&mut self, text: &'t str) -> Step<'t> {
        let mut left = (!text.is_empty()).then_some(text);
        while let Some(text) = left {
            let (line, rest) = split_line(text);
            statements(line).try_for_each(|statement| self.statement(statement))?;
            left = rest;
        }
        Ok(())
    }

    /// Reads one statement; an error only in strict mode.
    fn statement(&mut self, statement: &'t str) -> Step<'t> {
        let trimmed = statement.trim_end();
        if trimmed == "/" {
            return self.finish_game();
        }
        if self.game.broken {
            return Ok(());
        }
        self.dispatch(trimmed, statement).or_else(|fault| {
            self.game.broken = true;
            self.report.error(fault)
        })
    }

    fn dispatch(&mut self, statement: &'t str, untrimmed: &'t str) -> Step<'t> {
        if !statement.starts_with('\'') {
            self.game.last = Some(statement);
        }
        match statement.as_bytes() {
            [b'\'', ..] => self.comment(statement),
            [b'V', ..] => self.read_version(statement),
            [b'N', ..] => self.player(statement),
            [b'$', ..] => {
                self.expect_header_here(statement)?;
                let Game { headers, rules, .. } = &mut self.game;
                read_header(statement, self.version, headers, rules, &mut self.report)
            }
            [b'P', ..] => self.place(untrimmed),
            [b'+' | b'-'] => self.turn(statement),
            [b'+' | b'-', ..] => self.read_move(statement),
            [b'T', ..] => self.time(statement),
            [b'%', ..] => self.end(statement),
            _ => self.report.warn(Fault::new(Problem::UnknownStatement, statement)),
        }
    }

    fn read_version(&mut self, statement: &'t str) -> Step<'t> {
        let version = match Version::named(statement) {
            Some(version) => version,
            None => {
                let number = statement.as_bytes().get(1).is_some_and(u8::is_ascii_digit);
                let problem = if number { Problem::UnknownVersion } else { Problem::UnknownStatement };
                self.report.warn(Fault::new(problem, statement))?;
                if !number {
                    return Ok(());
                }
                Version::V3
            }
        };
        if self.game.play.is_some() {
            // Files that were joined without a separator.
            self.report.warn(Fault::out_of_place("version", "バージョン", statement))?;
            self.finish_game()?;
        } else if self.game.turn.is_some() || self.game.placement.is_stated() || !self.game.headers.is_empty() {
            self.report.warn(Fault::out_of_place("version", "バージョン", statement))?;
        }
        self.version = version;
        Ok(())
    }

    /// Headers belong above the start position, but also occur after the moves.
    fn expect_header_here(&mut self, statement: &'t str) -> Step<'t> {
        if self.game.placement.is_stated() || self.game.turn.is_some() {
            self.report.warn(Fault::out_of_place("header", "ヘッダー", statement))?;
        }
        Ok(())
    }

    fn player(&mut self, statement: &'t str) -> Step<'t> {
        let key = match statement.as_bytes().get(1) {
            Some(b'+') => HeaderKey::BlackName,
            Some(b'-') => HeaderKey::WhiteName,
            _ => return self.report.warn(Fault::new(Problem::UnknownStatement, statement)),
        };
        self.expect_header_here(statement)?;
        self.game.headers.push(key, statement.get(2..).unwrap_or_default().trim_start());
        Ok(())
    }

    /// Reads a part of the start position, with the blanks at its end.
    fn place(&mut self, statement: &'t str) -> Step<'t> {
        if self.game.play.is_some() {
            return Err(Fault::out_of_place("start position", "開始局面", statement.trim_end()));
        }
        if self.game.turn.is_some() {
            self.report.warn(Fault::out_of_place("start position", "開始局面", statement.trim_end()))?;
        }
        self.game.placement.read(statement, &mut self.report)
    }

    fn turn(&mut self, statement: &'t str) -> Step<'t> {
        if self.game.play.is_some() || self.game.turn.is_some() {
            self.report.warn(Fault::out_of_place("side to move", "手番", statement))?;
        }
        if self.game.play.is_none() {
            self.game.turn = statement.bytes().next().and_then(color_of_sign);
        }
        Ok(())
    }

    /// The game from its start position on, which must be complete by now.
    fn play(&mut self, statement: &'t str) -> Result<&mut Track<'t>, Fault<'t>> {
        if self.game.play.is_none() {
            if !self.game.placement.is_stated() {
                return Err(Fault::new(Problem::NoBoard, statement));
            }
            let turn = self.game.turn.ok_or_else(|| Fault::new(Problem::NoTurn, statement))?;
            self.start(&self.game.placement.setup(turn))?;
        }
        self.game.play.as_mut().ok_or_else(|| Fault::new(Problem::NoBoard, statement))
    }

    fn start(&mut self, setup: &Setup) -> Step<'t> {
        self.game.play = Some(Track::new(setup));
        while let Some(comment) = self.game.early_comments.pop_front() {
            self.readable_comment(comment)?;
        }
        Ok(())
    }

    fn read_move(&mut self, statement: &'t str) -> Step<'t> {
        let play = self.play(statement)?;
        if play.is_ended() {
            return self.report.warn(Fault::new(Problem::AfterEnd, statement));
        }
        let mv = move_on(&play.board, statement)
            .map_err(|(problem, byte)| Fault::new(problem, statement.get(byte..).unwrap_or(statement)))?;
        let passed_over = play.make(mv, statement).map_err(|problem| Fault::new(problem, statement))?;
        self.game.last_move = Some(statement);
        self.report.foul(passed_over)
    }

    fn end(&mut self, statement: &'t str) -> Step<'t> {
        let play = self.play(statement)?;
        if play.is_ended() {
            return self.report.warn(Fault::new(Problem::AfterEnd, statement));
        }
        let word = statement.get(1..).unwrap_or_default();
        let word = word.split_whitespace().next().unwrap_or_default();
        let kind = end_of_word(word);
        let unknown = matches!(kind, EndKind::Other(_));
        let foul = play.end(play.end_of(kind));
        self.report.foul(foul)?;
        if unknown {
            self.report.strictly(Fault::new(Problem::UnknownEnd, statement))?;
        }
        if word == "MAX_MOVES" && self.version < Version::V3 {
            self.report.warn(Fault::new(Problem::WrongVersion, statement))?;
        }
        Ok(())
    }

    fn time(&mut self, statement: &'t str) -> Step<'t> {
        let text = statement.get(1..).unwrap_or_default().trim();
        let Some(play) = self.game.play.as_mut().filter(|play| play.is_begun()) else {
            return self.report.warn(Fault::new(Problem::StrayTime, statement));
        };
        let node = play.record.node_mut(play.at);
        if node.time_ms.is_some() {
            return self.report.warn(Fault::new(Problem::StrayTime, statement));
        }
        let ms = read_seconds(text);
        node.time_ms = ms;
        if exact_seconds(text).is_none() {
            self.report.warn(Fault::new(Problem::TimeValue, statement))?;
        }
        if ms.is_some() && text.contains('.') && self.version < Version::V3 {
            self.report.warn(Fault::new(Problem::WrongVersion, statement))?;
        }
        Ok(())
    }

    fn comment(&mut self, statement: &'t str) -> Step<'t> {
        if statement.starts_with("'*") {
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
    fn readable_comment(&mut self, statement: &'t str) -> Step<'t> {
        let Game { play: Some(play), last_move, .. } = &mut self.game else { return Ok(()) };
        let text = statement.get(2..).unwrap_or_default();
        if text == "*" {
            return Ok(());
        }
        let analysis = text.strip_prefix('*').and_then(|text| analysis::read(text, &mut play.board, *last_move));
        if let (Some(word), Some(end)) = (text.strip_prefix(END_COMMENT), play.record.end_mut(play.at))
            && end.kind == EndKind::Abort
        {
            end.kind = end_of_word(word);
            return Ok(());
        }
        let node = play.record.node_mut(play.at);
        let Some((analysis, broken)) = analysis else {
            node.remarks_mut().comments.push(text.to_owned());
            return Ok(());
        };
        node.remarks_mut().analyses.push(analysis);
        broken.map_or(Ok(()), |word| self.report.warn(Fault::new(Problem::BrokenPv, word)))
    }

    /// Reads the comments of shogi-server.
    fn server_comment(&mut self, statement: &'t str) {
        let text = statement.get(1..).unwrap_or_default();
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
            "black_rate" | "white_rate" => game.headers.push(HeaderKey::Other(key.to_ascii_uppercase()), value),
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
            let foul = conclude(&mut play, summary, game.foul_note);
            self.report.foul(foul)?;
        }
        self.report.foul(play.foul.take())?;
        let mut record = play.finish(game.headers, game.rules);
        // The name of a server's game gives the clock, if no header does.
        if record.rules.time == [None, None] {
            record.rules.time = [record.headers.value(&HeaderKey::Event).and_then(time_of_game_name); 2];
        }
        self.records.push(record);
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
            self.report.warn(Fault::new(Problem::NoBoard, last))?;
            self.start(&Setup { turn, ..Setup::empty() })
        } else if !game.headers.is_empty() && self.records.is_empty() {
            self.report.warn(Fault::new(Problem::NoBoard, last))?;
            self.start(&START)
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
    let result = GameResult::named(names.rsplit(' ').next()?.trim(), Naming::Csa);
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
    Some((kind, result))
}

/// Takes the end from the server's summary: wholly if no `%` line gives it,
/// else only the result. Returns a foul that is not the end.
fn conclude<'t>(play: &mut Track<'t>, (kind, result): Summary, foul_note: Option<&str>) -> Option<&'t str> {
    let mut foul = None;
    if !play.is_ended() {
        let kind = match (kind, winner_of(result)) {
            (EndKind::IllegalMove, Some(winner)) if winner == play.board.turn() => EndKind::IllegalAction(!winner),
            (kind, _) => kind,
        };
        foul = play.end(play.end_of(kind));
        let comments = &mut play.record.node_mut(play.at).remarks_mut().comments;
        comments.extend(foul_note.map(str::to_owned));
    }
    if let (Some(end), Some(result)) = (play.record.end_mut(play.at), result) {
        end.result = result;
    }
    foul
}

fn winner_of(result: Option<Option<GameResult>>) -> Option<Color> {
    result.flatten().and_then(GameResult::winner)
}
