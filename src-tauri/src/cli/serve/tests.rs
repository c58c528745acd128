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
    for size in ["0", "-1", "x"] {
        let size = format!("--page-size={size}");
        assert!(wrong(&["--stdio", &size]).contains("at least 1 item"), "{size}");
    }
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
                "warning: the skill \"two\" is left out: it is in more than one folder: ~/shelf, \
                 ~/other",
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

#[test]
fn a_folder_without_a_main_file_is_no_skill() {
    let home = tempfile::tempdir().unwrap();
    let paths = Paths::under(home.path());
    let shelf = home.path().join("shelf");
    std::fs::create_dir_all(shelf.join("one")).unwrap();
    std::fs::write(shelf.join("one").join(MAIN_FILE), "x").unwrap();
    let prepare = |folder: &std::path::Path| {
        let folder = folder.to_str().unwrap();
        read(&["--stdio", "--skill", folder]).unwrap().prepare(&paths).map(drop)
    };
    assert_eq!(
        prepare(&shelf).unwrap_err().to_string(),
        format!(
            "{} holds no SKILL.md, so it is no skill; --root takes a folder whose sub-folders are \
             skills",
            shelf.display()
        )
    );
    assert!(prepare(&shelf.join("one")).is_ok());
    assert!(prepare(&home.path().join("later")).is_ok());
}

#[test]
fn a_root_that_is_a_project_is_told() {
    let home = tempfile::tempdir().unwrap();
    let paths = Paths::under(home.path());
    let skill = home.path().join("site/.claude/skills/deploy");
    std::fs::create_dir_all(&skill).unwrap();
    std::fs::write(skill.join(MAIN_FILE), "---\nname: deploy\ndescription: x\n---\n").unwrap();
    let places = [Place::Root(home.path().join("site"))];
    let provider = DirectoryProvider::of(places.to_vec(), Options::default());
    assert_eq!(
        summary(&paths, &places, &provider)[1],
        "hint: ~/site is a project, so its skills have addresses as \
         skill://.claude/skills/NAME/SKILL.md; for skill://NAME/SKILL.md give --root \
         ~/site/.claude/skills"
    );
}

#[test]
fn an_address_for_every_one_says_which() {
    let at = |bound: &str, names: &[&str], own: Option<&str>| {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        reached_at(bound.parse().unwrap(), &names, own.map(|ip| ip.parse().unwrap()))
    };
    assert_eq!(at("127.0.0.1:80", &[], Some("192.168.1.7")), None);
    assert_eq!(
        at("0.0.0.0:80", &["box.local"], Some("192.168.1.7")).unwrap(),
        "0.0.0.0 stands for every address of this machine: other machines use \
         http://192.168.1.7:80/mcp or http://box.local:80/mcp, programs here http://localhost:80/mcp"
    );
    assert_eq!(
        at("[::]:80", &[], None).unwrap(),
        ":: stands for every address of this machine: other machines use an address of this one, \
         programs here http://localhost:80/mcp"
    );
}
