//! Servers that ask who is there.

use skills_mcp::server::Token;

use super::*;

const SECRET: &str = "abcdefghijklmnopqrstuvwxyz";

async fn guarded() -> Played {
    let token = Token { identity: "me".to_owned(), secret: SECRET.to_owned(), scopes: Vec::new() };
    let told = Told::default().with("talk", &[("SKILL.md", TALK.as_bytes())]);
    Played::served(told, ServeOptions { tokens: vec![token], ..ServeOptions::default() }).await
}

fn unreachable(ended: Result<Said, Ended>) -> ErrorView {
    match ended {
        Err(Ended::Unreachable(error)) => error,
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_asks_who_is_there_is_not_reached_and_the_option_is_named() {
    let played = guarded().await;
    fs::write(played.at("wrong"), "zyxwvutsrqponmlkjihgfedcba").unwrap();
    for line in [
        "list URL",
        "manifest URL talk",
        "download URL talk --to HOME/out",
        "sync URL --to HOME/out",
        "list URL --token-file HOME/wrong",
    ] {
        let error = unreachable(played.go(line).await);
        assert_eq!(
            error.message,
            format!("cannot connect to {}: the server asks to sign in", played.url),
            "{line}"
        );
        assert_eq!(
            error.hint.as_deref(),
            Some(
                "give it a token that it takes, with --token-file FILE, or what else it asks for, \
                 with --header-file FILE"
            ),
            "{line}"
        );
    }
    assert!(!played.at("out").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn headers_come_from_a_file() {
    let played = guarded().await;
    fs::write(played.at("headers"), format!("\nX-Team: docs\r\nAuthorization: Bearer {SECRET}\n"))
        .unwrap();
    let (json, refused) = played.json("list URL --header-file HOME/headers").await;
    assert!(!refused);
    assert_eq!(json["skills"][0]["name"], "talk");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_without_headers_is_wrong_use_and_nothing_of_it_is_repeated() {
    let played = guarded().await;
    let shown = played.at("headers").display().to_string();
    let wrong = |text: &str| {
        fs::write(played.at("headers"), text).unwrap();
        played.go("list URL --header-file HOME/headers")
    };
    for (text, why) in [
        ("", "it is empty"),
        ("X-Team: docs\nhidden words", "line 2 is none; one has the form `Name: value`"),
        ("Bearer hidden:words", "line 1 is none; one has the form `Name: value`"),
        (
            "Host: hidden",
            "the header \"Host\" cannot be sent: the connection or the protocol sets it",
        ),
        ("X-A: hidden\nx-a: hidden", "the header \"x-a\" cannot be sent: it is there twice"),
    ] {
        let error = misused(wrong(text).await);
        assert_eq!(error.message, format!("there are no headers in {shown}: {why}"));
        assert!(!format!("{error:?}").contains("hidden"), "{error:?}");
    }
    misused(played.go("list URL --header-file HOME/none").await);

    fs::write(played.at("headers"), format!("Authorization: Bearer {SECRET}")).unwrap();
    fs::write(played.at("token"), SECRET).unwrap();
    let both = "list URL --header-file HOME/headers --token-file HOME/token";
    let error = misused(played.go(both).await);
    assert_eq!(error.message, "the header file says who asks, and so does the token file");
}
