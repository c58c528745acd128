//! Where the fields of a front matter stand in the file, and how they are written.

use std::ops::Range;

use saphyr_parser::ScalarStyle;

use super::YamlVersion;
use super::resolve;
use super::tree::{Kind, Node};

/// How a value is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// Without quotes; also a value that is not there at all.
    Plain,
    /// In single quotes.
    Single,
    /// In double quotes.
    Double,
    /// A block after `|`.
    Literal,
    /// A block after `>`.
    Folded,
    /// A list in brackets.
    FlowSequence,
    /// A list of lines that start with `-`.
    BlockSequence,
    /// Fields in braces.
    FlowMapping,
    /// Fields on lines of their own.
    BlockMapping,
    /// `*name`.
    Alias,
}

/// A field, or an item of a list, as it is written; ranges are in bytes of the file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FieldSource {
    /// The key's text; empty for an item of a list and for a key that is not a scalar.
    pub(crate) name: String,
    /// Empty for an item of a list.
    pub(crate) key: Range<usize>,
    /// Without a tag or an anchor before it and without the line break after it. Of a block
    /// scalar: from its `|` or `>`.
    pub(crate) value: Range<usize>,
    /// How the value is written.
    pub(crate) style: Style,
    /// The value of a scalar as a text, whatever its type.
    pub(crate) text: Option<String>,
    /// Whether a tag such as `!!str` stands before the value.
    pub(crate) tagged: bool,
    /// Whether YAML 1.1 and 1.2 read it, or something in it, as different values.
    pub(crate) differs_in_1_2: bool,
    /// The fields or items inside.
    pub(crate) items: Vec<FieldSource>,
}

impl FieldSource {
    /// The field of these nodes, which stand in `yaml`, which starts at byte `offset` of the file.
    pub(super) fn of(key: &Node, value: &Node, yaml: &str, offset: usize) -> Self {
        let mut source = Self::of_value(value, key.range.end, yaml, offset);
        if let Kind::Scalar { text, .. } = &key.kind {
            source.name.clone_from(text);
        }
        source.key = key.range.start + offset..key.range.end + offset;
        source
    }

    /// `after` is where what precedes the value ends.
    fn of_value(value: &Node, after: usize, yaml: &str, offset: usize) -> Self {
        let start = start_of(value, after, yaml);
        let source = yaml.get(start..value.range.end).unwrap_or_default();
        let (style, text, items) = match &value.kind {
            Kind::Alias(_) => (Style::Alias, None, Vec::new()),
            Kind::Scalar { text, style } => {
                let style = match style {
                    ScalarStyle::Plain => Style::Plain,
                    ScalarStyle::SingleQuoted => Style::Single,
                    ScalarStyle::DoubleQuoted => Style::Double,
                    ScalarStyle::Literal => Style::Literal,
                    ScalarStyle::Folded => Style::Folded,
                };
                (style, Some(text.clone()), Vec::new())
            }
            Kind::Sequence(items) => {
                let style = match source.starts_with('[') {
                    true => Style::FlowSequence,
                    false => Style::BlockSequence,
                };
                let mut after = start;
                let items = items
                    .iter()
                    .map(|item| {
                        let source = Self::of_value(item, after, yaml, offset);
                        after = item.range.end;
                        source
                    })
                    .collect();
                (style, None, items)
            }
            Kind::Mapping { pairs, flow } => {
                let style = if *flow { Style::FlowMapping } else { Style::BlockMapping };
                let items =
                    pairs.iter().map(|(key, value)| Self::of(key, value, yaml, offset)).collect();
                (style, None, items)
            }
        };
        // The range of what ends with its line holds the break and empty lines below it.
        let start = start + offset;
        let end = start + source.trim_end_matches([' ', '\t', '\n', '\r']).len();
        let differs = match &value.kind {
            Kind::Scalar { .. } => {
                resolve::value(value, YamlVersion::V1_1).ok()
                    != resolve::value(value, YamlVersion::V1_2).ok()
            }
            _ => items.iter().any(|item| item.differs_in_1_2),
        };
        Self {
            name: String::new(),
            key: start..start,
            value: start..end,
            style,
            text,
            tagged: value.tag.is_some(),
            differs_in_1_2: differs,
            items,
        }
    }
}

/// Where a value starts: the parser starts one with its tag or anchor, and a block scalar with its
/// first line.
fn start_of(value: &Node, after: usize, yaml: &str) -> usize {
    let start = value.range.start;
    let at = |rest: &str| yaml.len() - rest.len();
    let is_block = matches!(
        value.kind,
        Kind::Scalar { style: ScalarStyle::Literal | ScalarStyle::Folded, .. }
    );
    if is_block {
        let Some(between) = yaml.get(after.min(start)..) else { return start };
        let rest = without_properties(between, [' ', '\t', '\n', '\r', ':', '-', '?', ',']);
        return if rest.starts_with(['|', '>']) { at(rest) } else { start };
    }
    match yaml.get(start..) {
        Some(rest) if rest.starts_with(['!', '&']) => {
            at(without_properties(rest, [' ', '\t', '\n', '\r'])).min(value.range.end)
        }
        _ => start,
    }
}

/// What comes after blanks, comments, tags and anchors.
pub(super) fn without_properties<const N: usize>(text: &str, blanks: [char; N]) -> &str {
    let mut rest = text.trim_start_matches(blanks);
    while rest.starts_with(['!', '&', '#']) {
        let end = match rest.starts_with('#') {
            true => rest.find(['\n', '\r']),
            false => rest.find(char::is_whitespace),
        };
        rest = rest[end.unwrap_or(rest.len())..].trim_start_matches(blanks);
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::super::FrontMatter;
    use super::*;

    fn sources(text: &str) -> Vec<(String, String, Style, bool)> {
        FrontMatter::read(text.as_bytes())
            .field_sources()
            .iter()
            .map(|source| {
                (
                    text[source.key.clone()].to_owned(),
                    text[source.value.clone()].to_owned(),
                    source.style,
                    source.differs_in_1_2,
                )
            })
            .collect()
    }

    #[test]
    fn each_way_of_writing_a_value_is_known_with_its_bytes() {
        let text = "\u{feff}---\nplain: é x # c\n'single': 'a'\ndouble: \"b\"  \nliteral: |\n  c\n  d\n\nfolded: >-\n  e\nflow: [ f ]\nlist:\n  - g\n  - h\nbraces: {i: j}\nfields:\n  k: l\n\nempty:\nalias: *x\ntag: !!str m\n---\nbody";
        let expected = [
            ("plain", "é x", Style::Plain),
            ("'single'", "'a'", Style::Single),
            ("double", "\"b\"", Style::Double),
            ("literal", "|\n  c\n  d", Style::Literal),
            ("folded", ">-\n  e", Style::Folded),
            ("flow", "[ f ]", Style::FlowSequence),
            ("list", "- g\n  - h", Style::BlockSequence),
            ("braces", "{i: j}", Style::FlowMapping),
            ("fields", "k: l", Style::BlockMapping),
            ("empty", "", Style::Plain),
            ("tag", "m", Style::Plain),
        ];
        let found = sources(&text.replace("alias: *x\n", ""));
        let found: Vec<_> = found
            .iter()
            .map(|(key, value, style, _)| (key.as_str(), value.as_str(), *style))
            .collect();
        assert_eq!(found, expected);
        assert_eq!(sources("---\na: &x 1\nb: *x\n---\n")[1].1, "*x");
        assert_eq!(sources("---\na: &x 1\nb: *x\n---\n")[0].1, "1");
    }

    #[test]
    fn values_that_the_versions_read_differently_are_marked() {
        let differs = |value: &str| sources(&format!("---\na: {value}\n---\n"))[0].3;
        for value in [
            "yes",
            "on",
            "Off",
            "0755",
            "1_000",
            "12:30:45",
            "2024-01-01",
            "0o17",
            "1e3",
            "[x, no]",
            "{b: y, c: n, d: NO}",
            "0b11",
            "=",
        ] {
            assert!(differs(value), "{value}");
        }
        for value in [
            "true",
            "12",
            "1.5",
            "null",
            "~",
            "text",
            "\"yes\"",
            "'0755'",
            "y",
            "1.10",
            "0x1f",
            "[x, 1]",
            "!!str yes",
            "!!str 0755",
        ] {
            assert!(!differs(value), "{value}");
        }
    }

    #[test]
    fn what_is_inside_a_value_has_its_own_place() {
        let text = "---\nmetadata:\n  version: 1.0\n  tags: [a, yes]\n---\n";
        let read = FrontMatter::read(text.as_bytes());
        let metadata = &read.field_sources()[0];
        let names: Vec<_> = metadata.items.iter().map(|item| item.name.as_str()).collect();
        assert_eq!(names, ["version", "tags"]);
        assert_eq!(&text[metadata.items[0].value.clone()], "1.0");
        let tags: Vec<_> = metadata.items[1]
            .items
            .iter()
            .map(|item| (&text[item.value.clone()], item.differs_in_1_2))
            .collect();
        assert_eq!(tags, [("a", false), ("yes", true)]);
    }

    #[test]
    fn a_block_scalar_starts_with_its_header() {
        let values = |text: &str| -> Vec<String> {
            let read = FrontMatter::read(text.as_bytes());
            let inside = read.field_sources()[0].items.iter();
            inside.map(|item| text[item.value.clone()].to_owned()).collect()
        };
        let text = "---\na:\n  - >\n    x\n\n  - &b !!str |2-\n\n    y - z\n  - k: v\n---\n";
        assert_eq!(values(text), [">\n    x", "|2-\n\n    y - z", "k: v"]);
        assert_eq!(sources("---\na: # why > not\n  |\n b\n---\n")[0].1, "|\n b");
        assert_eq!(sources("---\na: |\nb: c\n---\n")[0].1, "|");
    }

    #[test]
    fn there_are_no_sources_where_bytes_and_text_differ() {
        assert_eq!(FrontMatter::read(b"---\nname: \xff\n---\n").field_sources(), []);
        assert_eq!(FrontMatter::read(b"---\na: b: c\n---\n").field_sources(), []);
    }
}
