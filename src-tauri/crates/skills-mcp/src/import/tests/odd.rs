//! Broken, hostile and strange settings.

use std::fmt::Write as _;

use super::*;
use crate::import::limits::{SERVERS, VALUES, WORD_BYTES, WORDS};
use crate::import::tree::Language;

fn why(text: &str, language: Language) -> String {
    tree::read(text, language).unwrap_err().to_string()
}

#[test]
fn a_byte_order_mark_line_ends_of_windows_comments_and_trailing_commas_are_read() {
    let text = "\u{feff}{\r\n  // said\r\n  \"mcpServers\": { /* here */\r\n    \"a\": { \
                \"url\": \"https://x/mcp\", },\r\n  },\r\n}\r\n";
    assert_eq!(told(draft(&servers(Shape::McpServers, text), "a"), &[]), ["https://x/mcp"]);
    let toml = "\u{feff}[mcp_servers.a]\r\nurl = \"https://x/mcp\"\r\n";
    assert_eq!(told(draft(&servers(Shape::Codex, toml), "a"), &[]), ["https://x/mcp"]);
    let yaml =
        "\u{feff}extensions:\r\n  a:\r\n    type: streamable_http\r\n    uri: https://x/mcp\r\n";
    assert_eq!(told(draft(&servers(Shape::Goose, yaml), "a"), &[]), ["https://x/mcp"]);
}

#[test]
fn a_broken_text_is_told_by_line_and_column_and_never_quoted() {
    let json = "{\n  \"mcpServers\": {\n    \"a\": { \"env\": { \"K\": \"hunter2\" ] }\n";
    let reason = why(json, Language::Json);
    assert!(reason.starts_with("it is no valid JSON: line 3, column 36: "), "{reason}");
    assert!(!reason.contains("hunter2"), "{reason}");
    let toml = "[mcp_servers.a]\nbearer_token = \"hunter2\nurl = 1\n";
    let reason = why(toml, Language::Toml);
    assert!(reason.starts_with("it is no valid TOML: line 2, column "), "{reason}");
    assert!(!reason.contains("hunter2"), "{reason}");
    let yaml = "extensions:\n  a: hunter2\n   b: [\n";
    let reason = why(yaml, Language::Yaml);
    assert!(reason.starts_with("it is no valid YAML: line 3, column "), "{reason}");
    assert!(!reason.contains("hunter2"), "{reason}");
}

#[test]
fn nothing_at_all_is_no_error() {
    for shape in [Shape::McpServers, Shape::Codex, Shape::Goose] {
        assert!(servers(shape, " \n").is_empty());
    }
    assert!(servers(Shape::McpServers, "{}").is_empty());
    assert!(servers(Shape::McpServers, r#"{ "mcpServers": null }"#).is_empty());
}

#[test]
fn settings_of_the_wrong_type_are_told() {
    let told = |text: &str| {
        let tree = tree::read(text, Language::Json).unwrap();
        shape::servers(Shape::McpServers, &tree, Path::new("/h"), None).unwrap_err()
    };
    assert_eq!(told("[1]"), "it holds a list, not a table of settings");
    assert_eq!(told(r#"{ "mcpServers": [] }"#), "where its servers should stand is a list");
}

#[test]
fn one_broken_server_is_a_row_and_the_others_stand() {
    let found = servers(
        Shape::McpServers,
        r#"{ "mcpServers": {
          "good": { "command": "run" },
          "text": "https://x",
          "nothing": {},
          "empty": { "command": "  " },
          "both": { "command": "run", "url": "https://x" },
          "number": { "command": 7 },
          "args": { "command": "run", "args": "-y" },
          "nested": { "command": "run", "args": [["-y"]] },
          "env": { "command": "run", "env": [] },
          "deep-env": { "command": "run", "env": { "A": { "b": "hunter2" } } },
          "name": { "command": "run", "env": { "A B": "x" } },
          "url": { "url": {} },
          "header": { "url": "https://x", "headers": { "X Y": "x" } },
          "socket": { "type": "ws", "url": "wss://x" }
        } }"#,
    );
    assert_eq!(told(draft(&found, "good"), &[]), ["run"]);
    for (name, reason_wanted) in [
        ("text", "its settings are text, not a table"),
        ("nothing", "it names neither a command nor an address"),
        ("empty", "its command is empty"),
        ("both", "it names both a command and an address"),
        ("number", "its \"command\" is a number, not text"),
        ("args", "its \"args\" are text, not a list"),
        ("nested", "its \"args\" holds a list, not text"),
        ("env", "its \"env\" is a list, not a table"),
        ("deep-env", "\"A\" in its \"env\" is a table, not text"),
        (
            "name",
            "the variable \"A B\" cannot be set: its name is empty or holds a space or an equals sign",
        ),
        ("url", "its \"url\" is a table, not text"),
        (
            "header",
            "the header \"X Y\" cannot be sent: its name holds other than letters, digits and hyphens",
        ),
        ("socket", "it speaks over a WebSocket, which Skillhold does not"),
    ] {
        assert_eq!(reason(&found, name), reason_wanted, "{name}");
    }
}

#[test]
fn of_two_servers_with_one_name_the_last_counts_and_the_row_says_so() {
    let found = servers(
        Shape::McpServers,
        r#"{ "mcpServers": { "a": { "command": "first" }, "a": { "command": "second" } } }"#,
    );
    assert_eq!(found.len(), 1);
    assert_eq!(told(draft(&found, "a"), &[]), ["second"]);
    assert_eq!(found[0].notes, ["This name stands there twice; the last one counts."]);
}

#[test]
fn what_is_nested_too_deeply_is_refused() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(tree::read(&nested(64), Language::Json).is_ok());
    let json = nested(65);
    assert!(why(&json, Language::Json).ends_with("it is nested too deeply"));
    assert!(why(&"[".repeat(100_000), Language::Json).starts_with("it is no valid JSON"));
    let yaml = "- ".repeat(65) + "x";
    assert!(why(&yaml, Language::Yaml).contains("nested too deeply"));
    let toml = format!("a = {}{}", "[".repeat(65), "]".repeat(65));
    assert!(why(&toml, Language::Toml).contains("it is no valid TOML"));
}

#[test]
fn twenty_thousand_brackets_of_yaml_are_read_and_one_more_is_not() {
    let pairs = |count: usize| format!("a: [{}]\n", "[],".repeat(count - 1));
    assert!(tree::read(&pairs(20_000), Language::Yaml).is_ok());
    assert_eq!(
        why(&pairs(20_001), Language::Yaml),
        "it is no valid YAML: it says more than is read"
    );
}

#[test]
fn what_is_said_of_a_file_does_not_grow_with_its_keys() {
    let key = "secret".repeat(150);
    let yaml = format!("{key}:\n  {key}:\n    {}x\n", "- ".repeat(65));
    let reason = why(&yaml, Language::Yaml);
    assert!(reason.ends_with(": it is nested too deeply"), "{}", reason.len());
    assert!(!reason.contains("secret") && reason.len() < 300, "{}", reason.len());
}

#[test]
fn aliases_that_stand_for_more_than_is_read_are_refused() {
    let mut yaml = "a: &a [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for (one, next) in [('a', 'b'), ('b', 'c'), ('c', 'd'), ('d', 'e'), ('e', 'f'), ('f', 'g')] {
        let many = vec![format!("*{one}"); 10].join(", ");
        writeln!(yaml, "{next}: &{next} [{many}]").unwrap();
    }
    let reason = why(&yaml, Language::Yaml);
    assert!(
        reason.contains("it says more than is read") || reason.contains("repetition limit"),
        "{reason}"
    );
    let long = format!("a: &a {}\nb: [{}]\n", "x".repeat(100_000), vec!["*a"; 1000].join(", "));
    assert!(why(&long, Language::Yaml).contains("it says more than is read"));
}

#[test]
fn aliases_tags_and_keys_that_are_no_text_are_read() {
    let found = servers(
        Shape::Goose,
        "extensions:\n  a: &a {type: streamable_http, uri: https://x/mcp}\n  b: *a\n  7: !t {cmd: \
         run}\n",
    );
    assert_eq!(told(draft(&found, "b"), &[]), ["https://x/mcp"]);
    assert_eq!(told(draft(&found, "7"), &[]), ["run"]);
}

#[test]
fn too_many_servers_are_counted_and_left_out() {
    let entries: Vec<String> =
        (0..SERVERS + 3).map(|n| format!(r#""s{n}": {{ "command": "run" }}"#)).collect();
    let text = format!(r#"{{ "mcpServers": {{ {} }} }}"#, entries.join(","));
    let tree = tree::read(&text, Language::Json).unwrap();
    let all = shape::servers(Shape::McpServers, &tree, Path::new("/h"), None).unwrap();
    assert_eq!((all.found.len(), all.left_out), (SERVERS, 3));
}

#[test]
fn too_many_values_are_refused() {
    let many = |count: usize| {
        let entries: Vec<String> = (0..count).map(|n| format!(r#""V{n}": "x""#)).collect();
        let text = format!(
            r#"{{ "mcpServers": {{ "a": {{ "command": "run", "env": {{ {} }} }} }} }}"#,
            entries.join(",")
        );
        servers(Shape::McpServers, &text)[0].draft.as_ref().err().cloned()
    };
    assert_eq!(many(VALUES), None);
    assert_eq!(many(VALUES + 1).as_deref(), Some("it has more than 100 variables"));
}

#[test]
fn a_command_line_up_to_the_limits_is_taken_and_a_longer_one_is_not() {
    let taken = |words: usize, bytes: usize| {
        let long = "x".repeat(bytes);
        let list = vec![format!("\"{long}\""); words].join(",");
        let text = format!(r#"{{ "mcpServers": {{ "a": {{ "command": [{list}] }} }} }}"#);
        servers(Shape::McpServers, &text)[0].draft.is_ok()
    };
    assert!(taken(WORDS, 1));
    assert!(!taken(WORDS + 1, 1));
    assert!(taken(1, WORD_BYTES));
    assert!(!taken(1, WORD_BYTES + 1));
    let url = |bytes: usize| {
        let url = format!("http://x/{}", "y".repeat(bytes - 9));
        let text = format!(r#"{{ "mcpServers": {{ "a": {{ "url": "{url}" }} }} }}"#);
        servers(Shape::McpServers, &text)[0].draft.is_ok()
    };
    assert!(url(WORD_BYTES));
    assert!(!url(WORD_BYTES + 1));
}

proptest::proptest! {
    /// Whatever is pasted or stands in a file, it is read or refused.
    #[test]
    fn no_text_breaks_the_reader(
        text in "[\\PC\n]{0,200}",
        parts in proptest::collection::vec(
            proptest::sample::select(vec![
                "{", "}", "[", "]", ":", ",", "\"mcpServers\"", "\"a\"", "\"url\"", "\"command\"",
                "\"${env:\u{e4}}\"", "\"Bearer $X\"", "<a>", "\n", "  ", "- ", "&a", "*a", "=", "null",
                "extensions:", "[mcp_servers.a]", "claude mcp add", "-e", "--", "http://x", "your-key",
            ]),
            0..40,
        ),
    ) {
        for text in [text, parts.concat()] {
            let _ = super::super::pasted(&text, Path::new("/h"));
            for shape in [Shape::ClaudeCode, Shape::VsCode, Shape::Codex, Shape::Gemini, Shape::Goose, Shape::OpenCode] {
                if let Ok(tree) = tree::read(&text, shape.language()) {
                    let _ = shape::servers(shape, &tree, Path::new("/h"), None);
                }
            }
        }
    }
}

#[test]
fn values_are_in_no_debug_output() {
    let found = servers(
        Shape::McpServers,
        r#"{ "mcpServers": {
          "a": { "url": "https://x", "headers": { "Authorization": "Bearer hunter2", "X-K": "hunter2" } },
          "b": { "command": "run", "env": { "K": "hunter2", "D": "${D:-hunter2}" } }
        } }"#,
    );
    let filled = draft(&found, "b").fill(&[]).unwrap();
    let text = format!("{found:?} {filled:?}");
    assert!(!text.contains("hunter2"), "{text}");
    assert!(text.contains("X-K"), "{text}");
}

#[test]
fn what_only_looks_like_a_blank_is_text() {
    let found = servers(
        Shape::McpServers,
        r#"{ "mcpServers": { "a": {
          "command": "sh",
          "args": ["-c", "a < b > c && echo $HOME ${} ${x!} {env:Y}", "for-your-eyes"],
          "env": { "K": "not-your-key $5 a<1>b", "L": "yours" }
        } } }"#,
    );
    assert_eq!(blanks(draft(&found, "a")), Vec::<&str>::new());
}

#[test]
fn names_are_cut_and_blank_values_do_not_fill() {
    let long = "n".repeat(1000);
    let text = format!(r#"{{ "mcpServers": {{ "{long}": {{ "command": "${{A}}" }} }} }}"#);
    let found = servers(Shape::McpServers, &text);
    assert_eq!(found[0].name.chars().count(), 257);
    let draft = found[0].draft.as_ref().unwrap();
    let empty = [("A".to_owned(), Secret::from(""))];
    assert_eq!(draft.fill(&empty).unwrap_err().0, ["A"]);
}
