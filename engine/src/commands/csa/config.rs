//! The settings of `enbu csa` from a TOML file. Options of the command line replace them.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use enbu_files::FileKind;
use enbu_language::{pick, text};
use enbu_usi::OptionValue;
use enbu_usi::client::Launch;
use serde::Deserialize;

use crate::commands::failure::{failed, named};

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Config {
    pub(super) server: Server,
    pub(super) account: Account,
    pub(super) engine: Engine,
    pub(super) play: Play,
    pub(super) records: Records,
}

// Not documentation comments: clap would show them as the description of the command.
// Each setting but those of the engine is an option of the command line as well.
#[derive(Args, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Server {
    /// Host name or address of the server ‖ サーバーのホスト名またはアドレス
    #[arg(long, value_name = "HOST", help_heading = "Server")]
    pub(super) host: Option<String>,
    /// Port of the server [default: 4081] ‖ サーバーのポート番号 [既定値：4081]
    #[arg(long, value_name = "PORT", help_heading = "Server")]
    pub(super) port: Option<u16>,
    /// Seconds of silence before a blank line, at least 30 [default: 40] ‖ 無通信のとき空行を送るまでの秒数（30 以上）[既定値：40]
    #[arg(long, value_name = "S", help_heading = "Server")]
    pub(super) keepalive: Option<f64>,
    /// Seconds from an error to the next login, doubled for each further one [default: 10] ‖ エラーから再ログインまでの秒数。エラーが続くと倍になる [既定値：10]
    #[arg(long, value_name = "S", help_heading = "Server")]
    pub(super) retry: Option<f64>,
    /// Longest time to the next login in seconds [default: 300] ‖ 再ログインまでの最長の秒数 [既定値：300]
    #[arg(long, value_name = "S", help_heading = "Server")]
    pub(super) retry_max: Option<f64>,
}

#[derive(Args, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Account {
    /// Name on the server ‖ サーバーでのログイン名
    #[arg(long, value_name = "NAME", help_heading = "Server")]
    pub(super) user: Option<String>,
    /// File with the password (on floodgate: the trip) in its first line ‖ 1行目にパスワード（floodgate ではトリップ）を書いたファイル
    #[arg(long, value_name = "FILE", help_heading = "Server", conflicts_with = "password_env")]
    pub(super) password_file: Option<PathBuf>,
    /// Environment variable with the password ‖ パスワードの入った環境変数
    #[arg(long, value_name = "VARIABLE", help_heading = "Server")]
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

#[derive(Args, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Play {
    /// Game on shogi-server, sent before the password ‖ shogi-server のゲーム名。パスワードの前に付けて送る
    #[arg(long, value_name = "GAME", help_heading = "Server")]
    pub(super) game: Option<String>,
    /// Number of games; 0: until interrupted [default: 1] ‖ 対局数。0 は中断するまで [既定値：1]
    #[arg(long, value_name = "N", help_heading = "Games")]
    pub(super) games: Option<u32>,
    /// Think on the opponent's time ‖ 相手の手番中も考える（先読み）
    #[arg(long, help_heading = "Engine")]
    pub(super) ponder: bool,
}

#[derive(Args, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Records {
    /// Folder for a CSA record of each game ‖ 各対局の棋譜を CSA 形式で保存するフォルダ
    #[arg(long = "records", value_name = "DIR", help_heading = "Output")]
    pub(super) dir: Option<PathBuf>,
    /// Write a KIF file beside each record ‖ 各棋譜の隣に KIF ファイルも書く
    #[arg(long, help_heading = "Output")]
    pub(super) kif: bool,
    /// Append a line of JSON for each game ‖ 1局ごとに JSON を1行追記するファイル
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(super) log: Option<PathBuf>,
    /// Append the lines to and from the server, up to 16 MiB from it in a connection; passwords masked ‖ サーバーとの通信を追記するファイル（1接続につき受信 16 MiB まで。パスワードは伏せる）
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(super) trace: Option<PathBuf>,
}

impl Config {
    /// Reads a file; relative paths in it begin at its folder.
    pub(super) fn read(path: &Path) -> io::Result<Self> {
        let text = enbu_files::read_text(path, FileKind::Settings).map_err(|error| named(path, &error))?;
        let mut config =
            Self::parse(&text).map_err(|error| failed(text!("{}: {error}", "{}：{error}", path.display())))?;
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
            let place = line.map(|line| text!("line {line}: ", "{line} 行目：").to_string()).unwrap_or_default();
            // The name of an unknown key is quoted; a value never is.
            let message = key_fault(error.message()).unwrap_or_else(|| {
                let japanese = "書式が正しくありません（examples/csa/csa.toml を参照）";
                pick("not as this file is to be written (see examples/csa/csa.toml)", japanese).to_owned()
            });
            format!("{place}{message}")
        })
    }
}

/// The message of a library about an unknown or a missing key, in the language of the process.
fn key_fault(message: &str) -> Option<String> {
    let mut quoted = message.split('`').skip(1).step_by(2);
    let (kind, key) = (message.split(' ').next()?, quoted.next()?);
    let japanese = match kind {
        "unknown" => format!("`{key}` という項目はありません（使えるのは {}）", quoted.collect::<Vec<_>>().join("、")),
        "missing" => format!("`{key}` がありません"),
        _ => return None,
    };
    Some(pick(message.to_owned(), japanese))
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
