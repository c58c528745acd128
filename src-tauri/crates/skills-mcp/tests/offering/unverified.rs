//! Skills that declare no digests: what can be read of them.

use serde_json::json;
use skills_mcp::{ErrorKind, Verdict};

use crate::support::{Answer, REVIEW, Told, page, text};
use crate::{file, folder, resources, review, with_folders};

const URI: &str = "skill://review/SKILL.md";

#[tokio::test]
async fn a_dynamic_skill_is_read_with_what_its_folder_shows() {
    let told = with_folders(|method, params| match (method, params["uri"].as_str()) {
        ("skills/list", _) => {
            let mut skill = review(&[]);
            skill["resources"] = json!("dynamic");
            page(vec![skill], None)
        }
        ("resources/directory/read", Some("skill://review")) => {
            resources(&[file(URI), folder("skill://review/a"), file("skill://review/_manifest")])
        }
        ("resources/directory/read", _) => resources(&[file("skill://review/a/b.sh")]),
        ("resources/read", Some(URI)) => text(REVIEW),
        ("resources/read", Some("skill://review/a/b.sh")) => text("echo\n"),
        _ => Answer::Error(-32602, "unknown"),
    })
    .await;
    let connection = told.connect().await;
    let offers = connection.list().await.unwrap();
    assert!(matches!(&offers.offers[0].verdict, Verdict::Unverifiable(_)));
    assert!(!told.asked.lock().unwrap().iter().any(|asked| asked.starts_with("resources")));
    let read = connection.unverified(URI).await.unwrap();
    assert_eq!(read.name, "review");
    let files: Vec<(&str, &[u8])> =
        read.files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice())).collect();
    assert_eq!(files, [("SKILL.md", REVIEW.as_bytes()), ("a/b.sh", b"echo\n")]);
}

/// A server with resources only, which lists these and answers each with this text.
async fn listing(uris: Vec<String>, content: String) -> Told {
    Told::with_resources(move |method, _| match method {
        "resources/list" => resources(&uris.iter().map(|uri| file(uri)).collect::<Vec<_>>()),
        _ => text(&content),
    })
    .await
}

fn uris(paths: &[&str]) -> Vec<String> {
    paths.iter().map(|path| format!("skill://review/{path}")).collect()
}

#[tokio::test]
async fn without_folders_the_resources_inside_of_the_skill_are_its_files() {
    let mut list = uris(&["SKILL.md", "a%20b.md"]);
    list.extend(["skill://other/x".to_owned(), "file:///etc/passwd".to_owned()]);
    let told = listing(list, "x".to_owned()).await;
    let read = told.connect().await.unverified(URI).await.unwrap();
    assert_eq!(read.files.keys().collect::<Vec<_>>(), ["SKILL.md", "a b.md"]);
}

#[tokio::test]
async fn names_that_not_every_system_can_write_refuse_the_whole() {
    for path in ["con", "a.", "x%3ay", &"p".repeat(300)] {
        let told = listing(uris(&["SKILL.md", path]), "x".to_owned()).await;
        let error = told.connect().await.unverified(URI).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Protocol, "{path}");
        assert_eq!(told.times_asked("resources/read skill://review/SKILL.md"), 0);
    }
    let told = listing(uris(&["SKILL.md", "A", "a"]), "x".to_owned()).await;
    let error = told.connect().await.unverified(URI).await.unwrap_err();
    assert!(error.to_string().contains("cannot both exist"), "{error}");
}

#[tokio::test]
async fn the_limits_of_a_skill_hold_for_it_too() {
    let many = |count: usize| {
        let mut list = uris(&["SKILL.md"]);
        list.extend((1..count).map(|n| format!("skill://review/{n}")));
        listing(list, "x".to_owned())
    };
    let told = many(512).await;
    assert_eq!(told.connect().await.unverified(URI).await.unwrap().files.len(), 512);
    let told = many(513).await;
    let error = told.connect().await.unverified(URI).await.unwrap_err();
    assert!(error.to_string().ends_with("the skill has 513 files; 512 is the most"), "{error}");

    let half = "x".repeat(8 * 1024 * 1024);
    let told = listing(uris(&["SKILL.md", "a"]), half.clone()).await;
    assert_eq!(told.connect().await.unverified(URI).await.unwrap().files.len(), 2);
    let told = listing(uris(&["SKILL.md", "a"]), format!("{half}x")).await;
    let error = told.connect().await.unverified(URI).await.unwrap_err();
    assert!(error.to_string().ends_with("more than 16777216 bytes"), "{error}");
}

#[tokio::test]
async fn a_file_that_cannot_be_read_leaves_nothing_by_half() {
    let told = Told::with_resources(|method, params| match (method, params["uri"].as_str()) {
        ("resources/list", _) => resources(&[file("skill://review/a")]),
        (_, Some(URI)) => text("x"),
        _ => Answer::Error(-32603, "not today"),
    })
    .await;
    let error = told.connect().await.unverified(URI).await.unwrap_err();
    assert!(error.to_string().starts_with("cannot read a from "), "{error}");
}
