//! YAML as a tree with positions, built from the parser's events.

use std::ops::Range;

use saphyr_parser::{Event, Parser, ScalarStyle, Span, StrInput, Tag};

use crate::lines::lines_at;

/// The longest front matter that is parsed, in bytes.
const MAX_BYTES: usize = 256 * 1024;

/// Values that are taken before giving up: no author writes that many, and reading must stay quick.
const MAX_VALUES: usize = 10_000;

/// Collections inside each other that are followed before giving up.
const MAX_DEPTH: usize = 64;

/// A value and where it stands, in bytes of the parsed text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node {
    pub(super) kind: Kind,
    pub(super) range: Range<usize>,
    /// The full tag, if one is written.
    pub(super) tag: Option<String>,
}

/// What a value is before its type is resolved.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind {
    Scalar { text: String, style: ScalarStyle },
    Sequence(Vec<Node>),
    Mapping { pairs: Vec<(Node, Node)>, flow: bool },
    Alias,
}

/// Why a text is not one YAML document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NotYaml {
    /// In bytes of the parsed text.
    pub(super) at: usize,
    pub(super) message: String,
}

/// Parses one document; `None` when it holds nothing.
pub(super) fn parse(yaml: &str) -> Result<Option<Node>, NotYaml> {
    if yaml.len() > MAX_BYTES {
        return Err(NotYaml { at: 0, message: format!("it is longer than {MAX_BYTES} bytes") });
    }
    let builder = Builder {
        parser: Parser::new_from_str(yaml),
        offsets: Offsets::new(yaml),
        yaml,
        values: 0,
    };
    let mut root = builder.document()?;
    if let Some(root) = &mut root {
        root.end_as_written(yaml);
    }
    Ok(root)
}

impl Node {
    /// The first tab that is neither in a quoted or block scalar nor in a comment: PyYAML stops
    /// there, other readers do not. In bytes of the parsed text.
    pub(super) fn loose_tab(&self, yaml: &str) -> Option<usize> {
        if !yaml.contains('\t') {
            return None;
        }
        let mut scalars = Vec::new();
        self.collect_delimited(&mut scalars);
        let inside = |at: usize| {
            let before = scalars.partition_point(|scalar: &Range<usize>| scalar.start <= at);
            before.checked_sub(1).is_some_and(|found| scalars[found].contains(&at))
        };
        lines_at(yaml).find_map(|(start, line)| {
            let comment = line.match_indices('#').map(|(at, _)| at).find(|at| {
                let after_blank =
                    line[..*at].chars().next_back().is_none_or(|c| c == ' ' || c == '\t');
                after_blank && !inside(start + at)
            });
            line[..comment.unwrap_or(line.len())]
                .match_indices('\t')
                .map(|(at, _)| start + at)
                .find(|at| !inside(*at))
        })
    }

    fn collect_delimited(&self, scalars: &mut Vec<Range<usize>>) {
        match &self.kind {
            Kind::Scalar { style: ScalarStyle::Plain, .. } | Kind::Alias => {}
            Kind::Scalar { .. } => scalars.push(self.range.clone()),
            Kind::Sequence(items) => {
                items.iter().for_each(|item| item.collect_delimited(scalars));
            }
            Kind::Mapping { pairs, .. } => {
                for (key, value) in pairs {
                    key.collect_delimited(scalars);
                    value.collect_delimited(scalars);
                }
            }
        }
    }

    /// The parser ends a block scalar with a line break also where the text ends without one;
    /// PyYAML does not.
    fn end_as_written(&mut self, yaml: &str) {
        match &mut self.kind {
            Kind::Alias => {}
            Kind::Sequence(items) => {
                if let Some(last) = items.last_mut() {
                    last.end_as_written(yaml);
                }
            }
            Kind::Mapping { pairs, .. } => {
                if let Some((_, last)) = pairs.last_mut() {
                    last.end_as_written(yaml);
                }
            }
            Kind::Scalar { text, style } => {
                let is_block = matches!(style, ScalarStyle::Literal | ScalarStyle::Folded);
                let last_line = yaml.rsplit(['\n', '\r']).next().unwrap_or_default();
                let written = last_line.trim_start();
                if let Some(shorter) = text.strip_suffix('\n')
                    && is_block
                    && match shorter.rsplit('\n').next().unwrap_or_default() {
                        // Blanks further in than the text are text.
                        _ if !written.is_empty() => shorter.ends_with(written),
                        blanks => !blanks.is_empty() && last_line.ends_with(blanks),
                    }
                {
                    *text = shorter.to_owned();
                }
            }
        }
    }
}

/// From the parser's count of characters to bytes.
struct Offsets {
    /// Byte offset of each character, and of the end; `None` for ASCII, where both are equal.
    of_char: Option<Vec<usize>>,
    end: usize,
}

impl Offsets {
    fn new(text: &str) -> Self {
        let of_char = (!text.is_ascii()).then(|| text.char_indices().map(|(at, _)| at).collect());
        Self { of_char, end: text.len() }
    }

    fn byte(&self, index: usize) -> usize {
        match &self.of_char {
            Some(offsets) => offsets.get(index).copied().unwrap_or(self.end),
            None => index.min(self.end),
        }
    }

    fn range(&self, span: Span) -> Range<usize> {
        let start = self.byte(span.start.index());
        start..self.byte(span.end.index()).max(start)
    }
}

struct Builder<'a> {
    parser: Parser<'a, StrInput<'a>>,
    offsets: Offsets,
    yaml: &'a str,
    /// Taken so far.
    values: usize,
}

impl<'a> Builder<'a> {
    fn document(mut self) -> Result<Option<Node>, NotYaml> {
        let mut root = None;
        loop {
            let (event, span) = self.next()?;
            match event {
                Event::StreamEnd => return Ok(root),
                Event::StreamStart | Event::DocumentEnd | Event::Nothing => {}
                Event::DocumentStart(_) if root.is_some() => {
                    return Err(self.error(span, "a second document starts here"));
                }
                Event::DocumentStart(_) => {
                    let (event, span) = self.next()?;
                    root = Some(self.node(event, span, 0)?);
                }
                _ => return Err(self.error(span, "this is not part of a document")),
            }
        }
    }

    fn next(&mut self) -> Result<(Event<'a>, Span), NotYaml> {
        match self.parser.next_event() {
            Some(Ok(event)) => Ok(event),
            Some(Err(error)) => Err(NotYaml {
                at: self.offsets.byte(error.marker().index()),
                message: error.info().to_owned(),
            }),
            None => Err(NotYaml { at: self.offsets.end, message: "it ends too early".to_owned() }),
        }
    }

    fn error(&self, span: Span, message: &str) -> NotYaml {
        NotYaml { at: self.offsets.byte(span.start.index()), message: message.to_owned() }
    }

    fn node(&mut self, event: Event<'a>, span: Span, depth: usize) -> Result<Node, NotYaml> {
        self.values += 1;
        if self.values > MAX_VALUES {
            let message = format!("it holds more than {MAX_VALUES} values");
            return Err(self.error(span, &message));
        }
        if depth > MAX_DEPTH {
            return Err(self.error(span, "it is nested too deeply"));
        }
        let mut range = self.offsets.range(span);
        let (kind, tag) = match event {
            Event::Alias(_) => (Kind::Alias, None),
            Event::Scalar(text, style, _, tag) => {
                (Kind::Scalar { text: text.into_owned(), style }, tag)
            }
            Event::SequenceStart(_, tag) => {
                let mut items = Vec::new();
                loop {
                    let (event, span) = self.next()?;
                    if event == Event::SequenceEnd {
                        range.end = self.offsets.range(span).end.max(range.end);
                        break;
                    }
                    items.push(self.node(event, span, depth + 1)?);
                }
                (Kind::Sequence(items), tag)
            }
            Event::MappingStart(_, tag) => {
                let flow = self.yaml[range.start..].starts_with('{');
                let mut pairs = Vec::new();
                loop {
                    let (event, span) = self.next()?;
                    if event == Event::MappingEnd {
                        range.end = self.offsets.range(span).end.max(range.end);
                        break;
                    }
                    let key = self.node(event, span, depth + 1)?;
                    let (event, span) = self.next()?;
                    pairs.push((key, self.node(event, span, depth + 1)?));
                }
                (Kind::Mapping { pairs, flow }, tag)
            }
            _ => return Err(self.error(span, "a value is missing here")),
        };
        Ok(Node { kind, range, tag: tag.map(|tag| full_tag(&tag)) })
    }
}

fn full_tag(tag: &Tag) -> String {
    format!("{}{}", tag.handle, tag.suffix)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_bytes_also_after_wide_characters() {
        let yaml = "é: ü\nb: c\n";
        let Some(Node { kind: Kind::Mapping { pairs, flow: false }, .. }) = parse(yaml).unwrap()
        else {
            panic!("a block mapping");
        };
        assert_eq!(&yaml[pairs[0].1.range.clone()], "ü");
        assert_eq!(&yaml[pairs[1].0.range.clone()], "b");
    }

    #[test]
    fn deep_nesting_and_second_documents_are_errors() {
        assert!(parse(&"[".repeat(200)).is_err());
        assert!(parse(&format!("{}{}", "[".repeat(200), "]".repeat(200))).is_err());
        assert_eq!(
            parse("a: b\n---\nc: d\n").unwrap_err().message,
            "a second document starts here"
        );
        assert_eq!(parse("# only a comment\n"), Ok(None));
        let many = format!("[{}]", "a,".repeat(10_000));
        assert_eq!(parse(&many).unwrap_err().message, "it holds more than 10000 values");
    }

    #[test]
    fn a_block_scalar_without_a_last_line_break_has_none() {
        let text = |yaml: &str| match parse(yaml).unwrap().unwrap().kind {
            Kind::Mapping { pairs, .. } => match &pairs[0].1.kind {
                Kind::Scalar { text, .. } => text.clone(),
                other => panic!("{other:?}"),
            },
            other => panic!("{other:?}"),
        };
        assert_eq!(text("a: |\n  b"), "b");
        assert_eq!(text("a: |\n  b\n"), "b\n");
        assert_eq!(text("a: >\n  b\n  c"), "b c");
        assert_eq!(text("a: |+\n  b\n\n"), "b\n\n");
        assert_eq!(text("a: |+\n  b\n"), "b\n");
        assert_eq!(text("a: |\n  b\n   "), "b\n ");
        assert_eq!(text("a: |-\n  b\n"), "b");
        assert_eq!(text("a: |\r\n  b\r\n  c\r\n"), "b\nc\n");
    }
}
