//! Servers that break each rule in turn.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../support/mod.rs"]
mod support;

mod connecting;
mod listing;
mod manifests;
mod reading;

use serde_json::Value;
use skills::entry::Entry;
use skills::origin::ServerId;
use skills_mcp::{ClientError, Connection, Offers, Verdict};
use support::{REVIEW, Store, entry};
use tokio_util::sync::CancellationToken;

fn verdict<'a>(offers: &'a Offers, uri: &str) -> &'a Verdict {
    &offers.offers.iter().find(|offer| offer.uri == uri).expect("not offered").verdict
}

fn review() -> Value {
    entry("review", REVIEW.as_bytes(), &[])
}

async fn first_entry(connection: &Connection) -> Entry {
    match connection.list().await.unwrap().offers.remove(0).verdict {
        Verdict::Verifiable(entry) => entry,
        other => panic!("{other:?}"),
    }
}

async fn fetch(connection: &Connection, entry: &Entry) -> Result<skills_mcp::Fetched, ClientError> {
    let (server, store) = (ServerId("s".to_owned()), Store::default());
    connection.fetch(entry, &server, &store, &|_| {}, &CancellationToken::new()).await
}
