//! The reader of KIF, KI2 and BOD, which differ only in how they write moves.

use enbu_movegen::{Color, Setup};

use super::board::BoardText;
use super::handicap::{self, other_reading, setup_of_name};
use super::headers;
use super::moves::{self, MoveText};
use super::play::Play;
use super::result;
use super::words::{self, is_blank, side_of_mark};
use crate::end::{End, EndKind};
use crate::error::{KifuError, Mode, Problem};
use crate::header::{HeaderKey, Headers};
use crate::lines::{is_number, split_line, thousandths};
use crate::reading::{Fault, Reading, Reporter, Step};
use crate::record::{Record, Rules};
use crate::track::Track;

/// Reads all games and positions of a text.
///
/// # Errors
/// In tolerant mode when no game or position could be read: the error that broke off the
/// first one, or [`NoRecord`](crate::Problem::NoRecord). In strict mode the first deviation.
///
/// ```
/// use enbu_kifu::{EndKind, Mode, kif};
/// let reading = kif::read("手合割：平手\n   1 ７六歩(77)\n   2 ３四歩(33)\n   3 投了\n", Mode::Tolerant)?;
/// let record = &reading.records[0];
/// assert_eq!(record.moves().map(|mv| mv.to_string()).collect::<Vec<_>>(), ["7g7f", "3c3d"]);
/// assert_eq!(record.end().map(|end| &end.kind), Some(&EndKind::Resign));
/// # Ok::<(), enbu_kifu::KifuError>(())
/// ```
pub fn read(text: &str, mode: Mode) -> Result<Reading, KifuError> {
    let report = Reporter::new(text, mode);
    let mut reader = Reader { report, here: text, left: text, records: Vec::new(), game: Game::default(), last: "" };
    let outcome = reader.lines().and_then(|()| reader.finish_game());
    reader.report.finish(outcome, reader.records)
}

struct Reader<'t> {
    report: Reporter<'t>,
    /// The text from the line that is being read, and from the next one.
    here: &'t str,
    left: &'t str,
    records: Vec<Record>,
    game: Game<'t>,
    /// The last line that was not empty, for faults that show only at the end.
    last: &'t str,
}

#[derive(Default)]
struct Game<'t> {
    headers: Headers,
    rules: Rules,
    board: BoardText,
    handicap: Option<(&'t str, &'t str)>,
    /// The interpretation of an ambiguous handicap that is being tried.
    disputed: Disputed<'t>,
    /// Comments and bookmarks above the moves.
    early: Vec<&'t str>,
    /// True if anything was seen that only records have.
    known: bool,
    /// True if the line above the moves was seen.
    in_moves: bool,
    play: Option<Play<'t>>,
    /// A word of no known end after a move of KI2: an end, unless moves follow.
    word: Option<(&'t str, &'t str)>,
    /// Broken off: the rest is skipped up to the next game.
    broken: bool,
}

/// Names such as `三枚落ち` do not say which lance is removed; the moves may decide.
#[derive(Clone, Copy, Default)]
enum Disputed<'t> {
    /// The usual reading; another attempt can begin at this text.
    First(&'t str),
    /// The other reading, after the first attempt failed with this number of bytes left.
    Second { began: &'t str, left: usize },
    /// Decided, or not in question.
    #[default]
    Decided,
}

impl Game<'_> {
    fn is_begun(&self) -> bool {
        self.play.as_ref().is_some_and(|play| play.track.record.main_line().next().is_some())
    }
}

impl<'t> Reader<'t> {
    fn lines(&mut self) -> Step<'t> {
        while !self.left.is_empty() {
            self.here = self.left;
            let (line, rest) = split_line(self.here);
            self.left = rest.unwrap_or_default();
            self.line(line.trim_matches(is_blank))?;
        }
        Ok(())
    }

    /// Reads one line; an error only in strict mode.
    fn line(&mut self, line: &'t str) -> Step<'t> {
        if line.is_empty() {
            return Ok(());
        }
        self.last = line;
        // Programs write these at the head of a file.
        let is_head = ["#KIF", "#KI2", "# KIF", "# ----", "#----"].iter().any(|head| line.starts_with(head));
        if is_head && self.game.known {
            self.finish_game()?;
        }
        self.dispatch(line).or_else(|fault| self.break_off(fault))
    }

    /// Ends the game where it went wrong, unless an ambiguous handicap may be to blame.
    fn break_off(&mut self, fault: Fault<'t>) -> Step<'t> {
        if self.try_other_reading() {
            return Ok(());
        }
        match &mut self.game.play {
            // Other variations may still be read.
            Some(play) if play.has_begun() => {
                play.settle();
                play.lost = true;
            }
            _ => self.game.broken = true,
        }
        self.report.error(fault)
    }

    /// Reads the moves once more from the other start position, if there is one to try.
    fn try_other_reading(&mut self) -> bool {
        let (next, began) = match self.game.disputed {
            Disputed::First(began) => (Disputed::Second { began, left: self.left.len() }, began),
            // The first attempt came at least as far.
            Disputed::Second { began, left } if left <= self.left.len() => (Disputed::Decided, began),
            _ => return false,
        };
        let reading = if matches!(next, Disputed::Second { .. }) { other_reading } else { setup_of_name };
        let Some(setup) = self.game.handicap.and_then(|(name, _)| reading(name)) else { return false };
        self.game.disputed = next;
        self.left = began;
        self.set_up(setup);
        true
    }

    fn dispatch(&mut self, line: &'t str) -> Step<'t> {
        match line.as_bytes() {
            [b'#', ..] => return Ok(()),
            _ if self.game.broken && !line.contains(['：', ':']) => return Ok(()),
            [b'*' | b'&', ..] => return self.remark(line),
            [b'|', ..] => return self.rank(line),
            [b'+', b'-', ..] => return Ok(()),
            // Most lines are numbered moves; the files above a board end with the first.
            [b'0'..=b'9', .., b')' | b'+'] => return self.move_or_header(line),
            _ => {}
        }
        if line.starts_with("手数--") {
            return self.moves_begin(line);
        }
        if line.starts_with("手数＝") || line.starts_with("手数=") {
            self.game.known = true;
            self.game.board.read_footer(line);
            return Ok(());
        }
        if let Some(rest) = line.strip_prefix("まで") {
            return self.result(line, rest);
        }
        if let Some(rest) = line.strip_prefix("変化").and_then(|rest| rest.strip_prefix(['：', ':'])) {
            return self.variation(line, rest.trim_start_matches(is_blank));
        }
        if let Some((side, "番")) = words::side(line) {
            self.game.known = true;
            if self.game.play.is_some() {
                return self.report.warn(Fault::out_of_place("side to move", "手番", line));
            }
            self.game.board.turn = Some(side);
            return Ok(());
        }
        match headers::files(line) {
            Some(9) => Ok(()),
            Some(_) => Err(Fault::new(Problem::OtherVariant, line)),
            None if line == "盤面回転" => Ok(()),
            None => self.move_or_header(line),
        }
    }

    fn move_or_header(&mut self, line: &'t str) -> Step<'t> {
        if let Some((number, rest)) = words::number(line) {
            let rest = rest.strip_prefix(['.', '．']).unwrap_or(rest);
            let after = rest.trim_start_matches(is_blank);
            let starts_move = moves::begins_move(after) || after.starts_with(|c| side_of_mark(c).is_some());
            if after.len() < rest.len() || (starts_move && !moves::begins_move(line)) {
                return self.numbered(line, number, after);
            }
        }
        if line.starts_with(|c| side_of_mark(c).is_some()) || moves::begins_move(line) {
            return self.free_moves(line);
        }
        match headers::split(line) {
            Some((key, value)) if !key.is_empty() => self.header(line, key, value),
            _ if self.game.broken => Ok(()),
            _ => self.report.warn(Fault::new(Problem::UnknownStatement, line)),
        }
    }

    fn header(&mut self, line: &'t str, key: &'t str, value: &'t str) -> Step<'t> {
        let begun = self.game.is_begun();
        if begun && headers::begins_record(key) {
            self.finish_game()?;
        } else if self.game.broken {
            return Ok(());
        } else if begun || self.game.in_moves {
            self.report.warn(Fault::out_of_place("header", "ヘッダー", line))?;
        }
        self.game.known |= headers::is_known(key);
        if let Some((side, "の持駒" | "持駒" | "の持ち駒")) = words::side(key) {
            if self.game.board.is_followed_by_hand(side) {
                // Boards one after the other.
                self.finish_game()?;
            }
            self.game.known = true;
            return self.game.board.read_hand(side, value);
        }
        if matches!(key, "手合割" | "手合") {
            if handicap::is_other_variant(value) {
                return Err(Fault::new(Problem::OtherVariant, line));
            }
            self.game.handicap = Some((value, line));
            return Ok(());
        }
        let Game { headers, rules, .. } = &mut self.game;
        headers::take(key, value, headers, rules);
        Ok(())
    }

    fn rank(&mut self, line: &'t str) -> Step<'t> {
        match &self.game.play {
            Some(play) if play.lost => return Ok(()),
            Some(_) => return Err(Fault::out_of_place("board", "盤面", line)),
            None => {}
        }
        self.game.known = true;
        self.game.board.read_rank(line)
    }

    fn moves_begin(&mut self, line: &'t str) -> Step<'t> {
        if self.game.is_begun() {
            self.report.warn(Fault::out_of_place("second list of moves", "2 つ目の指し手の一覧", line))?;
            self.finish_game()?;
        }
        self.game.known = true;
        self.game.in_moves = true;
        Ok(())
    }

    /// A comment or bookmark.
    fn remark(&mut self, line: &'t str) -> Step<'t> {
        let Some(play) = &mut self.game.play else {
            self.game.early.push(line);
            return Ok(());
        };
        if play.lost {
            return Ok(());
        }
        let remarks = play.track.record.node_mut(play.track.at).remarks_mut();
        if let Some(name) = line.strip_prefix('&') {
            if remarks.bookmark.replace(name.to_owned()).is_some_and(|other| other != name) {
                let (english, japanese) = ("second bookmark, instead of the first", "1 つ目に代わる 2 つ目のしおり");
                return self.report.warn(Fault::out_of_place(english, japanese, line));
            }
        } else if let Some(comment) = line.strip_prefix('*') {
            remarks.comments.push(comment.to_owned());
        }
        Ok(())
    }

    /// The game from its start position on, which must be complete by now.
    fn play(&mut self, line: &'t str) -> Result<&mut Play<'t>, Fault<'t>> {
        if self.game.play.is_none() {
            let setup = self.start_position(line)?;
            self.set_up(setup);
        }
        self.game.play.as_mut().ok_or_else(|| Fault::new(Problem::NoBoard, line))
    }

    /// The game, unless this line of it is skipped.
    fn followed(&mut self, line: &'t str) -> Result<Option<&mut Play<'t>>, Fault<'t>> {
        if self.game.broken {
            return Ok(None);
        }
        self.game.known = true;
        Ok(Some(self.play(line)?).filter(|play| !play.lost))
    }

    fn start_position(&mut self, line: &'t str) -> Result<Setup, Fault<'t>> {
        let named = self.game.handicap.map(|(name, _)| name).filter(|name| !name.is_empty());
        let known = named.and_then(setup_of_name);
        let board = &self.game.board;
        if board.is_begun() {
            let default = known.as_ref().map_or(Color::Black, |setup| setup.turn);
            if let Some(name) = named.filter(|&name| known.is_none() && name != "その他") {
                self.game.headers.push(HeaderKey::Other("手合割".to_owned()), name);
            }
            return board.setup(default).map_err(|problem| Fault::new(problem, line));
        }
        let mut setup = match (named, known) {
            (_, Some(setup)) => setup,
            (None, None) => Setup::startpos(),
            (Some(_), None) => {
                // Kept as an even game, but never silently.
                let line = self.game.handicap.map_or(line, |(_, line)| line);
                self.report.error(Fault::new(Problem::UnknownHandicap, line))?;
                Setup::startpos()
            }
        };
        if named.and_then(other_reading).is_some() {
            self.game.disputed = Disputed::First(self.here);
        }
        setup.turn = self.game.board.turn().unwrap_or(setup.turn);
        setup.ply = self.game.board.ply();
        Ok(setup)
    }

    fn set_up(&mut self, setup: Setup) {
        self.game.play = Some(Play::new(setup, self.game.board.last_to));
        for comment in self.game.early.clone() {
            // Remarks cannot fail.
            let _ = self.remark(comment);
        }
    }

    /// A line of KIF: number, move or end, time.
    fn numbered(&mut self, line: &'t str, number: u64, text: &'t str) -> Step<'t> {
        let Some(play) = self.followed(line)? else { return Ok(()) };
        let Track { board, record, .. } = &play.track;
        if play.track.is_ended() {
            return self.report.warn(Fault::new(Problem::AfterEnd, line));
        }
        let base = *play.base.get_or_insert(number);
        let expected = base.saturating_add(board.plies_played() as u64);
        let odd_start = !play.track.is_begun() && number != 1 && number != u64::from(record.setup().ply);
        if number != expected || odd_start {
            self.report.warn(Fault::new(Problem::MoveNumber, line))?;
        }
        let text = text.trim_start_matches(|c| side_of_mark(c).is_some() || is_blank(c));
        if !moves::begins_move(text) {
            return self.end_word(line, text);
        }
        let (mv, rest) = moves::parse(text)?;
        self.make(line, &mv)?;
        self.time(line, rest)
    }

    /// A line of KI2: moves with marks, one after the other.
    fn free_moves(&mut self, line: &'t str) -> Step<'t> {
        let mut rest = line;
        while !rest.is_empty() {
            let Some(play) = self.followed(line)? else { return Ok(()) };
            if play.track.is_ended() {
                return self.report.warn(Fault::new(Problem::AfterEnd, rest));
            }
            let text = rest.trim_start_matches(|c| side_of_mark(c).is_some() || is_blank(c));
            if moves::begins_move(text) {
                self.word_before_moves()?;
                let (mv, tail) = moves::parse(text)?;
                self.make(line, &mv)?;
                rest = tail.trim_start_matches(is_separator);
            } else if text.is_empty() {
                return Ok(());
            } else {
                let end = next_move(text).unwrap_or(text.len());
                let (word, tail) = text.split_at_checked(end).unwrap_or((text, ""));
                let word = word.trim_end_matches(is_separator);
                match words::end_of_word(word, Color::Black) {
                    Some(_) => self.end_word(line, word)?,
                    None => {
                        self.word_before_moves()?;
                        self.game.word = Some((line, word));
                    }
                }
                rest = tail;
            }
        }
        Ok(())
    }

    /// Makes a comment of a word that moves follow.
    fn word_before_moves(&mut self) -> Step<'t> {
        let Some((_, word)) = self.game.word.take() else { return Ok(()) };
        if let Some(Play { track, .. }) = &mut self.game.play {
            track.record.node_mut(track.at).remarks_mut().comments.push(word.to_owned());
        }
        self.report.warn(Fault::new(Problem::UnknownStatement, word))
    }

    /// Ends the line with a word that no moves followed.
    fn word_at_end(&mut self) -> Step<'t> {
        self.game.word.take().map_or(Ok(()), |(line, word)| self.end_word(line, word))
    }

    fn last_foul(&mut self) -> Step<'t> {
        let foul = self.game.play.as_mut().and_then(|play| play.track.foul.take());
        self.report.foul(foul)
    }

    fn make(&mut self, line: &'t str, text: &MoveText) -> Step<'t> {
        let disputed = matches!(self.game.disputed, Disputed::First(_));
        let play = self.play(line)?;
        let fault = |problem| Fault::new(problem, line);
        let (mv, odd) = moves::resolve(text, &play.track.board, play.last_to()).map_err(fault)?;
        if disputed && !play.track.board.is_legal(mv) {
            return Err(fault(Problem::IllegalMove));
        }
        let passed_over = play.make(mv, line).map_err(fault)?;
        odd.map_or(Ok(()), |odd| self.report.warn(fault(odd)))?;
        self.report.foul(passed_over)
    }

    /// A word in the place of a move.
    fn end_word(&mut self, line: &'t str, text: &'t str) -> Step<'t> {
        let end = text.find(|c| is_blank(c) || c == '(' || c == '+').unwrap_or(text.len());
        let (word, rest) = text.split_at_checked(end).unwrap_or((text, ""));
        if word.is_empty() || words::digit(word.chars().next().unwrap_or_default()).is_some() {
            return Err(Fault::new(Problem::MoveSyntax, text));
        }
        let play = self.play(line)?;
        let turn = play.track.board.turn();
        let kind = words::end_of_word(word, turn).unwrap_or_else(|| EndKind::Other(word.to_owned()));
        let foul = play.end(End::new(kind, turn));
        self.report.foul(foul)?;
        self.time(line, rest)
    }

    /// Reads the text after a move: `( 0:16/00:00:16)+`.
    fn time(&mut self, line: &'t str, text: &'t str) -> Step<'t> {
        let rest = text.trim_matches(is_blank).trim_end_matches('+').trim_end_matches(is_blank);
        if rest.is_empty() {
            return Ok(());
        }
        let inside = rest.strip_prefix(['(', '（']).map(|inside| inside.trim_end_matches([')', '）']));
        match inside.map(time_ms) {
            Some(Some(ms)) => {
                let Play { track, .. } = self.play(line)?;
                track.record.node_mut(track.at).time_ms = Some(ms);
                Ok(())
            }
            Some(None) => self.report.warn(Fault::new(Problem::TimeValue, rest)),
            None => self.report.warn(Fault::new(Problem::UnknownStatement, rest)),
        }
    }

    /// The result line: `まで79手で先手の勝ち`.
    fn result(&mut self, line: &'t str, text: &'t str) -> Step<'t> {
        let Some(result) = result::parse(text).filter(|_| !self.game.broken) else {
            let fault = Fault::new(Problem::UnknownStatement, line);
            return if self.game.broken { Ok(()) } else { self.report.warn(fault) };
        };
        self.word_at_end()?;
        let Some(play) = self.followed(line)? else { return Ok(()) };
        let made = play.track.board.plies_played() as u64;
        let turn = play.track.board.turn();
        let moves = play.base().saturating_sub(1).saturating_add(made);
        let mut agrees = result.moves.is_none_or(|count| count == moves || count == made);
        if let Some(end) = play.track.record.end_mut(play.track.at) {
            match result.overrides(end, turn) {
                Some(decided) => end.result = decided,
                None => agrees &= result.result.is_none_or(|result| result == end.result),
            }
        } else {
            let foul = play.end(result.end(turn));
            self.report.foul(foul)?;
        }
        if agrees { Ok(()) } else { self.report.warn(Fault::new(Problem::ResultMismatch, line)) }
    }

    /// `変化：9手`: the following moves replace move 9 of the line that contains it.
    fn variation(&mut self, line: &'t str, text: &'t str) -> Step<'t> {
        self.word_at_end()?;
        self.last_foul()?;
        // Files have stray ones among the headers.
        let Some(play) = self.game.play.as_mut().filter(|_| !self.game.broken) else { return Ok(()) };
        let before = words::number(text).and_then(|(number, _)| number.checked_sub(play.base()));
        let before = before.and_then(|moves| usize::try_from(moves).ok());
        play.lost = !before.is_some_and(|moves| play.branch_at(moves));
        if play.lost { self.report.warn(Fault::new(Problem::NoBranchPoint, line)) } else { Ok(()) }
    }

    /// Closes the game, where another begins or at the end of the text.
    fn finish_game(&mut self) -> Step<'t> {
        if !self.game.broken && self.game.play.is_none() && self.game.known {
            let line = self.last;
            if let Err(fault) = self.play(line).map(drop) {
                self.game.broken = true;
                self.report.error(fault)?;
            }
        }
        self.word_at_end()?;
        self.last_foul()?;
        let mut game = std::mem::take(&mut self.game);
        if !game.broken || game.is_begun() {
            self.records.extend(game.play.take().map(|mut play| {
                play.settle();
                play.track.finish(game.headers, game.rules)
            }));
        }
        Ok(())
    }
}

/// Returns true for characters between the moves of KI2.
const fn is_separator(c: char) -> bool {
    is_blank(c) || matches!(c, '、' | '，' | ',' | '・' | '/' | '／' | ';' | '；' | '。' | '→')
}

/// The place of the next move in a text that begins with none.
fn next_move(text: &str) -> Option<usize> {
    let mut starts = text.char_indices().filter(|&(at, c)| {
        let rest = text.get(at..).unwrap_or_default();
        let after = rest.trim_start_matches(|c| side_of_mark(c).is_some() || is_blank(c));
        (at > 0 || after.len() < rest.len()) && !is_blank(c) && moves::parse(after).is_ok()
    });
    starts.next().map(|(at, _)| at)
}

/// `0:16/00:00:16` and the like: the time of the move, in milliseconds. The
/// total after it is ignored.
pub(crate) fn time_ms(text: &str) -> Option<u64> {
    let now = text.split('/').next()?.trim_matches(is_blank);
    let (now, fraction) = now.split_once('.').unwrap_or((now, ""));
    let mut parts = now.split([':', '：']).map(|part| words::number(part.trim_matches(is_blank)));
    let seconds = parts.by_ref().take(3).try_fold(0u64, |seconds, part| {
        let (value, _) = part.filter(|(_, rest)| rest.is_empty())?;
        Some(seconds.saturating_mul(60).saturating_add(value))
    });
    let fits = parts.next().is_none() && (fraction.is_empty() || is_number(fraction));
    seconds.filter(|_| fits).map(|seconds| seconds.saturating_mul(1000).saturating_add(thousandths(fraction)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_every_form() {
        for (text, ms) in [
            (" 0:16/00:00:16", Some(16_000)),
            ("01:02:03 / 01:02:03", Some(3_723_000)),
            (" 0:5/", Some(5000)),
            ("75:10/01:15:11", Some(4_510_000)),
            ("0:05.5/0:0:5", Some(5500)),
            ("30", Some(30_000)),
            ("999999999999999999:99/..", Some(u64::MAX)),
            ("", None),
            ("a:b", None),
            ("1:2:3:4", None),
        ] {
            assert_eq!(time_ms(text), ms, "{text}");
        }
    }
}
