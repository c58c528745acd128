//! FastMCP as the server: what it publishes arrives byte for byte. And, in modules of their own, what
//! it and `skills-ref` say of skills, beside what ours says, and Python's zip files.

mod bundles;
// Its corpus holds links, pipes and names that only Linux's disks take.
#[cfg(target_os = "linux")]
mod differential;
mod fastmcp;
mod signing_in;
mod typescript;

use std::collections::BTreeMap;
use std::path::Path;

use skills::origin::Endpoint;
use skills_mcp::Source;

use crate::journey::Journey;
use crate::support::home::Home;
use crate::support::python::{HttpServer, python, stdio_arguments};
use crate::support::skill::{Skill, hard_to_carry};

const PUBLISHED: &str = "published";

fn published() -> Home {
    Home::empty()
        .with_skill(PUBLISHED, &hard_to_carry())
        .with_skill(PUBLISHED, &Skill::new("plain", "One file."))
}

fn stdio(mode: &str, root: &Path) -> Endpoint {
    Endpoint::Command {
        program: python().to_str().unwrap().to_owned(),
        args: stdio_arguments(mode, root),
    }
}

/// Lists, reviews, approves and installs both skills, and undoes it.
async fn everything_arrives(endpoint: Endpoint, source: Source) {
    let journey = Journey::to(endpoint).await;
    let offered = journey.offered().await;
    assert_eq!(journey.connection.source(), source);
    let names: Vec<&str> =
        offered.iter().map(|entry| entry.name()).filter(|name| *name != "inner").collect();
    assert_eq!(names, ["hard-to-carry", "plain"]);

    let entry = journey.entry("hard-to-carry").await;
    assert_eq!(entry.description(), "Files that are easily changed on the way.");
    let source: BTreeMap<String, Vec<u8>> = hard_to_carry().files;
    let declared: Vec<&str> = entry.files().iter().map(|file| file.path.as_str()).collect();
    assert_eq!(declared, source.keys().map(String::as_str).collect::<Vec<_>>());

    let verified = journey.fetch(&entry).await.verified().expect("every file is verified");
    assert_eq!(verified, source);
    journey.approve_with_nested(&entry).await;

    let plan = journey.plan(&entry);
    assert_eq!(plan.blockers, Vec::<String>::new());
    assert_eq!(plan.left_out, None);
    let change = journey.apply(&plan);
    assert_eq!(journey.home.files(".claude/skills/hard-to-carry"), source);

    journey.vault.undo(&change.id).unwrap();
    assert_eq!(journey.home.files(".claude/skills"), BTreeMap::new());
    journey.connection.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_strict_server_over_http_delivers_every_byte() {
    let home = published();
    let server = HttpServer::start("strict", &home.at(PUBLISHED));
    everything_arrives(Endpoint::Http { url: server.url.clone() }, Source::Extension).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_default_server_over_http_delivers_every_byte() {
    let home = published();
    let server = HttpServer::start("default", &home.at(PUBLISHED));
    everything_arrives(Endpoint::Http { url: server.url.clone() }, Source::Manifests).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_strict_server_over_stdio_delivers_every_byte() {
    let home = published();
    everything_arrives(stdio("strict", &home.at(PUBLISHED)), Source::Extension).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_default_server_over_stdio_delivers_every_byte() {
    let home = published();
    everything_arrives(stdio("default", &home.at(PUBLISHED)), Source::Manifests).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_on_the_server_ends_the_approval() {
    let home = published();
    let journey = Journey::to(stdio("strict", &home.at(PUBLISHED))).await;
    let before = journey.entry("plain").await;
    journey.approve_with_nested(&before).await;
    assert!(matches!(
        journey.vault.standing(&journey.server, &before).unwrap(),
        vault::approval::Standing::Approved(_)
    ));

    let changed = Skill::new("plain", "One file.").file("more.txt", b"not seen by anybody\n");
    changed.write_under(&home.at(PUBLISHED));
    let after = journey.entry("plain").await;
    assert!(journey.vault.notice(&journey.server, &after).unwrap());
    assert!(matches!(
        journey.vault.standing(&journey.server, &after).unwrap(),
        vault::approval::Standing::Changed { .. }
    ));
    // What was approved cannot be installed any more, and neither can what is there now.
    for entry in [&before, &after] {
        let plan = journey.plan(entry);
        assert!(!plan.blockers.is_empty(), "{plan:?}");
    }
    assert_eq!(journey.home.files(".claude/skills"), BTreeMap::new());
    journey.connection.close().await;
}
