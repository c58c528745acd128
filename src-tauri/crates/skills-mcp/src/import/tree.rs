//! Settings files as one kind of tree, whichever language they are written in. A file is hostile:
//! its size, its depth and what aliases make of it are bounded.

use std::cell::{Cell, RefCell};
use std::fmt;

use serde::Deserialize;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess, VariantAccess, Visitor,
};
use serde_json::{Map, Value};

use super::limits::{BRACKETS, DEPTH, NODES, TEXT};
use crate::limits::shorten;

const TOO_DEEP: &str = "it is nested too deeply";
const TOO_MUCH: &str = "it says more than is read";

/// The longest word of a parser on what is wrong, in characters.
const REASON_CHARS: usize = 200;

/// A language that settings are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    /// JSON, with comments and trailing commas.
    Json,
    Toml,
    Yaml,
}

impl Language {
    fn name(self) -> &'static str {
        match self {
            Self::Json => "JSON",
            Self::Toml => "TOML",
            Self::Yaml => "YAML",
        }
    }
}

/// What a file says.
#[derive(Debug, Default)]
pub(super) struct Tree {
    pub(super) root: Value,
    /// Keys that came twice in one table; the last one counts, as it does for the tools.
    pub(super) twice: Vec<String>,
}

/// Reads a text. The reason for a failure never quotes it: it may hold secrets.
pub(super) fn read(text: &str, language: Language) -> Result<Tree, Unreadable> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim().is_empty() {
        return Ok(Tree::default());
    }
    match language {
        Language::Json => {
            let options = jsonc_parser::ParseOptions::default();
            jsonc_parser::parse_to_serde_value(text, &options).map_err(|error| {
                let at = Some((error.line_display(), error.column_display()));
                Unreadable::new(language, &error.kind().to_string(), at)
            })
        }
        Language::Toml => toml::from_str(text).map_err(|error| {
            let at = error.span().map(|span| place(text, span.start));
            Unreadable::new(language, error.message(), at)
        }),
        // The parser's time grows with the square of how deeply these are nested, before it gives
        // a value to count.
        Language::Yaml if text.bytes().filter(|byte| b"[{".contains(byte)).count() > BRACKETS => {
            Err(Unreadable::new(language, TOO_MUCH, None))
        }
        Language::Yaml => serde_yaml::from_str(text).map_err(|error| {
            let at = error.location().map(|at| (at.line(), at.column()));
            let reason = error.to_string();
            // What the parser says ends in the place, which is said by itself; before what is said
            // here stand the keys that lead there.
            let ours = [TOO_DEEP, TOO_MUCH].into_iter().find(|ours| reason.contains(ours));
            let theirs = || reason.split(" at line ").next().unwrap_or_default();
            Unreadable::new(language, ours.unwrap_or_else(theirs), at)
        }),
    }
}

/// The line and column of a byte, both from 1.
fn place(text: &str, byte: usize) -> (usize, usize) {
    let before = text.get(..byte).unwrap_or(text);
    let line = before.rsplit('\n').next().unwrap_or_default();
    (before.matches('\n').count() + 1, line.chars().count() + 1)
}

/// Why a text cannot be read, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Unreadable {
    message: String,
    /// Line and column, from 1, where the parser knows.
    pub at: Option<(usize, usize)>,
}

impl Unreadable {
    /// A text that is not read at all.
    pub(super) fn plain(message: impl Into<String>) -> Self {
        Self { message: message.into(), at: None }
    }

    fn new(language: Language, reason: &str, at: Option<(usize, usize)>) -> Self {
        let mut reason = shorten(reason.trim().trim_end_matches('.'), REASON_CHARS);
        if let Some(first) = reason.get_mut(..1) {
            first.make_ascii_lowercase();
        }
        let name = language.name();
        let message = match at {
            Some((line, column)) => {
                format!("it is no valid {name}: line {line}, column {column}: {reason}")
            }
            None => format!("it is no valid {name}: {reason}"),
        };
        Self { message, at }
    }
}

/// What is left of the bounds while a text is read.
struct Budget {
    nodes: Cell<usize>,
    text: Cell<usize>,
    twice: RefCell<Vec<String>>,
}

impl Budget {
    fn take<E: Error>(&self, text: usize) -> Result<(), E> {
        let (nodes, left) = (self.nodes.get(), self.text.get());
        if nodes == 0 || left < text {
            return Err(E::custom(TOO_MUCH));
        }
        self.nodes.set(nodes - 1);
        self.text.set(left - text);
        Ok(())
    }
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let budget =
            Budget { nodes: Cell::new(NODES), text: Cell::new(TEXT), twice: RefCell::default() };
        let root = Node { budget: &budget, depth: DEPTH }.deserialize(deserializer)?;
        Ok(Self { root, twice: budget.twice.into_inner() })
    }
}

#[derive(Clone, Copy)]
struct Node<'a> {
    budget: &'a Budget,
    depth: usize,
}

impl Node<'_> {
    fn deeper<E: Error>(self) -> Result<Self, E> {
        let depth = self.depth.checked_sub(1).ok_or_else(|| E::custom(TOO_DEEP))?;
        Ok(Self { depth, ..self })
    }
}

impl<'de> DeserializeSeed<'de> for Node<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Node<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        self.budget.take(0)?;
        Ok(value.into())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        self.budget.take(0)?;
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        self.budget.take(0)?;
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        self.budget.take(0)?;
        Ok(value.into())
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        self.budget.take(value.len())?;
        Ok(value.into())
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        self.budget.take(0)?;
        Ok(Value::Null)
    }

    fn visit_none<E: Error>(self) -> Result<Value, E> {
        self.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        self.deserialize(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        self.budget.take(0)?;
        let inner = self.deeper()?;
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(inner)? {
            list.push(item);
        }
        Ok(list.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        self.budget.take(0)?;
        let inner = self.deeper()?;
        let mut map = Map::new();
        while let Some(key) = entries.next_key_seed(inner)? {
            let key = match key {
                Value::String(key) => key,
                other => other.to_string(),
            };
            let value = entries.next_value_seed(inner)?;
            if map.insert(key.clone(), value).is_some() {
                self.budget.twice.borrow_mut().push(key);
            }
        }
        Ok(map.into())
    }

    /// A YAML tag: what it marks counts.
    fn visit_enum<A: EnumAccess<'de>>(self, data: A) -> Result<Value, A::Error> {
        let inner = self.deeper()?;
        let (_, tagged) = data.variant_seed(inner)?;
        tagged.newtype_variant_seed(inner)
    }
}
