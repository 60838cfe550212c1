//! The modules of a crate, and the names that each takes from the others.
//!
//! Read from the source text, without a compiler: every `use` and every path is followed
//! through re-exports to the file that defines the name. Test code is left out, and so
//! are the names that a module takes from those it is part of (`position/make.rs` from
//! `position.rs`): a child belongs to its parent, which may use it in turn. Beside
//! its siblings a module counts as one with all modules below it, so that no import of a
//! folder leads back up to a module that imports the folder.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

mod source;

use source::Source;

/// The path of a module from the root of its crate, such as `["position", "make"]`.
type ModulePath = Vec<String>;

/// For each file the files it takes names from, and those names.
type Edges = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

/// The modules of one crate.
#[derive(Debug, Default)]
pub struct Modules {
    /// Each module with its file, relative to the folder of the crate root.
    sources: BTreeMap<ModulePath, (String, Source)>,
}

impl Modules {
    /// Reads the crate whose root is `root`, such as `search/src/lib.rs`.
    ///
    /// # Panics
    /// If a file of the crate cannot be read.
    pub fn read(root: &Path) -> Self {
        let folder = root.parent().expect("a crate root lies in a folder");
        let mut modules = Self::default();
        modules.add(folder, root, Vec::new());
        modules
    }

    fn add(&mut self, folder: &Path, file: &Path, path: ModulePath) {
        let text = fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let source = Source::parse(&text);
        for child in source.children.clone() {
            let child_path: ModulePath = path.iter().cloned().chain([child]).collect();
            let below: PathBuf = child_path.iter().collect();
            let flat = folder.join(&below).with_extension("rs");
            let child_file = if flat.is_file() { flat } else { folder.join(&below).join("mod.rs") };
            self.add(folder, &child_file, child_path);
        }
        let name = file.strip_prefix(folder).expect("modules lie below the root").to_string_lossy().replace('\\', "/");
        self.sources.insert(path, (name, source));
    }

    /// Each file with the paths in its code, as they are written; test code is left out.
    pub fn names(&self) -> impl Iterator<Item = (&str, &[String])> {
        self.sources.values().flat_map(|(file, source)| source.names().map(|path| (file.as_str(), path.as_slice())))
    }

    /// The circles of the crate: sibling modules, each with all modules below it, that need
    /// each other, directly or through others.
    pub fn circles(&self) -> Vec<Circle> {
        let edges = self.edges();
        self.sources.keys().flat_map(|parent| circles(&self.among_children(parent, &edges))).collect()
    }

    /// The edges between `parent` and its children, each child with all modules below it.
    fn among_children(&self, parent: &[String], edges: &Edges) -> Edges {
        let room_of: BTreeMap<&str, &str> = (self.sources.iter())
            .filter(|(path, _)| path.starts_with(parent))
            .map(|(path, (file, _))| {
                let room = &path[..path.len().min(parent.len() + 1)];
                (file.as_str(), self.sources[room].0.as_str())
            })
            .collect();
        let mut among: Edges = room_of.values().map(|room| ((*room).to_owned(), BTreeMap::new())).collect();
        for (from, taken) in edges {
            for (to, names) in taken {
                let Some((from, to)) = room_of.get(from.as_str()).zip(room_of.get(to.as_str())) else { continue };
                if from != to {
                    let all = among.entry((*from).to_owned()).or_default().entry((*to).to_owned()).or_default();
                    all.extend(names.iter().cloned());
                }
            }
        }
        among
    }

    fn edges(&self) -> Edges {
        let mut edges = Edges::new();
        for (path, (file, source)) in &self.sources {
            let taken = edges.entry(file.clone()).or_default();
            for name in source.names() {
                let definer = self.definer(path, name, 0);
                if let Some(definer) = definer.filter(|definer| definer != file && !self.is_around(definer, path)) {
                    taken.entry(definer).or_default().insert(name.join("::"));
                }
            }
        }
        edges
    }

    /// Says if `file` holds a module that `path` is part of.
    fn is_around(&self, file: &str, path: &[String]) -> bool {
        (1..path.len()).any(|length| self.sources.get(&path[..length]).is_some_and(|(around, _)| around == file))
    }

    /// The file that defines `name` as the module `path` sees it; `None` for modules and
    /// for items of other crates.
    fn definer(&self, path: &[String], name: &[String], depth: usize) -> Option<String> {
        let (_, source) = self.sources.get(path)?;
        let (first, rest) = name.split_first()?;
        match first.as_str() {
            "crate" => self.item(&[], rest, depth),
            "self" => self.item(path, rest, depth),
            "super" => self.definer_above(path, rest, depth),
            first if source.children.contains(first) || source.imports.contains_key(first) => {
                self.item(path, name, depth)
            }
            _ => None,
        }
    }

    /// Like [`definer`](Self::definer) for a name that begins in the parent of `path`.
    fn definer_above(&self, path: &[String], rest: &[String], depth: usize) -> Option<String> {
        let (_, parent) = path.split_last()?;
        match rest.split_first() {
            Some((first, rest)) if first == "super" => self.definer_above(parent, rest, depth),
            _ => self.item(parent, rest, depth),
        }
    }

    /// The file that defines the item `name` of the module `path`.
    fn item(&self, path: &[String], name: &[String], depth: usize) -> Option<String> {
        const MOST_RE_EXPORTS: usize = 20;
        let (file, source) = self.sources.get(path)?;
        let (first, rest) = name.split_first()?;
        if first == "*" {
            return Some(file.clone());
        }
        if source.children.contains(first) {
            let child: ModulePath = path.iter().chain([first]).cloned().collect();
            return self.item(&child, rest, depth);
        }
        if let Some(target) = source.imports.get(first).filter(|_| depth < MOST_RE_EXPORTS) {
            let target: Vec<String> = target.iter().chain(rest).cloned().collect();
            return self.definer(path, &target, depth + 1);
        }
        Some(file.clone())
    }
}

fn circles(edges: &Edges) -> Vec<Circle> {
    let reach: BTreeMap<&str, BTreeSet<&str>> =
        edges.keys().map(|file| (file.as_str(), reachable(edges, file))).collect();
    let mut circles: Vec<Circle> = Vec::new();
    for (file, reached) in &reach {
        let seen = circles.iter().any(|circle| circle.files.iter().any(|known| known == file));
        if reached.contains(file) && !seen {
            let members = reached.iter().filter(|other| reach[**other].contains(file));
            circles.push(Circle::of(members.map(|member| (*member).to_owned()).collect(), edges));
        }
    }
    circles
}

fn reachable<'e>(edges: &'e Edges, from: &str) -> BTreeSet<&'e str> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<&str> = edges[from].keys().map(String::as_str).collect();
    while let Some(file) = open.pop() {
        if reached.insert(file) {
            open.extend(edges[file].keys().map(String::as_str));
        }
    }
    reached
}

/// Modules that need each other, each with all modules below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Circle {
    /// The files of the modules, relative to the folder of the crate root.
    pub files: BTreeSet<String>,
    /// Each import inside the circle, as `from -> to: names`.
    pub imports: Vec<String>,
}

impl Circle {
    fn of(files: BTreeSet<String>, edges: &Edges) -> Self {
        let mut imports = Vec::new();
        for from in &files {
            for (to, names) in edges[from].iter().filter(|(to, _)| files.contains(*to)) {
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                imports.push(format!("{from} -> {to}: {}", names.join(", ")));
            }
        }
        Self { files, imports }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn circles(files: &[(&str, &str)]) -> Vec<Circle> {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let file = folder.path().join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        Modules::read(&folder.path().join("lib.rs")).circles()
    }

    fn files(circles: &[Circle]) -> Vec<Vec<&str>> {
        circles.iter().map(|circle| circle.files.iter().map(String::as_str).collect()).collect()
    }

    #[test]
    fn two_modules_that_import_each_other_are_a_circle() {
        let found = circles(&[
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "use crate::b::{B, other as another};\npub struct A;"),
            ("b.rs", "pub struct B; pub fn other() -> crate::a::A { loop {} }"),
        ]);
        assert_eq!(files(&found), [["a.rs", "b.rs"]]);
        assert_eq!(found[0].imports, ["a.rs -> b.rs: crate::b::B, crate::b::other", "b.rs -> a.rs: crate::a::A"]);
    }

    #[test]
    fn re_exports_lead_to_the_file_that_defines() {
        let found = circles(&[
            ("lib.rs", "mod a; mod b; mod c; pub use a::A; pub use b::inner::B;"),
            ("a.rs", "use crate::B; pub struct A;"),
            ("b.rs", "pub mod inner;"),
            ("b/inner.rs", "pub struct B(crate::c::C);"),
            ("c.rs", "pub struct C(crate::A);"),
        ]);
        assert_eq!(files(&found), [["a.rs", "b.rs", "c.rs"]]);
    }

    #[test]
    fn a_child_may_use_its_parent() {
        let found = circles(&[
            ("lib.rs", "mod p; mod q;"),
            ("p.rs", "mod child;\npub struct Parent;\nfn of(child: &child::Child, _: &crate::q::Q) {}"),
            ("p/child.rs", "use super::Parent; pub struct Child;"),
            ("q.rs", "pub struct Q;"),
        ]);
        assert!(found.is_empty(), "{found:?}");
    }

    #[test]
    fn a_child_of_another_module_closes_a_circle() {
        let found = circles(&[
            ("lib.rs", "mod p; mod q;"),
            ("p.rs", "mod child;\npub struct Parent;\nfn of(child: &child::Child) {}"),
            ("p/child.rs", "use crate::q; pub struct Child(q::Q);"),
            ("q.rs", "pub struct Q(crate::p::Parent);"),
        ]);
        assert_eq!(files(&found), [["p.rs", "q.rs"]]);
    }

    #[test]
    fn a_folder_may_not_be_above_and_below_one_module() {
        let found = circles(&[
            ("lib.rs", "mod p; mod q;"),
            ("p.rs", "mod high; mod low;"),
            ("p/high.rs", "pub struct High(crate::q::Q);"),
            ("p/low.rs", "pub struct Low;"),
            ("q.rs", "pub struct Q(crate::p::low::Low);"),
        ]);
        assert_eq!(files(&found), [["p.rs", "q.rs"]]);
        assert_eq!(found[0].imports, ["p.rs -> q.rs: crate::q::Q", "q.rs -> p.rs: crate::p::low::Low"]);
    }

    #[test]
    fn circles_below_a_module_are_found() {
        let found = circles(&[
            ("lib.rs", "mod p;"),
            ("p.rs", "mod a; mod b;"),
            ("p/a.rs", "pub struct A(super::b::B);"),
            ("p/b.rs", "pub struct B(super::a::A);"),
        ]);
        assert_eq!(files(&found), [["p/a.rs", "p/b.rs"]]);
    }

    #[test]
    fn tests_comments_and_literals_import_nothing() {
        let found = circles(&[
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "use crate::b::B; pub struct A;"),
            (
                "b.rs",
                r##"
                /// See [`crate::a::A`]. /* crate::a::A */
                pub struct B;
                fn text<'a>(_: &'a str) -> (&str, &str, char) { ("crate::a::A \" use crate::a::A;", r#"" crate::a::A"#, '"') }
                #[cfg(test)]
                mod tests { use crate::a::A; fn of(_: A) {} }
                #[cfg(test)]
                use crate::a::A;
                "##,
            ),
        ]);
        assert!(found.is_empty(), "{found:?}");
    }
}
