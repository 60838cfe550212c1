//! Name and author of the engine, or those that `engine_name.txt` gives it; version,
//! commit, target and CPU features of this build.

use enbu_eval::nnue::Simd;
use enbu_files::FileKind;
use enbu_usi::Identity;
use once_cell::sync::Lazy;

/// The file beside the executable whose first line is the name and whose second, if
/// there is one, the author. YaneuraOu reads the same file.
const FILE: &str = "engine_name.txt";

/// Longest name, in characters.
const MAX_CHARS: usize = 100;

pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Commit of the build; "unknown commit" outside a git checkout.
pub(crate) const COMMIT: &str = env!("ENBU_COMMIT");

pub(crate) const TARGET: &str = env!("ENBU_TARGET");

/// The text of `--version`: version, commit, target, CPU features and available kernels.
pub(crate) fn version() -> &'static str {
    static TEXT: Lazy<String> = Lazy::new(|| {
        let (features, kernels) = (cpu_features().join(" "), kernels().join(" "));
        format!("{VERSION} ({COMMIT}; {TARGET}; CPU {features}; kernels {kernels})")
    });
    &TEXT
}

/// The CPU features found, of those that the engine uses.
pub(crate) fn cpu_features() -> Vec<&'static str> {
    #[cfg(target_arch = "x86_64")]
    {
        let mut found = vec!["x86-64"];
        macro_rules! detect {
            ($($feature:tt)*) => { $(if is_x86_feature_detected!($feature) { found.push($feature); })* };
        }
        detect!("popcnt" "avx2" "bmi2" "avx512bw" "avx512vnni");
        found
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        vec![std::env::consts::ARCH]
    }
}

/// Names of the kernels that this processor can run, the fastest first.
pub(crate) fn kernels() -> Vec<&'static str> {
    Simd::all().into_iter().map(Simd::name).collect()
}

/// The engine's name with that of its evaluation, unless the user chose another.
pub(crate) fn identity(evaluation: &str) -> Identity {
    let own = Identity { name: format!("Enbu {VERSION} ({evaluation})"), author: "the Enbu developers".into() };
    match crate::paths::beside_executable(FILE).map(|path| enbu_files::read(&path, FileKind::Settings)) {
        Some(Ok(bytes)) => renamed(own, &bytes),
        _ => own,
    }
}

/// `own` with the lines of a file in its place; empty lines change nothing.
fn renamed(mut own: Identity, bytes: &[u8]) -> Identity {
    let text = enbu_kifu::encoding::decode(bytes).text;
    let mut lines = text.lines().map(|line| line.trim().chars().take(MAX_CHARS).collect::<String>());
    for field in [&mut own.name, &mut own.author] {
        if let Some(line) = lines.next().filter(|line| !line.is_empty()) {
            *field = line;
        }
    }
    own
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(bytes: &[u8]) -> [String; 2] {
        let own = Identity { name: "Enbu".into(), author: "developers".into() };
        let Identity { name, author } = renamed(own, bytes);
        [name, author]
    }

    #[test]
    fn the_first_line_is_the_name_and_the_second_the_author() {
        assert_eq!(given(b"My Enbu\nme\nmore"), ["My Enbu", "me"]);
        assert_eq!(given(b"  My Enbu \r\n"), ["My Enbu", "developers"]);
        assert_eq!(given(b"\nme"), ["Enbu", "me"]);
        assert_eq!(given(b""), ["Enbu", "developers"]);
        let japanese = "\u{6f14}\u{6b66} 2";
        assert_eq!(given(japanese.as_bytes())[0], japanese);
        assert_eq!(given(&[b"\xef\xbb\xbf", japanese.as_bytes()].concat())[0], japanese);
        // Shift_JIS, as old editors write it.
        assert_eq!(given(b"\x89\x89\x95\x90 2")[0], japanese);
        assert_eq!(given(&[b'x'; 1000])[0].len(), MAX_CHARS);
    }

    #[test]
    fn the_version_names_commit_target_and_kernels() {
        let text = version();
        assert!(text.starts_with(VERSION) && text.contains(COMMIT) && text.contains(TARGET));
        assert!(text.contains(std::env::consts::ARCH) && text.ends_with("scalar)"));
    }

    #[test]
    fn the_own_name_has_version_and_evaluation() {
        assert_eq!(identity("enbu-64").name, format!("Enbu {} (enbu-64)", env!("CARGO_PKG_VERSION")));
    }
}
