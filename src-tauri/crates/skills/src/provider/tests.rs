use std::fs;
use std::path::{Path, PathBuf};

use super::*;

mod looks;
mod seen;

struct Roots {
    dir: tempfile::TempDir,
}

impl Roots {
    fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join(path)
    }

    fn write(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    fn skill(&self, folder: &str) {
        let name = folder.rsplit('/').next().unwrap();
        self.write(
            &format!("{folder}/SKILL.md"),
            format!("---\nname: {name}\ndescription: of {folder}\n---\nx\n"),
        );
    }

    fn provider(&self, roots: &[&str], options: Options) -> DirectoryProvider {
        DirectoryProvider::new(roots.iter().map(|root| self.path(root)).collect(), options)
    }
}

fn resources_mode() -> Options {
    Options { supporting_files: SupportingFiles::Resources, ..Options::default() }
}

fn strict() -> Options {
    Options { mode: Mode::Strict, ..Options::default() }
}

fn uris(provider: &DirectoryProvider) -> Vec<String> {
    provider.list().resources.into_iter().map(|resource| resource.uri).collect()
}

fn text(provider: &DirectoryProvider, uri: &str) -> Option<String> {
    provider.read(uri).ok().map(|content| String::from_utf8(content.bytes).unwrap())
}

/// Everything that a provider says is there, with what it says of it.
fn said(provider: &DirectoryProvider) -> Vec<String> {
    let mut said = uris(provider);
    for entry in provider.entries().into_iter().flat_map(|entries| entries.entries) {
        said.extend(entry.files().iter().map(|file| file.uri.clone()));
    }
    let mut folders: Vec<String> = said
        .iter()
        .flat_map(|uri| uri.match_indices('/').skip(2).map(|(at, _)| uri[..at].to_owned()))
        .collect();
    folders.sort();
    folders.dedup();
    for folder in folders {
        let children = provider.directory(&folder).unwrap_or_default();
        let files = children.into_iter().filter(|child| child.mime_type != DIRECTORY_TYPE);
        said.extend(files.map(|child| child.uri));
    }
    said
}

#[cfg(unix)]
fn link(target: &Path, at: &Path) {
    fs::create_dir_all(at.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(target, at).unwrap();
}

#[test]
fn a_skill_is_its_main_file_a_manifest_and_a_template() {
    let roots = Roots::new();
    roots.write("r/my skill/SKILL.md", "---\r\ndescription: d\r\n---\r\n");
    roots.write("r/my skill/b.txt", "b");
    roots.write("r/my skill/b/a.txt", "a");
    roots.write("r/no skill/README.md", "x");
    let provider = roots.provider(&["gone", "r"], Options::default());
    let listing = provider.list();
    assert_eq!(uris(&provider), ["skill://my%20skill/SKILL.md", "skill://my%20skill/_manifest"]);
    assert_eq!(listing.resources[0].name, "my skill/SKILL.md");
    assert_eq!(listing.resources[0].description, "d");
    assert_eq!(listing.templates[0].uri_template, "skill://my%20skill/{path*}");
    assert_eq!(listing.warnings, [] as [&str; 0]);
    assert_eq!(
        text(&provider, "skill://my%20skill/SKILL.md").unwrap(),
        "---\r\ndescription: d\r\n---\r\n"
    );
    assert_eq!(text(&provider, "skill://my skill/b/a.txt").unwrap(), "a");
    let manifest: serde_json::Value =
        serde_json::from_str(&text(&provider, "skill://my%20skill/_manifest").unwrap()).unwrap();
    let paths: Vec<&str> = manifest["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file["path"].as_str().unwrap())
        .collect();
    assert_eq!(paths, ["SKILL.md", "b/a.txt", "b.txt"]);
    assert_eq!(manifest["skill"], "my skill");
    // printf a | sha256sum
    assert_eq!(
        manifest["files"][1],
        serde_json::json!({"path": "b/a.txt", "size": 1, "hash": "sha256:ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"})
    );
    assert!(provider.entries().is_none());
}

#[test]
fn every_file_is_listed_in_resources_mode() {
    let roots = Roots::new();
    roots.skill("r/a");
    roots.write("r/a/x%y.txt", "1");
    let provider = roots.provider(&["r"], resources_mode());
    assert_eq!(
        uris(&provider),
        ["skill://a/SKILL.md", "skill://a/_manifest", "skill://a/x%25y.txt"]
    );
    assert_eq!(provider.list().templates, []);
    assert_eq!(text(&provider, "skill://a/x%25y.txt").unwrap(), "1");
    assert_eq!(text(&provider, "skill://a/x%y.txt").unwrap(), "1");
}

/// Names with which URIs go wrong.
#[cfg(unix)]
const ODD_NAMES: &[&str] = &[
    "a b",
    "a%20b",
    "%41",
    "%",
    "%zz",
    "%5C",
    "%2F",
    "%2e%2e",
    "a#b",
    "a?b",
    "a:b",
    "a;b",
    "a&b=c",
    "+",
    "...",
    ". ",
    " ",
    "-",
    "~",
    "é",
    "e\u{301}",
    "日本",
    "😀",
    "\u{202e}x",
    "a\nb",
    "\t",
    "\u{7f}",
    "\u{85}",
    "'",
    "\"",
    "<x>",
    "{path*}",
    "[a]",
    "a|b",
    "a^b",
    "`",
    "@",
    "a,b",
    "a\\b",
    "\\",
    "..\\..",
    "SKILL.md ",
    "_manifest ",
    "CON",
    "skill:",
];

#[cfg(unix)]
#[test]
fn whatever_is_listed_can_be_read_back() {
    let roots = Roots::new();
    for (at, name) in ODD_NAMES.iter().enumerate() {
        roots.skill(&format!("r/{name}"));
        roots.write(&format!("r/{name}/{name}"), name);
        roots.skill(&format!("r/s{at}"));
        roots.write(&format!("r/s{at}/{name}"), name);
        roots.write(&format!("r/s{at}/in/{name}/{name}.txt"), name);
        roots.skill(&format!("r/s{at}/{name}x/inner"));
    }
    roots.skill("r/m");
    roots.write("r/m/_manifest", "mine");
    roots.write("r/m/in/_manifest", "mine");
    for mode in [Mode::Compatible, Mode::Strict] {
        for supporting_files in [SupportingFiles::Template, SupportingFiles::Resources] {
            let options = Options { mode, supporting_files, ..Options::default() };
            let provider = roots.provider(&["r"], options);
            let said = said(&provider);
            assert!(said.len() > 80, "{}", said.len());
            for uri in said {
                assert!(provider.read(&uri).is_ok(), "{mode:?} {supporting_files:?} {uri}");
                assert_eq!(provider.canonical(&uri).as_ref(), Some(&uri), "{mode:?}");
            }
        }
    }
}

#[cfg(unix)]
#[test]
fn what_no_uri_gives_is_left_out_with_a_warning() {
    let roots = Roots::new();
    roots.skill("r/a\\b");
    roots.skill("r/c");
    roots.write("r/c/in/d\\e", "x");
    roots.skill("r/f");
    let without = "the skill \"a\\\\b\" is left out: no URI gives it: its";
    let compatible = roots.provider(&["r"], resources_mode());
    let c_and_f =
        ["skill://c/SKILL.md", "skill://c/_manifest", "skill://f/SKILL.md", "skill://f/_manifest"];
    assert_eq!(uris(&compatible), c_and_f);
    assert_eq!(
        compatible.list().warnings,
        [
            format!("{without} name has a backslash"),
            "the file \"in/d\\\\e\" of the skill \"c\" is left out: no URI gives it".to_owned(),
        ]
    );
    let strict = roots.provider(&["r"], strict());
    assert_eq!(uris(&strict), c_and_f);
    let entries = strict.entries().unwrap();
    let published: Vec<&str> = entries.entries.iter().map(|entry| entry.uri().as_str()).collect();
    assert_eq!(published, ["skill://f/SKILL.md"]);
    assert_eq!(
        entries.warnings,
        [
            format!("{without} path has a backslash"),
            "the skill \"c\" is not listed as a skill: the URI of \"in/d\\\\e\" would give something \
             else; its files can still be read as resources"
                .to_owned(),
        ]
    );
    assert!(strict.entry("skill://c/SKILL.md").is_none());
    assert_eq!(strict.directory("skill://c/in").unwrap(), []);
}

#[test]
fn the_first_root_wins_and_broken_skills_hide_no_others() {
    let roots = Roots::new();
    roots.skill("one/a");
    roots.skill("two/a");
    roots.skill("two/b");
    roots.write("one/bad/SKILL.md", b"\xff");
    let provider = roots.provider(&["one", "two"], Options::default());
    let listing = provider.list();
    let descriptions: Vec<_> =
        listing.resources.iter().step_by(2).map(|resource| resource.description.as_str()).collect();
    assert_eq!(descriptions, ["of one/a", "of two/b"]);
    assert_eq!(listing.warnings, ["the skill \"bad\" is left out: its SKILL.md is not UTF-8"]);
    assert!(text(&provider, "skill://a/SKILL.md").unwrap().contains("of one/a"));
}

#[test]
fn reads_never_leave_the_skill() {
    let roots = Roots::new();
    roots.skill("r/a");
    roots.write("r/secret", "s");
    let provider = roots.provider(&["r"], Options::default());
    for uri in [
        "skill://a/../secret",
        "skill://a/%2e%2e/secret",
        "skill://a/..%2fsecret",
        "skill://a/..%5csecret",
        "skill://a//etc/passwd",
        "skill://a/",
        "skill://../r/a/SKILL.md",
        "skill://%2e/a/SKILL.md",
        "file:///etc/passwd",
        "skill://a/x%00",
    ] {
        assert!(matches!(provider.read(uri), Err(ReadError::NotFound(_))), "{uri}");
        assert!(roots.provider(&["r"], strict()).read(uri).is_err(), "{uri}");
    }
}

#[cfg(unix)]
#[test]
fn links_are_followed_only_inside_of_what_they_link_to() {
    let roots = Roots::new();
    roots.skill("elsewhere/real");
    roots.write("elsewhere/secret", "s");
    link(&roots.path("elsewhere/real"), &roots.path("r/shown"));
    link(&roots.path("elsewhere/secret"), &roots.path("elsewhere/real/out"));
    link(&roots.path("elsewhere/real/SKILL.md"), &roots.path("elsewhere/real/in.md"));
    link(&roots.path("elsewhere/none"), &roots.path("r/dangling"));
    let provider = roots.provider(&["r"], resources_mode());
    assert_eq!(
        uris(&provider),
        ["skill://real/SKILL.md", "skill://real/_manifest", "skill://real/in.md"]
    );
    assert_eq!(
        provider.list().warnings,
        ["the skill \"dangling\" is left out: its link leads nowhere"]
    );
    assert!(provider.read("skill://real/in.md").is_ok());
    assert!(provider.read("skill://real/out").is_err());
    assert!(provider.read("skill://shown/SKILL.md").is_err());
}

#[test]
fn without_reload_the_first_look_stays_and_reads_are_live() {
    let roots = Roots::new();
    roots.skill("r/a");
    let provider = roots.provider(&["r"], Options { reload: false, ..Options::default() });
    let first = provider.list();
    roots.skill("r/b");
    roots.write("r/a/new.txt", "n");
    let manifest = text(&provider, "skill://a/_manifest").unwrap();
    assert_eq!(provider.list(), first);
    assert!(!manifest.contains("new.txt"));
    assert_eq!(text(&provider, "skill://a/new.txt").unwrap(), "n");
    assert!(provider.read("skill://b/SKILL.md").is_err());
    provider.rescan();
    assert_eq!(uris(&provider).len(), 4);
    assert!(text(&provider, "skill://a/_manifest").unwrap().contains("new.txt"));
}

#[test]
fn without_reload_a_manifest_stays_when_its_files_change_and_its_folder_goes() {
    let roots = Roots::new();
    roots.skill("r/a");
    roots.write("r/a/x.txt", "one");
    let provider = roots.provider(&["r"], Options { reload: false, ..Options::default() });
    provider.list();
    roots.write("r/a/x.txt", "other");
    let manifest = text(&provider, "skill://a/_manifest").unwrap();
    // SHA-256 of the three bytes "one".
    assert!(manifest.contains("7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed"));
    std::fs::remove_dir_all(roots.path("r/a")).unwrap();
    assert_eq!(text(&provider, "skill://a/_manifest").unwrap(), manifest);
    assert!(provider.read("skill://a/x.txt").is_err());
    provider.rescan();
    assert!(provider.read("skill://a/_manifest").is_err());
}

#[test]
fn the_main_file_may_have_another_name() {
    let roots = Roots::new();
    roots.write("r/a/GUIDE.md", "# Guide\n");
    let options = Options { main_file: "GUIDE.md".into(), ..Options::default() };
    let provider = DirectoryProvider::of_skill(&roots.path("r/a"), options);
    assert_eq!(uris(&provider), ["skill://a/GUIDE.md", "skill://a/_manifest"]);
    assert_eq!(provider.list().resources[0].description, "Guide");
    assert!(provider.read("skill://a/GUIDE.md").is_ok());
}

#[test]
fn strict_entries_hold_every_file_and_nested_skills_of_their_own() {
    let roots = Roots::new();
    roots.skill("r/team/review");
    roots.write("r/team/review/.hidden", "h");
    roots.skill("r/team/review/inner");
    let provider = roots.provider(&["r"], strict());
    let entries = provider.entries().unwrap();
    assert_eq!(entries.warnings, [] as [&str; 0]);
    let shown: Vec<(&str, Vec<&str>)> = entries
        .entries
        .iter()
        .map(|entry| {
            (entry.uri().as_str(), entry.files().iter().map(|file| file.path.as_str()).collect())
        })
        .collect();
    assert_eq!(
        shown,
        [
            ("skill://team/review/SKILL.md", vec![".hidden", "SKILL.md", "inner/SKILL.md"]),
            ("skill://team/review/inner/SKILL.md", vec!["SKILL.md"]),
        ]
    );
    assert_eq!(provider.entry("skill://team/review/SKILL.md").as_ref(), Some(&entries.entries[0]));
    assert_eq!(provider.entry("skill://team/SKILL.md"), None);
    assert!(text(&provider, "skill://team/review/inner/_manifest").is_some());
    assert_eq!(text(&provider, "skill://team/review/.hidden").unwrap(), "h");
    let listed = provider.list();
    assert_eq!(listed.resources[0].name, "review");
    assert_eq!(listed.resources[0].description, "of r/team/review");
}

#[test]
fn strict_discovery_leaves_out_what_breaks_a_rule_and_still_serves_it() {
    let roots = Roots::new();
    let with = |folder: &str, fields: &str| {
        roots.write(&format!("r/{folder}/SKILL.md"), format!("---\n{fields}---\nx"))
    };
    roots.skill("r/good");
    with("name", "name: other\ndescription: d\n");
    with("Upper", "name: Upper\ndescription: d\n");
    with("date", "name: date\ndescription: d\nmetadata: {at: 2024-01-01}\n");
    with("blank", "name: blank\ndescription: ' '\n");
    with("list", "name: list\ndescription: d\nallowed-tools: [Read]\nmetadata: {n: 1}\n");
    roots.skill("r/shadow");
    roots.write("r/shadow/_manifest", "x");
    roots.write("r/latin/SKILL.md", b"\xe9");
    let provider = roots.provider(&["r"], strict());
    let entries = provider.entries().unwrap();
    let names: Vec<&str> = entries.entries.iter().map(|entry| entry.name()).collect();
    assert_eq!(names, ["good", "list"]);
    assert_eq!(
        entries.warnings,
        [
            "the skill \"Upper\" is not listed as a skill: `name` is not 1 to 64 of a-z, 0-9 and single hyphens, none at an end; its files can still be read as resources",
            "the skill \"blank\" is not listed as a skill: `description` is missing, blank or over 1,024 characters; its files can still be read as resources",
            "the skill \"date\" is not listed as a skill: the front matter has a date, which has no JSON value; its files can still be read as resources",
            "the skill \"latin\" is not listed as a skill: the file is not UTF-8; its files can still be read as resources",
            "the skill \"name\" is not listed as a skill: `name` is not the folder's; its files can still be read as resources",
            "the skill \"shadow\" is not listed as a skill: the URI of \"_manifest\" would give something else; its files can still be read as resources",
        ]
    );
    assert_eq!(provider.read("skill://latin/SKILL.md").unwrap().bytes, b"\xe9");
    assert!(
        provider
            .list()
            .resources
            .iter()
            .any(|r| r.name == "latin/SKILL.md" && r.description == "Skill: latin")
    );
}

#[test]
fn one_path_in_two_roots_is_left_out_of_both() {
    let roots = Roots::new();
    roots.skill("one/a");
    roots.skill("two/a");
    roots.skill("two/b");
    let provider = roots.provider(&["one", "two", "two"], strict());
    let entries = provider.entries().unwrap();
    assert_eq!(entries.entries.len(), 1);
    assert_eq!(
        entries.warnings,
        [format!(
            "the skill \"a\" is left out: it is in more than one folder: {:?}, {:?}",
            roots.path("one"),
            roots.path("two"),
        )]
    );
    assert!(provider.read("skill://a/SKILL.md").is_err());
    assert!(provider.entry("skill://a/SKILL.md").is_none());
}

#[cfg(unix)]
#[test]
fn strict_mode_reads_no_links() {
    let roots = Roots::new();
    roots.skill("r/a");
    roots.skill("elsewhere/b");
    link(&roots.path("r/a/SKILL.md"), &roots.path("r/a/link.md"));
    link(&roots.path("elsewhere/b"), &roots.path("r/b"));
    link(&roots.path("r"), &roots.path("linked-root"));
    let provider = roots.provider(&["r"], strict());
    assert_eq!(
        provider.entries().unwrap().warnings,
        [
            "the skill \"a\" is not listed as a skill: \"link.md\" is a link; its files can still be \
          read as resources"
        ]
    );
    assert!(provider.read("skill://a/link.md").is_err());
    assert!(provider.read("skill://b/SKILL.md").is_err());
    assert!(provider.read("skill://a/SKILL.md").is_ok());
    let linked = roots.provider(&["linked-root"], strict());
    assert_eq!(linked.entries().unwrap().warnings, ["root 1 is left out: it is a link"]);
    assert_eq!(linked.list().resources, []);
}

#[test]
fn a_changed_file_changes_the_entry() {
    let roots = Roots::new();
    roots.skill("r/a");
    let provider = roots.provider(&["r"], strict());
    let first = provider.entry("skill://a/SKILL.md").unwrap();
    assert_eq!(provider.entry("skill://a/SKILL.md"), Some(first.clone()));
    roots.write("r/a/x.txt", "1");
    let second = provider.entry("skill://a/SKILL.md").unwrap();
    roots.write("r/a/x.txt", "2");
    let third = provider.entry("skill://a/SKILL.md").unwrap();
    assert_ne!(first.fingerprint(), second.fingerprint());
    assert_ne!(second.fingerprint(), third.fingerprint());
}
