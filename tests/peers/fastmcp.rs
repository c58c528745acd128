//! Every version and mode of FastMCP that people run, over both transports: what it offers is shown
//! as what it is, and every byte of it arrives.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use skills::entry::Entry;
use skills::origin::Endpoint;
use skills_mcp::{FileOutcome, Offer, Source, Verdict};

use super::PUBLISHED;
use crate::journey::Journey;
use crate::support::home::Home;
use crate::support::python::{HttpServer, python_in, script};
use crate::support::skill::{Skill, hard_to_carry};

/// How a server is started and what is true of it.
struct Peer {
    environment: &'static str,
    /// The words for server.py after the root: its mode and how it has supporting files.
    mode: &'static str,
    supporting: Option<&'static str>,
    source: Source,
    /// What it lists, in the order of URIs.
    rows: &'static [Row],
    /// Files of which it reads the text with universal newlines.
    restored: &'static [&'static str],
    /// Files that it lists and gives under no URI, not even the one in its own list.
    withheld: &'static [&'static str],
}

/// The URI and what is said of it.
type Row = (&'static str, &'static str);

const HARD: Row = ("skill://hard-to-carry/SKILL.md", "verifiable");
const INNER: Row = ("skill://hard-to-carry/inner/SKILL.md", "verifiable");
const PLAIN: Row = ("skill://plain/SKILL.md", "verifiable");
const LOOSE: Row = ("skill://loose/SKILL.md", "unverifiable");

const NEWLINES: &[&str] = &["notes/cr.txt", "notes/crlf.txt"];

/// A mode of a version without the extension, or with the extension left off.
const fn compatible(environment: &'static str, supporting: &'static str) -> Peer {
    Peer {
        environment,
        mode: "loose",
        supporting: Some(supporting),
        source: Source::Manifests,
        // What lies in a skill has no manifest here: it is a part of that skill.
        rows: &[HARD, LOOSE, PLAIN],
        restored: NEWLINES,
        withheld: &[],
    }
}

/// 3.4 encodes the URI that it is asked for and compares it with the plain name.
const ENCODED: Peer = Peer {
    withheld: &[
        "50% more.md",
        "a b.md",
        "a name with spaces & #1.md",
        "deep/er/and deeper/größer.txt",
    ],
    ..compatible("peers-venv-3.4", "resources")
};

const fn strict(supporting: &'static str) -> Peer {
    Peer {
        environment: "peers-venv",
        mode: "strict",
        supporting: Some(supporting),
        source: Source::Extension,
        rows: &[HARD, INNER, PLAIN],
        restored: &[],
        withheld: &[],
    }
}

const LATER: Peer = Peer {
    environment: "peers-venv-4.2",
    mode: "later",
    supporting: None,
    source: Source::Extension,
    // It publishes no skill that lies in another.
    rows: &[HARD, PLAIN],
    restored: &[],
    withheld: &[],
};

#[derive(Clone, Copy)]
enum Way {
    Stdio,
    Http,
}

macro_rules! everything_arrives_from {
    ($($name:ident: $peer:expr, $way:ident;)*) => {$(
        #[tokio::test(flavor = "multi_thread")]
        async fn $name() {
            everything_arrives(&$peer, Way::$way).await;
        }
    )*};
}

everything_arrives_from! {
    fastmcp_3_4_with_a_template_over_stdio: compatible("peers-venv-3.4", "template"), Stdio;
    fastmcp_3_4_with_a_template_over_http: compatible("peers-venv-3.4", "template"), Http;
    fastmcp_3_4_with_resources_over_stdio: ENCODED, Stdio;
    fastmcp_3_4_with_resources_over_http: ENCODED, Http;
    fastmcp_4_1_with_a_template_over_stdio: compatible("peers-venv", "template"), Stdio;
    fastmcp_4_1_with_a_template_over_http: compatible("peers-venv", "template"), Http;
    fastmcp_4_1_with_resources_over_stdio: compatible("peers-venv", "resources"), Stdio;
    fastmcp_4_1_with_resources_over_http: compatible("peers-venv", "resources"), Http;
    fastmcp_4_1_strict_with_a_template_over_stdio: strict("template"), Stdio;
    fastmcp_4_1_strict_with_a_template_over_http: strict("template"), Http;
    fastmcp_4_1_strict_with_resources_over_stdio: strict("resources"), Stdio;
    fastmcp_4_1_strict_with_resources_over_http: strict("resources"), Http;
    fastmcp_4_2_over_stdio: LATER, Stdio;
    fastmcp_4_2_over_http: LATER, Http;
}

/// With what servers of one version or another get wrong: names that are one another's encoding,
/// hidden files, line endings of an old Mac.
fn hardest() -> Skill {
    hard_to_carry()
        .file("notes/cr.txt", b"first\rsecond\r")
        .file("50% more.md", b"half\n")
        .file("a b.md", b"a space\n")
        .file("a%20b.md", b"three characters\n")
        .file(".env.example", b"KEY=\n")
        .file(".hidden/notes.md", b"hidden\n")
        .file("deep/er/and deeper/größer.txt", b"in UTF-8\n")
}

async fn everything_arrives(peer: &Peer, way: Way) {
    let home = Home::empty()
        .with_skill(PUBLISHED, &hardest())
        .with_skill(PUBLISHED, &Skill::new("plain", "One file."));
    let root = home.at(PUBLISHED);
    let (journey, _server) = reached(peer, way, &root).await;

    let listed = journey.connection.list().await.unwrap();
    let rows: BTreeMap<&str, &str> =
        listed.offers.iter().map(|offer| (offer.uri.as_str(), said(offer))).collect();
    assert_eq!(rows.into_iter().collect::<Vec<_>>(), peer.rows);
    assert_eq!(listed.notices, Vec::<String>::new());
    assert_eq!(journey.connection.source(), peer.source);

    for offer in &listed.offers {
        match &offer.verdict {
            Verdict::Verifiable(entry) => {
                let again = journey.connection.get_verifiable(&offer.uri).await.unwrap();
                assert_eq!(again.files(), entry.files());
                assert_eq!(again.front_matter(), entry.front_matter());
                let name = entry.uri().as_str().strip_prefix("skill://").unwrap();
                let folder = name.strip_suffix("/SKILL.md").unwrap();
                arrives(&journey, entry, home.files(&format!("{PUBLISHED}/{folder}")), peer).await;
            }
            Verdict::Unverifiable(_) => {
                let main = journey.connection.unverified_main(&offer.uri).await.unwrap();
                assert!(main.ends_with(b"\nLoose.\n"), "{main:?}");
            }
            Verdict::Refused(rules) => panic!("{}: {rules:?}", offer.uri),
        }
    }
    // What nobody has is told apart from what no list shows.
    let error = journey.connection.look_up("skill://no-such/SKILL.md").await.unwrap_err();
    assert_eq!(error.kind(), skills_mcp::ErrorKind::Refused, "{error}");
    journey.connection.close().await;
}

/// Every file of one skill, by itself and all together.
async fn arrives(journey: &Journey, entry: &Entry, source: BTreeMap<String, Vec<u8>>, peer: &Peer) {
    let declared: Vec<&str> = entry.files().iter().map(|file| file.path.as_str()).collect();
    assert_eq!(declared, source.keys().map(String::as_str).collect::<Vec<_>>());
    let mut restored = Vec::new();
    let mut withheld = Vec::new();
    for path in declared {
        let read = journey.connection.read_file(entry, path).await.unwrap();
        match read.outcome {
            FileOutcome::Verified { bytes, line_endings_restored } => {
                assert_eq!(bytes, source[path], "{path}");
                restored.extend(line_endings_restored.then_some(path));
            }
            _ => withheld.push(path),
        }
    }
    let here = |paths: &'static [&'static str]| -> Vec<&str> {
        paths.iter().copied().filter(|path| source.contains_key(*path)).collect()
    };
    assert_eq!(restored, here(peer.restored));
    assert_eq!(withheld, here(peer.withheld));
    let fetched = journey.fetch(entry).await;
    match withheld.is_empty() {
        true => assert_eq!(fetched.verified().expect("all of it is verified"), source),
        false => assert!(!fetched.is_verified()),
    }
    if journey.connection.shows_folders() {
        let folder = journey.connection.folder(entry).await.unwrap();
        let shown: Vec<&str> = folder.files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(shown, source.keys().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(folder.unlisted().count(), 0);
    }
}

fn said(offer: &Offer) -> &'static str {
    match &offer.verdict {
        Verdict::Verifiable(_) => "verifiable",
        Verdict::Unverifiable(_) => "unverifiable",
        Verdict::Refused(_) => "refused",
    }
}

/// Starts the server and connects. It ends with what is returned.
async fn reached(peer: &Peer, way: Way, root: &Path) -> (Journey, Option<HttpServer>) {
    let words = |transport: String| {
        let mut words: Vec<String> = vec![
            script("server.py").to_str().unwrap().to_owned(),
            peer.mode.to_owned(),
            root.to_str().unwrap().to_owned(),
            transport,
        ];
        words.extend(peer.supporting.map(str::to_owned));
        words
    };
    let python = python_in(peer.environment);
    let (endpoint, server) = match way {
        Way::Stdio => {
            let program = python.to_str().unwrap().to_owned();
            (Endpoint::Command { program, args: words("stdio".to_owned()) }, None)
        }
        Way::Http => {
            let server = HttpServer::start_with(|port| {
                let mut command = Command::new(&python);
                command.args(words(port.to_string()));
                command
            });
            (Endpoint::Http { url: server.url.clone() }, Some(server))
        }
    };
    (Journey::to(endpoint).await, server)
}
