//! YAML as a tree with positions, built from the parser's events.

use std::collections::HashSet;
use std::ops::Range;

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Span, StrInput, Tag};

use super::mended::{Mended, end_of_quoted};
use super::source::without_properties;
use crate::lines::lines_at;

/// The longest front matter that is parsed, in bytes.
const MAX_BYTES: usize = 256 * 1024;

/// Values that are taken before giving up: no author writes that many, and reading must stay quick.
const MAX_VALUES: usize = 10_000;

/// Collections inside each other that are followed before giving up.
const MAX_DEPTH: usize = 64;

/// A value and where it stands, in bytes of the parsed text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    pub(crate) kind: Kind,
    pub(crate) range: Range<usize>,
    /// The full tag, if one is written.
    pub(crate) tag: Option<String>,
    /// Stands for its anchor, `&name`; 0 for none.
    pub(crate) anchor: usize,
}

/// What a value is before its type is resolved.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Kind {
    Scalar {
        text: String,
        style: ScalarStyle,
    },
    Sequence(Vec<Node>),
    Mapping {
        pairs: Vec<(Node, Node)>,
        flow: bool,
    },
    /// Of the node with this anchor.
    Alias(usize),
}

/// Why a text is not one YAML document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NotYaml {
    /// In bytes of the parsed text.
    pub(crate) at: usize,
    pub(crate) message: String,
}

/// Parses one document; `None` when it holds nothing.
pub(crate) fn parse(yaml: &str) -> Result<Option<Node>, NotYaml> {
    if yaml.len() > MAX_BYTES {
        return Err(NotYaml { at: 0, message: format!("it is longer than {MAX_BYTES} bytes") });
    }
    let mut mended = Mended::new(yaml);
    let mut root = loop {
        let text = mended.text();
        let builder = Builder {
            parser: Parser::new_from_str(text),
            offsets: Offsets::new(text),
            yaml: text,
            values: 0,
        };
        match builder.document() {
            Ok(root) => break root,
            Err(Stop::Scan(error, at)) => {
                if !mended.mend(&error, at) {
                    let at = mended.place(at);
                    return Err(NotYaml { at, message: error.info().to_owned() });
                }
            }
            Err(Stop::Not(error)) => {
                return Err(NotYaml { at: mended.place(error.at), ..error });
            }
        }
    };
    if let Some(root) = &mut root {
        if mended.text() != yaml {
            root.restore(&mended);
        }
        if let Some(rest) = root.before_indentation(yaml) {
            return parse(rest);
        }
        root.end_as_written(yaml);
    }
    Ok(root)
}

/// Why a tree was not built.
enum Stop {
    /// The parser stopped, at this byte.
    Scan(ScanError, usize),
    Not(NotYaml),
}

impl From<NotYaml> for Stop {
    fn from(error: NotYaml) -> Self {
        Self::Not(error)
    }
}

impl Node {
    /// The first tab that is neither in a quoted or block scalar nor in a comment: PyYAML stops
    /// there, other readers do not. In bytes of the parsed text.
    pub(crate) fn loose_tab(&self, yaml: &str) -> Option<usize> {
        if !yaml.contains('\t') {
            return None;
        }
        let (mut scalars, mut ends) = (Vec::new(), HashSet::new());
        self.collect_delimited(yaml, &mut scalars, &mut ends);
        let inside = |at: usize| {
            let before = scalars.partition_point(|scalar: &Range<usize>| scalar.start <= at);
            before.checked_sub(1).is_some_and(|found| scalars[found].contains(&at))
        };
        lines_at(yaml).find_map(|(start, line)| {
            let comment = line.match_indices('#').map(|(at, _)| at).find(|at| {
                let after_blank =
                    line[..*at].chars().next_back().is_none_or(|c| c == ' ' || c == '\t');
                (after_blank || ends.contains(&(start + at))) && !inside(start + at)
            });
            line[..comment.unwrap_or(line.len())]
                .match_indices('\t')
                .map(|(at, _)| start + at)
                .find(|at| !inside(*at))
        })
    }

    /// The quoted and block scalars, and where what quotes or brackets close ends.
    fn collect_delimited(
        &self,
        yaml: &str,
        scalars: &mut Vec<Range<usize>>,
        ends: &mut HashSet<usize>,
    ) {
        let closed = |text: &str| text.ends_with(['"', '\'', ']', '}']);
        if yaml.get(..self.range.end).is_some_and(closed) {
            ends.insert(self.range.end);
        }
        // The parser ends what brackets close before or behind the last of them.
        if yaml.get(self.range.end..).is_some_and(|rest| rest.starts_with([']', '}'])) {
            ends.insert(self.range.end + 1);
        }
        match &self.kind {
            Kind::Scalar { style: ScalarStyle::Plain, .. } | Kind::Alias(_) => {}
            Kind::Scalar { style: ScalarStyle::Literal | ScalarStyle::Folded, .. } => {
                // The header stands before it, on the same line where the block is empty.
                let Range { start, end } = self.range.clone();
                let before = &yaml[yaml[..start].rfind(['\n', '\r']).map_or(0, |at| at + 1)..start];
                let header = match before.trim().is_empty() {
                    true => 0,
                    false => yaml[start..end].find(['\n', '\r']).unwrap_or(end - start),
                };
                scalars.push(start + header..end);
            }
            Kind::Scalar { .. } => scalars.push(self.range.clone()),
            Kind::Sequence(items) => {
                items.iter().for_each(|item| item.collect_delimited(yaml, scalars, ends));
            }
            Kind::Mapping { pairs, .. } => {
                for (key, value) in pairs {
                    key.collect_delimited(yaml, scalars, ends);
                    value.collect_delimited(yaml, scalars, ends);
                }
            }
        }
    }

    /// Places and texts as they stand in what was written.
    fn restore(&mut self, mended: &Mended<'_>) {
        self.range = mended.place(self.range.start)..mended.place(self.range.end);
        match &mut self.kind {
            Kind::Alias(_) => {}
            Kind::Scalar { text, .. } => *text = mended.restored(text),
            Kind::Sequence(items) => items.iter_mut().for_each(|item| item.restore(mended)),
            Kind::Mapping { pairs, .. } => {
                for (key, value) in pairs {
                    key.restore(mended);
                    value.restore(mended);
                }
            }
        }
    }

    /// The text without its last line where that is only the indentation of a block scalar, which
    /// the parser takes for a line of it.
    fn before_indentation<'a>(&self, yaml: &'a str) -> Option<&'a str> {
        let start = yaml.rfind(['\n', '\r'])? + 1;
        let last_line = &yaml[start..];
        if last_line.is_empty() || !last_line.bytes().all(|byte| byte == b' ') {
            return None;
        }
        let mut last = self;
        loop {
            last = match &last.kind {
                Kind::Sequence(items) => items.last()?,
                Kind::Mapping { pairs, .. } => &pairs.last()?.1,
                Kind::Scalar { text, style: ScalarStyle::Literal | ScalarStyle::Folded } => {
                    let at = last.range.start.min(start);
                    let margin = at - yaml[..at].rfind(['\n', '\r']).map_or(0, |before| before + 1);
                    let is_empty = text.bytes().all(|byte| byte == b'\n');
                    return (is_empty || last_line.len() <= margin).then_some(&yaml[..start]);
                }
                Kind::Scalar { .. } | Kind::Alias(_) => return None,
            };
        }
    }

    /// The parser ends a block scalar with a line break also where the text ends without one;
    /// PyYAML does not.
    fn end_as_written(&mut self, yaml: &str) {
        match &mut self.kind {
            Kind::Alias(_) => {}
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
    fn document(mut self) -> Result<Option<Node>, Stop> {
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

    fn next(&mut self) -> Result<(Event<'a>, Span), Stop> {
        match self.parser.next_event() {
            Some(Ok(event)) => Ok(event),
            Some(Err(error)) => {
                let at = self.offsets.byte(error.marker().index());
                Err(Stop::Scan(error, at))
            }
            None => {
                let message = "it ends too early".to_owned();
                Err(NotYaml { at: self.offsets.end, message }.into())
            }
        }
    }

    /// The parser ends a quoted scalar behind the blanks and the comment that follow it.
    fn end_of_quoted(&self, range: &Range<usize>) -> usize {
        let source = self.yaml.get(range.clone()).unwrap_or_default();
        let quote = without_properties(source, [' ', '\t', '\n', '\r']);
        let start = range.start + source.len() - quote.len();
        end_of_quoted(self.yaml, start).filter(|end| *end <= range.end).unwrap_or(range.end)
    }

    fn error(&self, span: Span, message: &str) -> Stop {
        NotYaml { at: self.offsets.byte(span.start.index()), message: message.to_owned() }.into()
    }

    fn node(&mut self, event: Event<'a>, span: Span, depth: usize) -> Result<Node, Stop> {
        self.values += 1;
        if self.values > MAX_VALUES {
            let message = format!("it holds more than {MAX_VALUES} values");
            return Err(self.error(span, &message));
        }
        if depth > MAX_DEPTH {
            return Err(self.error(span, "it is nested too deeply"));
        }
        let mut range = self.offsets.range(span);
        let (kind, anchor, tag) = match event {
            Event::Alias(anchor) => (Kind::Alias(anchor), 0, None),
            Event::Scalar(text, style, anchor, tag) => {
                if matches!(style, ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted) {
                    range.end = self.end_of_quoted(&range);
                }
                // The parser gives a value that is not there the place of what follows.
                if style == ScalarStyle::Plain && text.is_empty() && anchor == 0 && tag.is_none() {
                    range.end = range.start;
                }
                (Kind::Scalar { text: text.into_owned(), style }, anchor, tag)
            }
            Event::SequenceStart(anchor, tag) => {
                let mut items = Vec::new();
                loop {
                    let (event, span) = self.next()?;
                    if event == Event::SequenceEnd {
                        range.end = self.offsets.range(span).end.max(range.end);
                        break;
                    }
                    items.push(self.node(event, span, depth + 1)?);
                }
                (Kind::Sequence(items), anchor, tag)
            }
            Event::MappingStart(anchor, tag) => {
                let bare = tag.is_none() && anchor == 0;
                let flow = starts_with(&self.yaml[range.start..], bare, '{');
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
                (Kind::Mapping { pairs, flow }, anchor, tag)
            }
            _ => return Err(self.error(span, "a value is missing here")),
        };
        Ok(Node { kind, range, tag: tag.map(|tag| full_tag(&tag)), anchor })
    }
}

/// Whether a node is written with this mark, `bare` or after a tag or an anchor.
pub(super) fn starts_with(node: &str, bare: bool, mark: char) -> bool {
    let node = if bare { node } else { without_properties(node, [' ', '\t', '\n', '\r']) };
    node.starts_with(mark)
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
