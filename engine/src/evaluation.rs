//! The evaluation in use: loading networks, and reporting the result.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use enbu_eval::nnue::{Network, NetworkError, NoSuchPath, Simd, embedded};
use enbu_eval::{Evaluation, Evaluator};
use enbu_language::text;
use enbu_movegen::Position;
use enbu_search::Search;

use crate::paths;

/// Names the kernels to use instead of the fastest ones, for tests.
pub(crate) const SIMD_VARIABLE: &str = "ENBU_SIMD";

/// The evaluation that the user selects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    File(PathBuf),
    /// The embedded network if there is one, else piece-square tables.
    BuiltIn,
    PieceSquare,
}

/// The reason why an evaluation cannot be loaded.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LoadError {
    #[error("{}", text!("evaluation file {path}: {}", "評価関数ファイル {path}：{}", .1, path = paths::shown(.0)))]
    File(PathBuf, NetworkError),
    #[error("{}", text!("the embedded network: {0}", "内蔵の評価関数：{0}", .0))]
    Embedded(NetworkError),
    #[error("{}", text!("{SIMD_VARIABLE}: {}", "{SIMD_VARIABLE}：{}", .0))]
    Kernels(NoSuchPath),
}

/// The kernels to use: the fastest, or those that the environment names.
pub(crate) fn kernels() -> Result<Simd, LoadError> {
    match std::env::var(SIMD_VARIABLE) {
        Ok(name) if !name.is_empty() => Simd::named(&name).map_err(LoadError::Kernels),
        _ => Ok(Simd::best()),
    }
}

/// Loads an evaluation; `scale` is FV_SCALE if the user set it.
pub(crate) fn load(choice: &Choice, scale: Option<i32>) -> Result<Evaluation, LoadError> {
    let simd = kernels()?;
    let network = match choice {
        Choice::PieceSquare => return Ok(Evaluation::PieceSquare),
        Choice::File(path) => Network::load(path, simd).map_err(|error| LoadError::File(path.clone(), error))?,
        Choice::BuiltIn => match embedded::load(simd) {
            Some(network) => network.map_err(LoadError::Embedded)?,
            None => return Ok(Evaluation::PieceSquare),
        },
    };
    let scale = scale.unwrap_or(network.default_scale());
    Ok(Evaluation::Network { network: Arc::new(network), scale })
}

/// Loads the evaluation that a command line names: `piece-square`, `embedded`, or a file.
pub(crate) fn named(text: &str) -> io::Result<Evaluation> {
    let choice = match text {
        "piece-square" => Choice::PieceSquare,
        "embedded" => Choice::BuiltIn,
        path => Choice::File(path.into()),
    };
    load(&choice, None).map_err(io::Error::other)
}

/// The input of the last load; an equal one loads nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Wanted {
    choice: Choice,
    scale: Option<i32>,
    /// Length and time of the file, which may be replaced while we run.
    file: Option<paths::Stamp>,
}

/// The evaluation in use: piece-square tables, until something is chosen.
#[derive(Default)]
pub(crate) struct Current {
    wanted: Option<Wanted>,
    evaluation: Evaluation,
    /// The error of the selected evaluation, if another one is in use.
    error: Option<LoadError>,
}

impl Current {
    /// Loads the selected evaluation and passes it to `search`, unless it is in use already;
    /// reports the evaluation in use and the error, if any.
    pub(crate) fn update(
        &mut self,
        choice: Choice,
        scale: Option<i32>,
        search: &mut Search,
        notice: &mut dyn FnMut(&str),
    ) {
        let file = if let Choice::File(path) = &choice { paths::stamp(path) } else { None };
        let wanted = Wanted { file, choice, scale };
        let is_new = self.wanted.as_ref() != Some(&wanted);
        if is_new {
            // The old network goes first: two large ones may not fit into memory.
            self.evaluation = Evaluation::PieceSquare;
            search.set_evaluation(Evaluation::PieceSquare);
            (self.evaluation, self.error) = match load(&wanted.choice, wanted.scale) {
                Ok(evaluation) => (evaluation, None),
                Err(error) => (load(&Choice::BuiltIn, None).unwrap_or_default(), Some(error)),
            };
            self.wanted = Some(wanted);
            search.set_evaluation(self.evaluation.clone());
        }
        // An error is reported at each game, not only when the option is set.
        if let Some(error) = &self.error {
            notice(&format!("error: {error}; using {}", self.evaluation));
        } else if is_new {
            notice(&self.summary());
            if let Evaluation::Network { network, .. } = &self.evaluation
                && !network.hashes_agree()
            {
                notice(
                    "the hashes in the evaluation file are not those of its shape: other programs write such files, but it may be damaged",
                );
            }
        }
    }

    fn summary(&self) -> String {
        let wanted = self.wanted.as_ref();
        let source = match wanted.map(|wanted| &wanted.choice) {
            Some(Choice::File(path)) => format!(" from {}", paths::shown(path)),
            Some(Choice::BuiltIn) => " (built in)".to_owned(),
            Some(Choice::PieceSquare) | None => String::new(),
        };
        let mut text = format!("evaluation {}{source}", self.evaluation);
        if let Evaluation::Network { network, scale } = &self.evaluation {
            if network.takes_scale() {
                let automatic = wanted.and_then(|wanted| wanted.scale).map_or(" (automatic)", |_| "");
                text += &format!(", FV_SCALE {scale}{automatic}");
            }
            text += &format!(", {} kernels", network.simd().name());
        }
        text
    }

    /// Name of the evaluation for `choice`. No file is read for it: until `choice` is
    /// loaded, a network file goes by its path, and by its shape after that.
    pub(crate) fn name(&self, choice: &Choice) -> String {
        let is_loaded = self.wanted.as_ref().is_some_and(|wanted| wanted.choice == *choice);
        match choice {
            Choice::File(path) if is_loaded && self.error.is_some() => {
                format!("{} instead of {}", self.evaluation, paths::shown(path))
            }
            _ if is_loaded => self.evaluation.to_string(),
            Choice::File(path) => paths::shown(path),
            Choice::BuiltIn => embedded::name().unwrap_or_else(|| Evaluation::PieceSquare.to_string()),
            Choice::PieceSquare => Evaluation::PieceSquare.to_string(),
        }
    }

    /// The static evaluation in words; the last line is `value V`.
    pub(crate) fn explain(&self, position: &Position) -> Vec<String> {
        let mut lines = vec![format!("evaluation {}", self.evaluation)];
        let mut evaluator = Evaluator::with(&self.evaluation, position);
        let Evaluation::Network { network, scale } = &self.evaluation else {
            lines.push(format!("value {}", evaluator.evaluate(position)));
            return lines;
        };
        let file = match self.wanted.as_ref().map(|wanted| &wanted.choice) {
            Some(Choice::File(path)) if self.error.is_none() => paths::shown(path),
            _ => "(built in)".to_owned(),
        };
        lines.push(format!("file {file}"));
        lines.push(format!("kernels {}", network.simd().name()));
        if let Some(explanation) = evaluator.explain(position) {
            for (name, side) in ["black", "white"].into_iter().zip(explanation.sides) {
                lines.push(format!(
                    "{name} inputs {} sums {} positive {} at_limit {}",
                    side.inputs, side.sums, side.positive, side.at_limit
                ));
            }
            let (part, parts) = explanation.part;
            lines.push(format!("network {} of {parts}", part + 1));
            let raw = explanation.raw;
            if network.takes_scale() {
                lines.push(format!("scale {scale}"));
            }
            lines.push(format!("raw {raw}"));
            lines.push(format!("value {}", network.value(raw, *scale)));
        }
        lines
    }
}
