//! Comments, which a rendered page does not show and a model reads, and links that do not lead
//! where they say.

use std::ops::Range;

use super::codes::{self, Found};
use super::{MAX_PLACES, lookalike};
use crate::lines::{lines_at, without_last_break};
use crate::pattern::{Pattern, compile};

/// The most characters of a comment that a message shows.
const EXCERPT: usize = 120;

/// Comments of fewer words say nothing.
const MIN_WORDS: usize = 3;

pub(super) fn look(text: &str, findings: &mut Vec<Found>) {
    static LABEL: Pattern = Pattern::new(|| {
        compile(
            r#"^ {0,3}\[[^\]\n]{0,200}\]:\s*#?\S*\s*(?:\(([^)\n]*)\)|"([^"\n]*)"|'([^'\n]*)')\s*$"#,
        )
    });
    let mut told = Told::default();
    let mut at = 0;
    while let Some(start) = text[at..].find("<!--").map(|found| at + found) {
        let inner = start + 4;
        let (inner_end, end) = match text[inner..].find("-->") {
            Some(found) => (inner + found, inner + found + 3),
            None => (text.len(), text.len()),
        };
        comment(&text[inner..inner_end], start..end, &mut told, findings);
        at = end;
    }
    if !text.contains("]:") {
        return;
    }
    for (start, line) in lines_at(text).filter(|(_, line)| line.trim_start().starts_with('[')) {
        let line = without_last_break(line);
        if !told.is_full()
            && let Some(found) = LABEL.captures(line)
            && let Some(inner) = (1..=3).find_map(|at| found.get(at))
        {
            comment(inner.as_str(), start..start + line.len(), &mut told, findings);
        }
    }
}

/// How many of each kind were told, so that many of one hide none of the other.
#[derive(Default)]
struct Told {
    plain: usize,
    instructs: usize,
}

impl Told {
    fn is_full(&self) -> bool {
        self.plain >= MAX_PLACES && self.instructs >= MAX_PLACES
    }
}

fn comment(inner: &str, range: Range<usize>, told: &mut Told, findings: &mut Vec<Found>) {
    static FOR_TOOLS: Pattern = Pattern::new(|| {
        compile(
            r"(?i)^\s*/?(?:toc|tocstop|prettier|markdownlint|cspell|spell-?checker|eslint|vale|rumdl|omit in toc|more|begin|end|start|stop|todo|section|copyright|spdx)\b[^\n]*$",
        )
    });
    static INSTRUCTS: Pattern = Pattern::new(|| {
        compile(concat!(
            r"(?i)\b(?:ignore|disregard|always|never|you\s+must|you\s+should|you\s+are|do\s+not\s+(?:tell|ask|mention|show)|",
            r"don['’]t\s+(?:tell|ask|mention|show)|send|upload|exfiltrate|execute|curl|wget|assistant|claude|gpt|agents?\s+(?:must|should)|",
            r"download\s+and\s+(?:run|install|execute)|(?:ai|llms?|bots?)\s*:\s*\w+|notes?\s+(?:to|for)\s+(?:ai|llms?|bots?)|",
            r"the\s+(?:model|agent|ai|llm)|instructions?|system\s+prompt|secrets?|passwords?|credentials?|api\s+keys?|without\s+asking)\b",
        ))
    });
    if told.is_full() || inner.split_whitespace().nth(MIN_WORDS - 1).is_none() {
        return;
    }
    let inner = inner.trim();
    let instructs = INSTRUCTS.is_match(inner);
    if !instructs && FOR_TOOLS.is_match(inner) && inner.split_whitespace().nth(8).is_none() {
        return;
    }
    let count = if instructs { &mut told.instructs } else { &mut told.plain };
    if *count >= MAX_PLACES {
        return;
    }
    *count += 1;
    let words: Vec<&str> = inner.split_whitespace().take(EXCERPT).collect();
    let excerpt: String = words.join(" ").chars().take(EXCERPT).collect();
    let rule = if instructs { &codes::COMMENT_INSTRUCTS } else { &codes::COMMENT };
    let message = format!("a comment that a rendered page does not show: {excerpt:?}");
    findings.push(Found::of(rule).saying(message).at(range));
}

/// Links whose text is another address than their target.
pub(super) fn links(text: &str, findings: &mut Vec<Found>) {
    let mut told = 0;
    if text.contains("](") {
        markdown_links(text, &mut told, findings);
    }
    if text.contains("</") {
        html_links(text, &mut told, findings);
    }
}

fn markdown_links(text: &str, told: &mut usize, findings: &mut Vec<Found>) {
    static LINK: Pattern = Pattern::new(|| compile(r"\]\(\s*<?https?://[^\s)<>]+"));
    for found in LINK.find_iter(text) {
        if *told >= MAX_PLACES {
            return;
        }
        let before = &text[..found.start()];
        let least = before.len().saturating_sub(300);
        let Some(open) = before
            .char_indices()
            .rev()
            .take_while(|(at, c)| *at >= least && *c != '\n' && *c != ']')
            .find(|(_, c)| *c == '[')
            .map(|(at, _)| at)
        else {
            continue;
        };
        let target = found.as_str().trim_start_matches(['(', ']', ' ', '\t', '<']);
        let differs = differs(&before[open + 1..], target, open..found.end());
        *told += usize::from(differs.is_some());
        findings.extend(differs);
    }
}

fn html_links(text: &str, told: &mut usize, findings: &mut Vec<Found>) {
    static LINK: Pattern = Pattern::new(|| {
        compile(r#"(?i)<a\s[^<>]*?href\s*=\s*["']?https?://[^\s"'<>]+[^<>]*>[^<\n]+</a\b"#)
    });
    for found in LINK.find_iter(text) {
        if *told >= MAX_PLACES {
            return;
        }
        let Some((tag, label)) = found.as_str().split_once('>') else { continue };
        let label = label.split('<').next().unwrap_or_default();
        let href = tag.to_ascii_lowercase().find("href").unwrap_or_default();
        let target = tag[href..].find("://").map(|at| &tag[href + at..]).unwrap_or_default();
        let target = target.split([' ', '"', '\'', '\t', '\n']).next().unwrap_or_default();
        let differs = differs(label, target, found.range());
        *told += usize::from(differs.is_some());
        findings.extend(differs);
    }
}

/// The finding where a text names another host than the link's target has.
fn differs(label: &str, target: &str, range: Range<usize>) -> Option<Found> {
    let (shown, host) = (shown_host(label)?, host(target)?);
    let message = format!("a link that shows {shown} and leads to {host}");
    (!related(&shown, &host)).then(|| Found::of(&codes::LINK_TEXT).saying(message).at(range))
}

/// The host that the text of a link names, where it names one.
fn shown_host(label: &str) -> Option<String> {
    let label = label.trim_matches([' ', '*', '_', '`', '<', '>']);
    let named = label.strip_prefix("https://").or_else(|| label.strip_prefix("http://"));
    let host: String = named
        .unwrap_or(label)
        .split(['/', ':', '?', '#'])
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    let known = [".com", ".org", ".net", ".gov", ".edu"];
    let plain = host.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-'));
    let is_one = plain
        && host.contains('.')
        && (named.is_some() || known.iter().any(|end| host.ends_with(end)));
    is_one.then_some(host)
}

/// The host of an address, lower case.
pub(super) fn host(address: &str) -> Option<String> {
    let (_, rest) = address.split_once("://")?;
    let authority = rest.split(['/', '?', '#', '\\']).next()?;
    let host = authority.rsplit('@').next()?.split(':').next()?;
    (!host.is_empty()).then(|| host.to_lowercase())
}

/// Whether two hosts end with the same two labels.
fn related(a: &str, b: &str) -> bool {
    let end = |host: &str| host.rsplit('.').take(2).map(str::to_owned).collect::<Vec<_>>();
    end(a) == end(b)
}

/// What is wrong with the host of an address, if it is meant to be taken for another.
pub(super) fn misleading(address: &str) -> Option<Found> {
    let host = host(address)?;
    if let Some(letter) = lookalike::in_name(&host) {
        let message = format!("an address with U+{:04X} among Latin letters", u32::from(letter));
        return Some(Found::of(&codes::LOOK_ALIKE_ADDRESS).saying(message));
    }
    let foreign = host.split('.').any(|label| label.starts_with("xn--"));
    let whole =
        !host.is_ascii() && host.chars().all(|c| c.is_ascii() || lookalike::latin(c).is_some());
    (foreign || whole).then(|| {
        Found::of(&codes::LOOK_ALIKE_ADDRESS)
            .saying(format!("an address with letters of another script: {host}"))
            .weighing(if whole { super::Weight::Grave } else { super::Weight::Caution })
    })
}
