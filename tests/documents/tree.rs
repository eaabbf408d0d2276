//! Tests that the tree is the architecture: a file imports only files before it, no files import
//! each other in a circle, and only the device's files name `wgpu`. It reads the sources of every
//! crate.

use std::collections::{BTreeMap, BTreeSet};

/// The layers of `core/src/`, from below. A file of one imports files of the same and of those before
/// it.
const CORE_LAYERS: &[&[&str]] = &[&["semantics", "errors"], &["graph"], &["lib"]];

/// The layers of `compiler/src/`, from below.
const COMPILER_LAYERS: &[&[&str]] = &[
    &["arithmetic"],
    &["limits", "layout"],
    &["normalize"],
    &["kernel", "cost"],
    &["materialize"],
    &["plan"],
    &["split", "wgsl"],
    &["explain"],
    &["lib"],
];

/// The layers of `src/`, from below.
const LAYERS: &[&[&str]] = &[
    &["device/guard", "device/lru", "device/timer"],
    &["device/wait"],
    &["device/memory"],
    &["device/adapter"],
    &["device/gpu"],
    &["device/program"],
    &["device/recording"],
    &["device/context"],
    &["device/arrays"],
    &["device/run"],
    &["device/mod"],
    &["calibration"],
    &["api"],
    &["lib"],
];

/// The layers of `cli/src/`, from below.
const COMMAND_LAYERS: &[&[&str]] = &[&["operand"], &["output"], &["commands"], &["lib", "main"]];

/// Folders and files that may name `wgpu`.
const NAMES_WGPU: &[&str] = &["device", "api", "lib"];

/// The layers of `stablehlo/src/`, from below.
const STABLEHLO_LAYERS: &[&[&str]] =
    &[&["report"], &["syntax"], &["lower"], &["judge", "module", "print"], &["lib"]];

/// The layers of `language/src/`, from below.
const LANGUAGE_LAYERS: &[&[&str]] = &[&["report"], &["syntax"], &["lower"], &["lib"]];

/// The files of a crate, by their paths in its `src/`.
struct Tree {
    /// Their code without comments, texts and tests.
    code: BTreeMap<String, String>,
    /// Modules of tests, which are not among the files.
    tests: Vec<String>,
}

impl Tree {
    fn of(files: &[(&str, &str)]) -> Self {
        let (mut tree, mut tests) = (BTreeMap::new(), Vec::new());
        for (path, text) in files {
            let (code, modules) = without_tests(&without_comments_and_texts(text));
            let folder = module_of(path).iter().fold(String::new(), |f, part| f + part + "/");
            tests.extend(modules.iter().map(|name| format!("{folder}{name}")));
            tree.insert((*path).to_owned(), code);
        }
        tree.retain(|path: &String, _| !tests.iter().any(|test| is_in(path, test)));
        Self { code: tree, tests }
    }

    fn read(src: &str) -> Self {
        let root = indim_testing::repository().join(src);
        let (mut folders, mut files) = (vec![root.clone()], Vec::new());
        while let Some(folder) = folders.pop() {
            for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|extension| extension == "rs") {
                    let parts = path.strip_prefix(&root).unwrap().iter();
                    let parts: Vec<_> = parts.map(|part| part.to_str().unwrap()).collect();
                    files.push((parts.join("/"), std::fs::read_to_string(&path).unwrap()));
                }
            }
        }
        let files: Vec<_> = files.iter().map(|(path, text)| (&**path, &**text)).collect();
        Self::of(&files)
    }

    /// Returns the files that a file imports, by `use` or by a path.
    fn imports(&self, path: &str) -> BTreeSet<&str> {
        let (module, code) = (module_of(path), &self.code[path]);
        // Names that stand for a module: its children, then what it imports.
        let children = code.split("mod ").skip(1).filter_map(|part| part.split_once(';'));
        let children = children.filter(|(name, _)| name.chars().all(is_word));
        let child = |name: &str| [&module[..], &[name.to_owned()]].concat();
        let mut known: BTreeMap<String, Vec<String>> =
            children.map(|(name, _)| (name.to_owned(), child(name))).collect();
        let mut paths = Vec::new();
        add_paths(code, "", &mut paths);
        for target in
            paths.iter().filter_map(|path| resolve(&known, &module, path)).collect::<Vec<_>>()
        {
            let file = self.file_of(&target, &module);
            if let Some(name) =
                target.last().filter(|_| file.map(module_of).as_ref() == Some(&target))
            {
                known.entry(name.clone()).or_insert(target.clone());
            }
        }
        let targets = paths.iter().filter_map(|path| resolve(&known, &module, path));
        let mut found: BTreeSet<&str> =
            targets.filter_map(|target| self.file_of(&target, &module)).collect();
        found.remove(path);
        found
    }

    /// Returns the file of the longest part of a path that is a module; of a module of tests none.
    fn file_of(&self, target: &[String], from: &[String]) -> Option<&str> {
        if self.tests.iter().any(|test| is_in(&(target.join("/") + "/"), test)) {
            return None;
        }
        let files = (1..=target.len()).rev().flat_map(|n| {
            let module = target[..n].join("/");
            [format!("{module}.rs"), format!("{module}/mod.rs")]
        });
        let is_root =
            |main: &String| from.is_empty() || main.contains(&format!("mod {};", from[0]));
        let root = if self.code.get("main.rs").is_some_and(is_root) { "main.rs" } else { "lib.rs" };
        let found = files.into_iter().find_map(|file| self.code.get_key_value(&file));
        Some(found.map_or(root, |(file, _)| file))
    }

    /// Returns an entry for each import of a file that stands later.
    fn climbs(&self, layers: &[&[&str]]) -> Vec<String> {
        let rank = |path: &str| {
            let stands = |layer: &&[&str]| layer.iter().any(|place| is_in(path, place));
            let rank = layers.iter().position(stands);
            rank.unwrap_or_else(|| panic!("{path} stands in no layer"))
        };
        let files = self
            .code
            .keys()
            .flat_map(|path| self.imports(path).into_iter().map(move |i| (path, i)));
        let climbs = files.filter(|(path, import)| rank(import) > rank(path));
        climbs.map(|(path, import)| format!("{path} imports {import}")).collect()
    }

    /// Returns each set of files that import each other, directly or by others.
    fn circles(&self) -> BTreeSet<String> {
        let imports = self.code.keys().map(|path| (&**path, self.imports(path)));
        let imports: BTreeMap<&str, BTreeSet<&str>> = imports.collect();
        let reached = imports.keys().map(|start| {
            let (mut reached, mut next) = (BTreeSet::new(), vec![*start]);
            while let Some(path) = next.pop() {
                let found = imports.get(path).into_iter().flatten();
                next.extend(found.copied().filter(|found| reached.insert(*found)));
            }
            (*start, reached)
        });
        let reached: BTreeMap<&str, BTreeSet<&str>> = reached.collect();
        let circle = |(path, found): (&&str, &BTreeSet<&str>)| {
            let back =
                found.iter().filter(|file| reached.get(**file).is_some_and(|f| f.contains(path)));
            back.copied().collect::<Vec<_>>().join(", ")
        };
        reached.iter().map(circle).filter(|circle| !circle.is_empty()).collect()
    }

    /// Returns the number of floors of a folder's own files and folders, where each stands above
    /// those that it imports.
    fn floors(&self, folder: &str) -> usize {
        let room = |path: &str| {
            let name = path.strip_prefix(folder)?.split('/').next()?;
            Some(name.trim_end_matches(".rs").to_owned())
        };
        let mut below: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for path in self.code.keys() {
            let Some(own) = room(path) else { continue };
            let imports = self.imports(path).into_iter().filter_map(room);
            let others: Vec<_> = imports.filter(|other| *other != own).collect();
            below.entry(own).or_default().extend(others);
        }
        let mut floors = 0;
        while !below.is_empty() {
            let on_the_ground = |(room, others): (&String, &BTreeSet<String>)| {
                others.iter().all(|other| !below.contains_key(other)).then(|| room.clone())
            };
            let floor: Vec<String> = below.iter().filter_map(on_the_ground).collect();
            assert!(!floor.is_empty(), "a circle among {:?}", below.keys());
            below.retain(|room, _| !floor.contains(room));
            floors += 1;
        }
        floors
    }

    /// Returns the files that name `wgpu` and may not.
    fn name_wgpu(&self) -> Vec<&str> {
        let names = |code: &str| code.split(|c| !is_word(c)).any(|word| word == "wgpu");
        let may = |path: &str| NAMES_WGPU.iter().any(|place| is_in(path, place));
        let files = self.code.iter().filter(|(path, code)| names(code) && !may(path));
        files.map(|(path, _)| &**path).collect()
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns whether a file is the one at this place, or in the folder.
fn is_in(path: &str, place: &str) -> bool {
    path.strip_prefix(place).is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
}

/// Returns the names that lead from the crate's root to a file's module.
fn module_of(path: &str) -> Vec<String> {
    let path = path.trim_end_matches(".rs");
    let mut names: Vec<String> = path.split('/').map(str::to_owned).collect();
    if names.last().is_some_and(|name| ["mod", "lib", "main"].contains(&&**name)) {
        names.pop();
    }
    names
}

/// Returns the names that lead from the crate's root to what a path of the crate names.
fn resolve(
    known: &BTreeMap<String, Vec<String>>,
    module: &[String],
    path: &str,
) -> Option<Vec<String>> {
    let mut names = path.split("::").map(str::to_owned).peekable();
    let first = names.next()?;
    let mut target = match &*first {
        "crate" => Vec::new(),
        "self" => module.to_vec(),
        "super" => module[..module.len().saturating_sub(1)].to_vec(),
        name => known.get(name)?.clone(),
    };
    while names.next_if(|name| name == "super").is_some() {
        target.pop();
    }
    target.extend(names.filter(|name| !name.is_empty() && name != "self"));
    Some(target)
}

/// Adds every path in the code, and those in braces one by one.
fn add_paths(code: &str, prefix: &str, paths: &mut Vec<String>) {
    let (mut rest, mut renames) = (code, false);
    while let Some(start) = rest.find(is_word) {
        let (path, after) = rest[start..].split_at(
            rest[start..].find(|c| !is_word(c) && c != ':').unwrap_or(rest.len() - start),
        );
        rest = after;
        if path.ends_with("::") && rest.starts_with('{') {
            let mut depth = 0;
            let end = rest.find(|c| {
                depth += i32::from(c == '{') - i32::from(c == '}');
                depth == 0
            });
            let (body, after) = rest.split_at(end.unwrap());
            add_paths(body, &format!("{prefix}{path}"), paths);
            rest = after;
        } else if path == "as" || std::mem::take(&mut renames) {
            renames = path == "as";
        } else if path.contains("::") || !prefix.is_empty() {
            paths.push(format!("{prefix}{path}"));
        }
    }
}

fn without_comments_and_texts(text: &str) -> String {
    let (mut code, mut rest) = (String::new(), text);
    while let Some(c) = rest.chars().next() {
        let hashes = rest[1..].len() - rest[1..].trim_start_matches('#').len();
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(quote) = ["'\"'", "'\\\"'"].iter().find(|q| rest.starts_with(**q)) {
            quote.len()
        } else if c == 'r' && rest[1 + hashes..].starts_with('"') {
            let end = format!("\"{}", "#".repeat(hashes));
            2 + hashes + rest[2 + hashes..].find(&end).unwrap() + end.len()
        } else if c == '"' {
            let mut escaped = false;
            let ends = |c| {
                let ends = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                ends
            };
            2 + rest[1..].find(ends).unwrap()
        } else {
            code.push(c);
            c.len_utf8()
        };
        rest = &rest[length..];
    }
    code
}

/// Returns the code without its modules of tests, and the names of those that are files.
fn without_tests(code: &str) -> (String, Vec<String>) {
    let (mut kept, mut files) = (String::new(), Vec::new());
    let mut lines = code.lines();
    let mut is_test = false;
    while let Some(line) = lines.next() {
        let start = line.trim_start();
        if start.starts_with("#[") {
            let words: Vec<&str> = start.split(|c| !is_word(c)).collect();
            is_test |= words[2] == "cfg" && words.contains(&"test") && !words.contains(&"not");
            is_test |= start.starts_with("#[cfg(all(test,");
        } else if let (true, Some((_, named))) = (is_test, start.split_once("mod ")) {
            files.extend(named.strip_suffix(';').map(str::to_owned));
            let end = format!("{}}}", &line[..line.len() - start.len()]);
            let _ = named.ends_with('{') && lines.any(|line| line == end);
            is_test = false;
        } else {
            kept.push_str(line);
            kept.push('\n');
            is_test &= start.is_empty();
        }
    }
    (kept, files)
}

#[test]
fn no_import_climbs() {
    assert_eq!(Tree::read("core/src").climbs(CORE_LAYERS), [""; 0]);
    assert_eq!(Tree::read("compiler/src").climbs(COMPILER_LAYERS), [""; 0]);
    assert_eq!(Tree::read("src").climbs(LAYERS), [""; 0]);
    assert_eq!(Tree::read("cli/src").climbs(COMMAND_LAYERS), [""; 0]);
    assert_eq!(Tree::read("language/src").climbs(LANGUAGE_LAYERS), [""; 0]);
    assert_eq!(Tree::read("stablehlo/src").climbs(STABLEHLO_LAYERS), [""; 0]);
}

/// Houses stay low: what is above rests on few floors.
#[test]
fn houses_have_few_floors() {
    let (src, command) = (Tree::read("src"), Tree::read("cli/src"));
    assert!(command.floors("") <= 7, "{} floors of cli/src", command.floors(""));
    assert!(src.floors("device/") <= 9, "{} floors of src/device", src.floors("device/"));
    let files = [("a.rs", "use crate::b::B;"), ("b.rs", "use crate::c::d::D;"), ("c/d.rs", "")];
    let tree = Tree::of(&[&files[..], &[("c/mod.rs", "mod d;"), ("e.rs", "")]].concat());
    assert_eq!((tree.floors(""), tree.floors("c/")), (3, 1));
}

#[test]
fn no_files_import_each_other() {
    let (_, members) = include_str!("../../Cargo.toml").split_once("\nmembers = [").unwrap();
    let (members, _) = members.split_once(']').unwrap();
    let members: Vec<&str> = members.split('"').skip(1).step_by(2).collect();
    assert!(members.len() >= 4 && members.contains(&"cli"), "{members:?}");
    let mut circles = Vec::new();
    for member in members.into_iter().filter(|&member| member != "tests") {
        let tree = Tree::read(&format!("{member}/src"));
        let (files, imports) = (tree.code.len(), tree.code.keys().map(|path| tree.imports(path)));
        let imports: usize = imports.map(|imports| imports.len()).sum();
        assert!(imports >= files, "{member}: {imports} imports of {files} files");
        circles.extend(tree.circles().into_iter().map(|circle| format!("{member}: {circle}")));
    }
    assert_eq!(circles, [""; 0]);
}

#[test]
fn wgpu_is_named_where_the_device_is() {
    let tree = Tree::read("src");
    assert!(tree.code["device/gpu.rs"].contains("wgpu"));
    assert_eq!(tree.name_wgpu(), [""; 0]);
}

/// The layers of made-up trees.
const MADE_UP: &[&[&str]] = &[&["semantics"], &["graph"], &["device"]];

/// Every way to write an import of a later file is found.
#[test]
fn made_up_trees_that_climb() {
    for text in [
        "use crate::device::gpu::Array;",
        "pub(crate) use crate::device::{gpu::{self, Array}, wait};",
        "use crate::{graph, device::gpu as other};",
        "use super::super::device::gpu::Array;",
        "use crate::device; fn f() { device::gpu::f() }",
        "fn f() { crate::device::gpu::f() }",
        "fn f() { super::super::device::gpu::f() }",
        "fn f(c: char) -> bool { c == '\"' || crate::device::gpu::f(c) }",
        "fn f() { let reuse = crate::device::gpu::f::<u8>(); }",
        "#[cfg(unix)]\nmod x {\n    use crate::device::gpu::Array;\n}\n",
        "#[cfg(test)]\nmod tests {\n    #[cfg(unix)]\n    fn f() {}\n}\nuse crate::device::gpu::A;",
    ] {
        let others = ["graph/mod.rs", "device/mod.rs", "device/gpu.rs", "device/wait.rs"];
        let others = others.iter().map(|path| (*path, ""));
        let files: Vec<_> = others.chain([("semantics/shape.rs", text)]).collect();
        let climbs = Tree::of(&files).climbs(MADE_UP);
        let wanted = "semantics/shape.rs imports device/gpu.rs";
        assert!(climbs.iter().any(|climb| climb == wanted), "{text}: {climbs:?}");
    }
}

#[test]
fn made_up_trees_that_do_not_climb() {
    for text in [
        "// use crate::device::gpu::A;\n/// [`a`](crate::device::gpu::A)\nfn f() {}",
        "const TEXT: &str = \"use crate::device::gpu::A; \\\" \"; fn f() {}",
        "const TEXT: &str = r#\"\" use crate::device::gpu::A;\"#;",
        "#[cfg(test)]\nmod tests {\n    use crate::device::gpu::A;\n}\n",
        "#[cfg(all(test, unix))]\n#[allow(x)]\nmod tests {\n    #[cfg(unix)]\n    use crate::device::gpu::A;\n}\n",
        "#[cfg(test)]\nmod fakes;\n#[cfg(test)]\nfn f() { crate::semantics::shape::fakes::f() }",
        "use half::f16; use std::array; pub(super) fn f() {}",
    ] {
        let mut files = vec![
            ("semantics/shape.rs", text),
            ("device/gpu.rs", "use crate::semantics::shape::Shape;"),
        ];
        if text.contains("mod fakes") {
            files.push(("semantics/shape/fakes.rs", "use crate::device::gpu::A;"));
        }
        assert_eq!(Tree::of(&files).climbs(MADE_UP), [""; 0], "{text}");
    }
}

#[test]
fn made_up_trees_with_circles() {
    let check = |files: &[(&str, &str)], wanted: &[&str]| {
        assert_eq!(Tree::of(files).circles().iter().collect::<Vec<_>>(), wanted);
    };
    check(&[("a.rs", "use crate::b::B;"), ("b.rs", "fn f() { crate::a::f() }")], &["a.rs, b.rs"]);
    // A folder's mod.rs is a file: a child may not import from one that uses or re-exports it.
    let pair = &["a/child.rs, a/mod.rs"];
    check(&[("a/mod.rs", "mod child; pub use child::C;"), ("a/child.rs", "use super::X;")], pair);
    let uses = "mod child; fn f() { child::f() }";
    check(&[("a/mod.rs", uses), ("a/child.rs", "use crate::a::X;")], pair);
    check(&[("lib.rs", "mod a; use a::A;"), ("a.rs", "use crate::A;")], &["a.rs, lib.rs"]);
    let (a, b, c) = ("use crate::b::B;", "use crate::c;", "use super::a::{self};");
    let four = [("a.rs", a), ("b.rs", b), ("c.rs", c), ("d.rs", "use crate::a::A;")];
    check(&four, &["a.rs, b.rs, c.rs"]);
    // Declaring a child is not an import.
    let child = ("a/child.rs", "use super::other::X;");
    check(&[("a/mod.rs", "mod child; mod other;"), child, ("a/other.rs", "")], &[]);
}

#[test]
fn made_up_trees_that_name_wgpu() {
    let files = [
        ("compile/plan/kernel.rs", "fn f(limits: &wgpu::Limits) {}"),
        ("semantics/error.rs", "/// What wgpu says.\nfn f() -> &'static str { \"wgpu refuses\" }"),
        ("calibration/mod.rs", "use wgpu;"),
        ("device/wait.rs", "use wgpu::Limits;"),
        ("lib.rs", "pub use wgpu;"),
    ];
    assert_eq!(Tree::of(&files).name_wgpu(), ["calibration/mod.rs", "compile/plan/kernel.rs"]);
}

#[test]
#[should_panic(expected = "new.rs stands in no layer")]
fn a_file_outside_of_all_layers() {
    Tree::of(&[("semantics/shape.rs", "use crate::new::X;"), ("new.rs", "")]).climbs(LAYERS);
}
