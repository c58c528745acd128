//! What a server shows in the folder of a skill.

use serde_json::json;
use skills_mcp::ErrorKind;

use crate::support::{Answer, Told, page};
use crate::{file, folder, listed, resources, review, with_folders};

#[tokio::test]
async fn a_file_that_the_entry_does_not_list_is_told() {
    let told = with_folders(|method, params| match (method, params["uri"].as_str()) {
        ("skills/list", _) => page(vec![review(&[("a/b.md", b"x")])], None),
        ("resources/directory/read", Some("skill://review")) => {
            resources(&[file("skill://review/SKILL.md"), folder("skill://review/a")])
        }
        ("resources/directory/read", Some("skill://review/a")) => {
            resources(&[file("skill://review/a/b.md"), file("skill://review/a/new.sh")])
        }
        _ => Answer::Error(-32602, "not a directory"),
    })
    .await;
    let connection = told.connect().await;
    assert!(connection.shows_folders());
    let entry = listed(&connection).await;
    let shown = connection.folder(&entry).await.unwrap();
    let paths: Vec<(&str, bool)> =
        shown.files.iter().map(|file| (file.path.as_str(), file.listed)).collect();
    assert_eq!(paths, [("SKILL.md", true), ("a/b.md", true), ("a/new.sh", false)]);
    assert_eq!(shown.unlisted().collect::<Vec<_>>(), ["a/new.sh"]);
    assert_eq!(shown.notices, Vec::<String>::new());
    // No file was read for it.
    assert!(!told.asked.lock().unwrap().iter().any(|asked| asked.starts_with("resources/read")));
}

#[tokio::test]
async fn a_made_up_manifest_is_no_file_of_the_skill() {
    let told = with_folders(|method, _| match method {
        "skills/list" => page(vec![review(&[])], None),
        _ => resources(&[file("skill://review/SKILL.md"), file("skill://review/_manifest")]),
    })
    .await;
    let connection = told.connect().await;
    let entry = listed(&connection).await;
    let shown = connection.folder(&entry).await.unwrap();
    assert_eq!(shown.files.len(), 1);
    assert_eq!(shown.unlisted().count(), 0);
}

#[tokio::test]
async fn what_lies_elsewhere_is_a_notice_and_folders_in_a_circle_end() {
    let told = with_folders(|method, _| match method {
        "skills/list" => page(vec![review(&[])], None),
        _ => resources(&[
            folder("skill://review/a"),
            folder("skill://review/a/"),
            file("file:///etc/passwd"),
            file("skill://other/SKILL.md"),
        ]),
    })
    .await;
    let connection = told.connect().await;
    let entry = listed(&connection).await;
    let shown = connection.folder(&entry).await.unwrap();
    assert_eq!(shown.files, []);
    assert_eq!(
        shown.notices,
        [
            "file:///etc/passwd in the folder lies outside of the skill",
            "skill://other/SKILL.md in the folder lies outside of the skill",
            "and 2 more of this kind",
        ]
    );
    assert_eq!(told.times_asked("resources/directory/read skill://review/a"), 1);
}

#[tokio::test]
async fn endless_folders_and_endless_pages_end_at_their_limits() {
    let deeper = with_folders(|method, params| match method {
        "skills/list" => page(vec![review(&[])], None),
        _ => {
            let uri = params["uri"].as_str().unwrap();
            let children: Vec<_> = (0..4).map(|n| folder(&format!("{uri}/{n}"))).collect();
            resources(&children)
        }
    })
    .await;
    let connection = deeper.connect().await;
    let entry = listed(&connection).await;
    let shown = connection.folder(&entry).await.unwrap();
    assert_eq!(shown.notices, ["more than 256 folders; the others were not asked for"]);
    let asked = deeper.asked.lock().unwrap().clone();
    let folders = asked.iter().filter(|asked| asked.starts_with("resources/directory")).count();
    assert_eq!(folders, 256);

    // One folder with others in it: as many as are asked for, and one more.
    for (inside, notices) in [(255, 0), (256, 1)] {
        let wide = with_folders(move |method, params| match (method, params["uri"].as_str()) {
            ("skills/list", _) => page(vec![review(&[])], None),
            (_, Some("skill://review")) => {
                let inside = (0..inside).map(|n| folder(&format!("skill://review/{n}")));
                resources(&inside.collect::<Vec<_>>())
            }
            _ => resources(&[]),
        })
        .await;
        let connection = wide.connect().await;
        let entry = listed(&connection).await;
        let shown = connection.folder(&entry).await.unwrap();
        assert_eq!(shown.notices.len(), notices);
        let asked = wide.asked.lock().unwrap().clone();
        let folders = asked.iter().filter(|asked| asked.starts_with("resources/directory"));
        assert_eq!(folders.count(), 256);
    }

    let many = |count: usize| {
        with_folders(move |method, _| match method {
            "skills/list" => page(vec![review(&[])], None),
            _ => {
                let files: Vec<_> =
                    (0..count).map(|n| file(&format!("skill://review/{n}"))).collect();
                resources(&files)
            }
        })
    };
    for (count, notices) in [(2048, 0), (2049, 1)] {
        let told = many(count).await;
        let connection = told.connect().await;
        let entry = listed(&connection).await;
        let shown = connection.folder(&entry).await.unwrap();
        assert_eq!((shown.files.len(), shown.notices.len()), (2048, notices));
    }
}

#[tokio::test]
async fn a_server_that_does_not_say_that_it_shows_folders_is_not_asked() {
    let told = Told::with_extension(|_, _| page(vec![review(&[])], None)).await;
    let connection = told.connect().await;
    let entry = listed(&connection).await;
    assert!(!connection.shows_folders());
    let error = connection.folder(&entry).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Refused);
    assert_eq!(told.asked.lock().unwrap().len(), 2);
}

#[tokio::test]
async fn a_folder_that_is_no_list_is_a_broken_rule_of_the_protocol() {
    let told = with_folders(|method, _| match method {
        "skills/list" => page(vec![review(&[])], None),
        _ => Answer::Result(json!({ "files": [] })),
    })
    .await;
    let connection = told.connect().await;
    let entry = listed(&connection).await;
    let error = connection.folder(&entry).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Protocol, "{error}");
}
