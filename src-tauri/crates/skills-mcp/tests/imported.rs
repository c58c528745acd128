//! Skills that were imported, through the real protocol and in process.

#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods)]

use std::fs;
use std::path::Path;

use skills::origin::{Endpoint, ImportedFrom};
use skills_mcp::{ClientContext, Connection, ErrorKind, ImportedSkills, Source, Verdict};

const MAIN: &str = "---\nname: pdf\ndescription: Reads PDF files\n---\nRead it.\n";

fn imported(digits: char) -> Endpoint {
    let content = String::from(digits).repeat(64).parse().unwrap();
    Endpoint::Imported { content, from: ImportedFrom::File, name: "team.zip".to_owned() }
}

/// Keeps one import, of which every digit is `a`, in this folder.
fn context(folder: &Path) -> ClientContext {
    let folder = folder.to_owned();
    let kept = ImportedSkills::new(move |content| {
        if content.to_string().starts_with('a') {
            Ok(folder.clone())
        } else {
            Err("the imported files are no longer there".to_owned())
        }
    });
    ClientContext { imported: Some(kept), ..ClientContext::default() }
}

#[tokio::test(flavor = "multi_thread")]
async fn they_are_listed_with_those_inside_and_change_when_their_folder_does() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("pdf/inner")).unwrap();
    fs::write(dir.path().join("pdf/SKILL.md"), MAIN).unwrap();
    fs::write(dir.path().join("pdf/inner/SKILL.md"), MAIN.replace("pdf", "inner")).unwrap();
    let connection = Connection::open(&imported('a'), &context(dir.path())).await.unwrap();
    assert_eq!(connection.protocol(), "2026-07-28");
    assert_eq!(connection.source(), Source::Extension);
    let offers = connection.list().await.unwrap().offers;
    let uris: Vec<&str> = offers.iter().map(|offer| offer.uri.as_str()).collect();
    assert_eq!(uris, ["skill://pdf/SKILL.md", "skill://pdf/inner/SKILL.md"]);
    assert!(offers.iter().all(|offer| matches!(offer.verdict, Verdict::Verifiable(_))));
    fs::remove_dir_all(dir.path().join("pdf")).unwrap();
    assert!(connection.list().await.unwrap().offers.is_empty());
    connection.close().await;
}

#[tokio::test]
async fn what_is_not_there_is_told_with_what_to_do() {
    let dir = tempfile::tempdir().unwrap();
    let error = Connection::open(&imported('b'), &context(dir.path())).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unreachable);
    assert_eq!(
        error.to_string(),
        "cannot reach what was imported: the imported files are no longer there"
    );
    assert_eq!(error.hint().as_deref(), Some("import them again, from the same file or folder"));
    let nowhere = ClientContext::default();
    let error = Connection::open(&imported('a'), &nowhere).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot reach what was imported: no imported skills are kept here"
    );
}
