//! The log of a growing book: a header and one line a batch of searched positions.
//!
//! The tree follows from the log, so that a work that was interrupted continues where it
//! stopped, and logs of several machines are put together. A torn last line is dropped: it
//! is a batch whose positions are searched again.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use enbu_book::grow::{Plan, Searched, Tree, Verdict};
use enbu_files::FileKind;
use enbu_language::{pick, text};
use enbu_movegen::{Position, Setup};
use serde::{Deserialize, Serialize};

use crate::commands::failure::{failed, named};

/// The settings of the searches and of the growth.
#[derive(Args, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Settings {
    /// Nodes for each position ‖ 1局面あたりの探索ノード数
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) nodes: u64,
    /// Moves of each position ‖ 1局面あたりの指し手の数
    #[arg(long, value_name = "K", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=64))]
    pub(super) multipv: u16,
    /// Positions searched at once; part of the result, unlike --jobs ‖ 同時に探索する局面数。--jobs と違い、結果に影響する
    #[arg(long, value_name = "B", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub(super) batch: u16,
    #[command(flatten)]
    #[serde(flatten)]
    pub(super) plan: Plan,
}

/// Everything that a tree follows from, besides its searches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Header {
    pub(super) engine: String,
    #[serde(flatten)]
    pub(super) settings: Settings,
    /// Part of the work, and number of positions that all parts have.
    pub(super) shard: String,
    pub(super) trunk: u32,
    pub(super) roots: Vec<String>,
}

impl Header {
    /// The first difference to another header, in words.
    fn difference(&self, other: &Self) -> Option<String> {
        let [one, other] = [self, other].map(|header| serde_json::to_value(header).unwrap_or_default());
        let (key, value) = one.as_object()?.iter().find(|(key, value)| other.get(key) != Some(value))?;
        let other = other.get(key)?;
        Some(text!("{key} {value}, not {other}", "{key} が {value} で、{other} ではありません").to_string())
    }

    /// Fails unless the log at `path`, whose header this is, has the settings of `wanted`.
    pub(super) fn check(&self, path: &Path, wanted: &Self) -> io::Result<()> {
        let Some(difference) = self.difference(wanted) else { return Ok(()) };
        Err(failed(text!("{} was made with {difference}", "{} は設定が違います：{difference}", path.display())))
    }

    /// The header of the whole work that this is a part of.
    pub(super) fn whole(&self) -> Self {
        Self { shard: "1/1".to_owned(), trunk: 0, ..self.clone() }
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Line {
    sfen: String,
    /// Moves with value and depth.
    moves: Vec<(String, i32, u32)>,
    value: i32,
}

impl Line {
    pub(super) fn new(position: &Position, verdict: &Verdict) -> Self {
        let moves = verdict.moves.iter();
        Self {
            sfen: position.to_setup().to_string(),
            moves: moves.map(|searched| (searched.mv.to_string(), searched.value_cp, searched.depth)).collect(),
            value: verdict.value_cp,
        }
    }

    /// Position and verdict; `None` if the line is not of our making.
    fn parts(&self) -> Option<(Position, Verdict)> {
        let setup: Setup = self.sfen.parse().ok()?;
        let searched = |(mv, value_cp, depth): &(String, i32, u32)| {
            Some(Searched { mv: mv.parse().ok()?, value_cp: *value_cp, depth: *depth })
        };
        let moves = self.moves.iter().map(searched).collect::<Option<_>>()?;
        Some((Position::from_setup(&setup).ok()?, Verdict { moves, value_cp: self.value }))
    }

    /// Adds the position to a tree; false if nothing leads to it.
    pub(super) fn insert(&self, tree: &mut Tree) -> bool {
        self.parts().is_some_and(|(position, verdict)| tree.insert(&position, &verdict))
    }
}

pub(super) struct Contents {
    pub(super) header: Header,
    pub(super) batches: Vec<Vec<Line>>,
    /// Bytes up to the end of the last whole line.
    bytes: u64,
}

impl Contents {
    /// Reads a log; `None` if there is none.
    pub(super) fn read(path: &Path) -> io::Result<Option<Self>> {
        let text = enbu_files::if_found(enbu_files::read_text(path, FileKind::Results));
        let Some(text) = text.map_err(|error| named(path, &error))? else { return Ok(None) };
        let fault = |line: usize, error: serde_json::Error| {
            let (path, error) = (path.display(), pick(error.to_string(), "JSON として読めません".to_owned()));
            failed(text!(
                "{path}: line {line}: not the log of a growing book: {error}",
                "{path}：{line} 行目：定跡の探索の記録ではありません：{error}"
            ))
        };
        let mut lines = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
        let Some(first) = lines.next() else {
            // A header that was cut is written anew; another file stays.
            let is_ours = text.is_empty() || text.starts_with('{');
            return if is_ours { Ok(None) } else { Err(fault(1, serde::de::Error::custom("no end of line"))) };
        };
        let header = serde_json::from_str(first).map_err(|error| fault(1, error))?;
        let mut contents = Self { header, batches: Vec::new(), bytes: first.len() as u64 };
        for (number, line) in (2..).zip(lines) {
            contents.batches.push(serde_json::from_str(line).map_err(|error| fault(number, error))?);
            contents.bytes += line.len() as u64;
        }
        Ok(Some(contents))
    }
}

pub(super) struct Log {
    path: PathBuf,
    file: File,
}

impl Log {
    /// Opens the log after the batches of `contents`, or begins it with a header.
    pub(super) fn open(path: &Path, header: &Header, contents: Option<&Contents>) -> io::Result<Self> {
        let open = || {
            let file = enbu_files::append(path)?;
            file.set_len(contents.map_or(0, |contents| contents.bytes))?;
            Ok(file)
        };
        let file = open().map_err(|error: io::Error| named(path, &error))?;
        let mut log = Self { path: path.to_owned(), file };
        if contents.is_none() {
            log.add(header)?;
        }
        Ok(log)
    }

    /// Adds a header or a batch.
    pub(super) fn add(&mut self, value: &(impl Serialize + ?Sized)) -> io::Result<()> {
        let line = serde_json::to_string(value)? + "\n";
        self.file.write_all(line.as_bytes()).map_err(|error| named(&self.path, &error))
    }
}

/// Adds the positions of several logs to a tree; returns those that were added, in order.
pub(super) fn merge(tree: &mut Tree, logs: impl IntoIterator<Item = Contents>) -> Vec<Line> {
    let mut waiting: VecDeque<Line> = logs.into_iter().flat_map(|log| log.batches).flatten().collect();
    let mut added = Vec::new();
    loop {
        let (before, mut rest) = (added.len(), VecDeque::new());
        for line in waiting {
            if line.insert(tree) {
                added.push(line);
            } else {
                rest.push_back(line);
            }
        }
        if added.len() == before {
            return added;
        }
        waiting = rest;
    }
}
