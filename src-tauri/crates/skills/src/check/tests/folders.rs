//! What can be said of a folder on this disk only.

use std::fs;
use std::path::{Path, PathBuf};

use super::*;
use crate::manifest::ReadManifestError;
use crate::provider::{DirectoryProvider, Mode, Options, Provider as _};

const GOOD: &str = "---\nname: a\ndescription: b\n---\nbody\n";

/// A root with the skill `a` in it.
struct Root(tempfile::TempDir);

impl Root {
    fn new(files: &[(&str, &str)]) -> Self {
        let root = Self(tempfile::tempdir().unwrap());
        for (path, text) in files {
            let path = root.skill().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        root
    }

    fn skill(&self) -> PathBuf {
        self.0.path().join("a")
    }

    fn codes(&self) -> Vec<&'static str> {
        codes(&self.skill())
    }
}

/// The codes, after a look at whether `valid` is what strict mode does.
fn codes(dir: &Path) -> Vec<&'static str> {
    let checked = check_folder(dir);
    let errors = checked.diagnostics.iter().any(|one| one.severity == Severity::Error);
    assert_eq!(checked.valid, !errors);
    checked.diagnostics.into_iter().map(|one| one.code).collect()
}

fn is_published(root: &Path) -> bool {
    let options = Options { mode: Mode::Strict, ..Options::default() };
    let provider = DirectoryProvider::new(vec![root.to_owned()], options);
    provider.entries().unwrap().entries.iter().any(|entry| entry.uri().skill_path() == "a")
}

#[test]
fn a_good_folder_is_valid_and_has_its_manifest() {
    let root = Root::new(&[("SKILL.md", GOOD), ("docs/x.md", "x")]);
    let checked = check_folder(&root.skill());
    assert_eq!(checked.name, "a");
    assert_eq!(checked.description, "b");
    assert_eq!(checked.diagnostics, []);
    assert!(checked.valid);
    assert_eq!(checked.manifest.unwrap().files().len(), 2);
}

#[test]
fn what_is_no_skill_says_so() {
    let root = Root::new(&[("README.md", "x")]);
    assert_eq!(root.codes(), ["files-unreadable"]);
    assert_eq!(codes(&root.0.path().join("gone")), ["files-unreadable"]);
    assert!(matches!(
        check_folder(&root.skill().join("README.md")).manifest,
        Err(ReadManifestError::NotAFolder(_))
    ));
}

#[cfg(unix)]
#[test]
fn scripts_can_be_run() {
    use std::os::unix::fs::PermissionsExt;

    let run = |mode: u32, name: &str, text: &str| {
        let root = Root::new(&[("SKILL.md", GOOD), (name, text)]);
        let path = root.skill().join(name);
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        root.codes()
    };
    assert_eq!(run(0o755, "scripts/a.sh", "#!/bin/sh\n"), [""; 0]);
    assert_eq!(run(0o644, "scripts/a.sh", "#!/bin/sh\n"), ["script-not-executable"]);
    assert_eq!(run(0o755, "scripts/a.sh", "echo\n"), ["script-no-shebang"]);
    assert_eq!(run(0o644, "a.py", "#!/usr/bin/env python3\n"), ["script-not-executable"]);
    assert_eq!(run(0o755, "a.py", "import os\n"), ["script-no-shebang"]);
    assert_eq!(run(0o644, "a.py", "import os\n"), [""; 0]);
    assert_eq!(run(0o644, "a.md", "#!x\n"), [""; 0]);
}

#[cfg(unix)]
#[test]
fn everything_that_is_no_plain_file_is_named() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    let root = Root::new(&[("SKILL.md", "---\nname: b\ndescription: b\n---\nbody\n")]);
    let dir = root.skill();
    symlink("SKILL.md", dir.join("link")).unwrap();
    symlink("/nowhere/at/all", dir.join("broken")).unwrap();
    let _socket = UnixListener::bind(dir.join("socket")).unwrap();
    fs::write(dir.join(OsStr::from_bytes(b"\xff")), "x").unwrap();
    assert_eq!(
        root.codes(),
        ["file-link", "file-name-not-utf8", "file-special", "link-broken", "name-folder"]
    );
    let checked = check_folder(&dir);
    let broken = checked.diagnostics.iter().find(|one| one.code == "link-broken").unwrap();
    assert_eq!(broken.message, "\"broken\" is a link to /nowhere/at/all, which cannot be had");
    assert!(matches!(checked.manifest, Err(ReadManifestError::Link(_))));
}

#[cfg(unix)]
#[test]
fn a_flood_of_links_is_a_few_diagnostics() {
    let root = Root::new(&[("SKILL.md", GOOD)]);
    for n in 0..100 {
        std::os::unix::fs::symlink("SKILL.md", root.skill().join(format!("l{n}"))).unwrap();
    }
    assert_eq!(root.codes(), ["file-link"; 20]);
}

#[cfg(unix)]
#[test]
fn a_linked_folder_is_judged_and_the_link_named() {
    let root = Root::new(&[("SKILL.md", GOOD)]);
    let link = root.0.path().join("linked");
    std::os::unix::fs::symlink(root.skill(), &link).unwrap();
    assert_eq!(codes(&link), ["folder-link", "name-folder"]);
    assert!(!check_folder(&link).valid);
}

#[cfg(unix)]
#[test]
fn a_folder_that_is_a_link_to_nowhere_is_a_broken_link() {
    let root = Root::new(&[("SKILL.md", GOOD)]);
    for target in ["nowhere", "broken"] {
        let link = root.0.path().join("broken");
        let _ = fs::remove_file(&link);
        std::os::unix::fs::symlink(target, &link).unwrap();
        let checked = check_folder(&link);
        let [found] = &checked.diagnostics[..] else { panic!("{:?}", checked.diagnostics) };
        assert_eq!((found.code, checked.valid), ("link-broken", false));
        assert!(found.message.contains(target), "{}", found.message);
        assert_eq!(checked.name, "broken");
    }
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_looked_into_is_an_error_with_its_reason() {
    use std::os::unix::fs::PermissionsExt;

    let root = Root::new(&[("SKILL.md", GOOD)]);
    let dir = root.skill();
    for mode in [0o000, 0o100, 0o400] {
        fs::set_permissions(&dir, fs::Permissions::from_mode(mode)).unwrap();
        let open = fs::read_dir(&dir).is_ok_and(|_| fs::metadata(dir.join("SKILL.md")).is_ok());
        let checked = check_folder(&dir);
        fs::set_permissions(&dir, fs::Permissions::from_mode(0o755)).unwrap();
        // Whoever may read everything sees no lock.
        if !open {
            assert!(!checked.valid);
            let found = &checked.diagnostics[0];
            assert_eq!(found.code, "file-unreadable", "{mode:o}");
            assert!(found.message.contains("denied"), "{}", found.message);
        }
    }
    // A loop of links is refused to everybody.
    std::os::unix::fs::symlink("SKILL.md", dir.join("loop")).unwrap();
    fs::remove_file(dir.join("SKILL.md")).unwrap();
    std::os::unix::fs::symlink("SKILL.md", dir.join("SKILL.md")).unwrap();
    assert_eq!(codes(&dir), ["link-broken", "link-broken"]);
}

#[test]
fn of_a_main_file_beyond_the_limit_only_the_beginning_is_read() {
    let over = 16 * 1024 * 1024 + 1;
    let main = format!("{GOOD}{}", "[x](gone.md)\0\u{7}\n".repeat(over / 14 + 1));
    assert!(main.len() > over);
    let root = Root::new(&[("SKILL.md", &main)]);
    let checked = check_folder(&root.skill());
    let told: Vec<_> = checked.diagnostics.iter().map(|one| one.code).collect();
    assert_eq!(told, ["too-many-bytes"]);
    assert_eq!(checked.manifest.unwrap().total_size(), main.len() as u64);
    assert_eq!((checked.name.as_str(), checked.description.as_str()), ("a", "b"));
    // Nor is it read where something else stands in the way.
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("SKILL.md", root.skill().join("link")).unwrap();
        assert_eq!(codes(&root.skill()), ["file-link", "too-many-bytes"]);
    }
    // With one character less than the limit leaves, everything is judged.
    let right = format!("{GOOD}{}", "x".repeat(over - 1 - GOOD.len()));
    let root = Root::new(&[("SKILL.md", &right)]);
    assert_eq!(root.codes(), ["body-tokens"]);
}

#[test]
fn references_from_file_to_file_are_named() {
    let main = format!("{GOOD}[x](x.md) and `y.md`\n");
    let root = Root::new(&[
        ("SKILL.md", &main),
        ("x.md", "[y](y.md) [z](docs/z.md) [back](SKILL.md) [web](https://a.b/c.md)\n"),
        ("y.md", "y"),
        ("docs/z.md", "z"),
    ]);
    let found = check_folder(&root.skill()).diagnostics;
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].code, "reference-chain");
    assert_eq!(found[0].place, Some(Place { file: "x.md".into(), line: 1, column: 15, length: 9 }));
}

#[test]
fn valid_is_what_strict_mode_publishes() {
    let long = "x".repeat(1025);
    let field = |field: &str| format!("---\nname: a\ndescription: b\n{field}\n---\nbody\n");
    let texts = [
        GOOD.to_owned(),
        GOOD.replace('\n', "\r\n"),
        GOOD.replace('\n', "\r"),
        format!("\u{feff}{GOOD}"),
        String::new(),
        "body".to_owned(),
        "---\nname: a\n---\nx".to_owned(),
        "---\nname: b\ndescription: b\n---\nx".to_owned(),
        "---\nname: a\ndescription: ' '\n---\nx".to_owned(),
        "---\nname: a\ndescription:\n---\nx".to_owned(),
        format!("---\nname: a\ndescription: {long}\n---\nx"),
        "---\nname: a\ndescription: b: c\n---\nx".to_owned(),
        "--- \nname: a\ndescription: b\n---\nx".to_owned(),
        "---\nname: a\ndescription: b\n--- \nx".to_owned(),
        "---\nname: a\ndescription: b\n---".to_owned(),
        "---\nname: a\ndescription: b\n".to_owned(),
        "---\n---\nx".to_owned(),
        "---\n# only a comment\n---\nx".to_owned(),
        "---\n- a\n---\nx".to_owned(),
        field("license: 1"),
        field("license:"),
        field("license: MIT"),
        field("compatibility: ''"),
        field("compatibility:"),
        field("allowed-tools: [Read]"),
        field("allowed-tools: [1]"),
        field("allowed-tools:"),
        field("metadata: {x: 1}"),
        field("metadata: x"),
        field("metadata:"),
        field("unknown: x"),
        field("description: c"),
        field("1: c"),
        field("x: 2024-01-01"),
        field("x: .nan"),
        field("x: &y z\nw: *y"),
        field("<<: {x: y}"),
        field("x: !!binary aGk="),
        field("x:\ty"),
        field("x: \u{7}"),
        field("<<<<<<< HEAD"),
        format!("{GOOD}\0\u{7}<<<<<<< x\n"),
    ];
    for text in texts {
        let root = Root::new(&[("SKILL.md", &text)]);
        let checked = check_folder(&root.skill());
        assert_eq!(checked.valid, is_published(root.0.path()), "{text:?}");
        let _ = root.codes();
    }
    let bytes = Root::new(&[("SKILL.md", "")]);
    fs::write(bytes.skill().join("SKILL.md"), [GOOD.as_bytes(), b"\xff"].concat()).unwrap();
    assert_eq!(check_folder(&bytes.skill()).valid, is_published(bytes.0.path()));
}

#[test]
fn valid_also_looks_at_the_files() {
    for (path, valid) in [
        ("x", true),
        ("_manifest", false),
        ("b/_manifest", true),
        ("con.txt", true),
        (".hidden/x", true),
        ("b/SKILL.md", true),
    ] {
        let root = Root::new(&[("SKILL.md", GOOD), (path, "x")]);
        assert_eq!(check_folder(&root.skill()).valid, valid, "{path}");
        assert_eq!(is_published(root.0.path()), valid, "{path}");
    }
    let root = Root::new(&[("SKILL.md", GOOD), ("b/SKILL.md", GOOD), ("b/_manifest", "")]);
    assert!(!check_folder(&root.skill()).valid);
    assert!(!is_published(root.0.path()));
}
