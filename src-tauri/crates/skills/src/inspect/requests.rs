//! What a skill asks for: tools, hooks, commands, addresses, paths outside of itself.

use serde_json::Value;

use super::{Requests, is_markdown};
use crate::frontmatter::{FrontMatter, same_field};
use crate::lines::{lines, without_last_break};
use crate::pattern::{Pattern, compile};

/// The most requests of one kind that are listed.
const MAX_LISTED: usize = 500;

/// The most characters of one of them.
const MAX_LENGTH: usize = 500;

pub(super) fn front_matter(skill_md: &[u8], requests: &mut Requests) {
    let read = FrontMatter::read(skill_md);
    for (name, value) in read.fields() {
        if same_field(name, "allowed-tools") {
            for word in allowed_tools(value) {
                add(&mut requests.allowed_tools, &word);
            }
        } else if same_field(name, "hooks") {
            match value {
                Value::Object(hooks) => {
                    for (event, hook) in hooks {
                        add(&mut requests.hooks, &format!("{event}: {hook}"));
                    }
                }
                Value::String(text) => add(&mut requests.hooks, text),
                other => add(&mut requests.hooks, &other.to_string()),
            }
        }
    }
}

/// The hooks, servers and agents of a plugin come with its manifest.
pub(super) fn plugin(path: &str, requests: &mut Requests) {
    add(&mut requests.hooks, &format!("{path}: what the plugin brings along"));
}

fn allowed_tools(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => words(text),
        Value::Array(items) => items
            .iter()
            .map(|item| item.as_str().map_or_else(|| item.to_string(), str::to_owned))
            .collect(),
        Value::Null => Vec::new(),
        other => vec![other.to_string()],
    }
}

/// Words with blanks or commas between them; what is in parentheses stays together.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut depth = 0_usize;
    for c in text.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && (c.is_whitespace() || c == ',') {
            words.push(String::new());
        } else if let Some(word) = words.last_mut() {
            word.push(c);
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

pub(super) fn text(path: &str, text: &str, requests: &mut Requests) {
    static ADDRESS: Pattern = Pattern::new(|| compile(r#"(?i)\bhttps?://[^\s"'`<>\\{}|^\[\])]+"#));
    if text.contains("://") {
        for found in ADDRESS.find_iter(text) {
            add(
                &mut requests.addresses,
                found.as_str().trim_end_matches(['.', ',', ';', ':', '!', '?', '*', '_', '(']),
            );
        }
    }
    outside(path, text, requests);
    if is_markdown(path) {
        commands(text, requests);
    }
}

fn outside(path: &str, text: &str, requests: &mut Requests) {
    static OUTSIDE: Pattern = Pattern::new(|| {
        compile(concat!(
            r#"(?:^|[\s"'`(=<>\[,:])("#,
            r#"(?:~|\$HOME|\$\{HOME\}|\$env:[A-Z]+|%[A-Z]+%)[/\\][^\s"'`<>()\[\],;|]*"#,
            r#"|/(?:etc|usr|var|tmp|home|Users|root|opt|bin|sbin|private|Library|Applications|dev|proc|sys|mnt|Volumes|System)/[^\s"'`<>()\[\],;|]*"#,
            r#"|[A-Za-z]:\\[^\s"'`<>()\[\],;|]+"#,
            r#"|(?:\./)?\.\./[^\s"'`<>()\[\],;|]*"#,
            ")"
        ))
    });
    let depth = path.matches('/').count();
    let may_name = |line: &&str| line.contains(['/', '\\']) && !line.starts_with("#!");
    for line in lines(text).filter(may_name) {
        for found in OUTSIDE.captures_iter(line).filter_map(|found| found.get(1)) {
            let target = found.as_str().trim_end_matches(['.', ':', '*', '!', '?']);
            if target == "/dev/null" || (target.contains("../") && !leaves(target, depth)) {
                continue;
            }
            add(&mut requests.outside, target);
        }
    }
}

/// Whether a relative path, seen from a file this many folders deep, leaves the skill.
fn leaves(target: &str, depth: usize) -> bool {
    if !target.starts_with('.') {
        return true;
    }
    let mut depth = depth;
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." if depth == 0 => return true,
            ".." => depth -= 1,
            _ => depth += 1,
        }
    }
    false
}

fn commands(text: &str, requests: &mut Requests) {
    static FENCE: Pattern = Pattern::new(|| {
        compile(r"^\s*(?:>\s*)*(?:[-*+]\s+)?(`{3,}|~{3,})\s*\{?\.?([A-Za-z0-9_+-]*)")
    });
    static INLINE: Pattern = Pattern::new(|| compile(r"(!?)`([^`\n]+)`"));
    static KNOWN: Pattern = Pattern::new(|| {
        compile(
            r"^(?:sudo|python[0-9.]*|bash|sh|zsh|node|deno|bun|npm|npx|pnpm|yarn|pip[0-9.]*|pipx|uv|uvx|curl|wget|git|gh|docker|kubectl|chmod|rm|mv|cp|brew|apt|apt-get|cargo|go|make|ruby|perl|osascript|powershell|pwsh|\./\S+)\s\S",
        )
    });
    let mut fence: Option<(String, Shell)> = None;
    let mut pending = String::new();
    for line in lines(text).map(without_last_break) {
        let may_open = line.contains("```") || line.contains("~~~");
        let opened = if may_open { FENCE.captures(line) } else { None };
        match (&fence, opened) {
            (None, Some(opened)) => fence = Some((opened[1].to_owned(), Shell::of(&opened[2]))),
            (Some((mark, _)), Some(closed))
                if closed[1].starts_with(mark.as_str()) && closed[2].is_empty() =>
            {
                add(&mut requests.commands, pending.trim());
                pending.clear();
                fence = None;
            }
            (Some((_, shell)), _) => {
                let (line, prompted) = without_prompt(line);
                let wanted = !pending.is_empty() || prompted || *shell == Shell::Script;
                if *shell == Shell::Other || !wanted || line.is_empty() || line.starts_with('#') {
                    continue;
                }
                match line.strip_suffix(['\\', '^']) {
                    Some(start) => {
                        pending.push_str(start.trim_end());
                        pending.push(' ');
                    }
                    None => {
                        pending.push_str(line);
                        add(&mut requests.commands, pending.trim());
                        pending.clear();
                    }
                }
            }
            (None, None) if line.contains('`') => {
                for found in INLINE.captures_iter(line) {
                    if &found[1] == "!" || KNOWN.is_match(&found[2]) {
                        add(&mut requests.commands, found[2].trim());
                    }
                }
            }
            (None, None) => {}
        }
    }
}

/// What a code fence says of its content.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shell {
    /// Each line is a command.
    Script,
    /// Lines with a prompt are commands, others are what they print.
    Session,
    /// Another language.
    Other,
}

impl Shell {
    fn of(language: &str) -> Self {
        match language.to_ascii_lowercase().as_str() {
            "bash" | "sh" | "shell" | "zsh" | "fish" | "powershell" | "pwsh" | "ps1" | "bat"
            | "batch" | "cmd" => Self::Script,
            "" | "console" | "terminal" | "shell-session" | "shellsession" | "sh-session"
            | "text" => Self::Session,
            _ => Self::Other,
        }
    }
}

fn without_prompt(line: &str) -> (&str, bool) {
    let line = line.trim();
    match line.strip_prefix("$ ").or_else(|| line.strip_prefix("PS> ")) {
        Some(command) => (command.trim(), true),
        None => (line, false),
    }
}

/// Adds what is not there yet.
fn add(list: &mut Vec<String>, item: &str) {
    let item: String = item.chars().take(MAX_LENGTH).collect();
    if !item.is_empty() && list.len() < MAX_LISTED && !list.contains(&item) {
        list.push(item);
    }
}
