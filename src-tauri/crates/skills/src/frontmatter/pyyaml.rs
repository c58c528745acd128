//! Where PyYAML stops and the parser here does not.

use std::collections::HashSet;
use std::ops::Range;

use saphyr_parser::ScalarStyle;

use super::mended::surrogates;
use super::tree::{Kind, Node, NotYaml, starts_with};
use crate::lines::lines;

/// The first place at which PyYAML refuses a text that parsed to this tree.
pub(crate) fn refusal(yaml: &str, root: Option<&Node>) -> Option<NotYaml> {
    refusal_by(yaml, root, false)
}

/// The same for ruamel.yaml as StrictYAML has it, to which a block may have a value without a key.
pub(crate) fn refusal_by_ruamel(yaml: &str, root: Option<&Node>) -> Option<NotYaml> {
    refusal_by(yaml, root, true)
}

fn refusal_by(yaml: &str, root: Option<&Node>, empty_keys: bool) -> Option<NotYaml> {
    let unprintable = yaml.char_indices().find(|(_, c)| is_unprintable(*c)).map(|(at, c)| {
        NotYaml { at, message: format!("the character {c:?}, which PyYAML does not read") }
    });
    if unprintable.is_some() {
        return unprintable;
    }
    let mut found = Found { yaml, empty_keys, anchors: HashSet::new(), first: None };
    if let Some(at) = end_before_start(yaml) {
        found.say(at, "the end of a document, `...`, before anything else");
    }
    if let Some(root) = root {
        if let Some(at) = root.loose_tab(yaml) {
            found.say(at, "a tab outside of quotes, which PyYAML does not read");
        }
        found.look(root, false);
    }
    found.first
}

/// What has no JSON value though PyYAML reads it, or is read differently by everybody: lines that
/// end at characters which end none to others, and half a character by escape.
pub(crate) fn doubtful(yaml: &str, root: Option<&Node>) -> Option<NotYaml> {
    let own_break = yaml.char_indices().find(|(_, c)| is_own_break(*c)).map(|(at, c)| {
        let message = format!("the character {c:?}, which readers of YAML take differently");
        NotYaml { at, message }
    });
    let escapes = yaml.contains("\\u") || yaml.contains("\\U");
    own_break.or_else(|| root.filter(|_| escapes).and_then(|root| lone_surrogate(root, yaml)))
}

/// Whether lines end in it to PyYAML that end to nobody else.
pub(crate) fn own_break(yaml: &str) -> bool {
    yaml.contains(is_own_break)
}

/// Characters that PyYAML refuses wherever they stand.
fn is_unprintable(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\r' | '\t' | '\u{85}'))
        || matches!(c, '\u{fffe}' | '\u{ffff}')
}

/// Characters at which a line ends to PyYAML and to nobody else.
fn is_own_break(c: char) -> bool {
    matches!(c, '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn end_before_start(yaml: &str) -> Option<usize> {
    let mut at = 0;
    for line in lines(yaml) {
        if let Some(after) = line.strip_prefix("...")
            && after.chars().next().is_none_or(char::is_whitespace)
        {
            return Some(at);
        }
        let text = line.trim_start_matches('\u{feff}').trim();
        if !text.is_empty() && !text.starts_with('#') {
            return None;
        }
        at += line.len();
    }
    None
}

fn lone_surrogate(node: &Node, yaml: &str) -> Option<NotYaml> {
    match &node.kind {
        Kind::Scalar { style: ScalarStyle::DoubleQuoted, .. } => {
            let source = yaml.get(node.range.clone())?;
            let lone = surrogates(source).into_iter().find(|found| found.pair.is_none())?;
            let message = "half a character by escape, which has no JSON value".to_owned();
            Some(NotYaml { at: node.range.start + lone.at, message })
        }
        Kind::Scalar { .. } | Kind::Alias(_) => None,
        Kind::Sequence(items) => items.iter().find_map(|item| lone_surrogate(item, yaml)),
        Kind::Mapping { pairs, .. } => pairs.iter().find_map(|(key, value)| {
            lone_surrogate(key, yaml).or_else(|| lone_surrogate(value, yaml))
        }),
    }
}

/// What follows the `&` of a node that starts here, with its tag first or not.
fn anchor(node: &str) -> Option<&str> {
    if let Some(name) = node.strip_prefix('&') {
        return Some(name);
    }
    let tag = node.starts_with('!').then(|| node.find(char::is_whitespace))??;
    without_comments(&node[tag..]).strip_prefix('&')
}

/// Whether nothing is written for this node.
fn is_absent(node: &Node) -> bool {
    node.range.is_empty() && matches!(node.kind, Kind::Scalar { style: ScalarStyle::Plain, .. })
}

/// Whether the tag of a node that starts here, with its anchor first or not, runs into a bracket or
/// comma, which PyYAML takes for a part of it.
fn has_cut_tag(node: &str) -> bool {
    let word = |text: &str| text.find(char::is_whitespace).unwrap_or(text.len());
    let tag = match node.starts_with('&') {
        true => without_comments(&node[word(node)..]),
        false => node,
    };
    tag.starts_with('!')
        && !tag.starts_with("!<")
        && tag[..word(tag)].contains([',', '[', ']', '{', '}'])
}

/// What comes after blanks and comments.
fn without_comments(text: &str) -> &str {
    let mut rest = text.trim_start();
    while rest.starts_with('#') {
        rest = rest.find(['\n', '\r']).map_or("", |end| rest[end..].trim_start());
    }
    rest
}

/// The first of what was found.
struct Found<'a> {
    yaml: &'a str,
    /// Whether a value in a block needs no key.
    empty_keys: bool,
    /// Names that were set.
    anchors: HashSet<&'a str>,
    first: Option<NotYaml>,
}

impl<'a> Found<'a> {
    fn say(&mut self, at: usize, message: &str) {
        if self.first.as_ref().is_none_or(|first| at < first.at) {
            self.first = Some(NotYaml { at, message: message.to_owned() });
        }
    }

    fn source(&self, range: Range<usize>) -> &'a str {
        self.yaml.get(range).unwrap_or_default()
    }

    fn look(&mut self, node: &Node, in_flow: bool) {
        let at = node.range.start;
        let source = self.source(node.range.clone());
        if node.anchor != 0
            && let Some(text) = anchor(self.yaml.get(at..).unwrap_or_default())
        {
            let rest =
                text.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || "-_".contains(c));
            if rest.starts_with(|c: char| !c.is_whitespace() && !",]}".contains(c)) {
                self.say(at, "a name of an anchor that PyYAML does not read");
            }
            if !self.anchors.insert(&text[..text.len() - rest.len()]) {
                self.say(at, "an anchor whose name was given before");
            }
        }
        if node.tag.is_some() && has_cut_tag(self.yaml.get(at..).unwrap_or_default()) {
            self.say(at, "a tag that does not end before a bracket or comma");
        }
        match &node.kind {
            Kind::Alias(_) => {}
            Kind::Scalar { text, style } => {
                if in_flow
                    && *style == ScalarStyle::Plain
                    && (text.starts_with(['|', '>', ':']) || text.contains('?'))
                {
                    self.say(at, "a value that PyYAML wants quoted inside of brackets");
                }
            }
            Kind::Sequence(items) => {
                let bare = node.anchor == 0 && node.tag.is_none();
                let in_flow = in_flow || starts_with(source, bare, '[');
                items.iter().for_each(|item| self.look(item, in_flow));
            }
            Kind::Mapping { pairs, flow } => {
                let in_flow = in_flow || *flow;
                for (key, value) in pairs {
                    self.look(key, in_flow);
                    self.look(value, in_flow);
                    self.look_at_key(key, value, in_flow);
                }
            }
        }
    }

    fn look_at_key(&mut self, key: &Node, value: &Node, in_flow: bool) {
        let at = key.range.start;
        if matches!(key.kind, Kind::Sequence(_) | Kind::Mapping { .. }) {
            self.say(at, "a list or fields in the place of a key, which PyYAML does not read");
        }
        let is_explicit = self.yaml[..at].trim_end().ends_with('?');
        if (in_flow || !self.empty_keys) && !is_explicit && is_absent(key) {
            self.say(at, "a value without a key");
        }
        if in_flow && !is_explicit {
            let is_torn = match self.source(key.range.end..value.range.start).find(':') {
                Some(colon) => self.source(at..key.range.end + colon).contains(['\n', '\r']),
                None => self.source(key.range.clone()).trim_end().contains(['\n', '\r']),
            };
            if is_torn {
                self.say(at, "a key that is not on one line with its colon");
            }
        }
    }
}
