//! The settings of `enbu csa` from a TOML file. Options of the command line replace them.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use enbu_files::FileKind;
use enbu_usi::OptionValue;
use enbu_usi::client::Launch;
use serde::Deserialize;

use crate::commands::failure::named;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Config {
    pub(super) server: Server,
    pub(super) account: Account,
    pub(super) engine: Engine,
    pub(super) play: Play,
    pub(super) records: Records,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Server {
    pub(super) host: Option<String>,
    pub(super) port: Option<u16>,
    pub(super) keepalive: Option<f64>,
    pub(super) retry: Option<f64>,
    pub(super) retry_max: Option<f64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Account {
    pub(super) user: Option<String>,
    pub(super) password_file: Option<PathBuf>,
    pub(super) password_env: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Engine {
    pub(super) command: Option<String>,
    pub(super) dir: Option<PathBuf>,
    pub(super) margin: Option<u64>,
    pub(super) options: BTreeMap<String, OptionValue>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Play {
    pub(super) game: Option<String>,
    pub(super) games: Option<u32>,
    pub(super) ponder: Option<bool>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Records {
    pub(super) dir: Option<PathBuf>,
    pub(super) kif: Option<bool>,
    pub(super) log: Option<PathBuf>,
    pub(super) trace: Option<PathBuf>,
}

impl Config {
    /// Reads a file; relative paths in it begin at its folder.
    pub(super) fn read(path: &Path) -> io::Result<Self> {
        let text = enbu_files::read_text(path, FileKind::Settings).map_err(|error| named(path, &error))?;
        let mut config =
            Self::parse(&text).map_err(|error| io::Error::other(format!("{}: {error}", path.display())))?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let paths = [
            &mut config.account.password_file,
            &mut config.records.dir,
            &mut config.records.log,
            &mut config.records.trace,
        ];
        for path in paths.into_iter().flatten() {
            *path = folder.join(&*path);
        }
        Ok(config)
    }

    /// Parses the file. An error names the line but does not show it: it may hold a password.
    fn parse(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|error| {
            let line = error.span().map(|span| text.get(..span.start).unwrap_or_default().matches('\n').count() + 1);
            let place = line.map(|line| format!("line {line}: ")).unwrap_or_default();
            let message = error.message();
            // The name of an unknown key is quoted; a value never is.
            let message = if message.starts_with("unknown field") || message.starts_with("missing field") {
                message
            } else {
                "not as this file is to be written (see examples/csa/csa.toml)"
            };
            format!("{place}{message}")
        })
    }
}

impl Engine {
    /// The engine; `self` without a command.
    pub(super) fn launch(&self) -> io::Result<Launch> {
        let mut launch = Launch::from_command(self.command.as_deref().unwrap_or("self")).map_err(io::Error::other)?;
        launch.dir.clone_from(&self.dir);
        launch.options = self.options.iter().map(|(name, value)| (name.clone(), Some(value.text()))).collect();
        Ok(launch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_is_read() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/csa/csa.toml");
        let config = Config::read(&path).unwrap();
        assert_eq!(config.server.host.as_deref(), Some("127.0.0.1"));
        assert_eq!(config.engine.launch().unwrap().command, ["self"]);
        assert!(config.account.password_file.unwrap().starts_with(path.parent().unwrap()));
    }

    #[test]
    fn errors_do_not_show_the_line() {
        for text in
            ["[account]\npassword = 'hunter2'", "[account]\nuser = 'a' 'hunter2'", "[account]\nuser = ['hunter2']"]
        {
            let error = Config::parse(text).unwrap_err();
            assert!(error.starts_with("line 2: ") && !error.contains("hunter2"), "{error}");
        }
    }
}
