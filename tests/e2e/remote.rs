//! `skillhold remote` against `skillhold serve` and against FastMCP: what is listed, what arrives,
//! and how it ends.

use std::path::Path;
use std::process::Output;

use serde_json::Value;

use crate::serve::{Served, program};
use crate::support::home::Home;
use crate::support::python::HttpServer;
use crate::support::skill::{Skill, hard_to_carry};

fn home_with_skills() -> Home {
    Home::empty()
        .with_skill("shelf", &hard_to_carry())
        .with_skill("shelf", &Skill::new("plain", "One file."))
}

fn remote(home: &Home, words: &[&str]) -> Output {
    program(home).arg("remote").args(words).output().unwrap()
}

fn json(output: &Output) -> Value {
    let errors = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {errors}"))
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

/// Both skills are listed and brought, every byte, and a tool's folder stays closed.
fn everything_comes(url: &str, source: &str) {
    let home = home_with_skills();
    let listed = remote(&home, &["list", url, "--json"]);
    assert_eq!(code(&listed), 0);
    let listed = json(&listed);
    assert_eq!(listed["source"], source);
    let skills = listed["skills"].as_array().unwrap();
    let names: Vec<&str> = skills.iter().map(|skill| skill["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"hard-to-carry") && names.contains(&"plain"), "{names:?}");
    let plain = skills.iter().find(|skill| skill["name"] == "plain").unwrap();

    let out = home.path().join("out");
    let taken = remote(&home, &["sync", url, "--to", out.to_str().unwrap(), "--json"]);
    assert_eq!(code(&taken), 0, "{}", String::from_utf8_lossy(&taken.stdout));
    for skill in ["hard-to-carry", "plain"] {
        assert_eq!(home.files(&format!("out/{skill}")), home.files(&format!("shelf/{skill}")));
    }
    let manifest = json(&remote(&home, &["manifest", url, "plain", "--json"]));
    assert_eq!(manifest["fingerprint"], plain["fingerprint"]);

    let tool = home.path().join(".claude/skills");
    let tool = tool.to_str().unwrap();
    let refused = remote(&home, &["download", url, "plain", "--to", tool, "--json"]);
    assert_eq!(code(&refused), 1);
    assert_eq!(json(&refused)["skills"][0]["result"], "refused");
    assert!(home.files(".claude").is_empty());
    let fingerprint = plain["fingerprint"].as_str().unwrap();
    let short =
        remote(&home, &["download", url, "plain", "--to", tool, "--approve", &fingerprint[..12]]);
    assert_eq!(code(&short), 2);
    let approved =
        remote(&home, &["download", url, "plain", "--to", tool, "--approve", fingerprint]);
    assert_eq!(code(&approved), 0, "{}", String::from_utf8_lossy(&approved.stderr));
    assert_eq!(home.files(".claude/skills/plain"), home.files("shelf/plain"));
}

fn shelf(home: &Home) -> std::path::PathBuf {
    home.path().join("shelf")
}

#[test]
fn everything_comes_from_fastmcp_in_strict_mode() {
    let served = home_with_skills();
    let server = HttpServer::start("strict", &shelf(&served));
    everything_comes(&server.url, "extension");
}

#[test]
fn everything_comes_from_fastmcp_in_its_default_mode() {
    let served = home_with_skills();
    let server = HttpServer::start("default", &shelf(&served));
    everything_comes(&server.url, "manifests");
}

#[test]
fn everything_comes_from_a_server_of_our_own() {
    let served = home_with_skills();
    let server = Served::start_with(&served, &shelf(&served), &["--strict", "--no-token"]);
    everything_comes(&server.address, "extension");
}

#[test]
fn a_token_comes_from_a_file_and_without_it_the_server_is_not_reached() {
    let served = home_with_skills();
    let server = Served::start_with(&served, &shelf(&served), &["--strict"]);
    let token = server.token.clone().unwrap();
    let file = served.path().join("token");
    std::fs::write(&file, format!("{token}\n")).unwrap();
    let with = ["list", &server.address, "--token-file", file.to_str().unwrap()];
    assert_eq!(code(&remote(&served, &with)), 0);
    let without = remote(&served, &["list", &server.address]);
    assert_eq!(code(&without), 3);
    let told = String::from_utf8_lossy(&without.stderr).into_owned();
    assert!(told.starts_with("skillhold: cannot connect to ") && !told.contains(&token), "{told}");
}

#[test]
fn what_is_not_there_and_what_makes_no_sense_end_differently() {
    let home = Home::empty();
    let nowhere = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    assert_eq!(code(&remote(&home, &["list", &format!("http://{nowhere}/mcp")])), 3);
    assert_eq!(code(&remote(&home, &["list", "ftp://example.org"])), 2);
    assert_eq!(code(&remote(&home, &["download", "http://127.0.0.1:1/mcp", "x"])), 2);
    assert!(!Path::new(&home.path().join(".local/share/skillhold")).exists());
}
