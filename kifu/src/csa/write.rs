//! The writer, and the parts of it that are useful alone.

use super::headers::{escape, is_rule_key, seconds_text};
use super::*;
use crate::board::digits;
use crate::end::{End, GameResult};
use crate::header::HeaderKey;
use crate::lines;
use crate::record::{Analysis, Event, Node, Record, Rules, TimeControl};
use crate::terms::{ENTERING_KING_RULES, Naming, word_of};

/// The CSA text of `mv` in `position`, such as `+7776FU` or `-0055KA`.
///
/// `mv` should be legal there; for a move from an empty square a pawn is assumed.
///
/// ```
/// use enbu_kifu::csa;
/// use enbu_movegen::Position;
/// assert_eq!(csa::move_text(&Position::startpos(), "7g7f".parse()?), "+7776FU");
/// # Ok::<(), enbu_movegen::ParseMoveError>(())
/// ```
pub fn move_text(position: &Position, mv: Move) -> String {
    move_text_of(position.turn(), |square| position.piece_at(square), mv)
}

/// Like [`move_text`], on a board with any position.
pub fn move_text_on(board: &Board, mv: Move) -> String {
    move_text_of(board.turn(), |square| board.piece_at(square), mv)
}

fn move_text_of(turn: Color, piece_at: impl Fn(Square) -> Option<Piece>, mv: Move) -> String {
    let (from, to, kind) = match mv.parts() {
        MoveParts::Drop { piece, to } => ("00".to_owned(), to, piece.piece_type()),
        MoveParts::Board { from, to, promote } => {
            let kind = piece_at(from).map_or(PieceType::Pawn, |piece| piece.kind);
            let after = if promote { kind.promoted().unwrap_or(kind) } else { kind };
            (digits(from), to, after)
        }
    };
    format!("{}{from}{}{}", sign(turn), digits(to), piece_name(kind))
}

/// The lines of a position: nine ranks, the hands that hold something, and the side to move.
///
/// ```
/// use enbu_kifu::csa;
/// use enbu_movegen::Setup;
/// let rows = csa::board_rows(&"4k4/9/9/9/9/9/9/9/4K4 w 2P 1".parse::<Setup>()?);
/// assert_eq!(rows[0], "P1 *  *  *  * -OU *  *  *  * ");
/// assert_eq!(rows[9..], ["P+00FU00FU", "-"]);
/// # Ok::<(), enbu_movegen::SfenError>(())
/// ```
#[expect(clippy::indexing_slicing, reason = "arrays are indexed by the enums of movegen, whose values fit them")]
pub fn board_rows(setup: &Setup) -> Vec<String> {
    let cell = |square: Square| match setup.board[square] {
        Some(piece) => format!("{}{}", sign(piece.color), piece_name(piece.kind)),
        None => " * ".to_owned(),
    };
    let cells = |rank| (1..=9).rev().filter_map(|file| Square::new(file, rank)).map(cell).collect::<String>();
    let mut rows: Vec<String> = (1..=9).map(|rank| format!("P{rank}{}", cells(rank))).collect();
    for color in Color::ALL {
        let held = HandPiece::SFEN_ORDER.into_iter().map(|piece| {
            format!("00{}", piece_name(piece.piece_type())).repeat(usize::from(setup.hands[color].count(piece)))
        });
        let held: String = held.collect();
        rows.extend((!held.is_empty()).then(|| format!("P{}{held}", sign(color))));
    }
    rows.push(sign(setup.turn).to_string());
    rows
}

/// The text after `'** ` for `analysis` of the position on `board`: score,
/// variation and number of nodes; `None` without a score, which must come first.
pub fn analysis_text(board: &Board, analysis: &Analysis) -> Option<String> {
    let mut text = analysis.score_cp?.to_string();
    if !analysis.pv.is_empty() {
        // Without its history, which a copy would have to copy.
        let mut board = Board::new(&board.to_setup());
        text += &board.texts_of(&analysis.pv, |board, mv| format!(" {}", move_text_on(board, mv))).concat();
    }
    let end = analysis.pv_end.as_ref().map(|end| format!(" %{}", end_word(end)));
    let nodes = analysis.nodes.map(|nodes| format!(" #{nodes}"));
    Some(text + &end.unwrap_or_default() + &nodes.unwrap_or_default())
}

/// Writes a record as a CSA V3.0 file in UTF-8.
///
/// The main line only, because CSA has no variations. Comments lose trailing
/// blanks and control characters; an analysis without a score is left out, as are
/// its depth and program. An end for which CSA
/// has no word becomes `%CHUDAN` and a comment (`終局：封じ手`).
///
/// ```
/// use enbu_kifu::{Record, csa};
/// use enbu_movegen::Setup;
/// assert_eq!(csa::write(&Record::new(Setup::startpos())), "'CSA encoding=UTF-8\nV3.0\nPI\n+\n");
/// ```
pub fn write(record: &Record) -> String {
    write_all([record], FileVersion::V3_0)
}

/// Writes several records into one file.
///
/// ```
/// use enbu_kifu::{Record, csa};
/// use enbu_movegen::Setup;
/// let record = Record::new(Setup::startpos());
/// assert_eq!(csa::write_all([&record], csa::FileVersion::V2_2), "V2.2\nPI\n+\n");
/// ```
pub fn write_all<'r>(records: impl IntoIterator<Item = &'r Record>, version: FileVersion) -> String {
    let head = match version {
        FileVersion::V2_2 => "V2.2",
        FileVersion::V3_0 => "'CSA encoding=UTF-8\nV3.0",
    };
    let mut lines = vec![head.to_owned()];
    for (index, record) in records.into_iter().enumerate() {
        if index > 0 {
            lines.push("/".to_owned());
        }
        write_headers(record, version, &mut lines);
        match version {
            FileVersion::V2_2 => lines.extend(time_limit(&record.rules)),
            FileVersion::V3_0 => write_rules(&record.rules, &mut lines),
        }
        write_game(record, version, &mut lines);
    }
    lines.push(String::new());
    lines.join("\n")
}

fn one_line(text: &str) -> String {
    lines::one_line(text).trim().to_owned()
}

fn write_headers(record: &Record, version: FileVersion, lines: &mut Vec<String>) {
    for (side, name) in [('+', HeaderKey::BlackName), ('-', HeaderKey::WhiteName)] {
        lines.extend(record.headers.value(&name).map(|name| format!("N{side}{}", one_line(name))));
    }
    for (key, value) in record.headers.iter() {
        let Some(name) = key.name(Naming::Csa) else { continue };
        let name = one_line(&name.replace(':', ""));
        let is_held = version == FileVersion::V3_0 || *key != HeaderKey::Note;
        if is_held && !name.is_empty() && !is_rule_key(&name) {
            let value = if *key == HeaderKey::Note { one_line(&escape(value)) } else { one_line(value) };
            lines.push(format!("${name}:{value}"));
        }
    }
}

fn write_rules(rules: &Rules, lines: &mut Vec<String>) {
    let [black, white] = rules.time;
    match (black, white) {
        (Some(black), Some(white)) if black == white => lines.push(format!("$TIME:{}", time_text(black))),
        _ => {
            lines.extend(black.map(|time| format!("$TIME+:{}", time_text(time))));
            lines.extend(white.map(|time| format!("$TIME-:{}", time_text(time))));
        }
    }
    lines.extend(rules.max_moves.filter(|&moves| moves > 0).map(|moves| format!("$MAX_MOVES:{moves}")));
    let rule = rules.entering_king.and_then(|rule| word_of(&ENTERING_KING_RULES, Naming::Csa, &rule));
    lines.extend(rule.map(|name| format!("$JISHOGI:{name}")));
}

/// The clocks as V2.2 has them: `HH:MM+SS` for both sides, where that is exact.
fn time_limit(rules: &Rules) -> Option<String> {
    let [Some(black), Some(white)] = rules.time else { return None };
    let TimeControl { main_ms, byoyomi_ms, increment_ms } = black;
    let exact = black == white && main_ms % 60_000 == 0 && byoyomi_ms % 1000 == 0 && increment_ms == 0;
    let minutes = main_ms / 60_000;
    exact.then(|| format!("$TIME_LIMIT:{:02}:{:02}+{:02}", minutes / 60, minutes % 60, byoyomi_ms / 1000))
}

pub(crate) fn time_text(time: TimeControl) -> String {
    let [main, byoyomi, increment] = [time.main_ms, time.byoyomi_ms, time.increment_ms].map(seconds_text);
    format!("{main}+{byoyomi}+{increment}")
}

fn write_game(record: &Record, version: FileVersion, lines: &mut Vec<String>) {
    let setup = record.setup();
    if setup.board == Setup::startpos().board && setup.hands == Setup::startpos().hands {
        lines.extend(["PI".to_owned(), sign(setup.turn).to_string()]);
    } else {
        lines.extend(board_rows(setup));
    }
    let mut board = Board::new(setup);
    write_remarks(record.node(record.root()), &board, lines);
    let mut foul = false;
    for id in record.main_line() {
        let node = record.node(id);
        let mut named = None;
        match node.event() {
            Event::Start => {}
            Event::Move(mv) | Event::Foul(mv) => {
                let text = move_text_on(&board, *mv);
                let Ok(event) = board.play(*mv) else { return };
                foul = matches!(event, Event::Foul(_));
                lines.push(text);
            }
            Event::End(end) => {
                let (kind, word) = end_in(version, &end.kind);
                named = word.map(|word| format!("'*{END_COMMENT}{}", one_line(word)));
                let end = End { kind, result: end.result };
                lines.push(format!("%{}", end_word(&end.kind)));
                lines.extend(summary(record, &end, if foul { !board.turn() } else { board.turn() }, board.turn()));
            }
        }
        let whole = |ms| if version == FileVersion::V2_2 { ms - ms % 1000 } else { ms };
        lines.extend(node.time_ms.map(|ms| format!("T{}", seconds_text(whole(ms)))));
        lines.extend(named);
        write_remarks(node, &board, lines);
    }
}

fn write_remarks(node: &Node, board: &Board, lines: &mut Vec<String>) {
    let remarks = node.remarks();
    let analyses = remarks.analyses.iter().filter_map(|analysis| analysis_text(board, analysis));
    lines.extend(analyses.map(|text| format!("'** {text}")));
    for comment in remarks.lines() {
        let clean = lines::one_line(comment);
        let clean = clean.trim_end();
        // A comment that would read as an evaluation is kept from it by a blank.
        let blank = if analysis::is_analysis(clean) { " " } else { "" };
        lines.push(format!("'*{blank}{clean}"));
    }
}

/// The end for which a version has a word, and its own word where it has none.
fn end_in(version: FileVersion, kind: &EndKind) -> (EndKind, Option<&str>) {
    match kind {
        EndKind::MaxMoves if version == FileVersion::V2_2 => (EndKind::Impasse, None),
        EndKind::WinByDefault | EndKind::LoseByDefault => (EndKind::Abort, kind.name(Naming::Kif)),
        EndKind::Other(text) => (EndKind::Abort, Some(text)),
        kind => (kind.clone(), None),
    }
}

/// The word of an end, without `%`.
pub(crate) fn end_word(kind: &EndKind) -> String {
    let clean: String = match kind {
        EndKind::Other(text) => text.chars().filter(|&c| !c.is_whitespace() && !c.is_control() && c != ',').collect(),
        kind => kind.name(Naming::Csa).unwrap_or_default().to_owned(),
    };
    if clean.is_empty() { "ERROR".to_owned() } else { clean }
}

/// The line for the result where the end alone does not imply it.
fn summary(record: &Record, end: &End, loser_of_foul: Color, turn: Color) -> Option<String> {
    let side = if end.kind == EndKind::IllegalMove { loser_of_foul } else { turn };
    if end.result == end.kind.result(side) {
        return None;
    }
    let white = GameResult::name(end.result, Naming::Csa);
    let black = match white {
        "win" => "lose",
        "lose" => "win",
        both => both,
    };
    let name =
        |key, fallback: &str| one_line(record.headers.value(&key).filter(|name| !name.is_empty()).unwrap_or(fallback));
    let reason = end_word(&end.kind).to_ascii_lowercase();
    let (black_name, white_name) = (name(HeaderKey::BlackName, "Black"), name(HeaderKey::WhiteName, "White"));
    Some(format!("'summary:{reason}:{black_name} {black}:{white_name} {white}"))
}
