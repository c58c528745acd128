//! The rules for entries: what is said when one is broken.

use std::fmt;

use serde_json::Value;

use crate::limits::{REASONS, shorten};
use crate::wire::Verdict;

/// One rule that an entry breaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// Which rule: `uri`, `repeated-uri`, `path`, `meta`, `frontmatter`, `frontmatter-name`,
    /// `frontmatter-description`, `name-path`, `resources`, `resource-uri`, `foreign-uri`,
    /// `own-skill-md`, `listed-twice`, `digest-form`, `size-form`, `skill-files`, `skill-bytes`,
    /// `same-name`, `files`, `manifest`; and `more` for those that are not told.
    pub code: &'static str,
    /// What is wrong, a sentence without its full stop.
    pub message: String,
    /// What the rule asks for.
    pub expected: String,
    /// What the server sent, quoted and of bounded length.
    pub actual: String,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// A rule is told by its message.
impl PartialEq<&str> for Rule {
    fn eq(&self, message: &&str) -> bool {
        self.message == *message
    }
}

/// Rules in one line.
pub(crate) fn told(rules: &[Rule]) -> String {
    rules.iter().map(|rule| rule.message.as_str()).collect::<Vec<_>>().join("; ")
}

/// The rules an entry breaks, as many as are told.
#[derive(Default)]
pub(super) struct Broken {
    rules: Vec<Rule>,
    more: usize,
}

impl Broken {
    pub(super) fn add(
        &mut self,
        code: &'static str,
        message: impl Into<String>,
        expected: impl Into<String>,
        actual: impl Into<String>,
    ) {
        if self.rules.len() < REASONS {
            self.rules.push(Rule {
                code,
                message: message.into(),
                expected: expected.into(),
                actual: actual.into(),
            });
        } else {
            self.more += 1;
        }
    }

    pub(super) fn any(&self) -> bool {
        !self.rules.is_empty()
    }

    pub(super) fn refused(mut self) -> Verdict {
        if self.more > 0 {
            self.rules.push(Rule {
                code: "more",
                message: format!("and {} more", self.more),
                expected: format!("at most {REASONS} are told"),
                actual: format!("{}", REASONS + self.more),
            });
        }
        Verdict::Refused(self.rules)
    }
}

/// Hostile text in quotes, its control characters escaped, of bounded length.
pub(super) fn show(text: &str) -> String {
    format!("{:?}", shorten(text, 200))
}

/// What a value is, for a person.
pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// What a value that should be a scalar is: itself, or its kind where it is large.
pub(super) fn found(value: Option<&Value>) -> String {
    match value {
        None => "nothing".to_owned(),
        Some(Value::String(text)) => show(text),
        Some(Value::Number(number)) => shorten(&number.to_string(), 60),
        Some(other) => kind(other).to_owned(),
    }
}
