//! A server built on MCP's own SDK for TypeScript, with the extension's three methods by hand.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use skills::origin::Endpoint;
use skills_mcp::{ErrorKind, FrontMatterCheck, Source, Verdict};

use super::PUBLISHED;
use crate::journey::Journey;
use crate::support::home::Home;
use crate::support::python::{HttpServer, node, script, target};
use crate::support::skill::{PNG, Skill};

/// The script beside the packages that `cargo xtask setup` installs: Node looks for them there.
fn server() -> PathBuf {
    let folder = target().join("ts-server");
    let packages = folder.join("node_modules");
    assert!(packages.exists(), "{} is not there: `cargo xtask setup` makes it", packages.display());
    let source = fs::read(script("ts-server/server.ts")).unwrap();
    let here = folder.join("server.ts");
    if fs::read(&here).ok().as_deref() != Some(&source) {
        let new = folder.join(format!("server-{}.ts", std::process::id()));
        fs::write(&new, source).unwrap();
        fs::rename(new, &here).unwrap();
    }
    here
}

fn rich() -> Skill {
    Skill::new("rich", "Files of all kinds.")
        .file("docs/crlf.txt", b"first\r\nsecond\r\n")
        .file("docs/bom.md", b"\xef\xbb\xbf# Begins with a byte order mark\n")
        .file("docs/50% of a name #1.md", b"half\n")
        .file("docs/inner/one.txt", b"1\n")
        .file("docs/inner/two.txt", b"2\n")
        .file("docs/inner/three.txt", b"3\n")
        .file("empty.txt", b"")
        .file("pixel.png", PNG)
        .file(".hidden", b"hidden\n")
}

fn published() -> Home {
    [
        rich(),
        Skill::new("plain", "One file."),
        Skill::new("third", "Another."),
        Skill::new("dynamic-one", "Without digests.").file("more.txt", b"more\n"),
        Skill::new("unlisted-one", "Not in the list.").file("more.txt", b"more\n"),
    ]
    .iter()
    .fold(Home::empty(), |home, skill| home.with_skill(PUBLISHED, skill))
}

async fn over_stdio(root: &Path) -> Journey {
    let script = server().to_str().unwrap().to_owned();
    let args = vec![script, root.to_str().unwrap().to_owned(), "stdio".to_owned()];
    let program = node().to_str().unwrap().to_owned();
    Journey::to(Endpoint::Command { program, args }).await
}

async fn over_http(root: &Path) -> (Journey, HttpServer) {
    let script = server();
    let http = HttpServer::start_with(|port| {
        let mut command = Command::new(node());
        command.arg(&script).arg(root).arg(port.to_string());
        command
    });
    (Journey::to(Endpoint::Http { url: http.url.clone() }).await, http)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_typescript_server_over_stdio_is_understood_whole() {
    let home = published();
    let journey = over_stdio(&home.at(PUBLISHED)).await;
    everything_is_understood(&home, &journey).await;
    journey.connection.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_typescript_server_over_http_is_understood_whole() {
    let home = published();
    let (journey, _server) = over_http(&home.at(PUBLISHED)).await;
    everything_is_understood(&home, &journey).await;
    journey.connection.close().await;
}

/// Pages of two, each file, folders of two, a skill that no list shows, and one without digests.
async fn everything_is_understood(home: &Home, journey: &Journey) {
    let connection = &journey.connection;
    assert_eq!(connection.protocol(), "2026-07-28");
    let listed = connection.list().await.unwrap();
    assert_eq!(connection.source(), Source::Extension);
    assert_eq!(listed.notices, Vec::<String>::new());
    let rows: Vec<(&str, &str)> = listed
        .offers
        .iter()
        .map(|offer| match &offer.verdict {
            Verdict::Verifiable(_) => (offer.uri.as_str(), "verifiable"),
            Verdict::Unverifiable(_) => (offer.uri.as_str(), "unverifiable"),
            Verdict::Refused(rules) => panic!("{}: {rules:?}", offer.uri),
        })
        .collect();
    assert_eq!(
        rows,
        [
            ("skill://dynamic-one/SKILL.md", "unverifiable"),
            ("skill://plain/SKILL.md", "verifiable"),
            ("skill://rich/SKILL.md", "verifiable"),
            ("skill://third/SKILL.md", "verifiable"),
        ]
    );

    let unlisted = connection.look_up("skill://unlisted-one/SKILL.md").await.unwrap();
    let Verdict::Verifiable(unlisted) = unlisted.verdict else { panic!("{unlisted:?}") };
    for (entry, name) in [(unlisted, "unlisted-one"), (journey.entry("rich").await, "rich")] {
        let source = home.files(&format!("{PUBLISHED}/{name}"));
        let fetched = journey.fetch(&entry).await;
        assert!(matches!(fetched.front_matter, FrontMatterCheck::Same(_)), "{fetched:?}");
        assert_eq!(fetched.verified().expect("all of it is verified"), source);
        let folder = connection.folder(&entry).await.unwrap();
        let shown: Vec<&str> = folder.files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(shown, source.keys().map(String::as_str).collect::<Vec<_>>());
        assert_eq!((folder.unlisted().count(), folder.notices.len()), (0, 0));
    }

    let dynamic = connection.unverified("skill://dynamic-one/SKILL.md").await.unwrap();
    let files: BTreeMap<String, Vec<u8>> = home.files(&format!("{PUBLISHED}/dynamic-one"));
    assert_eq!(dynamic.files, files);
    let none = connection.look_up("skill://no-such/SKILL.md").await.unwrap_err();
    assert_eq!(none.kind(), ErrorKind::Refused, "{none}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_typescript_server_over_stdio_tells_of_a_new_skill() {
    let home = published();
    let journey = over_stdio(&home.at(PUBLISHED)).await;
    a_new_skill_is_told(&home, &journey).await;
    journey.connection.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_typescript_server_over_http_tells_of_a_new_skill() {
    let home = published();
    let (journey, _server) = over_http(&home.at(PUBLISHED)).await;
    a_new_skill_is_told(&home, &journey).await;
    journey.connection.close().await;
}

/// Waits for the server's word, then lists. A file that was added means that the skill has changed.
async fn a_new_skill_is_told(home: &Home, journey: &Journey) {
    let before = journey.entry("third").await;
    let mut changes = journey.connection.changes();
    changes.borrow_and_update();
    // Whole at once, as the server tells as soon as there is a folder.
    Skill::new("fresh", "Came later.").write_under(&home.at("made"));
    fs::write(home.at(&format!("{PUBLISHED}/third/added.txt")), "added\n").unwrap();
    fs::rename(home.at("made/fresh"), home.at(&format!("{PUBLISHED}/fresh"))).unwrap();
    let told = tokio::time::timeout(Duration::from_secs(60), changes.changed()).await;
    told.expect("the server tells of it").unwrap();

    let names: Vec<String> =
        journey.offered().await.iter().map(|entry| entry.name().to_owned()).collect();
    assert_eq!(names, ["fresh", "plain", "rich", "third"]);
    let folder = journey.connection.folder(&before).await.unwrap();
    assert_eq!(folder.unlisted().collect::<Vec<_>>(), ["added.txt"]);
}
