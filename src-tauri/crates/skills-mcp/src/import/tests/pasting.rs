//! What people paste.

use super::*;

/// The name, and what the only server says.
fn only(text: &str) -> Vec<String> {
    let found = pasted(text).found;
    assert_eq!(found.len(), 1, "{found:?}");
    let mut lines = vec![found[0].name.clone()];
    lines.extend(told(found[0].draft.as_ref().unwrap(), &[]));
    lines
}

fn why(text: &str) -> String {
    super::super::pasted(text, Path::new("/home/me")).unwrap_err().to_string()
}

#[test]
fn settings_of_every_tool_are_recognised() {
    let http = ["a", "https://x/mcp"];
    for text in [
        r#"{ "mcpServers": { "a": { "url": "https://x/mcp" } } }"#,
        r#""mcpServers": { "a": { "url": "https://x/mcp" } },"#,
        r#"{ "servers": { "a": { "type": "http", "url": "https://x/mcp" } } }"#,
        r#"{ "mcp": { "servers": { "a": { "url": "https://x/mcp" } }, "inputs": [] } }"#,
        r#"{ "mcp": { "a": { "type": "remote", "url": "https://x/mcp" } } }"#,
        r#"{ "a": { "serverUrl": "https://x/mcp" } }"#,
        r#""a": { "httpUrl": "https://x/mcp" }"#,
        "// copied\n{ \"mcpServers\": { \"a\": { \"url\": \"https://x/mcp\", } } }",
        "```json\n{ \"mcpServers\": { \"a\": { \"url\": \"https://x/mcp\" } } }\n```",
        "[mcp_servers.a]\nurl = \"https://x/mcp\"\n",
        "# Codex\n[mcp_servers]\na = { url = \"https://x/mcp\" }",
        "extensions:\n  a:\n    type: streamable_http\n    uri: https://x/mcp\n",
        "a:\n  type: streamable_http\n  uri: https://x/mcp\n",
        r#"{ "name": "a", "url": "https://x/mcp" }"#,
        "name: a\nuri: https://x/mcp\n",
        r#"{ "settings": { "mcpServers": { "a": { "url": "https://x/mcp" } } } }"#,
        "claude mcp add --transport http a https://x/mcp",
        "claude mcp add a --transport http --scope user https://x/mcp",
        "gemini mcp add -s user --transport=http a https://x/mcp",
        "codex mcp add a --url https://x/mcp",
        "opencode mcp add a --global --url https://x/mcp",
        r#"claude mcp add-json a '{"type":"http","url":"https://x/mcp"}'"#,
    ] {
        assert_eq!(only(text), http, "{text}");
    }
}

#[test]
fn an_address_alone_is_named_by_its_host() {
    assert_eq!(
        only(" https://mcp.example.org/v1 \n"),
        ["mcp.example.org", "https://mcp.example.org/v1"]
    );
    assert_eq!(only("HTTP://127.0.0.1:8000/mcp"), ["127.0.0.1", "HTTP://127.0.0.1:8000/mcp"]);
    assert_eq!(only(r#"{ "url": "https://x.org/mcp" }"#), ["x.org", "https://x.org/mcp"]);
}

#[test]
fn commands_that_tell_a_tool_of_a_server_carry_headers_and_variables() {
    assert_eq!(
        only(
            "claude mcp add --transport http secure-api https://api.example.com/mcp \\\n  --header \
             \"Authorization: Bearer tok\" -H 'X-Team: core'"
        ),
        ["secure-api", "https://api.example.com/mcp", "token tok", "X-Team=core"]
    );
    assert_eq!(
        only(
            "$ claude mcp add --transport stdio airtable --env AIRTABLE_API_KEY=k -- npx -y airtable-mcp-server --env x"
        ),
        ["airtable", "npx -y airtable-mcp-server --env x", "AIRTABLE_API_KEY=k"]
    );
    assert_eq!(
        only("claude mcp add -e A=1 -e B=a=b my-server my-command --some-flag arg1"),
        ["my-server", "my-command --some-flag arg1", "A=1", "B=a=b"]
    );
    let codex = pasted("codex mcp add x --url https://x/mcp --bearer-token-env-var X_TOKEN").found;
    assert_eq!(blanks(draft(&codex, "x")), ["X_TOKEN"]);
}

#[test]
fn a_command_line_is_named_by_what_it_starts() {
    assert_eq!(
        only("npx -y @modelcontextprotocol/server-everything --verbose"),
        ["server-everything", "npx -y @modelcontextprotocol/server-everything --verbose"]
    );
    assert_eq!(only("API_KEY='a b' uvx my-server"), ["my-server", "uvx my-server", "API_KEY=a b"]);
    assert_eq!(
        only("/opt/my tools/srv"),
        ["my", "'/opt/my' tools/srv"].map(|it| it.replace('\'', ""))
    );
    assert_eq!(
        only("docker run -i --rm ghcr.io/x/server:1"),
        ["server:1", "docker run -i --rm ghcr.io/x/server:1"]
    );
    assert_eq!(only("python3 -m srv"), ["srv", "python3 -m srv"]);
}

#[test]
fn values_to_be_filled_in_become_blanks() {
    let found = pasted(
        r#"{ "github": { "url": "https://x/mcp", "headers": { "Authorization": "Bearer <YOUR_PAT>" } },
             "b": { "command": "run", "env": { "K": "your-api-key", "L": "{env:L}" } } }"#,
    )
    .found;
    assert_eq!(blanks(draft(&found, "github")), ["YOUR_PAT"]);
    assert_eq!(blanks(draft(&found, "b")), ["your-api-key", "L"]);
}

#[test]
fn what_is_none_of_them_says_so() {
    assert_eq!(why("  "), "there is nothing in it");
    for text in [
        "hello there",
        "rm -rf /",
        "mcp.example.org",
        "{}",
        "{ \"a\": 1 }",
        "[1, 2]\n",
        "key: value",
    ] {
        let reason = why(text);
        assert!(
            reason.contains("none of the forms") || reason.contains("no valid TOML"),
            "{text}: {reason}"
        );
    }
    assert_eq!(why(r#"{ "mcpServers": {} }"#), "it has a place for servers and none in it");
    assert_eq!(why("npx 'a"), "a quotation in it does not end");
    assert_eq!(why("npx a | sh"), "it is more than one command, and no shell is asked to run it");
    assert_eq!(why("claude mcp add"), "it names no server");
    assert_eq!(why("claude mcp add --frob x"), "its option --frob is not known");
    assert_eq!(why("claude mcp add -e"), "its option -e has no value");
    assert!(why("npx a\nnpx b").contains("would be one line"));
    assert!(why(&"x".repeat(4 * 1024 * 1024 + 1)).contains("more than 4 MiB"));
}

#[test]
fn a_server_that_a_command_tells_nothing_of_is_a_row() {
    let found = pasted("claude mcp add lonely").found;
    assert_eq!(reason(&found, "lonely"), "it names neither a command nor an address");
}
