//! Clients that nobody here wrote, against our server: FastMCP in two versions, over both
//! transports, with the handshake and without.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use skills::digest::Digest;
use skills::provider::{Mode, Provider, SupportingFiles};
use skills_mcp::server::{ServeOptions, serve_stream};
use tokio::net::TcpListener;
use tokio::process::Command;
use tokio_util::sync::CancellationToken;

use crate::served::{Served, directory};
use crate::support::home::{Home, files_in};
use crate::support::python::{python, script, target};
use crate::support::skill::{Skill, hard_to_carry};

/// The program at the end of a visit's standard input and output hands on what this port gets.
async fn stdio(provider: Arc<dyn Provider>) -> Vec<String> {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (read, write) = stream.into_split();
            let options = ServeOptions::default();
            let shutdown = CancellationToken::new();
            tokio::spawn(serve_stream(Arc::clone(&provider), read, write, options, shutdown));
        }
    });
    let program = [python(), script("relay.py")].map(|path| path.to_str().unwrap().to_owned());
    [program.to_vec(), vec![port.to_string()]].concat()
}

/// A way to our server, and by which protocol.
struct Visit {
    name: String,
    strict: bool,
    /// Supporting files are listed.
    listed: bool,
    modern: bool,
    asked: Value,
}

/// Every way: mode, supporting files, transport, protocol. The servers end with what is returned.
async fn visits(home: &Home) -> (Vec<Visit>, Vec<Served>) {
    let mut visits = Vec::new();
    let mut servers = Vec::new();
    for (mode, strict) in [(Mode::Strict, true), (Mode::Compatible, false)] {
        for (supporting, listed) in
            [(SupportingFiles::Template, false), (SupportingFiles::Resources, true)]
        {
            let provider = directory(vec![home.at("published")], mode, supporting);
            let server = Served::start(Arc::clone(&provider), ServeOptions::default()).await;
            let command = stdio(provider).await;
            let ways = [
                ("http", json!({ "url": server.url() })),
                ("stdio", json!({ "command": command })),
            ];
            servers.push(server);
            for (transport, way) in ways {
                for (generation, modern) in [("auto", true), ("legacy", false)] {
                    let name = format!("{mode:?} {supporting:?} {transport} {generation}");
                    let mut asked = way.clone();
                    asked["name"] = json!(name);
                    asked["mode"] = json!(generation);
                    asked["extension"] = json!(strict && modern);
                    asked["into"] = json!(home.at(&format!("got/{name}")));
                    visits.push(Visit { name, strict, listed, modern, asked });
                }
            }
        }
    }
    (visits, servers)
}

fn published() -> Home {
    Home::empty()
        .with_skill("published", &hard_to_carry())
        .with_skill("published", &Skill::new("plain", "One file."))
}

/// Runs a script with a Python on all visits.
async fn said(python: &Path, name: &str, visits: &[Visit]) -> Value {
    let asked: Vec<&Value> = visits.iter().map(|visit| &visit.asked).collect();
    let output = Command::new(python)
        .arg(script(name))
        .arg(json!(asked).to_string())
        .kill_on_drop(true)
        .output()
        .await
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name} ended with {}: {error}", output.status);
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Path to digest of every file of a skill.
fn digests(files: &BTreeMap<String, Vec<u8>>) -> Value {
    files.iter().map(|(path, bytes)| (path.clone(), json!(Digest::of(bytes).to_string()))).collect()
}

fn names(list: &Value, field: &str) -> Vec<String> {
    let mut names: Vec<String> = list
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item[field].as_str().unwrap().to_owned())
        .collect();
    names.sort();
    names
}

const URIS: [&str; 3] = [
    "skill://hard-to-carry/SKILL.md",
    "skill://hard-to-carry/inner/SKILL.md",
    "skill://plain/SKILL.md",
];

#[tokio::test(flavor = "multi_thread")]
async fn the_helpers_and_the_extension_of_fastmcp_get_every_byte() {
    let home = published();
    let (visits, _servers) = visits(&home).await;
    let said = said(&python(), "helpers.py", &visits).await;
    let source = home.files("published");
    for Visit { name, strict, listed, modern, .. } in &visits {
        let seen = &said[name];
        // Where every file is listed, one in a folder of a skill looks like a skill by itself, and
        // has an identity of its own in strict mode only.
        let (strict, modern, listed) = (*strict, *modern, *listed);
        let expected: &[&str] = match strict || listed {
            true => &["hard-to-carry", "hard-to-carry/inner", "plain"],
            false => &["hard-to-carry", "plain"],
        };
        assert_eq!(names(&seen["skills"], "name"), expected, "{name}");
        for skill in seen["skills"].as_array().unwrap() {
            let under = format!("{}/", skill["name"].as_str().unwrap());
            let Some(files) = skill["files"].as_array() else {
                assert!(!strict && under == "hard-to-carry/inner/", "{name}: {under}");
                continue;
            };
            let manifest: BTreeMap<&str, (&Value, &Value)> = files
                .iter()
                .map(|file| (file[0].as_str().unwrap(), (&file[1], &file[2])))
                .collect();
            let there: BTreeMap<&str, &Vec<u8>> = source
                .iter()
                .filter_map(|(path, bytes)| Some((path.strip_prefix(&under)?, bytes)))
                .collect();
            assert!(manifest.keys().eq(there.keys()), "{name}: {manifest:?}");
            for (path, bytes) in there {
                let declared = (&json!(bytes.len()), &json!(Digest::of(bytes).to_string()));
                assert_eq!(manifest[path], declared, "{name}: {path}");
            }
        }
        assert_eq!(home.files(&format!("got/{name}/one")), source, "{name}");
        assert_eq!(home.files(&format!("got/{name}/all")), source, "{name}");
        assert_eq!(
            seen["skills"][0]["description"], "Files that are easily changed on the way.",
            "{name}"
        );
        if strict && modern {
            let extension = &seen["extension"];
            assert_eq!(names(&extension["listed"], "uri"), URIS, "{name}");
            assert_eq!(extension["listed"], extension["got"], "{name}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_later_fastmcp_reads_and_verifies_every_skill() {
    let home = published();
    let (visits, _servers) = visits(&home).await;
    let said = said(&target().join("peers-venv-4.2/bin/python"), "later.py", &visits).await;
    for Visit { name, strict, modern, .. } in &visits {
        let seen = &said[name];
        let mut resources: Vec<&str> =
            seen["resources"].as_array().unwrap().iter().map(|uri| uri.as_str().unwrap()).collect();
        resources.sort_unstable();
        // The later version takes a nested skill for a part of the outer one.
        assert_eq!(resources, [URIS[0], URIS[2]], "{name}");
        let read = seen["read"].as_object().unwrap();
        for (uri, files) in read {
            let folder = uri.strip_prefix("skill://").unwrap().strip_suffix("/SKILL.md").unwrap();
            let source = files_in(&home.at(&format!("published/{folder}")));
            assert_eq!(*files, digests(&source), "{name}: {uri}");
        }
        if *strict && *modern {
            assert_eq!(names(&seen["listed"], "uri"), URIS, "{name}");
            assert_eq!(seen["listed"], seen["got"], "{name}");
            assert_eq!(read.len(), 3, "{name}");
        }
    }
}
