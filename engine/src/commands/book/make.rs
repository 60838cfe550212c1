//! `enbu book make`: books from game records.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::ops::AddAssign;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use clap::{Args, Subcommand};
use enbu_book::PositionKey;
use enbu_book::gather::{Gatherer, Score};
use enbu_files::{FileKind, folder};
use enbu_kifu::{Event, Format, HeaderKey, KifuError, Mode, NodeId, Reading, Record, read_any};
use enbu_language::{Words, pick, text};
use enbu_movegen::{Color, Move, Position};
use rayon::prelude::*;

use super::files::{check_output, write_sorted};
use super::grow;
use crate::commands::choices::{Choice, one_of};
use crate::commands::failure::{Force, failed, named, usage, with_failures};
use crate::commands::inputs::{Input, inputs, shown};
use crate::commands::progress::Progress;

pub(crate) const EXAMPLES: &str = "Examples: ‖ 例：
  enbu book make games/ -o book.db                      the first 40 plies of all games ‖ 全対局の最初の 40 手
  enbu book make games/ -o book.db --to 60 --min-count 3 --result decisive --min-rating 3500
  enbu book make joseki.kif -o book.db --variations --values comments
  enbu book make games/ -o mine.db --player enbu --side black
  enbu book make self -o book.db --positions 10000 --nodes 5000
  enbu book make self -o part2.db --positions 40000 --shard 2/8
  enbu book make self -o all.db --merge part*.db.grow.jsonl
In play, BookEvalDiff and BookEvalBlackLimit choose among the values of a book. ‖ 対局では、BookEvalDiff と BookEvalBlackLimit が定跡の評価値で指し手を絞ります。
Books from records have no depths, which BookDepthLimit passes. ‖ 棋譜から作った定跡には深さがなく、BookDepthLimit の制限を受けません。";

#[derive(Args)]
pub(crate) struct MakeArgs {
    #[command(subcommand)]
    source: Option<Source>,
    #[command(flatten)]
    records: RecordsArgs,
}

#[derive(Subcommand)]
enum Source {
    /// Grow a book by our own search: best-first, with minimax values ‖ Enbu 自身の探索で定跡を育てる：最良優先で広げ、評価値はミニマックスで求める
    #[command(name = "self")]
    Own(Box<grow::GrowArgs>),
}

#[derive(Args)]
struct RecordsArgs {
    /// Records in any format, and folders; `-` is standard input ‖ 棋譜（形式は問わない）やフォルダ。`-` は標準入力
    #[arg(value_name = "RECORDS", required = true)]
    inputs: Vec<PathBuf>,
    /// The book to write: .db, .ybb, .bin (Apery) or .sbk ‖ 書き出す定跡：.db、.ybb、.bin（Apery）、.sbk
    #[arg(short, long, value_name = "FILE", required = true)]
    output: Option<PathBuf>,
    /// The first move of a game that counts ‖ 定跡に入れる最初の手数
    #[arg(long, value_name = "PLY", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    from: u16,
    /// The last move of a game that counts ‖ 定跡に入れる最後の手数
    #[arg(long, value_name = "PLY", default_value_t = 40, value_parser = clap::value_parser!(u16).range(1..))]
    to: u16,
    /// The moves that count, by the results of their games ‖ 定跡に入れる指し手（対局の結果による）
    #[arg(long, default_value = "any", value_parser = one_of(RESULTS))]
    result: Results,
    /// Least rating of both players; games without ratings do not count ‖ 両対局者のレーティングの下限。レーティングのない対局は除く
    #[arg(long, value_name = "RATING")]
    min_rating: Option<f64>,
    /// Only the moves of the player with this name ‖ この名前の対局者の指し手だけ
    #[arg(long, value_name = "NAME")]
    player: Option<String>,
    /// Only the moves of this side ‖ この手番の指し手だけ（black：先手、white：後手）
    #[arg(long, value_parser = one_of(SIDES))]
    side: Option<Color>,
    /// The moves of variations as well; they have no results ‖ 変化手順の指し手も入れる（勝敗は数えない）
    #[arg(long)]
    variations: bool,
    /// Source of the values ‖ 評価値の元
    #[arg(long, default_value = "results", value_parser = one_of(VALUES))]
    values: Values,
    /// Least number of games with a move ‖ 指し手が現れた対局数の下限
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    min_count: u32,
    /// Memory for collecting moves, in MB; more moves go to temporary files beside FILE ‖ 指し手を集めるメモリ（MB）。超えた分は FILE の隣の一時ファイルに置く
    #[arg(long, value_name = "MB", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=1_048_576))]
    memory: u32,
    #[command(flatten)]
    force: Force,
}

/// Moves that count, by the results of their games.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Results {
    Any,
    Known,
    Decisive,
    Winner,
}

const RESULTS: &[Choice<Results>] = &[
    ("any", "Those of all games ‖ 全対局の指し手", Results::Any),
    ("known", "Those of games with a known result ‖ 結果の分かる対局の指し手", Results::Known),
    ("decisive", "Those of games with a winner ‖ 勝敗のついた対局の指し手", Results::Decisive),
    ("winner", "Those of the winner ‖ 勝者の指し手", Results::Winner),
];

/// Sides whose moves count.
const SIDES: &[Choice<Color>] = &[("black", "", Color::Black), ("white", "", Color::White)];

/// Source of the values of moves.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Values {
    Results,
    Comments,
}

const VALUES: &[Choice<Values>] = &[
    ("results", "Results of the games ‖ 対局の勝敗", Values::Results),
    (
        "comments",
        "Mean of the evaluations in comments on the moves ‖ 指し手のコメントにある評価値の平均",
        Values::Comments,
    ),
];

pub(crate) fn run(args: &MakeArgs, out: &mut impl Write) -> io::Result<ExitCode> {
    match &args.source {
        Some(Source::Own(args)) => grow::run(args, out),
        None => args.records.run(out),
    }
}

type Moves = Vec<(PositionKey, u16, Move, Score)>;

/// The moves of a part of an input or of all, and messages about it.
#[derive(Default)]
struct Found {
    counts: Counts,
    moves: Moves,
    messages: Vec<String>,
    failures: usize,
}

/// Counts of games and of what is left out of them.
#[derive(Clone, Copy, Default)]
struct Counts {
    games: u64,
    /// Games that do not count by their results, ratings or players.
    other_games: u64,
    /// Games whose start position is none of a game.
    unplayable: u64,
    /// Variations that are left out.
    variations: u64,
    /// Games that end at an illegal move.
    cut: u64,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.games += other.games;
        self.other_games += other.other_games;
        self.unplayable += other.unplayable;
        self.variations += other.variations;
        self.cut += other.cut;
    }
}

impl Counts {
    /// The parts of the records that are left out; `None` if there are none.
    fn left_out(&self) -> Option<String> {
        let Self { other_games, unplayable, variations, cut, .. } = *self;
        let parts = [
            (
                other_games,
                Words("games by --result, --min-rating, --player or --side", "--result などの条件に合わない棋譜"),
            ),
            (unplayable, Words("games from positions that cannot be played", "開始局面から指せない棋譜")),
            (cut, Words("games after an illegal move", "反則手より後を除いた棋譜")),
            (variations, Words("variations (--variations adds them)", "変化（--variations で加えます）")),
        ];
        let parts = parts.iter().filter(|(count, _)| *count > 0);
        let list = parts.map(|(count, what)| text!("{count} {what}", "{what} {count} 件").to_string());
        let list = list.collect::<Vec<_>>().join(pick(", ", "、"));
        (!list.is_empty()).then(|| text!("left out: {list}", "除いたもの：{list}").to_string())
    }
}

impl RecordsArgs {
    fn run(&self, out: &mut impl Write) -> io::Result<ExitCode> {
        let missing = || usage::<Self>("make", pick("no -o FILE", "-o FILE がありません"));
        let path = self.output.as_ref().ok_or_else(missing)?;
        check_output(path, self.force.existing())?;
        let files = inputs(&self.inputs)?;
        if files.is_empty() {
            return Err(failed(pick("no records found", "棋譜がありません")));
        }
        let started = Instant::now();
        let memory_bytes = self.memory as usize * (1 << 20);
        let mut gatherer = Gatherer::new(memory_bytes, folder(path));
        let pool = rayon::ThreadPoolBuilder::new().build().map_err(io::Error::other)?;
        let totals = pool.install(|| self.gather(&files, &mut gatherer))?;
        let moves = gatherer.added;
        let pages = gatherer.finish(self.min_count)?.map(|page| Ok(page?));
        let positions = write_sorted(path, self.force.existing(), memory_bytes, pages)?;
        let seconds = started.elapsed().as_secs_f64().max(0.001);
        let Found { counts, failures, .. } = totals;
        let (games, speed) = (counts.games, moves as f64 / seconds);
        let text = text!(
            "{games} games, {moves} moves, {positions} positions in {seconds:.1} s ({speed:.0} moves a second)",
            "{games} 局、指し手 {moves}、局面 {positions}、{seconds:.1} 秒（毎秒 {speed:.0} 手）"
        );
        writeln!(out, "{text}")?;
        if let Some(left_out) = counts.left_out() {
            writeln!(out, "{left_out}")?;
        }
        with_failures(failures)
    }

    /// Reads all inputs, several parts at once.
    fn gather(&self, files: &[Input], gatherer: &mut Gatherer) -> io::Result<Found> {
        let at_once = 2 * rayon::current_num_threads();
        let mut progress = Progress::new(files.len() as u64);
        let mut totals = Found::default();
        let mut parts = files.iter().enumerate().flat_map(|(number, file)| {
            let failed = |error| named(Path::new(&file.name()), &error).to_string();
            parts(file).map(move |part| (number, part.map_err(failed)))
        });
        loop {
            let batch: Vec<(usize, Result<Part, String>)> = parts.by_ref().take(at_once).collect();
            let Some((last, _)) = batch.last() else { break };
            let done = *last as u64;
            let found: Vec<Found> = batch
                .into_par_iter()
                .map(|(_, part)| match part {
                    Ok(part) => self.read(&part),
                    Err(message) => Found { messages: vec![message], failures: 1, ..Found::default() },
                })
                .collect();
            for found in found {
                totals.counts += found.counts;
                totals.failures += found.failures;
                found.messages.iter().for_each(|message| progress.notice(message));
                for (position, ply, mv, score) in found.moves {
                    gatherer.add(position, ply, mv, score)?;
                }
            }
            let (games, moves) = (totals.counts.games, gatherer.added);
            progress.show(done, || text!("{games} games, {moves} moves", "{games} 局、{moves} 手").to_string());
        }
        progress.finish();
        Ok(totals)
    }

    fn read(&self, part: &Part) -> Found {
        let mut found = Found::default();
        let reading = match part.format {
            Some(format) => format.read_bytes(&part.bytes, Mode::Tolerant),
            None => read_any(&part.bytes, Mode::Tolerant).map(|(_, reading)| reading),
        };
        let message = |error: &KifuError| {
            let error = KifuError { line: error.line + part.lines_before, ..error.clone() };
            text!("{}: {error}", "{}：{error}", part.name).to_string()
        };
        let Reading { records, errors, warnings } = match reading {
            Ok(reading) => reading,
            Err(error) => return Found { messages: vec![message(&error)], failures: 1, ..found },
        };
        found.messages.extend(errors.iter().map(message));
        found.messages.extend(shown(&warnings, &text!("{}: ", "{}：", part.name).to_string()));
        found.failures = usize::from(!errors.is_empty());
        for record in &records {
            found.counts += self.add(record, &mut found.moves);
        }
        found
    }

    /// Returns true for a game that counts by its result, ratings and players.
    fn counts(&self, record: &Record) -> bool {
        let has_rating = |least: f64| {
            Color::ALL.into_iter().all(|color| rating(record, color).is_some_and(|rating| rating >= least))
        };
        let result = record.end().and_then(|end| end.result);
        let has_result = match self.result {
            Results::Any => true,
            Results::Known => result.is_some(),
            Results::Decisive | Results::Winner => result.is_some_and(|result| result.winner().is_some()),
        };
        let has_player = Color::ALL.into_iter().any(|color| self.is_wanted(record, color));
        has_result && has_player && self.min_rating.is_none_or(has_rating)
    }

    /// Returns true if the moves of `color` count.
    fn is_wanted(&self, record: &Record, color: Color) -> bool {
        let winner = record.end().and_then(|end| end.result).and_then(|result| result.winner());
        let key = if color == Color::Black { HeaderKey::BlackName } else { HeaderKey::WhiteName };
        (self.result != Results::Winner || winner == Some(color))
            && self.side.is_none_or(|wanted| wanted == color)
            && self.player.as_deref().is_none_or(|wanted| record.headers.value(&key).map(str::trim) == Some(wanted))
    }

    fn add(&self, record: &Record, moves: &mut Moves) -> Counts {
        if !self.counts(record) {
            return Counts { other_games: 1, ..Counts::default() };
        }
        let Ok(game) = Position::from_setup(record.setup()) else {
            return Counts { unplayable: 1, ..Counts::default() };
        };
        let mut counts = Counts { games: 1, ..Counts::default() };
        // Nodes to be followed: the position at each, and whether its line was played.
        let mut open = vec![(record.root(), game, Line::Played)];
        while let Some((at, game, line)) = open.pop() {
            let ply = game.ply();
            if ply > self.to {
                continue;
            }
            for (index, id) in record.children(at).enumerate() {
                let Event::Move(mv) = *record.node(id).event() else { continue };
                if index > 0 && !self.variations {
                    counts.variations += 1;
                    continue;
                }
                let line = if index > 0 { Line::Variation } else { line };
                let mut after = game.without_history();
                if after.play(mv).is_err() {
                    counts.cut += u64::from(line == Line::Played);
                    continue;
                }
                if ply >= self.from && self.is_wanted(record, game.turn()) {
                    let key = PositionKey::of_setup(&game.to_setup());
                    moves.push((key, ply, mv, self.score(record, id, game.turn(), line)));
                }
                open.push((id, after, line));
            }
        }
        counts
    }

    fn score(&self, record: &Record, id: NodeId, mover: Color, line: Line) -> Score {
        if self.values == Values::Comments {
            let score_cp = record.node(id).remarks().analyses.iter().find_map(|analysis| analysis.score_cp);
            let relative = |cp: i32| if mover == Color::Black { cp } else { -cp };
            return score_cp.map_or(Score::Unknown, |cp| Score::Cp(relative(cp)));
        }
        let result = record.end().and_then(|end| end.result).filter(|_| line == Line::Played);
        match result.map(|result| result.winner()) {
            None => Score::Unknown,
            Some(None) => Score::Draw,
            Some(Some(winner)) if winner == mover => Score::Win,
            Some(Some(_)) => Score::Loss,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Line {
    Played,
    /// It was only noted.
    Variation,
}

/// The rating of a player: the comments of shogi-server (`black_rate`), the tags of PGN,
/// whose White moves first.
fn rating(record: &Record, color: Color) -> Option<f64> {
    let (server, tag) = color.select([("BLACK_RATE", "WhiteElo"), ("WHITE_RATE", "BlackElo")]);
    let value = |key: &str| record.headers.value(&HeaderKey::Other(key.to_owned()));
    let text = value(server).and_then(|text| text.rsplit(':').next()).or_else(|| value(tag))?;
    text.trim().parse().ok()
}

/// A part of an input: whole games.
struct Part {
    name: String,
    bytes: Vec<u8>,
    /// The format, where the part has no beginning that would show it.
    format: Option<Format>,
    lines_before: usize,
}

/// Size of the parts of a file with one game a line; other files are read as a whole.
const PART_BYTES: u64 = 1 << 17;

/// Longest line of such a file, beyond the end of a part.
const MOST_LINE_BYTES: u64 = 1 << 20;

/// Bytes from which the format of a file is detected.
const HEAD_BYTES: u64 = 1 << 16;

/// The parts of an input: the whole of it unless it is a large file of lines.
fn parts(input: &Input) -> Box<dyn Iterator<Item = io::Result<Part>> + '_> {
    let (name, whole) = (input.name(), || input.check().and_then(|()| input.bytes()));
    match lines_of(input) {
        Ok(Some((file, format))) => Box::new(parts_of_lines(name, file, format)),
        Ok(None) => {
            let part = |bytes| Part { name, bytes, format: None, lines_before: 0 };
            Box::new(std::iter::once(whole().map(part)))
        }
        Err(error) => Box::new(std::iter::once(Err(error))),
    }
}

/// A large file with one game a line and its format; `None` for another input.
fn lines_of(input: &Input) -> io::Result<Option<(BufReader<File>, Format)>> {
    let length = std::fs::metadata(&input.path).map_or(0, |found| found.len());
    if input.is_stdin() || length <= PART_BYTES {
        return Ok(None);
    }
    let open = || enbu_files::open(&input.path, FileKind::Stream);
    let mut head = Vec::new();
    open()?.take(HEAD_BYTES).read_to_end(&mut head)?;
    let lines = head.rsplitn(2, |&byte| byte == b'\n').last().unwrap_or_default();
    let format = std::str::from_utf8(lines).ok().and_then(Format::detect);
    let format = format.filter(|format| matches!(format, Format::Usi | Format::Sfen));
    format.map(|format| Ok((BufReader::with_capacity(1 << 20, open()?), format))).transpose()
}

/// The parts of a file of lines. An error ends them.
fn parts_of_lines(name: String, file: BufReader<File>, format: Format) -> impl Iterator<Item = io::Result<Part>> {
    let (mut file, mut lines) = (Some(file), 0);
    std::iter::from_fn(move || {
        let mut next = |file: &mut BufReader<File>| {
            let (mut bytes, lines_before) = (Vec::new(), lines);
            file.take(PART_BYTES).read_to_end(&mut bytes)?;
            let rest = file.take(MOST_LINE_BYTES).read_until(b'\n', &mut bytes)?;
            lines += bytes.iter().filter(|&&byte| byte == b'\n').count();
            if rest as u64 == MOST_LINE_BYTES {
                let line = lines + 1;
                let most = MOST_LINE_BYTES;
                return Err(failed(text!(
                    "line {line} is longer than {most} bytes",
                    "{line} 行目が {most} バイトを超えます"
                )));
            }
            let part = Part { name: name.clone(), bytes, format: Some(format), lines_before };
            Ok(Some(part).filter(|part| !part.bytes.is_empty()))
        };
        let part = next(file.as_mut()?).transpose();
        file = file.take().filter(|_| matches!(part, Some(Ok(_))));
        part
    })
}
