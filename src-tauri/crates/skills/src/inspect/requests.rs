//! What a skill asks for: tools, hooks, commands, addresses, paths outside of itself.

use std::collections::HashSet;

use serde_json::Value;

use super::codes::Found;
use super::{MAX_PLACES, Requests, comments, is_markdown};
use crate::frontmatter::{FrontMatter, same_field};
use crate::lines::{lines, without_last_break};
use crate::pattern::{Pattern, compile};

/// The most requests of one kind that are listed.
const MAX_LISTED: usize = 500;

/// The most characters of one of them.
const MAX_LENGTH: usize = 500;

/// Requests of one kind, each once, in order of first appearance.
#[derive(Debug, Default)]
pub(super) struct List {
    items: Vec<String>,
    known: HashSet<String>,
}

impl List {
    /// Adds what is not there yet.
    pub(super) fn add(&mut self, item: &str) {
        if item.is_empty() || self.is_full() {
            return;
        }
        let cut = item.char_indices().nth(MAX_LENGTH).map_or(item.len(), |(at, _)| at);
        let item = &item[..cut];
        if !self.known.contains(item) {
            self.known.insert(item.to_owned());
            self.items.push(item.to_owned());
        }
    }

    fn knows(&self, item: &str) -> bool {
        self.known.contains(item)
    }

    fn is_full(&self) -> bool {
        self.items.len() >= MAX_LISTED
    }

    pub(super) fn items(&self) -> &[String] {
        &self.items
    }
}

/// What one file or all of them ask for.
#[derive(Debug, Default)]
pub(super) struct Lists {
    pub(super) allowed_tools: List,
    pub(super) hooks: List,
    pub(super) commands: List,
    pub(super) addresses: List,
    pub(super) outside: List,
}

impl Lists {
    pub(super) fn add_all(&mut self, other: &Self) {
        for (list, others) in [
            (&mut self.allowed_tools, &other.allowed_tools),
            (&mut self.hooks, &other.hooks),
            (&mut self.commands, &other.commands),
            (&mut self.addresses, &other.addresses),
            (&mut self.outside, &other.outside),
        ] {
            others.items.iter().for_each(|item| list.add(item));
        }
    }

    pub(super) fn done(self) -> Requests {
        Requests {
            allowed_tools: self.allowed_tools.items,
            hooks: self.hooks.items,
            commands: self.commands.items,
            addresses: self.addresses.items,
            outside: self.outside.items,
        }
    }
}

pub(super) fn front_matter(read: &FrontMatter, requests: &mut Lists) {
    for (name, value) in read.fields() {
        if same_field(name, "allowed-tools") {
            for word in allowed_tools(value) {
                requests.allowed_tools.add(&word);
            }
        } else if same_field(name, "hooks") {
            match value {
                Value::Object(hooks) => {
                    for (event, hook) in hooks {
                        requests.hooks.add(&format!("{event}: {hook}"));
                    }
                }
                Value::String(text) => requests.hooks.add(text),
                other => requests.hooks.add(&other.to_string()),
            }
        }
    }
}

/// The hooks, servers and agents of a plugin come with its manifest.
pub(super) fn plugin(path: &str, requests: &mut Lists) {
    requests.hooks.add(&format!("{path}: what the plugin brings along"));
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

/// Adds what a text asks for. Returns what is wrong with its addresses.
pub(super) fn text(path: &str, text: &str, requests: &mut Lists) -> Vec<Found> {
    static ADDRESS: Pattern = Pattern::new(|| {
        compile(r#"(?i)\b(?:https?|wss?|ftps?|sftp|ssh|git)://[^\s"'`<>\\{}|^\[\])]{1,2000}"#)
    });
    let mut misleading = Vec::new();
    if text.contains("://") {
        for found in ADDRESS.find_iter(text) {
            let address =
                found.as_str().trim_end_matches(['.', ',', ';', ':', '!', '?', '*', '_', '(']);
            if misleading.len() < MAX_PLACES
                && (!requests.addresses.knows(address))
                && let Some(told) = comments::misleading(address)
            {
                misleading.push(told.at(found.start()..found.start() + address.len()));
            }
            requests.addresses.add(address);
        }
    }
    outside(path, text, requests);
    if is_markdown(path) {
        commands(text, requests);
    }
    misleading
}

fn outside(path: &str, text: &str, requests: &mut Lists) {
    static OUTSIDE: Pattern = Pattern::new(|| {
        compile(concat!(
            r#"(?:^|[\s"'`(=<>\[,:])(?:"#,
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
        for found in OUTSIDE.find_iter(line) {
            let target = found
                .as_str()
                .trim_start_matches(|c: char| c.is_whitespace() || "\"'`(=<>[,:".contains(c))
                .trim_end_matches(['.', ':', '*', '!', '?']);
            if target == "/dev/null" || (target.contains("../") && !leaves(target, depth)) {
                continue;
            }
            requests.outside.add(target);
        }
        if requests.outside.is_full() {
            return;
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

fn commands(text: &str, requests: &mut Lists) {
    static INLINE: Pattern = Pattern::new(|| compile(r"!?`[^`\n]+`"));
    static KNOWN: Pattern = Pattern::new(|| {
        compile(
            r"^(?:sudo|python[0-9.]*|bash|sh|zsh|node|deno|bun|npm|npx|pnpm|yarn|pip[0-9.]*|pipx|uv|uvx|curl|wget|git|gh|docker|kubectl|chmod|rm|mv|cp|brew|apt|apt-get|cargo|go|make|ruby|perl|osascript|powershell|pwsh|\./\S+)\s\S",
        )
    });
    let mut fence: Option<((char, usize), Shell)> = None;
    let mut pending = String::new();
    for line in lines(text).map(without_last_break) {
        if requests.commands.is_full() {
            return;
        }
        match (&fence, fence_of(line)) {
            (None, Some((mark, language))) => fence = Some((mark, Shell::of(language))),
            (Some((mark, _)), Some((closed, ""))) if closed.0 == mark.0 && closed.1 >= mark.1 => {
                requests.commands.add(pending.trim());
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
                        requests.commands.add(pending.trim());
                        pending.clear();
                    }
                }
            }
            (None, None) if line.contains('`') => {
                for found in INLINE.find_iter(line) {
                    let on_load = found.as_str().starts_with('!');
                    let command = found.as_str().trim_start_matches('!').trim_matches('`');
                    if on_load || KNOWN.is_match(command) {
                        requests.commands.add(command.trim());
                    }
                }
            }
            (None, None) => {}
        }
    }
}

/// The mark of a code fence on this line, and the language after it.
fn fence_of(line: &str) -> Option<((char, usize), &str)> {
    let mut rest = line.trim_start();
    while let Some(quoted) = rest.strip_prefix('>') {
        rest = quoted.trim_start();
    }
    if let Some(item) = rest.strip_prefix(['-', '*', '+']) {
        rest = item.trim_start();
    }
    let mark = rest.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let after = rest.trim_start_matches(mark);
    let count = rest.len() - after.len();
    let language = after.trim_start().trim_start_matches(['{', '.']);
    let end = language
        .find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '+' | '-'))
        .unwrap_or(language.len());
    (count >= 3).then(|| ((mark, count), &language[..end]))
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
