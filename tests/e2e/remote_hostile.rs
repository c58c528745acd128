//! `skillhold remote` against servers that mean harm, or go away: how it ends, what is listed, what is
//! on the disk, and what reaches the terminal.

use std::path::Path;
use std::process::Output;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::serve::program;
use crate::server::{Hostile, Say};
use crate::support::home::{Home, files_in};
use crate::world::{GOOD, MAIN, RUN, World, entry, read_result};

/// The program against a server, `URL` and `OUT` in its words replaced.
struct Met {
    home: Home,
    server: Hostile,
    runtime: Runtime,
}

impl Met {
    fn new(world: World) -> Self {
        let runtime = Runtime::new().unwrap();
        let server = runtime.block_on(Hostile::listen(world.script()));
        Self { home: Home::empty(), server, runtime }
    }

    fn remote(&self, words: &str) -> Output {
        let _here = self.runtime.enter();
        let out = self.out();
        let words = words.replace("URL", &self.server.url());
        let words = words.split(' ').map(|word| match word {
            "OUT" => out.to_str().unwrap(),
            word => word,
        });
        program(&self.home).arg("remote").args(words).output().unwrap()
    }

    fn out(&self) -> std::path::PathBuf {
        self.home.path().join("out")
    }

    /// All that came, by path.
    fn brought(&self) -> Vec<String> {
        files(&self.out())
    }
}

fn files(folder: &Path) -> Vec<String> {
    if folder.exists() { files_in(folder).into_keys().collect() } else { Vec::new() }
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn errors(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Name, result and reason of each skill.
fn told(output: &Output) -> Vec<(String, String, String)> {
    let json: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        panic!("{error}: {}{}", text(output), errors(output));
    });
    let field = |skill: &Value, name: &str| skill[name].as_str().unwrap_or_default().to_owned();
    let of = |skill: &Value| (field(skill, "name"), field(skill, "result"), field(skill, "reason"));
    json["skills"].as_array().unwrap().iter().map(of).collect()
}

/// Goes away when the good skill is read. A third one is listed after it.
fn leaving() -> World {
    let gone = AtomicBool::new(false);
    let mut world = World::honest().on(move |asked| {
        let now = asked.method == "resources/read" && asked.uri.starts_with("skill://good/");
        match gone.fetch_or(now, Ordering::SeqCst) || now {
            true => Say::Wire(Vec::new()),
            false => Say::Usual,
        }
    });
    let main = MAIN.replace("review", "third");
    world.entries.push(entry("third", &[("SKILL.md", main.as_bytes())]));
    world.serve("skill://third/SKILL.md", main.as_bytes())
}

#[test]
fn a_server_that_goes_away_half_way_leaves_what_was_done_and_all_is_listed() {
    let met = Met::new(leaving());
    let output = met.remote("sync URL --to OUT --json");
    assert_eq!(code(&output), 3, "{}", errors(&output));
    let url = met.server.url();
    let skills = told(&output);
    assert_eq!(skills[0], ("review".to_owned(), "written".to_owned(), String::new()));
    assert_eq!((skills[1].0.as_str(), skills[1].1.as_str()), ("good", "refused"));
    let reason = &skills[1].2;
    assert!(reason.starts_with(&format!("cannot read SKILL.md from {url}: ")), "{reason}");
    let left = "it was not asked for: the server had gone away";
    assert_eq!(skills[2], ("third".to_owned(), "refused".to_owned(), left.to_owned()));
    assert_eq!(skills.len(), 3);
    let said = errors(&output);
    assert!(said.starts_with(&format!("skillhold: cannot read SKILL.md from {url}: ")), "{said}");
    assert_eq!(met.brought(), ["review/SKILL.md", "review/run.sh"]);
    assert!(!met.server.asked().iter().any(|asked| asked.uri.starts_with("skill://third/")));
}

#[test]
fn a_server_that_goes_away_before_anything_was_done_is_not_reached() {
    let world = World::honest().at("resources/read", |_| Say::Wire(Vec::new()));
    let met = Met::new(world);
    let output = met.remote("sync URL --to OUT");
    assert_eq!((code(&output), text(&output)), (3, String::new()));
    assert!(met.brought().is_empty());
}

#[test]
fn what_breaks_a_rule_is_listed_as_refused_and_nothing_of_it_is_written() {
    let one = |content: Value| World::honest().run(json!([content]));
    let of_run = |field: &str, value: &str| json!({ "uri": "skill://review/run.sh", field: value });
    let rows: Vec<(World, &str)> = vec![
        (one(of_run("text", "echo fima\n")), "run.sh: expected 10 bytes, sha256:"),
        (one(of_run("text", "echo fine")), "run.sh: expected 10 bytes, sha256:"),
        (one(of_run("blob", "%%%")), "run.sh: its bytes are not base64"),
        (
            World::honest().run(json!([])),
            "run.sh: the server answered with 0 contents for one file",
        ),
        (
            World::honest().run(json!([of_run("text", RUN), of_run("text", RUN)])),
            "run.sh: the server answered with 2 contents for one file",
        ),
        (
            World::honest().at_run(|_| Say::Error(-32002, "no such resource".to_owned())),
            "run.sh: the server answered with error -32002: no such resource",
        ),
        (
            World::honest().entry(|entry| entry["frontmatter"]["description"] = json!("Is kind.")),
            "the front matter is not the declared one",
        ),
        (
            World::honest().entry(|entry| entry["frontmatter"]["name"] = json!("other")),
            "is not the last part of the skill's path",
        ),
        (World::honest().resource("file:///etc/passwd"), "file:///etc/passwd"),
        (World::honest().resource("skill://review/../out.sh"), ""),
        (World::honest().resource("skill://good/out.sh"), "skill://good/out.sh"),
        (
            World::honest().entry(|entry| entry["resources"][1]["digest"] = json!("sha256:12")),
            "is not `sha256:` and 64 lowercase hexadecimal digits",
        ),
        (World::honest().entry(|entry| entry["resources"] = json!("dynamic")), ""),
    ];
    for (world, why) in rows {
        let met = Met::new(world);
        let output = met.remote("sync URL --to OUT --json");
        assert_eq!(code(&output), 1, "{why}: {}", errors(&output));
        let skills = told(&output);
        let (_, result, reason) = &skills[0];
        assert_eq!(result, "refused", "{why}");
        assert!(!reason.is_empty() && reason.contains(why), "{why}: {reason}");
        assert_eq!((skills[1].0.as_str(), skills[1].1.as_str()), ("good", "written"), "{why}");
        let brought = files_in(&met.out());
        assert_eq!(brought.keys().collect::<Vec<_>>(), ["good/SKILL.md"], "{why}");
        assert_eq!(brought["good/SKILL.md"], GOOD.as_bytes());
        // Nor is it kept anywhere else.
        let kept = files(met.home.path());
        assert!(!kept.iter().any(|file| file.contains("run.sh")), "{why}: {kept:?}");
        let alone = met.remote("download URL skill://review/SKILL.md --to OUT");
        assert_eq!(code(&alone), 1, "{why}: {}", errors(&alone));
        assert!(text(&alone).contains(": refused: "), "{why}: {}", text(&alone));
        assert!(!met.out().join("review").exists(), "{why}");
    }
}

#[test]
fn nothing_that_steers_a_terminal_reaches_it() {
    const EVIL: &str = "\u{1b}[31mred\u{1b}]0;owned\u{7}\u{9b}2J\u{202e}sdrawkcab\u{200b}\r\n";
    let worlds = || {
        [
            World::honest().entry(|entry| entry["frontmatter"]["name"] = json!(EVIL)),
            World::honest().entry(|entry| entry["frontmatter"]["description"] = json!(EVIL)),
            World::honest().entry(|entry| {
                entry["uri"] = json!(format!("skill://{EVIL}/SKILL.md"));
            }),
            World::honest().resource(&format!("skill://review/{EVIL}.sh")),
            World::honest().at_run(|_| Say::Error(-32603, EVIL.to_owned())),
            World::honest().run(json!([{ "uri": "skill://review/run.sh", "text": EVIL }])),
            World::honest().at("skills/list", |_| Say::Error(-32603, EVIL.to_owned())),
            World::honest().at("skills/get", |_| Say::Error(-32603, EVIL.to_owned())),
            World::honest().at("skills/list", |_| read_result(json!([{ EVIL: EVIL }]))),
            World::honest().at("server/discover", |_| {
                Say::Http(
                    401,
                    vec![("www-authenticate", "Bearer realm=\"\t\"".to_owned())],
                    EVIL.into(),
                )
            }),
        ]
    };
    let lines = [
        "list URL",
        "manifest URL review",
        "manifest URL skill://review/SKILL.md",
        "sync URL --to OUT",
    ];
    for (at, world) in worlds().into_iter().enumerate() {
        let met = Met::new(world);
        for line in lines.iter().flat_map(|line| [(*line).to_owned(), format!("{line} --json")]) {
            let output = met.remote(&line);
            for said in [text(&output), errors(&output)] {
                let steers = |c: &char| {
                    (c.is_control() && *c != '\n') || matches!(c, '\u{202e}' | '\u{200b}')
                };
                let found = said.chars().find(steers);
                assert_eq!(found, None, "world {at}, {line}: {said:?}");
            }
        }
    }
}
