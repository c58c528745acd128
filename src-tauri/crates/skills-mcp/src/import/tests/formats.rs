//! One test a tool.

use super::*;

#[test]
fn claude_code_has_servers_for_all_and_for_single_projects() {
    let found = servers(
        Shape::ClaudeCode,
        r#"{
          "numStartups": 7,
          "mcpServers": {
            "notion": { "type": "http", "url": "https://mcp.notion.com/mcp" },
            "secure-api": {
              "type": "http",
              "url": "https://api.example.com/mcp",
              "headers": { "Authorization": "Bearer tok-1", "X-Team": "core" }
            },
            "asana": { "type": "sse", "url": "https://mcp.asana.com/sse" }
          },
          "projects": {
            "/home/me/src/app": {
              "history": [],
              "mcpServers": {
                "airtable": {
                  "type": "stdio",
                  "command": "npx",
                  "args": ["-y", "airtable-mcp-server"],
                  "env": { "AIRTABLE_API_KEY": "${AIRTABLE_KEY}", "MODE": "${MODE:-fast}" }
                }
              }
            },
            "/home/me/src/none": { "mcpServers": {} }
          }
        }"#,
    );
    let names: Vec<&str> = found.iter().map(|server| server.name.as_str()).collect();
    assert_eq!(names, ["notion", "secure-api", "asana", "airtable"]);
    assert_eq!(told(draft(&found, "notion"), &[]), ["https://mcp.notion.com/mcp"]);
    assert_eq!(
        told(draft(&found, "secure-api"), &[]),
        ["https://api.example.com/mcp", "token tok-1", "X-Team=core"]
    );
    assert!(reason(&found, "asana").starts_with("it speaks the older SSE transport"));
    let airtable = draft(&found, "airtable");
    assert_eq!(named(&found, "airtable").project.as_deref(), Some(Path::new("/home/me/src/app")));
    assert_eq!(blanks(airtable), ["AIRTABLE_KEY", "MODE"]);
    assert_eq!(
        told(airtable, &[("AIRTABLE_KEY", "k1")]),
        ["npx -y airtable-mcp-server", "AIRTABLE_API_KEY=k1", "MODE=fast"]
    );
    assert_eq!(airtable.fill(&[]).unwrap_err().to_string(), "AIRTABLE_KEY is not filled in");
}

#[test]
fn claude_desktop_and_cursor_name_commands_and_addresses() {
    let found = servers(
        Shape::McpServers,
        r#"{ "mcpServers": {
          "filesystem": {
            "command": "npx",
            "args": ["-y", "@modelcontextprotocol/server-filesystem", "/Users/me/Desktop"]
          },
          "here": { "command": "${userHome}/bin/serve", "args": ["${workspaceFolder}"] },
          "remote": {
            "url": "https://api.example.com/v1/mcp",
            "headers": { "Authorization": "Bearer ${env:USERJOT_API_TOKEN}" }
          },
          "filed": { "command": "node", "args": ["a.js"], "envFile": "${workspaceFolder}/.env" }
        } }"#,
    );
    assert_eq!(
        told(draft(&found, "filesystem"), &[]),
        ["npx -y @modelcontextprotocol/server-filesystem /Users/me/Desktop"]
    );
    assert_eq!(blanks(draft(&found, "here")), ["workspaceFolder"]);
    assert_eq!(draft(&found, "here").words(), ["/home/me/bin/serve", "${workspaceFolder}"]);
    assert_eq!(draft(&found, "here").endpoint(), None);
    let remote = draft(&found, "remote");
    assert!(remote.has_token());
    assert_eq!(blanks(remote), ["USERJOT_API_TOKEN"]);
    assert_eq!(
        told(remote, &[("USERJOT_API_TOKEN", "t")]),
        ["https://api.example.com/v1/mcp", "token t"]
    );
    assert_eq!(
        draft(&found, "filed").notes(),
        ["The variables in ${workspaceFolder}/.env are not taken along."]
    );
}

#[test]
fn a_project_file_knows_its_project() {
    let project = Path::new("/home/me/src/app");
    let text =
        r#"{ "mcpServers": { "a": { "command": "run", "args": ["${workspaceFolder}/x"] } } }"#;
    let found = in_project(Shape::McpServers, text, Some(project));
    assert_eq!(told(draft(&found, "a"), &[]), ["run /home/me/src/app/x"]);
    assert_eq!(found[0].project.as_deref(), Some(project));
}

#[test]
fn vs_code_asks_the_person_through_inputs() {
    let text = r#"{
      // Questions come first.
      "inputs": [
        { "type": "promptString", "id": "key", "description": "Key of the API", "password": true },
        { "type": "promptString", "id": "zone", "description": "Zone", "default": "eu" },
      ],
      "servers": {
        "github": { "type": "http", "url": "https://api.githubcopilot.com/mcp/" },
        "asking": {
          "type": "stdio",
          "command": "uvx",
          "args": ["serve", "--zone=${input:zone}"],
          "env": { "API_KEY": "${input:key}", "GONE": null, "PORT": 8080 },
        },
      },
    }"#;
    let found = servers(Shape::VsCode, text);
    assert_eq!(told(draft(&found, "github"), &[]), ["https://api.githubcopilot.com/mcp/"]);
    let asking = draft(&found, "asking");
    let asked: Vec<_> = asking
        .blanks()
        .iter()
        .map(|blank| (blank.name.as_str(), blank.about.as_deref(), blank.optional))
        .collect();
    assert_eq!(
        asked,
        [("input:zone", Some("Zone"), true), ("input:key", Some("Key of the API"), false)]
    );
    assert_eq!(
        told(asking, &[("input:key", "k")]),
        ["uvx serve --zone=eu", "API_KEY=k", "PORT=8080"]
    );
    let settings = format!("{{ \"editor.fontSize\": 14, \"mcp\": {text} }}");
    let same = servers(Shape::VsCodeSettings, &settings);
    assert_eq!(draft(&same, "asking").blanks(), asking.blanks());
    assert!(servers(Shape::VsCodeSettings, r#"{ "editor.fontSize": 14 }"#).is_empty());
}

#[test]
fn codex_takes_tokens_and_headers_from_variables() {
    let found = servers(
        Shape::Codex,
        r#"
        model = "o5"
        [mcp_servers.context7]
        command = "npx"
        args = ["-y", "@upstash/context7-mcp"]
        env_vars = ["LOCAL_TOKEN", { name = "OTHER", source = "local" }]
        startup_timeout_sec = 20
        [mcp_servers.context7.env]
        MY_ENV_VAR = "MY_ENV_VALUE"
        [mcp_servers.figma]
        url = "https://mcp.figma.com/mcp"
        bearer_token_env_var = "FIGMA_OAUTH_TOKEN"
        http_headers = { "X-Figma-Region" = "us-east-1" }
        env_http_headers = { "X-Key" = "FIGMA_KEY" }
        [mcp_servers.parked]
        url = "https://parked.example.org/mcp"
        enabled = false
        "#,
    );
    let context7 = draft(&found, "context7");
    assert_eq!(blanks(context7), ["LOCAL_TOKEN", "OTHER"]);
    assert_eq!(
        told(context7, &[("LOCAL_TOKEN", "1"), ("OTHER", "2")]),
        ["npx -y @upstash/context7-mcp", "MY_ENV_VAR=MY_ENV_VALUE", "LOCAL_TOKEN=1", "OTHER=2"]
    );
    let figma = draft(&found, "figma");
    assert_eq!(
        told(figma, &[("FIGMA_OAUTH_TOKEN", "t"), ("FIGMA_KEY", "k")]),
        ["https://mcp.figma.com/mcp", "token t", "X-Figma-Region=us-east-1", "X-Key=k"]
    );
    assert!(named(&found, "parked").disabled);
    assert!(!named(&found, "figma").disabled);
}

#[test]
fn gemini_has_two_keys_for_addresses_and_its_own_spelling_of_variables() {
    let found = servers(
        Shape::Gemini,
        r#"{
          "mcp": { "excluded": ["off"] },
          "mcpServers": {
            "http": {
              "httpUrl": "http://localhost:3000/mcp",
              "headers": { "X-Custom": "$CUSTOM", "Content-Type": "application/json" }
            },
            "either": { "url": "http://localhost:8080/mcp" },
            "old": { "url": "http://localhost:8080/sse", "type": "sse" },
            "perhaps": { "url": "http://localhost:8080/sse" },
            "docker": {
              "command": "docker",
              "args": ["run", "-i", "--rm", "-e", "API_KEY", "-v", "${PWD}:/workspace", "image"],
              "env": { "API_KEY": "$EXTERNAL_SERVICE_TOKEN" },
              "cwd": "./here"
            },
            "off": { "command": "python", "args": ["-m", "srv"] }
          }
        }"#,
    );
    let http = draft(&found, "http");
    assert_eq!(told(http, &[("CUSTOM", "c")]), ["http://localhost:3000/mcp", "X-Custom=c"]);
    assert_eq!(
        http.notes(),
        ["The header \"Content-Type\" is left out: Skillhold sets it itself."]
    );
    assert_eq!(told(draft(&found, "either"), &[]), ["http://localhost:8080/mcp"]);
    assert!(reason(&found, "old").contains("older SSE"));
    assert_eq!(
        draft(&found, "perhaps").notes(),
        ["Its address ends in /sse: it may speak only the older transport, which Skillhold does \
             not."]
    );
    let docker = draft(&found, "docker");
    assert_eq!(blanks(docker), ["PWD", "EXTERNAL_SERVICE_TOKEN"]);
    assert_eq!(
        docker.notes(),
        ["It is meant to start in ./here; Skillhold starts it elsewhere, so relative paths in it \
             lead nowhere."]
    );
    assert!(named(&found, "off").disabled);
}

#[test]
fn goose_has_its_own_parts_among_its_extensions() {
    let found = servers(
        Shape::Goose,
        "GOOSE_MODEL: m\nextensions:\n  developer:\n    bundled: true\n    enabled: true\n    \
         name: developer\n    type: builtin\n  github:\n    args:\n    - -y\n    - \
         '@modelcontextprotocol/server-github'\n    cmd: npx\n    enabled: true\n    envs: {LEVEL: \
         3}\n    env_keys:\n    - GITHUB_PERSONAL_ACCESS_TOKEN\n    name: github\n    type: stdio\n  \
         remote:\n    enabled: false\n    headers: {X-Key: abc}\n    type: streamable_http\n    \
         uri: https://example.org/mcp\n  old:\n    type: sse\n    uri: https://example.org/sse\n",
    );
    assert_eq!(
        reason(&found, "developer"),
        "it is a part of the tool itself and runs nowhere else"
    );
    let github = draft(&found, "github");
    assert_eq!(blanks(github), ["GITHUB_PERSONAL_ACCESS_TOKEN"]);
    assert_eq!(
        told(github, &[("GITHUB_PERSONAL_ACCESS_TOKEN", "p")]),
        ["npx -y @modelcontextprotocol/server-github", "LEVEL=3", "GITHUB_PERSONAL_ACCESS_TOKEN=p"]
    );
    assert_eq!(told(draft(&found, "remote"), &[]), ["https://example.org/mcp", "X-Key=abc"]);
    assert!(named(&found, "remote").disabled);
    assert!(reason(&found, "old").contains("older SSE"));
}

#[test]
fn opencode_has_a_first_and_a_second_form() {
    let first = servers(
        Shape::OpenCode,
        r#"{ "mcp": {
          "local": {
            "type": "local", "command": ["bun", "x", "my-mcp-command"], "enabled": false,
            "environment": { "KEY": "{env:MY_KEY}" },
          },
          "remote": {
            "type": "remote", "url": "https://mcp.example.com/mcp",
            "headers": { "Authorization": "Bearer {file:~/.secret}" },
          },
        } }"#,
    );
    let local = draft(&first, "local");
    assert!(named(&first, "local").disabled);
    assert_eq!(told(local, &[("MY_KEY", "k")]), ["bun x my-mcp-command", "KEY=k"]);
    assert_eq!(blanks(draft(&first, "remote")), ["file:~/.secret"]);
    let second = servers(
        Shape::OpenCode,
        r#"{ "mcp": { "servers": {
          "my-server": { "type": "local", "command": ["npx", "-y", "srv"], "disabled": true }
        } } }"#,
    );
    assert_eq!(told(draft(&second, "my-server"), &[]), ["npx -y srv"]);
    assert!(named(&second, "my-server").disabled);
    let called_servers = servers(
        Shape::OpenCode,
        r#"{ "mcp": { "servers": { "type": "remote", "url": "http://x" } } }"#,
    );
    assert_eq!(told(draft(&called_servers, "servers"), &[]), ["http://x"]);
    let map =
        servers(Shape::Bare, r#"{ "jira": { "type": "remote", "url": "https://jira.x/mcp" } }"#);
    assert_eq!(told(draft(&map, "jira"), &[]), ["https://jira.x/mcp"]);
}

#[test]
fn windsurf_names_its_address_by_another_key() {
    let found = servers(
        Shape::McpServers,
        r#"{ "mcpServers": {
          "github": {
            "serverUrl": "https://api.githubcopilot.com/mcp/",
            "headers": { "Authorization": "Bearer YOUR_GITHUB_PAT" },
            "disabled": true
          },
          "raw": { "serverUrl": "https://x/mcp", "headers": { "Authorization": "<your token here>" } }
        } }"#,
    );
    let github = draft(&found, "github");
    assert!(named(&found, "github").disabled);
    assert_eq!(blanks(github), ["YOUR_GITHUB_PAT"]);
    assert_eq!(
        told(github, &[("YOUR_GITHUB_PAT", "ghp")]),
        ["https://api.githubcopilot.com/mcp/", "token ghp"]
    );
    let raw = draft(&found, "raw");
    assert_eq!(told(raw, &[("your token here", "abc")]), ["https://x/mcp", "Authorization=abc"]);
}
