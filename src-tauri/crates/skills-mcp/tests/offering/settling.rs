//! What is done when a file is not what its entry declares.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;
use skills_mcp::{Connection, Fetched, FileOutcome, Settled, Verdict};
use tokio_util::sync::CancellationToken;

use crate::support::{Answer, REVIEW, Store, Told, page, text};
use crate::{got, listed, review, server};

const OTHER: &str = "---\nname: review\ndescription: Looks at changes.\n---\n\n# Other\n";

fn other() -> serde_json::Value {
    crate::support::entry("review", OTHER.as_bytes(), &[])
}

async fn settle(connection: &Connection) -> Settled {
    let entry = listed(connection).await;
    let (store, cancel) = (Store::default(), CancellationToken::new());
    connection.fetch_settled(&entry, &server(), &store, &|_| {}, &cancel).await.unwrap()
}

fn mismatched(settled: Settled) -> Fetched {
    match settled {
        Settled::Mismatched(fetched) => fetched,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_server_that_still_declares_the_same_does_not_match_what_it_declares() {
    let told = Told::with_extension(|method, _| match method {
        "skills/list" => page(vec![review(&[])], None),
        "skills/get" => got(review(&[])),
        _ => text(OTHER),
    })
    .await;
    let fetched = mismatched(settle(&told.connect().await).await);
    assert!(matches!(fetched.files[0].outcome, FileOutcome::Mismatch { .. }));
    assert_eq!(told.times_asked("skills/get skill://review/SKILL.md"), 1);
}

#[tokio::test]
async fn a_server_that_declares_something_else_by_now_has_changed_the_skill() {
    let told = Told::with_extension(|method, _| match method {
        "skills/list" => page(vec![review(&[])], None),
        "skills/get" => got(other()),
        _ => text(OTHER),
    })
    .await;
    let Settled::Changed(offer) = settle(&told.connect().await).await else { panic!() };
    let Verdict::Verifiable(now) = &offer.verdict else { panic!("{offer:?}") };
    assert_eq!(now.files()[0].size, OTHER.len() as u64);
}

#[tokio::test]
async fn a_skill_that_became_unverifiable_or_broken_meanwhile_has_changed_too() {
    for resources in [json!("dynamic"), json!("static")] {
        let told = Told::with_extension(move |method, _| match method {
            "skills/list" => page(vec![review(&[])], None),
            "skills/get" => {
                let mut skill = review(&[]);
                skill["resources"] = resources.clone();
                got(skill)
            }
            _ => text(OTHER),
        })
        .await;
        let Settled::Changed(offer) = settle(&told.connect().await).await else { panic!() };
        assert!(!matches!(offer.verdict, Verdict::Verifiable(_)));
    }
}

#[tokio::test]
async fn a_front_matter_that_differs_is_asked_about_once() {
    let told = Told::with_extension(|method, _| {
        let mut skill = review(&[]);
        skill["frontmatter"]["description"] = json!("Only reads.");
        match method {
            "skills/list" => page(vec![skill], None),
            "skills/get" => got(skill),
            _ => text(REVIEW),
        }
    })
    .await;
    mismatched(settle(&told.connect().await).await);
    assert_eq!(told.times_asked("skills/get skill://review/SKILL.md"), 1);
}

#[tokio::test]
async fn what_is_no_longer_served_by_itself_counts_as_it_was_declared() {
    let told = Told::with_extension(|method, _| match method {
        "skills/list" => page(vec![review(&[])], None),
        _ => Answer::Error(-32602, "no such skill"),
    })
    .await;
    let fetched = mismatched(settle(&told.connect().await).await);
    assert!(matches!(fetched.files[0].outcome, FileOutcome::Failed(_)));
}

#[tokio::test]
async fn what_matches_is_not_asked_about_again() {
    let told = Told::with_extension(|method, _| match method {
        "skills/list" => page(vec![review(&[])], None),
        _ => text(REVIEW),
    })
    .await;
    let settled = settle(&told.connect().await).await;
    assert!(matches!(settled, Settled::Verified(fetched) if fetched.verified().is_some()));
    assert_eq!(told.times_asked("skills/get skill://review/SKILL.md"), 0);
}

#[tokio::test]
async fn a_server_that_answers_otherwise_at_each_read_never_verifies() {
    let count = AtomicUsize::new(0);
    let told = Told::with_extension(move |method, _| match method {
        "skills/list" => page(vec![review(&[])], None),
        "skills/get" => got(review(&[])),
        _ => text(&format!("{}", count.fetch_add(1, Ordering::SeqCst))),
    })
    .await;
    let connection = told.connect().await;
    for _ in 0..3 {
        assert!(mismatched(settle(&connection).await).verified().is_none());
    }
}
