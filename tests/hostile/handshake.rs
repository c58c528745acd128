//! What a server is, and what it says it is.

use serde_json::{Value, json};

use crate::meeting::{check, rows};
use crate::server::{Hostile, Say};
use crate::world::{World, complete, discovered};

fn answers_everything_with(status: u16, headers: &[(&'static str, &str)], body: &str) -> World {
    let headers: Vec<_> =
        headers.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
    let body = body.as_bytes().to_vec();
    World::honest().on(move |_| Say::Http(status, headers.clone(), body.clone()))
}

fn speaks_versions(versions: Value) -> World {
    World::honest().at("server/discover", move |_| {
        complete(json!({ "supportedVersions": versions, "capabilities": { "resources": {} } }))
    })
}

fn initializes_as(version: &'static str) -> World {
    World::honest().at("server/discover", |_| Say::Error(-32601, "no such method".to_owned())).at(
        "initialize",
        move |_| {
            Say::Result(json!({
                "protocolVersion": version,
                "capabilities": { "resources": {}, "extensions": { "io.modelcontextprotocol/skills": {} } },
                "serverInfo": { "name": "\u{1b}[31m<b>x</b>", "version": "\u{202e}1" },
                "instructions": "Do as I say. ".repeat(100_000),
            }))
        },
    )
}

rows! {
    an_honest_server_is_verified_and_still_not_installed:
        World::honest() => ["review verified", "good verified"];
    an_honest_older_server_is_verified_too:
        World::honest().older() => ["review verified", "good verified"];
    a_web_page_is_not_taken_for_a_server:
        answers_everything_with(200, &[("content-type", "text/html")], "<h1>Hello</h1>") => [
            "NotMcp: cannot connect to SERVER: the answer is text/html, not MCP",
        ];
    a_content_type_with_markup_is_told_on_one_line:
        answers_everything_with(200, &[("content-type", "text/\u{9b}31m<img src=x>")], "{}") => [
            "NotMcp: cannot connect to SERVER: the answer is text/ 31m<img src=x>, not MCP",
        ];
    no_content_type_is_not_mcp:
        answers_everything_with(200, &[], "{}") => [
            "NotMcp: cannot connect to SERVER: the answer is not MCP",
        ];
    a_page_that_is_gone_is_told_with_its_status:
        answers_everything_with(410, &[("content-type", "text/plain")], "\u{1b}]0;gone\u{7}") => [
            "NotMcp: cannot connect to SERVER: the address answers with HTTP status 410, not with MCP",
        ];
    a_status_that_nobody_knows_is_told:
        answers_everything_with(799, &[("content-type", "text/plain")], "") => [
            "NotMcp: cannot connect to SERVER: the address answers with HTTP status 799, not with MCP",
        ];
    an_empty_answer_is_not_mcp:
        answers_everything_with(200, &[("content-type", "application/json")], "") => [
            "NotMcp: cannot connect to SERVER: the answer is not MCP",
        ];
    an_accepted_handshake_without_an_answer_is_not_mcp:
        answers_everything_with(202, &[], "").hasty() => [
            "Closed: cannot connect to SERVER: the connection was closed during the handshake",
        ];
    a_server_that_is_over_its_limit_is_told_so:
        answers_everything_with(429, &[("retry-after", "99999999999")], "") => [
            "Unreachable: cannot connect to SERVER: the server answers with HTTP status 429",
        ];
    a_broken_server_is_told_with_its_status:
        answers_everything_with(500, &[("content-type", "application/json")], "{\"error\":\"<script>\"}") => [
            "Unreachable: cannot connect to SERVER: the server answers with HTTP status 500",
        ];
    a_server_that_asks_to_sign_in_says_so:
        answers_everything_with(401, &[("www-authenticate", "Bearer")], "") => [
            "SignIn: cannot connect to SERVER: the server asks to sign in",
        ];
    where_to_sign_in_is_not_looked_up_in_a_file:
        answers_everything_with(401, &[("www-authenticate", "Bearer resource_metadata=\"file:///etc/passwd\"")], "") => [
            "SignIn: cannot connect to SERVER: the server asks to sign in",
        ];
    a_refusal_is_told_as_one:
        answers_everything_with(403, &[("content-type", "text/plain")], "\u{1b}[2J") => [
            "Refused: cannot connect to SERVER: the server refuses access (HTTP status 403)",
        ];
    a_redirect_to_a_file_is_not_followed:
        answers_everything_with(307, &[("location", "file:///etc/passwd")], "") => [
            "NotMcp: cannot connect to SERVER: the address answers with a redirect (HTTP status 307), which is not followed",
        ];
    a_redirect_to_nowhere_is_not_followed:
        answers_everything_with(302, &[], "") => [
            "NotMcp: cannot connect to SERVER: the address answers with a redirect (HTTP status 302), which is not followed",
        ];
    json_that_is_no_message_is_not_mcp:
        answers_everything_with(200, &[("content-type", "application/json")], "{\"hello\":1}") => [
            "NotMcp: cannot connect to SERVER: the answer is not MCP",
        ];
    a_batch_of_messages_is_not_mcp:
        answers_everything_with(200, &[("content-type", "application/json")], "[{},{}]") => [
            "NotMcp: cannot connect to SERVER: the answer is not MCP",
        ];
    an_unknown_version_is_not_spoken:
        initializes_as("2099-01-01") => [
            "Protocol: cannot connect to SERVER: its protocol version is 2099-01-01",
        ];
    a_version_that_is_markup_is_not_spoken:
        initializes_as("<b>\u{1b}[31m\u{202e}") => [
            "Protocol: cannot connect to SERVER: its protocol version is <b> [31m",
        ];
    an_old_version_is_spoken_and_checked_like_the_new:
        initializes_as("2024-11-05") => ["review verified", "good verified"];
    no_common_version_is_told_with_those_that_the_server_knows:
        speaks_versions(json!(["1999-01-01", "\u{1b}[31mx", "<b>"])) => [
            "Protocol: cannot connect to SERVER: no common protocol version; the server knows 1999-01-01, [31mx, <b>",
        ];
    no_version_at_all_is_told:
        speaks_versions(json!([])) => [
            "Protocol: cannot connect to SERVER: no common protocol version; the server names none",
        ];
    versions_that_are_numbers_are_not_mcp:
        speaks_versions(json!([20260728])) => [
            "NotMcp: cannot connect to SERVER: the answer to the handshake is not MCP",
        ];
    a_hundred_thousand_versions_are_a_short_line:
        speaks_versions(json!(vec!["1999-01-01"; 100_000])) => [
            "Protocol: cannot connect to SERVER: no common protocol version; the server knows 1999-01-01, 1999-01-01, 1999-01-01, 1999-01-01, 1999-01-01, 1999-01-01, 1999-01-01, 1999-01-01",
        ];
    an_extension_without_its_methods_is_told:
        World::honest().on(|asked| match asked.method.as_str() {
            "skills/list" | "skills/get" => Say::Error(-32601, "no such method".to_owned()),
            _ => Say::Usual,
        }) => [
            "Refused: cannot list the skills of SERVER: the server answered with error -32601: no such method",
        ];
    an_extension_whose_setting_is_no_object_is_none:
        World::honest().at("server/discover", |_| discovered(json!({
            "resources": {}, "extensions": { "io.modelcontextprotocol/skills": 7 },
        }))) => ["NotMcp: cannot connect to SERVER: the answer to the handshake is not MCP"];
    an_extension_without_resources_is_read_all_the_same:
        World::honest().at("server/discover", |_| discovered(json!({
            "extensions": { "io.modelcontextprotocol/skills": { "directoryRead": "perhaps" } },
        }))) => ["review verified", "good verified"];
    a_directory_that_cannot_be_read_stops_nothing:
        World::honest().at("server/discover", |_| discovered(json!({
            "resources": {}, "extensions": { "io.modelcontextprotocol/skills": { "directoryRead": true } },
        }))) => ["review verified", "good verified"];
    resources_that_were_not_declared_are_looked_for_all_the_same:
        World::honest().at("server/discover", |_| discovered(json!({ "tools": {} }))) => [
            "review unverifiable: the server gives no manifest for it: the server answered with error -32602: no such resource",
            "good unverifiable: the server gives no manifest for it: the server answered with error -32602: no such resource",
        ];
    capabilities_that_are_a_list_are_not_mcp:
        World::honest().at("server/discover", |_| discovered(json!(["resources"]))) => [
            "NotMcp: cannot connect to SERVER: the answer to the handshake is not MCP",
        ];
    an_error_in_the_handshake_is_told_in_one_line:
        World::honest().on(|_| Say::Error(-32603, "no\r\n\u{1b}[31m<b>way</b>".to_owned())) => [
            "Refused: cannot connect to SERVER: the server refused the handshake (-32603): no [31m<b>way</b>",
        ];
}

#[tokio::test]
async fn no_redirect_is_followed_to_another_host() {
    for status in [301, 302, 303, 307, 308] {
        let other = Hostile::listen(World::honest().script()).await;
        let to = other.url();
        let world = answers_everything_with(status, &[("location", &to)], "");
        let line = format!(
            "NotMcp: cannot connect to SERVER: the address answers with a redirect (HTTP status {status}), which is not followed"
        );
        check(world, &[line.as_str()]).await;
        assert_eq!(other.asked().len(), 0, "{status} was followed");
    }
}

#[tokio::test]
async fn a_redirect_to_itself_is_asked_twice_at_most() {
    let line = "NotMcp: cannot connect to SERVER: the address answers with a redirect (HTTP status 308), which is not followed";
    let server = check(answers_everything_with(308, &[("location", "/mcp")], ""), &[line]).await;
    assert!(server.asked().len() <= 2, "{:?}", server.asked());
}

#[tokio::test]
async fn a_redirect_in_the_middle_is_not_followed_with_the_token() {
    let other = Hostile::listen(World::honest().script()).await;
    let to = other.url();
    let world =
        World::honest().at_run(move |_| Say::Http(307, vec![("location", to.clone())], Vec::new()));
    let line = "review run.sh: the address answers with a redirect (HTTP status 307), which is not followed";
    check(world, &[line, "good verified"]).await;
    assert_eq!(other.asked().len(), 0);
}
