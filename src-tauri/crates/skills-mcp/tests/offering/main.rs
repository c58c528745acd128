//! What the client makes of what servers offer: looking up, folders, what is read and when.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../support/mod.rs"]
mod support;

mod fetching;
mod folders;
mod looking_up;
mod news;
mod settling;
mod unverified;

use serde_json::{Value, json};
use skills::entry::Entry;
use skills::origin::ServerId;
use skills_mcp::{Connection, Offers, Verdict};
use support::{Answer, REVIEW, Told, discovered, entry};

/// A server of 2026-07-28 with the extension that can show folders.
async fn with_folders(tell: impl Fn(&str, &Value) -> Answer + Send + Sync + 'static) -> Told {
    Told::new(move |method, params| match method {
        "server/discover" => discovered(json!({
            "resources": {},
            "extensions": { "io.modelcontextprotocol/skills": { "directoryRead": true } },
        })),
        _ => tell(method, params),
    })
    .await
}

fn server() -> ServerId {
    ServerId("s".to_owned())
}

fn review(more: &[(&str, &[u8])]) -> Value {
    entry("review", REVIEW.as_bytes(), more)
}

/// The answer of `skills/get`.
fn got(skill: Value) -> Answer {
    Answer::Result(json!({
        "resultType": "complete", "ttlMs": 0, "cacheScope": "private", "skill": skill,
    }))
}

/// Items of `resources/list` and of a folder.
fn resources(items: &[Value]) -> Answer {
    Answer::Result(json!({
        "resultType": "complete", "ttlMs": 0, "cacheScope": "private", "resources": items,
    }))
}

fn file(uri: &str) -> Value {
    json!({ "uri": uri, "name": uri })
}

fn folder(uri: &str) -> Value {
    json!({ "uri": uri, "name": uri, "mimeType": "inode/directory" })
}

fn only_entry(offers: Offers) -> Entry {
    match offers.offers.into_iter().next().expect("an offer").verdict {
        Verdict::Verifiable(entry) => entry,
        other => panic!("{other:?}"),
    }
}

async fn listed(connection: &Connection) -> Entry {
    only_entry(connection.list().await.unwrap())
}
