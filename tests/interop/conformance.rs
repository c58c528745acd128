//! The official conformance suite of MCP against our server: every scenario that applies to a
//! server without tools. And, in a module of its own, against our client.

mod client;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Output;
use std::sync::Arc;

use serde_json::Value;
use skills::entry::Entry;
use skills::provider::{
    Content, Entries, Listing, Mark, Mode, Provider, ReadError, Resource, SupportingFiles, Template,
};
use skills_mcp::server::ServeOptions;
use tokio::process::Command;
use tokio::sync::watch;

use crate::served::{Served, directory};
use crate::support::home::Home;
use crate::support::python::{node, target};
use crate::support::skill::{PNG, Skill, hard_to_carry};

/// Those of the extension: nothing may be failed, warned of or skipped.
const EXTENSION: &[&str] =
    &["sep-2640-skills-enumeration", "sep-2640-skills-manifest", "sep-2640-skills-directory"];

/// Every other one that applies.
const BASE: &[&str] = &[
    "server-initialize",
    "server-session-lifecycle",
    "server-stateless",
    "ping",
    "resources-list",
    "resources-read-text",
    "resources-read-binary",
    "resources-templates-read",
    "resources-subscribe",
    "resources-unsubscribe",
    "sep-2164-resource-not-found",
    "dns-rebinding-protection",
    "caching",
    "http-header-validation",
    "server-sse-multiple-streams",
];

/// The rest, by how their names begin, and why they do not apply.
const NOT_OURS: &[(&str, &str)] = &[
    ("tools-", "there are no tools"),
    ("json-schema-2020-12", "it looks at the schema of a tool"),
    ("http-custom-header-server-validation", "its headers carry a tool's arguments"),
    ("server-sse-polling", "it closes the stream of a tool call"),
    ("logging-set-level", "nothing is logged to clients"),
    ("completion-complete", "no argument is completed"),
    ("prompts-", "there are no prompts"),
    ("elicitation-", "nothing is asked of a person through the client"),
    ("input-required-result-", "no request needs further input"),
    ("tasks-", "there are no tasks"),
];

/// Checks of scenarios that apply which do not: a part of the suite's message, and why.
const NOT_CHECKED: &[(&str, &str, &str)] = &[
    ("sep-2575-server-rejects-undeclared-capability", "test_missing_capability", TOOL),
    ("sep-2575-missing-capability-http-400", "test_missing_capability", TOOL),
    ("sep-2575-http-server-no-independent-requests-on-stream", "test_streaming_elicitation", TOOL),
    ("sep-2575-server-no-log-without-loglevel", "test_logging_tool", TOOL),
    ("sep-2575-server-sends-prompts-list-changed-on-subscription", "", "there are no prompts"),
    ("sep-2575-server-sends-tools-list-changed-on-subscription", "", "there are no tools"),
    ("sep-2549-tools-list-caching-hints", "-32601: tools/list", "there are no tools"),
    ("sep-2549-prompts-list-caching-hints", "-32601: prompts/list", "there are no prompts"),
    ("sep-2243-server-standard-setup", "tools/list discovery failed", TOOL),
    ("sep-2243-server-reject-invalid-headers", "tools/list discovery failed", TOOL),
    ("sep-2243-server-accepts-whitespace-header-value", "tools/list discovery failed", TOOL),
];

const TOOL: &str = "the suite looks at it through a tool";

/// The suite's resources beside the skills of another provider.
struct Fixture(Arc<dyn Provider>);

impl Fixture {
    fn resource(uri: &str, mime_type: &'static str) -> Resource {
        Resource {
            uri: uri.to_owned(),
            name: uri.rsplit('/').next().unwrap().to_owned(),
            description: "A resource of the conformance suite.".to_owned(),
            mime_type,
            size: None,
        }
    }
}

impl Provider for Fixture {
    fn list(&self) -> Listing {
        let mut listing = self.0.list();
        listing.resources.extend([
            Self::resource("test://static-text", "text/plain"),
            Self::resource("test://static-binary", "image/png"),
            Self::resource("test://watched-resource", "text/plain"),
        ]);
        listing.templates.push(Template {
            uri_template: "test://template/{id}/data".to_owned(),
            name: "template".to_owned(),
            description: "A template of the conformance suite.".to_owned(),
        });
        listing
    }

    fn read(&self, uri: &str) -> Result<Content, ReadError> {
        let id = uri.strip_prefix("test://template/").and_then(|rest| rest.strip_suffix("/data"));
        let (bytes, mime_type) = match (uri, id) {
            ("test://static-text", _) => {
                (b"This is the content of the static text resource.".to_vec(), "text/plain")
            }
            ("test://static-binary", _) => (PNG.to_vec(), "image/png"),
            ("test://watched-resource", _) => (b"Watched.".to_vec(), "text/plain"),
            (_, Some(id)) => {
                (format!("{{\"id\":\"{id}\",\"templateTest\":true}}").into_bytes(), "text/plain")
            }
            _ => return self.0.read(uri),
        };
        Ok(Content { bytes, mime_type })
    }

    fn entries(&self) -> Option<Entries> {
        self.0.entries()
    }

    fn entry(&self, uri: &str) -> Option<Arc<Entry>> {
        self.0.entry(uri)
    }

    fn publishes(&self) -> bool {
        self.0.publishes()
    }

    fn directory(&self, uri: &str) -> Option<Vec<Resource>> {
        self.0.directory(uri)
    }

    fn canonical(&self, uri: &str) -> Option<String> {
        if uri.starts_with("test://") {
            return self.read(uri).is_ok().then(|| uri.to_owned());
        }
        self.0.canonical(uri)
    }

    fn mark(&self, uri: &str) -> Option<Mark> {
        self.0.mark(uri).or_else(|| Some(Mark::of(self.read(uri).ok()?.bytes)))
    }
}

/// The suite with the Node that it brings.
fn suite(arguments: &[&str]) -> Command {
    let modules = target().join("conformance/node_modules");
    let script = modules.join("@modelcontextprotocol/conformance/dist/index.js");
    assert!(script.exists(), "{} is not there: `cargo xtask setup` makes it", script.display());
    let mut command = Command::new(node());
    command.arg(script).args(arguments).kill_on_drop(true);
    command
}

/// What the suite says of one thing: its name, `SUCCESS` or another status, and why.
type Check = (String, String, Value);

/// The checks of one scenario against our server, and what was printed.
async fn checks(url: &str, scenario: &str, into: &Path) -> (Vec<Check>, String) {
    let into = into.join(scenario);
    let folder = into.to_str().unwrap();
    let output = suite(&["server", "--url", url, "--scenario", scenario, "-o", folder])
        .output()
        .await
        .unwrap();
    checks_in(&into, scenario, output)
}

/// The checks that a scenario left in its folder, and what it printed.
fn checks_in(into: &Path, scenario: &str, output: Output) -> (Vec<Check>, String) {
    let printed = [output.stdout, output.stderr].concat();
    let printed = String::from_utf8_lossy(&printed).into_owned();
    let results = fs::read_dir(into).into_iter().flatten().next();
    let Some(file) = results.map(|results| results.unwrap().path().join("checks.json")) else {
        return (Vec::new(), printed);
    };
    let checks: Value = serde_json::from_slice(&fs::read(file).unwrap_or_default())
        .unwrap_or_else(|_| panic!("{scenario} was not finished: {printed}"));
    let text = |check: &Value, field: &str| check[field].as_str().unwrap_or_default().to_owned();
    let checks = checks.as_array().unwrap();
    let list = checks
        .iter()
        .map(|check| (text(check, "id"), text(check, "status"), check["errorMessage"].clone()))
        .collect();
    (list, printed)
}

/// Collects every check that has another status than these and is not listed, and what is listed
/// without a reason.
struct Judge<'a> {
    good: &'a [&'a str],
    /// A check, a part of the suite's message, and why it does not apply.
    not_checked: &'a [(&'a str, &'a str, &'a str)],
    used: BTreeSet<usize>,
    report: String,
}

impl<'a> Judge<'a> {
    fn new(good: &'a [&'a str], not_checked: &'a [(&'a str, &'a str, &'a str)]) -> Self {
        Self { good, not_checked, used: BTreeSet::new(), report: String::new() }
    }

    fn hear(&mut self, scenario: &str, checks: &[Check], printed: &str) {
        if checks.is_empty() {
            self.report += &format!("\n{scenario}: nothing was checked\n{printed}");
        }
        for (check, status, message) in checks {
            if self.good.contains(&status.as_str()) {
                continue;
            }
            let said = message.as_str().unwrap_or_default();
            let listed = self
                .not_checked
                .iter()
                .position(|(id, part, _)| id == check && said.contains(part));
            self.used.extend(listed);
            if listed.is_none() {
                self.report += &format!("\n{scenario}, {check}: {status} {message}");
            }
        }
    }

    fn judge(mut self) {
        for (at, (check, part, reason)) in self.not_checked.iter().enumerate() {
            if !self.used.contains(&at) {
                self.report += &format!("\n{check} {part} passes, and is listed: {reason}");
            }
        }
        assert!(self.report.is_empty(), "{}", self.report);
    }
}

/// Runs scenarios against our server.
async fn run(scenarios: &[&str], good: &[&str], not_checked: &[(&str, &str, &str)]) {
    let published = Home::empty()
        .with_skill("skills", &hard_to_carry())
        .with_skill("skills", &Skill::new("plain", "One file.").file("docs/a.md", b"a\n"))
        .with_skill("skills", &Skill::new("third", "Another."));
    let provider =
        directory(vec![published.at("skills")], Mode::Strict, SupportingFiles::Resources);
    let (_tell, changes) = watch::channel(0);
    let options =
        ServeOptions { page_size: Some(2), changes: Some(changes), ..ServeOptions::default() };
    let server = Served::start(Arc::new(Fixture(provider)), options).await;
    let mut judge = Judge::new(good, not_checked);
    for scenario in scenarios {
        let (checks, printed) = checks(&server.url(), scenario, published.path()).await;
        judge.hear(scenario, &checks, &printed);
    }
    judge.judge();
}

/// The names of the scenarios below one heading of the suite's own list and above the next.
async fn listed(from: &str, to: &str) -> Vec<String> {
    let output = suite(&["list"]).output().await.unwrap();
    let list = String::from_utf8(output.stdout).unwrap();
    let part = list.split_once(from).unwrap().1.split_once(to).unwrap().0;
    let names = part.lines().filter_map(|line| line.trim().strip_prefix("- ")?.split(' ').next());
    names.map(str::to_owned).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_scenarios_of_the_extension_pass_without_a_warning() {
    run(EXTENSION, &["SUCCESS"], &[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_scenario_that_applies_passes() {
    run(BASE, &["SUCCESS", "INFO"], NOT_CHECKED).await;
}

#[tokio::test]
async fn no_scenario_is_forgotten() {
    let names = listed("Server scenarios", "Client scenarios").await;
    assert!(names.len() > 60, "{names:?}");
    let known = |name: &str| {
        EXTENSION.contains(&name)
            || BASE.contains(&name)
            || NOT_OURS.iter().any(|(begin, _)| name.starts_with(begin))
    };
    let forgotten: Vec<&String> = names.iter().filter(|name| !known(name)).collect();
    assert!(forgotten.is_empty(), "{forgotten:?}");
    for (begin, reason) in NOT_OURS {
        assert!(names.iter().any(|name| name.starts_with(begin)), "{begin}: {reason}");
    }
}
