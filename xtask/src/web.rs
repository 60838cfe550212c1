//! The engine for pages: its folder, the page, and the package for npm.

use std::path::PathBuf;

use xshell::{Shell, cmd};

use crate::archives;
use crate::stage::{Stage, pages, root};
use crate::tool::Outcome;

/// Files of `web/js` beside the module: an engine for ShogiHome and others.
const ENGINE: [&str; 3] = ["enbu.js", "enbu.d.ts", "engine.json"];

/// Writes `enbu-VERSION-web.zip`, the page and the engine, and `enbu-VERSION-npm.tgz` to `dist`.
pub(crate) fn make(sh: &Shell, module: &[u8], licences: &str, (work, dist): (PathBuf, PathBuf), epoch: u64) -> Outcome {
    let version = env!("CARGO_PKG_VERSION");
    let page = Stage::new(sh, work.join(format!("enbu-{version}-web")), epoch)?;
    page.add(sh, "index.html", html(sh, module)?)?;
    let package = Stage::new(sh, work.join("npm/package"), epoch)?;
    for name in ["package.json", "README.md"] {
        package.add(sh, name, sh.read_binary_file(root().join("web/js").join(name))?)?;
    }
    for (path, bytes) in pages(sh, licences)? {
        if path.to_string_lossy().contains("LICENSE") {
            page.add(sh, &path, &bytes)?;
            package.add(sh, path, bytes)?;
        }
    }
    for (stage, folder) in [(&page, "enbu/"), (&package, "")] {
        stage.add(sh, format!("{folder}enbu.wasm"), module)?;
        for name in ENGINE {
            stage.add(sh, format!("{folder}{name}"), sh.read_binary_file(root().join("web/js").join(name))?)?;
        }
    }
    archives::zip(sh, &page, &dist.join(format!("enbu-{version}-web.zip")))?;
    archives::tar(sh, &package, &dist.join(format!("enbu-{version}-npm.tgz")), epoch)
}

/// The page: one file, which opens from a disk as well and requests nothing.
fn html(sh: &Shell, module: &[u8]) -> Outcome<String> {
    let file = |path: &str| sh.read_file(root().join(path));
    let report = "analysis/src/html/";
    let values = [
        ("version", env!("CARGO_PKG_VERSION").to_owned()),
        ("style", file(&format!("{report}page.css"))? + &file("web/page/page.css")?),
        ("wasm", cmd!(sh, "base64 --wrap=0").quiet().stdin(module).read()?),
        ("engine", file("web/js/enbu.js")?),
        ("board", file(&format!("{report}board.js"))?),
        ("script", file("web/page/page.js")?),
    ];
    let mut html = String::new();
    let template = file("web/page/index.html")?;
    for part in template.split("{{") {
        let Some((name, rest)) = part.split_once("}}") else {
            html.push_str(part);
            continue;
        };
        let value = values.iter().find(|(known, _)| *known == name).ok_or_else(|| format!("no value for {name}"))?;
        html.push_str(&value.1);
        html.push_str(rest);
    }
    Ok(html)
}
