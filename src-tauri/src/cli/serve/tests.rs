#![allow(clippy::disallowed_methods)]

use clap::Parser as _;

use super::*;

fn read(flags: &[&str]) -> Result<Serve, clap::Error> {
    let line = ["skillhold", "serve", "--root", "/nothing/here"].iter().chain(flags);
    crate::cli::Arguments::try_parse_from(line).map(|arguments| match arguments.verb {
        Some(crate::cli::Verb::Serve(serve)) => serve,
        other => panic!("{other:?}"),
    })
}

fn wrong(flags: &[&str]) -> String {
    let error = read(flags).unwrap_err();
    assert_eq!(error.exit_code(), 2, "{flags:?}");
    error.to_string()
}

#[test]
fn strict_with_a_template_and_live_is_the_default() {
    let options = read(&["--stdio"]).unwrap().options();
    assert_eq!(
        options,
        Options {
            mode: Mode::Strict,
            supporting_files: SupportingFiles::Template,
            main_file: "SKILL.md".to_owned(),
            reload: true,
            merge_identical: false,
        }
    );
}

#[test]
fn each_flag_is_heard() {
    let flags = ["--compatible", "--supporting-files", "resources", "--no-reload"];
    let flags = [&flags[..], &["--main-file", "AGENT.md", "--page-size", "7", "--stdio"]].concat();
    let serve = read(&flags).unwrap();
    assert_eq!(
        serve.options(),
        Options {
            mode: Mode::Compatible,
            supporting_files: SupportingFiles::Resources,
            main_file: "AGENT.md".to_owned(),
            reload: false,
            merge_identical: false,
        }
    );
    assert_eq!(serve.page_size, NonZeroUsize::new(7));
    let line = ["--http", "0.0.0.0:0", "--allow-remote", "--allow-host", "a", "--allow-host", "B"];
    assert_eq!(read(&line).unwrap().allow_host, ["a", "B"]);
    assert!(read(&["--stdio", "--merge-identical"]).unwrap().options().merge_identical);
}

#[test]
fn what_does_not_go_together_is_wrong_use() {
    assert!(wrong(&["--stdio", "--main-file", "X"]).contains("--compatible"));
    assert!(wrong(&["--stdio", "--strict", "--main-file", "X"]).contains("--strict"));
    wrong(&["--stdio", "--strict", "--compatible"]);
    wrong(&["--stdio", "--http", "127.0.0.1:0"]);
    wrong(&[]);
    wrong(&["--stdio", "--page-size", "0"]);
    wrong(&["--stdio", "--compatible", "--main-file", "../X"]);
    wrong(&["--http", "127.0.0.1:0", "--token-file", "x", "--no-token"]);
    wrong(&["--stdio", "--token-file", "x"]);
    wrong(&["--http", "0.0.0.0:0", "--allow-remote", "--no-token"]);
    wrong(&["--http", "example.org:80"]);
    assert!(wrong(&["--http", "127.0.0.1:0", "--allow-host", "a"]).contains("--allow-remote"));
    wrong(&["--stdio", "--allow-host", "a"]);
    wrong(&["--http", "127.0.0.1:0", "--no-token", "--allow-host", "a"]);
    for name in ["mybox.local:80", "http://mybox.local", "", "a b"] {
        let line = ["--http", "0.0.0.0:0", "--allow-remote", "--allow-host", name];
        assert!(wrong(&line).contains("without a port"), "{name}");
    }
}

#[test]
fn a_flag_without_effect_says_so() {
    let said = |flags: &[&str]| read(flags).unwrap().without_effect();
    assert_eq!(said(&["--stdio", "--no-reload"]), ["--no-reload has no effect in strict mode"]);
    let reload = read(&["--stdio", "--no-reload"]).unwrap().options().reload;
    assert!(reload, "strict mode is always live");
    assert_eq!(said(&["--stdio", "--no-reload", "--compatible"]), [""; 0]);
    assert_eq!(
        said(&["--stdio", "--no-discovery", "--compatible"]),
        ["--no-discovery has no effect with --compatible"]
    );
}

#[test]
fn other_machines_are_served_only_when_told_and_with_a_token() {
    let paths = Paths::under(std::path::Path::new("/nothing/here"));
    let refused = |flags: &[&str]| match read(flags).unwrap().prepare(&paths) {
        Err(error) => error.to_string(),
        Ok(_) => panic!("{flags:?} is taken"),
    };
    assert_eq!(
        refused(&["--http", "0.0.0.0:80"]),
        "0.0.0.0 is not on this machine alone; use 127.0.0.1 or [::1], or add --allow-remote with \
         a token"
    );
    assert!(refused(&["--http", "0.0.0.0:80", "--no-token"]).contains("always needed"));
    let (_, access) =
        read(&["--http", "0.0.0.0:80", "--allow-remote"]).unwrap().prepare(&paths).unwrap();
    assert_eq!(access.tokens.tokens[0].secret, access.made.unwrap());
}

#[test]
fn a_token_is_needed_on_this_machine_too_unless_told() {
    let paths = Paths::under(std::path::Path::new("/nothing/here"));
    let access = |flags: &[&str]| read(flags).unwrap().prepare(&paths).unwrap().1;
    assert!(access(&["--http", "127.0.0.1:0"]).made.is_some());
    assert!(access(&["--http", "localhost:0", "--no-token"]).tokens.tokens.is_empty());
    assert!(access(&["--http", "[::1]:0", "--no-token"]).made.is_none());
    assert!(access(&["--stdio"]).made.is_none());
}

#[test]
fn what_is_served_and_what_is_not_is_a_line_each() {
    let home = tempfile::tempdir().unwrap();
    let paths = Paths::under(home.path());
    let skill = |folder: &std::path::Path, name: &str| {
        std::fs::create_dir_all(folder.join(name)).unwrap();
        std::fs::write(
            folder.join(name).join(MAIN_FILE),
            format!("---\nname: {name}\ndescription: x\n---\n"),
        )
        .unwrap();
    };
    let (shelf, other) = (home.path().join("shelf"), home.path().join("other"));
    for name in ["one", "two"] {
        skill(&shelf, name);
    }
    skill(&other, "two");
    let places =
        [Place::Root(shelf.clone()), Place::Root(other), Place::Root(home.path().join("later"))];
    for supporting_files in [SupportingFiles::Template, SupportingFiles::Resources] {
        let options = Options { supporting_files, mode: Mode::Strict, ..Options::default() };
        let provider = DirectoryProvider::of(places.to_vec(), options.clone());
        let lines = summary(&paths, &places, &provider);
        assert_eq!(
            lines,
            [
                "serving 1 skill from ~/shelf, ~/other",
                "warning: ~/later is not there; it is served once it is",
                "warning: the skill \"two\" is left out: it is in more than one root",
            ]
        );
        assert!(hint(&provider).is_some());
        let merged = Options { merge_identical: true, ..options.clone() };
        let provider = DirectoryProvider::of(places.to_vec(), merged);
        let lines = summary(&paths, &places, &provider);
        assert_eq!(lines[0], "serving 2 skills from ~/shelf, ~/other");
        assert_eq!(hint(&provider), None);
        let lenient = Options { mode: Mode::Compatible, ..options };
        let provider = DirectoryProvider::of(places.to_vec(), lenient);
        let lines = summary(&paths, &places, &provider);
        assert_eq!(lines[0], "serving 2 skills from ~/shelf, ~/other");
    }
}
