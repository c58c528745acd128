//! What nothing vouches for: skills made anew for each read, and what a server shows in a folder.

use serde_json::{Value, json};
use skills::origin::Endpoint;
use skills_mcp::{Connection, ErrorKind, Verdict};

use crate::meeting::{Meeting, compare, memory_is_bounded};
use crate::server::{Asked, Hostile, Piece, Say};
use crate::world::{World, chunk, chunked, complete};

const REVIEW: &str = "skill://review/SKILL.md";

async fn meets(world: World) -> (Hostile, Meeting, Connection) {
    let server = Hostile::listen(world.script()).await;
    let meeting = Meeting::with(Endpoint::Http { url: server.url() }, false);
    let connection = meeting.connect().await.unwrap();
    (server, meeting, connection)
}

/// A server that shows folders, and says this of each.
fn shows(say: impl Fn(&Asked) -> Say + Send + Sync + 'static) -> World {
    let mut world = World::honest();
    world.capabilities["extensions"]["io.modelcontextprotocol/skills"] =
        json!({ "directoryRead": true });
    world.at("resources/directory/read", say)
}

fn resources(uris: &[String]) -> Say {
    let resources: Vec<Value> = uris.iter().map(|uri| json!({ "uri": uri, "name": "x" })).collect();
    complete(json!({ "resources": resources }))
}

/// What the program says of the folder of `review`.
async fn folder(world: World) -> Vec<String> {
    let (_server, meeting, connection) = meets(world).await;
    let offer = connection.list().await.unwrap().offers.remove(0);
    let Verdict::Verifiable(entry) = offer.verdict else { panic!("{:?}", offer.verdict) };
    let lines = match connection.folder(&entry).await {
        Ok(folder) => {
            let unlisted = folder.unlisted().map(|path| format!("unlisted: {path}"));
            unlisted.chain(folder.notices.iter().map(|it| format!("notice: {it}"))).collect()
        }
        Err(error) => vec![meeting.line(&error)],
    };
    meeting.nothing_is_left_behind();
    memory_is_bounded();
    lines
}

/// What the program says when a skill without digests is read whole.
async fn unverified(world: World) -> String {
    let (_server, meeting, connection) = meets(world).await;
    let said = match connection.unverified(REVIEW).await {
        Ok(skill) => format!("{} files", skill.files.len()),
        Err(error) => meeting.line(&error),
    };
    compare(std::slice::from_ref(&said), &[said.as_str()]);
    meeting.nothing_is_left_behind();
    memory_is_bounded();
    said
}

#[tokio::test]
async fn an_honest_folder_shows_what_the_entry_lists() {
    let shown = [REVIEW.to_owned(), "skill://review/run.sh".to_owned()];
    assert_eq!(folder(shows(move |_| resources(&shown))).await, Vec::<String>::new());
}

#[tokio::test]
async fn what_lies_elsewhere_is_told_and_never_a_file() {
    let shown = [
        "file:///etc/passwd",
        "skill://good/SKILL.md",
        "skill://review/../x",
        "skill://review/%2e%2e/x",
        "skill://review/a\\b",
        "skill://review/nul",
        "skill://review/a?b",
        "\u{1b}[31m\u{202e}",
        "",
    ]
    .map(str::to_owned);
    let said = folder(shows(move |_| resources(&shown))).await;
    let expected = [
        "notice: file:///etc/passwd in the folder lies outside of the skill",
        "notice: skill://good/SKILL.md in the folder lies outside of the skill",
        "notice: skill://review/../x in the folder lies outside of the skill",
        "notice: skill://review/%2e%2e/x in the folder lies outside of the skill",
        "notice: skill://review/a\\b in the folder lies outside of the skill",
        "notice: \"nul\" has a name that Windows keeps for a device",
        "notice: skill://review/a?b in the folder has a query or a fragment",
        "notice: [31m in the folder lies outside of the skill",
        "notice:  in the folder lies outside of the skill",
    ];
    compare(&said, &expected);
}

#[tokio::test]
async fn a_flood_of_what_lies_elsewhere_is_a_few_notices() {
    let said = folder(shows(|asked| {
        Say::Wire(vec![
            chunked("application/json"),
            Piece::Bytes(chunk(
                format!(
                    "{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{{\"resultType\":\"complete\",\"ttlMs\":0,\"cacheScope\":\"private\",\"resources\":[",
                    asked.id
                )
                .as_bytes(),
            )),
            Piece::Again(chunk(&b"{\"uri\":\"file:///etc/passwd\"},".repeat(1000)), 199),
            Piece::Bytes(chunk(b"{}]}}")),
            Piece::text("0\r\n\r\n"),
        ])
    }))
    .await;
    assert!(said.len() <= 22, "{} lines", said.len());
}

#[tokio::test]
async fn files_without_a_digest_have_the_limits_of_a_skill() {
    let most = vec![b'A'; 1 << 20];
    let world = shows(|_| resources(&["a", "b", "c", "d", "e"].map(|f| format!("skill://review/{f}"))))
        .on(move |asked| match asked.uri.as_str() {
            uri if asked.method == "resources/read" && uri != REVIEW => Say::Wire(vec![
                chunked("application/json"),
                Piece::Bytes(chunk(
                    format!(
                        "{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{{\"resultType\":\"complete\",\"ttlMs\":0,\"cacheScope\":\"private\",\"contents\":[{{\"uri\":\"{uri}\",\"blob\":\"",
                        asked.id
                    )
                    .as_bytes(),
                )),
                Piece::Again(chunk(&most), 20),
                Piece::Bytes(chunk(b"\"}]}}")),
                Piece::text("0\r\n\r\n"),
            ]),
            _ => Say::Usual,
        });
    assert_eq!(
        unverified(world).await,
        "Protocol: cannot read a skill of SERVER: the skill has more than 16777216 bytes"
    );
}

#[tokio::test]
async fn a_file_without_a_digest_that_never_ends_is_refused() {
    let world = shows(|_| resources(&["skill://review/a".to_owned()])).on(|asked| {
        match asked.uri.as_str() {
            "skill://review/a" if asked.method == "resources/read" => {
                Say::Wire(vec![chunked("application/json"), Piece::endless(&chunk(&[b' '; 65536]))])
            }
            _ => Say::Usual,
        }
    });
    assert_eq!(
        unverified(world).await,
        "Protocol: cannot read a from SERVER: the answer is larger than 33554432 bytes"
    );
}

#[tokio::test]
async fn what_nothing_vouches_for_is_not_approved_by_being_read() {
    let (_server, meeting, connection) = meets(shows(|_| resources(&[])).entry(|entry| {
        entry["resources"] = json!("dynamic");
    }))
    .await;
    let offer = connection.list().await.unwrap().offers.remove(0);
    assert!(matches!(offer.verdict, Verdict::Unverifiable(_)), "{offer:?}");
    assert_eq!(connection.unverified(REVIEW).await.unwrap().files.len(), 1);
    let error = connection.get_verifiable(REVIEW).await.expect_err("taken for verifiable");
    assert_eq!(error.kind(), ErrorKind::Protocol);
    meeting.nothing_is_left_behind();
    assert!(meeting.kept().is_empty());
}
