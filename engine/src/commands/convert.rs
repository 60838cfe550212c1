//! `enbu convert`: records and positions from any format into any other.

mod diagram;

use std::collections::HashSet;
use std::fmt::Display;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::slice;

use clap::Args;
use enbu_files::reason;
use enbu_kifu::csa::FileVersion;
use enbu_kifu::encoding::encode;
use enbu_kifu::svg::Style;
use enbu_kifu::{
    Encoding, Format, KifuError, Loss, Mode, Reading, Record, ScoreStyle, UnknownFormat, WriteOptions, names, read_any,
    usi,
};
use enbu_language::{pick, text};
use indicatif::ProgressBar;
use rayon::prelude::*;

use self::diagram::{DiagramArgs, Plies};
use super::choices::{Choice, SCORES, one_of};
use super::failure::{Force, failed, usage, write_file};
use super::inputs::{Bases, Input, MOST_WARNINGS, Target, extension, inputs, no_records, shown};
use super::progress::bar;
use crate::terminal::notice;

#[derive(Args)]
pub(crate) struct ConvertArgs {
    /// Files and folders; `-` or nothing is standard input ‖ ファイルやフォルダ。`-` または省略時は標準入力
    #[arg(value_name = "IN")]
    inputs: Vec<PathBuf>,
    /// File or folder to write to; default: standard output ‖ 書き出すファイルまたはフォルダ。省略時は標準出力
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Format of the input; default: detected from its content ‖ 入力の形式。省略時は内容から判別
    #[arg(long, value_name = "FORMAT")]
    from: Option<Format>,
    /// Format of the output: kif, kifu, ki2, ki2u, bod, csa, usi, sfen, fen, uci, usen, pgn, psn, psn2, jkf or svg; default: by OUT's extension ‖ 出力の形式：kif、kifu、ki2、ki2u、bod、csa、usi、sfen、fen、uci、usen、pgn、psn、psn2、jkf、svg。省略時は OUT の拡張子による
    #[arg(long, value_name = "FORMAT", value_parser = output_format)]
    to: Option<OutputFormat>,
    /// Encoding of the output: utf-8, shift_jis, euc-jp, iso-2022-jp or iso-8859-1; default: shift_jis for files named .kif and .ki2, else utf-8 ‖ 出力の文字コード：utf-8、shift_jis、euc-jp、iso-2022-jp、iso-8859-1。省略時は .kif と .ki2 のファイルが shift_jis、ほかは utf-8
    #[arg(long, value_name = "ENCODING", value_parser = encoding)]
    encoding: Option<Encoding>,
    /// Version of CSA files ‖ CSA 形式のバージョン
    #[arg(long, value_name = "VERSION", default_value = "3.0", value_parser = one_of(CSA_VERSIONS))]
    csa_version: FileVersion,
    /// Line ends of the output; default: crlf for shift_jis, else lf ‖ 出力の改行コード。省略時は shift_jis なら crlf、ほかは lf
    #[arg(long, value_name = "LINE_END", value_parser = one_of(LINE_ENDS))]
    line_end: Option<&'static str>,
    /// Take the first deviation from a format, and everything that the output cannot hold, as an error ‖ 形式からの最初の逸脱と、出力の形式で表せない内容をエラーにする
    #[arg(long)]
    strict: bool,
    /// Read as much as can be read (the default) ‖ 読めるところまで読む（既定の動作）
    #[arg(long, conflicts_with = "strict")]
    lenient: bool,
    #[command(flatten)]
    force: Force,
    /// With --to usi: add the ends of games, as `end=WORD winner=SIDE` ‖ --to usi のとき、終局の種類と勝者を `end=WORD winner=SIDE` として加える
    #[arg(long)]
    ends: bool,
    /// Add the name of the opening as a header to games that have none ‖ 戦型のない棋譜に戦型の名前をヘッダーとして加える
    #[arg(long)]
    names: bool,
    /// Positions of bod, svg, sfen and fen: the one after N moves, or several: 10-20, 30-, all, all/10 ‖ bod・svg・sfen・fen に書く局面：N 手目。10-20、30-、all、all/10 で複数
    #[arg(long, value_name = "N", value_parser = Plies::read)]
    ply: Option<Plies>,
    /// Dialect of evaluations in comments of kif, ki2 and jkf ‖ kif・ki2・jkf のコメントに書く評価値の書式
    #[arg(long, value_name = "DIALECT", default_value = "shogihome", value_parser = one_of(SCORES))]
    scores: ScoreStyle,
    #[command(flatten)]
    diagram: DiagramArgs,
}

pub(crate) const EXAMPLES: &str = "Examples: ‖ 例：
  enbu convert game.kif --to csa                 print a game as CSA ‖ CSA 形式で表示
  enbu convert games/ -o all.pgn                 all games of a folder into one file ‖ フォルダの全棋譜を1つのファイルに
  enbu convert games/ -o out/ --to kif           one file for each, in the same subfolders ‖ 1棋譜1ファイル、サブフォルダの構成はそのまま
  enbu convert game.csa -o game.kif              Shift_JIS, as most programs expect of .kif ‖ Shift_JIS（多くのソフトが .kif に想定する文字コード）
  enbu convert game.csa -o game.kifu             UTF-8 ‖ 文字コードは UTF-8
  enbu convert game.kif --to csa --csa-version 2.2
  enbu convert game.kif --to usi --ends          one line a game ‖ 1局を1行に
  enbu convert game.kif --to svg --ply 20 -o diagram.svg
  enbu convert game.kif --to svg --ply all/10 -o diagrams/        every tenth position, game-000.svg and on ‖ 10手ごとの局面図（game-000.svg～）";

const CSA_VERSIONS: &[Choice<FileVersion>] = &[("2.2", "", FileVersion::V2_2), ("3.0", "", FileVersion::V3_0)];

const LINE_ENDS: &[Choice<&str>] = &[("lf", "", "\n"), ("crlf", "", "\r\n")];

/// Stands for the number of a position in names of files.
const PLY: &str = "{ply}";

/// The format of the output, and the extension of its files: the name that was given.
type OutputFormat = (Format, String);

fn output_format(name: &str) -> Result<OutputFormat, UnknownFormat> {
    name.parse().map(|format| (format, name.to_ascii_lowercase()))
}

/// The encoding that programs expect of files with this extension.
pub(in crate::commands) fn usual_encoding(format: Format, extension: &str) -> Encoding {
    let is_shift_jis = matches!(format, Format::Kif | Format::Ki2)
        && ["kif", "ki2"].iter().any(|kind| extension.eq_ignore_ascii_case(kind));
    if is_shift_jis { Encoding::ShiftJis } else { Encoding::Utf8 }
}

fn encoding(label: &str) -> Result<Encoding, &'static str> {
    let refused = pick("not an encoding that can be written", "書き込みに使える文字コードではありません");
    Encoding::from_label(label).filter(|encoding| encoding.encode("").is_some()).ok_or(refused)
}

/// The work for every input, on any thread.
struct Job {
    args: ConvertArgs,
    to: Format,
    /// End of the names of files: `.kif`.
    suffix: String,
    encoding: Encoding,
    target: Target,
}

#[derive(Default)]
struct Converted {
    /// Warnings and errors.
    messages: Vec<String>,
    /// Content that the output cannot hold.
    losses: Vec<Loss>,
    failed: bool,
    games: usize,
    product: Product,
}

#[derive(Default)]
enum Product {
    /// Nothing: it could not be read.
    #[default]
    Nothing,
    /// Its games, which are written together with those of the others.
    Records(Vec<Record>),
    /// Its part of a file, or of the output of a strict run.
    Text(String),
    /// Its part of standard output.
    Bytes(Vec<u8>),
    /// Files of its own: numbers in place of `{ply}` (`010`), the ends of their names (`-1-010.svg`), and their bytes.
    Files(Vec<([String; 2], Vec<u8>)>),
}

/// Collects the results of the inputs, in their order.
struct Sink<'o, W: Write> {
    job: Job,
    out: &'o mut W,
    progress: ProgressBar,
    failures: usize,
    /// Records for one file, where its format needs them together.
    together: Vec<Record>,
    /// The text for one file so far.
    text: String,
    games: usize,
    /// Inputs with content that the output cannot hold.
    lossy: usize,
    bases: Bases,
    written: HashSet<PathBuf>,
}

/// Converts the files that the arguments name.
pub(crate) fn run(args: ConvertArgs, out: &mut impl Write) -> io::Result<ExitCode> {
    let target = Target::of(args.output.as_ref(), |_| true);
    let by_name = match &target {
        Target::File(path) => extension(path).and_then(|name| output_format(name).ok()),
        _ => None,
    };
    let inputs = inputs(&args.inputs)?;
    let Some((to, of_files)) = args.to.clone().or(by_name) else {
        inputs.iter().try_for_each(Input::check)?;
        let message = pick(
            "the format of the output is not known: add --to FORMAT, or -o FILE with its extension",
            "出力の形式が分かりません。--to で形式を、または -o で拡張子付きのファイル名を指定してください",
        );
        return Err(usage::<ConvertArgs>("convert", message));
    };
    if let Some(message) = args.misfit(to, &target) {
        return Err(usage::<ConvertArgs>("convert", message));
    }
    if inputs.is_empty() {
        return Err(no_records(&args.inputs));
    }
    // For more than one file.
    let progress = match inputs.len() {
        0 | 1 => ProgressBar::hidden(),
        files => bar(Some(files as u64), "{bar:40} {pos}/{len} {eta}"),
    };
    let written = match &target {
        // Terminals and pipes take UTF-8 in whatever format.
        Target::Stdout => "",
        Target::File(path) => extension(path).unwrap_or_default(),
        Target::Folder(_) => &of_files,
    };
    let encoding = args.encoding.unwrap_or_else(|| usual_encoding(to, written));
    let suffix = if written.is_empty() { String::new() } else { format!(".{written}") };
    let job = Job { args, to, suffix, encoding, target };
    job.target.prepare(job.args.force.existing())?;
    let (together, written, bases) = (Vec::new(), HashSet::new(), Bases::default());
    let mut sink =
        Sink { job, out, progress, failures: 0, together, text: String::new(), games: 0, lossy: 0, bases, written };
    let most = if sink.job.args.has_several() { 16 } else { 1024 };
    for batch in batches(&inputs, most) {
        let job = &sink.job;
        let converted: Vec<Converted> = batch.par_iter().map(|input| job.convert(input)).collect();
        for (input, converted) in batch.iter().zip(converted) {
            sink.take(input, converted)?;
            sink.progress.inc(1);
        }
    }
    sink.progress.finish_and_clear();
    sink.finish()?;
    let (failures, all) = (sink.failures, inputs.len());
    if failures > 0 {
        let text = text!("{failures} of {all} inputs had errors", "入力 {all} 件中 {failures} 件にエラーがありました");
        return Err(failed(text));
    }
    Ok(ExitCode::SUCCESS)
}

impl ConvertArgs {
    /// The reason for which options do not fit the format or the target.
    fn misfit(&self, to: Format, target: &Target) -> Option<String> {
        let has_diagram = self.diagram.style() != Style::default();
        if (has_diagram && to != Format::Svg) || (self.ply.is_some() && !to.holds_a_position()) {
            let english = "--ply is for bod, svg, sfen and fen, the options of diagrams are for svg";
            return Some(pick(english, "--ply は bod・svg・sfen・fen 用、局面図のオプションは svg 用です").to_owned());
        }
        let text = text!(
            "several positions need -o: a folder, or a file such as game-{PLY}.{to}",
            "複数の局面には -o でフォルダか game-{PLY}.{to} のようなファイル名を指定してください"
        );
        (self.has_several() && !to.holds_games() && matches!(target, Target::Stdout)).then(|| text.to_string())
    }

    fn has_several(&self) -> bool {
        self.ply.is_some_and(Plies::are_several)
    }
}

/// The inputs in groups that are converted at a time. Few enough that their output
/// fits into memory, and enough to keep all CPUs busy.
fn batches(inputs: &[Input], most_files: usize) -> impl Iterator<Item = &[Input]> {
    const MOST_BYTES: u64 = 16 << 20;
    let mut rest = inputs;
    std::iter::from_fn(move || {
        let mut bytes = 0;
        let size = |input: &Input| fs::metadata(&input.path).map_or(0, |file| file.len());
        let fits = rest.iter().take(most_files).take_while(|input| {
            let before = bytes;
            bytes += size(input);
            before == 0 || bytes <= MOST_BYTES
        });
        let (batch, after) = rest.split_at_checked(fits.count()).filter(|(batch, _)| !batch.is_empty())?;
        rest = after;
        Some(batch)
    })
}

impl Job {
    fn mode(&self) -> Mode {
        if self.args.strict { Mode::Strict } else { Mode::Tolerant }
    }

    fn options(&self, ply: Option<usize>) -> WriteOptions {
        WriteOptions {
            scores: self.args.scores,
            csa: self.args.csa_version,
            ends: if self.args.ends { usi::Ends::Words } else { usi::Ends::Omit },
            ply,
            diagram: self.args.diagram.style(),
        }
    }

    fn convert(&self, input: &Input) -> Converted {
        let mut converted = Converted::default();
        match self.read(input, &mut converted.messages) {
            Ok(mut reading) => {
                if self.args.names {
                    reading.records.iter_mut().for_each(|record| names::add_opening(record, self.to));
                }
                converted.messages.extend(reading.errors.iter().map(ToString::to_string));
                converted.messages.extend(shown(&reading.warnings, ""));
                converted.failed = !reading.errors.is_empty();
                converted.games = reading.records.len();
                converted.product = self.product(reading.records, &mut converted);
                if self.args.strict && converted.failed {
                    converted.product = Product::Nothing;
                }
            }
            Err(message) => {
                converted.messages.push(message);
                converted.failed = true;
            }
        }
        converted
    }

    /// The positions of a game that are written; `None` is the usual one of the format.
    fn plies(&self, record: &Record) -> Result<Vec<Option<usize>>, String> {
        let Some(plies) = self.args.ply else { return Ok(vec![None]) };
        Ok(plies.of(record.moves().count())?.map(Some).collect())
    }

    fn read(&self, input: &Input, messages: &mut Vec<String>) -> Result<Reading, String> {
        let bytes = input.bytes().map_err(|error| reason(&error).to_string())?;
        let told = |error: KifuError| error.to_string();
        let (found, reading) = match self.args.from {
            Some(format) => (format, format.read_bytes(&bytes, self.mode()).map_err(told)?),
            None => read_any(&bytes, self.mode()).map_err(told)?,
        };
        reading.records.iter().try_for_each(|record| self.plies(record).map(drop))?;
        let named = extension(&input.path).and_then(Format::of_extension);
        if self.args.from.is_none() && named.is_some_and(|named| !named.reads_as(found)) {
            let text = text!("warning: the file is of the format {found}", "注意：ファイルの内容は {found} 形式です");
            messages.push(text.to_string());
        }
        Ok(reading)
    }

    fn product(&self, records: Vec<Record>, converted: &mut Converted) -> Product {
        let is_stdout = matches!(self.target, Target::Stdout);
        if !is_stdout && !self.to.holds_games() {
            return Product::Files(self.own_files(&records, converted));
        }
        let text = self.text(&records, converted);
        if matches!(self.target, Target::Folder(_)) {
            return Product::Files(vec![([String::new(), self.suffix.clone()], self.encode(&text, converted))]);
        }
        // CSA has one head for all games of a file, and KI2 a separator between them.
        if matches!(self.to, Format::Csa | Format::Ki2) {
            Product::Records(records)
        } else if is_stdout && !self.args.strict {
            Product::Bytes(self.encode(&text, converted))
        } else {
            Product::Text(text)
        }
    }

    /// The text of games, or of the positions that are asked for.
    fn text(&self, records: &[Record], converted: &mut Converted) -> String {
        if self.args.ply.is_none() {
            return self.write(records, None, converted);
        }
        let mut text = String::new();
        for record in records {
            for ply in self.plies(record).into_iter().flatten() {
                text += &self.write(slice::from_ref(record), ply, converted);
            }
        }
        text
    }

    /// The text of games; content that it cannot hold is an error in a strict run.
    fn write(&self, records: &[Record], ply: Option<usize>, converted: &mut Converted) -> String {
        let written = self.to.write_counted(records, self.options(ply));
        converted.failed |= self.args.strict && !written.losses.is_empty();
        converted.losses.extend(written.losses);
        written.text
    }

    /// The games of one input as files of their own: one a game or position.
    fn own_files(&self, records: &[Record], converted: &mut Converted) -> Vec<([String; 2], Vec<u8>)> {
        let is_pattern = matches!(&self.target, Target::File(path) if path.to_string_lossy().contains(PLY));
        let digits = records.len().to_string().len();
        let mut files = Vec::new();
        for (number, record) in (1..).zip(records) {
            let moves = record.moves().count();
            let width = moves.to_string().len().max(3);
            let game = if records.len() > 1 { format!("-{number:0digits$}") } else { String::new() };
            for ply in self.plies(record).into_iter().flatten() {
                let position = format!("{:0width$}", ply.unwrap_or(moves));
                let is_appended = self.args.has_several() && !is_pattern;
                let after = if is_appended { format!("-{position}") } else { String::new() };
                let replaced = if is_pattern { position } else { String::new() };
                let text = self.write(slice::from_ref(record), ply, converted);
                files.push(([replaced, format!("{game}{after}{}", self.suffix)], self.encode(&text, converted)));
            }
        }
        files
    }

    /// The bytes of a text; a replaced character is an error in a strict run.
    fn encode(&self, text: &str, converted: &mut Converted) -> Vec<u8> {
        let usual = if self.encoding == Encoding::ShiftJis { "\r\n" } else { "\n" };
        let encoded = encode(text, self.encoding, self.args.line_end.unwrap_or(usual));
        converted.messages.extend(shown(&encoded.warnings, pick("output ", "出力の ")));
        converted.failed |= self.args.strict && !encoded.warnings.is_empty();
        encoded.bytes
    }
}

impl<W: Write> Sink<'_, W> {
    /// Prints a message about an input, above the bar.
    fn say(&self, name: &str, what: impl Display) {
        self.progress.suspend(|| notice(format_args!("enbu: {name}: {what}")));
    }

    fn take(&mut self, input: &Input, converted: Converted) -> io::Result<()> {
        let name = input.name();
        for message in &converted.messages {
            self.say(&name, message);
        }
        self.say_lost(&name, &converted.losses);
        self.failures += usize::from(converted.failed);
        self.games += converted.games;
        match converted.product {
            Product::Nothing => {}
            Product::Text(text) => self.text.push_str(&text),
            Product::Records(records) => self.together.extend(records),
            Product::Bytes(bytes) => self.out.write_all(&bytes)?,
            Product::Files(files) => {
                let base = match &self.job.target {
                    Target::Folder(folder) => folder.join(self.bases.of_input(input)),
                    Target::File(path) => self.bases.numbered(path.with_extension("")),
                    Target::Stdout => return Ok(()),
                };
                for (name_parts, bytes) in files {
                    self.write_own_file(&name, &base, &name_parts, &bytes)?;
                }
            }
        }
        Ok(())
    }

    /// Prints the content of an input that the output cannot hold; of many inputs, the first.
    fn say_lost(&mut self, name: &str, losses: &[Loss]) {
        self.lossy += usize::from(!losses.is_empty());
        if !losses.is_empty() && self.lossy <= MOST_WARNINGS {
            let list = losses.iter().map(ToString::to_string).collect::<Vec<_>>().join(pick(", ", "、"));
            let (warning, to) = (self.warning(), self.job.to);
            self.say(name, text!("{warning}{to} cannot hold {list}", "{warning}{to} 形式では表せません：{list}"));
        }
    }

    /// The beginning of messages that are errors in a strict run.
    fn warning(&self) -> &'static str {
        if self.job.args.strict { "" } else { pick("warning: ", "注意：") }
    }

    fn write_own_file(&mut self, name: &str, base: &Path, [ply, end]: &[String; 2], bytes: &[u8]) -> io::Result<()> {
        let numbered = base.to_str().filter(|_| !ply.is_empty()).map(|base| base.replace(PLY, ply).into());
        let mut path = numbered.unwrap_or_else(|| base.as_os_str().to_owned());
        path.push(end);
        let path = PathBuf::from(path);
        path.parent().map_or(Ok(()), fs::create_dir_all)?;
        let written = if self.written.contains(&path) {
            let path = path.display();
            let text = text!("{path} was written from another input", "{path} には別の入力を書き出し済みです");
            Err(io::Error::new(io::ErrorKind::AlreadyExists, text.to_string()))
        } else {
            write_file(&path, bytes, self.job.args.force.existing())
        };
        match written {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                self.say(name, error);
                self.failures += 1;
            }
            written => {
                written?;
                self.written.insert(path);
            }
        }
        Ok(())
    }

    /// Writes the text that was kept for the end; nothing after a failure of a strict run.
    fn finish(&mut self) -> io::Result<()> {
        let (to, output) = (self.job.to, pick("output", "出力"));
        if self.lossy > MOST_WARNINGS {
            let (warning, more) = (self.warning(), self.lossy - MOST_WARNINGS);
            let text = text!(
                "{warning}{more} more inputs have content that {to} cannot hold",
                "{warning}{to} 形式では表せない内容が、ほかに {more} 件の入力にあります"
            );
            self.say(output, text);
        }
        if self.games > 1 && !to.holds_games() && !matches!(self.job.target, Target::Folder(_)) {
            let place = pick("; -o FOLDER/ gives each its own", "。-o フォルダ/ なら 1 局ずつ書き出します");
            let place = if self.written.is_empty() { place } else { "" };
            let (warning, count) = (self.warning(), self.games);
            let text = text!(
                "{warning}{count} games, but {to} holds one a file{place}",
                "{warning}{count} 局ありますが、{to} 形式は 1 ファイルに 1 局です{place}"
            );
            self.say(output, text);
            self.failures += usize::from(self.job.args.strict && self.written.is_empty());
        }
        if !self.together.is_empty() {
            self.text = to.write(&self.together, self.job.options(None));
        }
        if self.text.is_empty() {
            return Ok(());
        }
        let mut converted = Converted::default();
        let bytes = self.job.encode(&self.text, &mut converted);
        for message in &converted.messages {
            self.say(output, message);
        }
        self.failures += usize::from(converted.failed);
        match &self.job.target {
            _ if self.job.args.strict && self.failures > 0 => Ok(()),
            Target::File(path) => write_file(path, &bytes, self.job.args.force.existing()),
            _ => self.out.write_all(&bytes),
        }
    }
}
