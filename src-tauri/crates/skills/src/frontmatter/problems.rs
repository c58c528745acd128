//! What is wrong with a front matter as it is read, with ways to put it right.

use std::ops::Range;

use super::YamlVersion;
use super::block::{self, NoBlock};
use super::quote::in_quotes;
use super::resolve::{self, Unresolvable};
use super::said;
use super::tree::NotYaml;
use super::unquoted::{self, Stopped, Unquoted};
use crate::MAIN_FILE;
use crate::check::{Diagnostic, Place, codes, short_key};
use crate::fix::{Fix, TextEdit};
use crate::lines::{LineIndex, lines_at, without_last_break};

/// More lines than this are not put right one by one.
const MAX_EDITS: usize = 5_000;

/// A text that diagnostics are made for.
pub(super) struct Text<'a> {
    text: &'a str,
    index: LineIndex<'a>,
    /// Where the YAML starts in the text.
    pub(super) offset: usize,
    /// Whether bytes of the text are bytes of the file, so that they can be changed.
    pub(super) is_exact: bool,
}

impl<'a> Text<'a> {
    pub(super) fn new(text: &'a str, is_exact: bool) -> Self {
        Self { text, index: LineIndex::new(text), offset: 0, is_exact }
    }

    /// The place of a range of the YAML.
    pub(super) fn place(&self, range: &Range<usize>) -> Place {
        self.index.place(MAIN_FILE, range.start + self.offset..range.end + self.offset)
    }

    fn edits(&self, title: &str, edits: Vec<TextEdit>) -> Vec<Fix> {
        if !self.is_exact || edits.is_empty() || edits.len() > MAX_EDITS {
            return Vec::new();
        }
        vec![Fix::Edits { title: title.to_owned(), file: MAIN_FILE.to_owned(), edits }]
    }

    /// Puts something else where a range of the YAML is.
    fn replace(&self, title: &str, range: &Range<usize>, replacement: String) -> Vec<Fix> {
        let range = range.start + self.offset..range.end + self.offset;
        self.edits(title, vec![TextEdit { range, replacement }])
    }

    pub(super) fn not_utf8(&self, at: usize) -> Diagnostic {
        let place = self.index.place(MAIN_FILE, at..at + 1);
        codes::NOT_UTF8.say("the file is not UTF-8", Some(place))
    }

    pub(super) fn no_block(&self, problem: NoBlock) -> Diagnostic {
        let first = || Some(self.index.place(MAIN_FILE, 0..0));
        match problem {
            NoBlock::NotOpened => {
                codes::FRONT_MATTER_MISSING.say("there is no front matter", first())
            }
            NoBlock::NotClosed => {
                codes::FRONT_MATTER_UNCLOSED.say("the front matter has no closing `---`", first())
            }
            NoBlock::Empty => codes::FRONT_MATTER_EMPTY.say("the front matter is empty", first()),
            NoBlock::Untidy(line) => self.untidy(line),
        }
    }

    /// Only blanks can follow `---` here, or a line break that is none to strict readers.
    fn untidy(&self, number: u32) -> Diagnostic {
        let (start, line) = lines_at(self.text).nth(number.max(1) as usize - 1).unwrap_or((0, ""));
        let dashes = start + line.find("---").map_or(0, |at| at + 3);
        let end = start + without_last_break(line).len();
        if dashes < end {
            let mut said = codes::FRONT_MATTER_DELIMITER.say(
                "something follows `---` on its line",
                Some(self.index.place(MAIN_FILE, dashes..end)),
            );
            // The other delimiter may have the same fault, and its own diagnostic only later.
            said.fixes = self.edits("trim the line", self.trimmed_delimiters());
            return said;
        }
        let mut said = codes::FRONT_MATTER_DELIMITER.say(
            "a lone CR ends the line of `---`, which strict readers take for no line break",
            Some(self.index.place(MAIN_FILE, dashes..dashes)),
        );
        said.fixes = self.edits("end the lines with LF", self.lone_returns());
        said
    }

    fn trimmed_delimiters(&self) -> Vec<TextEdit> {
        let Ok(block) = block::find_lenient(self.text) else { return Vec::new() };
        let closing = block.yaml.end..block.body.start;
        let opening = 0..block.yaml.start;
        [opening, closing]
            .into_iter()
            .filter_map(|range| {
                let line = without_last_break(&self.text[range.clone()]);
                let dashes = range.start + line.find("---")? + 3;
                let range = dashes..range.start + line.len();
                (!range.is_empty()).then(|| TextEdit { range, replacement: String::new() })
            })
            .collect()
    }

    /// Every lone CR up to the body.
    fn lone_returns(&self) -> Vec<TextEdit> {
        let end = block::find_lenient(self.text).map_or(0, |block| block.body.start);
        lines_at(&self.text[..end])
            .filter(|(_, line)| line.ends_with('\r'))
            .map(|(start, line)| start + line.len())
            .filter(|end| !self.text[*end..].starts_with('\n'))
            .map(|end| TextEdit { range: end - 1..end, replacement: "\n".to_owned() })
            .collect()
    }

    pub(super) fn not_mapping(&self, range: &Range<usize>) -> Diagnostic {
        let message = "the front matter does not hold fields";
        codes::FRONT_MATTER_NOT_MAPPING.say(message, Some(self.place(range)))
    }

    /// Every place at which a reader stops.
    pub(super) fn not_yaml(&self, yaml: &str, error: NotYaml) -> Vec<Diagnostic> {
        unquoted::stops(yaml, error).into_iter().map(|stop| self.stopped(stop)).collect()
    }

    /// A place at which PyYAML stops.
    pub(super) fn refused(&self, refusal: &NotYaml) -> Diagnostic {
        let yaml = self.text.get(self.offset..).unwrap_or_default();
        let at = said::fault(yaml, refusal.at, &refusal.message);
        codes::FRONT_MATTER_YAML.say(
            format!("the front matter is not YAML: {}", said::in_plain_words(&refusal.message)),
            Some(self.place(&(at..at))),
        )
    }

    fn stopped(&self, stop: Stopped) -> Diagnostic {
        let mut said = match &stop.unquoted {
            Some(Unquoted { field, colon: Some(colon), .. }) => codes::FRONT_MATTER_COLON.say(
                format!(
                    "the value of `{}` has an unquoted `: `, so the front matter is not YAML",
                    short_key(field)
                ),
                Some(self.place(&(*colon..colon + 1))),
            ),
            Some(Unquoted { field, colon: None, value }) if stop.quoted.is_some() => {
                codes::FRONT_MATTER_YAML.say(
                    format!(
                        "the value of `{}` needs quotes, as it is the front matter is not YAML",
                        short_key(field)
                    ),
                    Some(self.place(value)),
                )
            }
            _ => self.refused(&stop.error),
        };
        if let (Some(unquoted), Some(quoted)) = (stop.unquoted, stop.quoted) {
            said.fixes = self.replace("quote the value", &unquoted.value, quoted);
        }
        said
    }

    pub(super) fn unresolvable(
        &self,
        yaml: &str,
        reason: Unresolvable,
        field: &str,
        range: &Range<usize>,
    ) -> Diagnostic {
        let (code, title) = match reason {
            Unresolvable::DuplicateKey => (&codes::FRONT_MATTER_DUPLICATE, None),
            Unresolvable::KeyNotString => (&codes::FRONT_MATTER_KEY, Some("quote the key")),
            Unresolvable::Timestamp | Unresolvable::NonFinite | Unresolvable::Mark => {
                (&codes::FRONT_MATTER_VALUE, Some("quote the value"))
            }
            _ => (&codes::FRONT_MATTER_VALUE, None),
        };
        let shown = short_key(field);
        let message = match reason {
            Unresolvable::DuplicateKey => format!("the field `{shown}` comes twice"),
            _ if field.is_empty() => format!("the front matter has {}", reason.reason()),
            _ => format!("`{shown}` has {}", reason.reason()),
        };
        let mut said = code.say(message, Some(self.place(range)));
        if let Some(title) = title
            && let Some(source) = yaml.get(range.clone()).map(str::trim_end)
            && !source.is_empty()
            && resolve::is_no_text(source, YamlVersion::V1_1)
        {
            let range = range.start..range.start + source.len();
            said.fixes = self.replace(title, &range, in_quotes(source));
        }
        said
    }
}
