//! The official conformance suite of MCP against our client: every scenario that applies to a client
//! that lists and reads skills, and calls no tool.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use serde_json::Value;
use skills::blobs::{Blobs, BlobsError};
use skills::digest::Digest;
use skills::origin::{Endpoint, ServerId};
use skills_mcp::auth::SignIn;
use skills_mcp::{ClientContext, ClientError, Connection, ErrorKind, Verdict};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;

use super::{Check, Judge, checks_in, listed, suite};
use crate::support::grant::Grant;
use crate::support::home::Home;
use crate::support::python::{python, script};

/// What our client does in a scenario.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Does {
    /// Connects and lists.
    Lists,
    /// That, and reads one resource that no list of skills names.
    Reads,
    /// Lists, and fetches every skill.
    Fetches,
    /// Lists, after the person has signed in where the server asks for it.
    SignsIn,
}

use Does::{Fetches, Lists, Reads, SignsIn};

/// Those of the extension, of which nothing may be failed, warned of or skipped, and what is done.
const EXTENSION: &[(&str, Does)] = &[
    ("sep-2640-client-no-prefetch", Lists),
    ("sep-2640-client-verify-digest", Fetches),
    ("sep-2640-client-verify-size", Fetches),
    ("sep-2640-client-verify-frontmatter", Fetches),
];

/// Every other one that applies but for those of signing in, and by which revision.
const BASE: &[(&str, &str, Does)] = &[
    ("initialize", "2025-06-18", Lists),
    ("initialize", "2025-11-25", Lists),
    ("sse-retry", "2025-11-25", Lists),
    ("request-metadata", "2026-07-28", Lists),
    ("http-standard-headers", "2026-07-28", Reads),
];

/// Those of signing in.
const AUTH: &[&str] = &[
    "auth/metadata-default",
    "auth/metadata-var1",
    "auth/metadata-var2",
    "auth/metadata-var3",
    "auth/basic-cimd",
    "auth/scope-from-www-authenticate",
    "auth/scope-from-scopes-supported",
    "auth/scope-omitted-when-undefined",
    "auth/scope-step-up",
    "auth/scope-retry-limit",
    "auth/token-endpoint-auth-basic",
    "auth/token-endpoint-auth-post",
    "auth/token-endpoint-auth-none",
    "auth/2025-03-26-oauth-metadata-backcompat",
    "auth/resource-mismatch",
    "auth/offline-access-scope",
    "auth/offline-access-not-supported",
    "auth/authorization-server-migration",
    "auth/iss-supported",
    "auth/iss-not-advertised",
    "auth/iss-supported-missing",
    "auth/iss-wrong-issuer",
    "auth/iss-unexpected",
    "auth/iss-normalized",
    "auth/metadata-issuer-mismatch",
];

/// The rest, by how their names begin, and why they do not apply.
const NOT_OURS: &[(&str, &str)] = &[
    ("tools_call", TOOL),
    ("http-custom-headers", TOOL),
    ("http-invalid-tool-headers", TOOL),
    ("sep-2322-client-request-state", TOOL),
    ("json-schema-", TOOL),
    ("elicitation-", "nothing is asked of a person by a server"),
    ("auth/client-credentials-", UNATTENDED),
    ("auth/enterprise-managed-authorization", UNATTENDED),
    ("auth/wif-jwt-bearer", UNATTENDED),
    ("auth/dpop", "tokens are bearer tokens"),
    ("auth/pre-registration", "there is no place to enter an identity given by hand"),
    ("auth/2025-03-26-oauth-endpoint-fallback", "a guess at an address is nothing to sign in at"),
];

const TOOL: &str = "no tool is called";
const UNATTENDED: &str = "it is for programs without a person";

/// Checks of scenarios that apply which do not: a part of the suite's message, and why.
const NOT_CHECKED: &[(&str, &str, &str)] = &[
    ("client-sse-last-event-id", "", "the stream is broken off at a tool call only"),
    ("sep-2575-client-declares-roots-capability", "", OFFERS),
    ("sep-2575-client-declares-sampling-capability", "", OFFERS),
    ("sep-2575-client-declares-elicitation-capability", "", OFFERS),
    (HEADERS, "a initialize request", "the newer protocol has no handshake"),
    (HEADERS, "a notifications/initialized request", "the newer protocol has no handshake"),
    (HEADERS, "a tools/list request", TOOL),
    (HEADERS, "a tools/call request", TOOL),
    (HEADERS, "a prompts/list request", "no prompt is used"),
    (HEADERS, "a prompts/get request", "no prompt is used"),
];

const OFFERS: &str = "the client offers a server nothing";
const HEADERS: &str = "sep-2243-client-includes-standard-headers";

/// The same for signing in.
const NOT_CHECKED_OF_AUTH: &[(&str, &str, &str)] = &[
    ("cimd-client-id-used", "", "the program has no page of its own on the web to be known by"),
    ("scope-step-up-escalation", "", "more is asked for at a tool call only"),
    ("sep-2350-scope-union-on-reauth", "", "more is asked for at a tool call only"),
];

/// Bytes of one run.
#[derive(Default)]
struct Kept(Mutex<HashMap<Digest, Vec<u8>>>);

impl Blobs for Kept {
    fn get(&self, _: &ServerId, digest: &Digest) -> Result<Option<Vec<u8>>, BlobsError> {
        Ok(self.0.lock().unwrap().get(digest).cloned())
    }

    fn put(&self, _: &ServerId, bytes: &[u8]) -> Result<Digest, BlobsError> {
        let digest = Digest::of(bytes);
        self.0.lock().unwrap().insert(digest, bytes.to_vec());
        Ok(digest)
    }

    fn stored(&self, _: &ServerId) -> Result<u64, BlobsError> {
        Ok(self.0.lock().unwrap().values().map(|bytes| bytes.len() as u64).sum())
    }
}

/// Says why, where something was not to be had.
async fn act(does: Does, url: &str) -> Result<(), String> {
    let context =
        ClientContext { sign_in: Some(Arc::new(Grant::default())), ..ClientContext::default() };
    let mut visited = visit(does, url, &context).await;
    // A person who is asked again and again gives it up.
    for _ in 0..2 {
        match &visited {
            Err(asked) if does == SignsIn && asked.kind() == ErrorKind::SignIn => {
                sign_in(url, asked, &context).await.map_err(|error| error.to_string())?;
            }
            _ => break,
        }
        visited = visit(does, url, &context).await;
    }
    visited.map_err(|error| error.to_string())
}

async fn visit(does: Does, url: &str, context: &ClientContext) -> Result<(), ClientError> {
    let connection = Connection::open(&Endpoint::Http { url: url.to_owned() }, context).await?;
    let listed = connection.list().await?;
    if does == Reads {
        // What the suite answers is no content, which is told; it looks at the request.
        let _ = connection.unverified_main("https://example.com/resource?id=123").await;
    }
    if does == Fetches {
        let (id, kept) = (ServerId("suite".to_owned()), Kept::default());
        for offer in listed.offers {
            let Verdict::Verifiable(entry) = offer.verdict else { panic!("{offer:?}") };
            let cancel = CancellationToken::new();
            let fetched = connection.fetch(&entry, &id, &kept, &|_| {}, &cancel).await?;
            assert!(!fetched.is_verified(), "it was tampered with");
        }
    }
    connection.close().await;
    Ok(())
}

/// Signs in with a browser that agrees to everything.
async fn sign_in(
    url: &str,
    asked: &ClientError,
    context: &ClientContext,
) -> Result<(), ClientError> {
    let found = SignIn::discover(url, asked.challenge(), context.timeouts).await?;
    let grant = found
        .run(|page| {
            let page = page.to_owned();
            tokio::spawn(async move {
                if let Some(back) = got(&page).await {
                    got(&back).await;
                }
            });
            Ok(())
        })
        .await?;
    context.sign_in.as_ref().unwrap().save(&grant.text()).unwrap();
    Ok(())
}

/// Where a page of this machine sends a browser to.
async fn got(page: &str) -> Option<String> {
    let (host, path) = page.strip_prefix("http://")?.split_once('/')?;
    let mut stream = TcpStream::connect(host).await.ok()?;
    let request = format!("GET /{path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.ok()?;
    let mut headers = answer.lines().take_while(|line| !line.is_empty());
    let location = headers.find_map(|line| {
        let (name, value) = line.split_once(": ")?;
        name.eq_ignore_ascii_case("location").then_some(value)
    });
    location.map(str::to_owned)
}

/// Runs one scenario: the suite starts a program that hands us the address.
async fn run(scenario: &str, revision: &str, does: Does, home: &Home) -> (Vec<Check>, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let words = [python(), script("handed.py")].map(|path| path.to_str().unwrap().to_owned());
    let command = format!("{} {} {port}", words[0], words[1]);
    let into = home.at(&scenario.replace('/', "-"));
    let folder = into.to_str().unwrap();
    // A scenario of a group is in the folder of that group.
    let results = into.join(scenario.rsplit_once('/').map_or("", |(group, _)| group));
    let mut arguments = vec!["client", "--command", &command, "--scenario", scenario, "-o", folder];
    if !revision.is_empty() {
        arguments.extend(["--spec-version", revision]);
    }
    let client = tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        let mut stream = BufReader::new(stream);
        let mut line = String::new();
        stream.read_line(&mut line).await.unwrap();
        let told: Value = serde_json::from_str(&line).unwrap();
        let acted = act(does, told["url"].as_str().unwrap()).await;
        let code = if acted.is_ok() { "0\n" } else { "1\n" };
        stream.write_all(code.as_bytes()).await.unwrap();
        acted
    });
    let output = suite(&arguments).output().await.unwrap();
    let acted = client.await.unwrap();
    let (checks, printed) = checks_in(&results, scenario, output);
    (checks, format!("{acted:?}\n{printed}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn the_scenarios_of_the_extension_pass_without_a_warning() {
    let home = Home::empty();
    let mut judge = Judge::new(&["SUCCESS"], &[]);
    for (scenario, does) in EXTENSION {
        let (checks, printed) = run(scenario, "", *does, &home).await;
        judge.hear(scenario, &checks, &printed);
    }
    judge.judge();
}

#[tokio::test(flavor = "multi_thread")]
async fn every_scenario_that_applies_passes() {
    let home = Home::empty();
    let mut judge = Judge::new(&["SUCCESS", "INFO"], NOT_CHECKED);
    for (scenario, revision, does) in BASE {
        let (checks, printed) = run(scenario, revision, *does, &home).await;
        judge.hear(scenario, &checks, &printed);
    }
    judge.judge();
}

#[tokio::test(flavor = "multi_thread")]
async fn every_scenario_of_signing_in_that_applies_passes() {
    let home = Home::empty();
    let mut judge = Judge::new(&["SUCCESS", "INFO"], NOT_CHECKED_OF_AUTH);
    for scenario in AUTH {
        let revision = if scenario.contains("2025-03-26") { "2025-03-26" } else { "2026-07-28" };
        let (checks, printed) = run(scenario, revision, SignsIn, &home).await;
        judge.hear(scenario, &checks, &printed);
    }
    judge.judge();
}

#[tokio::test]
async fn no_scenario_is_forgotten() {
    let names = listed("Client scenarios", "Authorization server scenarios").await;
    assert!(names.len() > 40, "{names:?}");
    let known = |name: &str| {
        EXTENSION.iter().any(|(scenario, _)| *scenario == name)
            || BASE.iter().any(|(scenario, ..)| *scenario == name)
            || AUTH.contains(&name)
            || NOT_OURS.iter().any(|(begin, _)| name.starts_with(begin))
    };
    let forgotten: Vec<&String> = names.iter().filter(|name| !known(name)).collect();
    assert!(forgotten.is_empty(), "{forgotten:?}");
    for (begin, reason) in NOT_OURS {
        assert!(names.iter().any(|name| name.starts_with(begin)), "{begin}: {reason}");
    }
}
