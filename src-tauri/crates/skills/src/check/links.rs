//! Where the links of a Markdown text lead.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use percent_encoding::percent_decode_str;

use super::{Diagnostic, MAX_PLACES, MAX_VALUE, codes, shortened};
use crate::MAIN_FILE;
use crate::lines::{LineIndex, lines_at, without_last_break};
use crate::pattern::{Pattern, compile};

/// `](target "title")`, of links and of images.
static LINK: Pattern = Pattern::new(|| compile(r"\]\(\s*<?([^()<>\s]+)>?(?:\s+[^()]*)?\)"));

/// `[label]: target`, which stands on a line of its own.
static DEFINITION: Pattern = Pattern::new(|| compile(r"^ {0,3}\[[^\[\]^]+\]:\s*<?([^<>\s]+)>?"));

/// A link and what is in its brackets or behind its colon, in bytes of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Link<'a> {
    pub(super) range: Range<usize>,
    pub(super) target: &'a str,
}

/// The links of a text outside of code, in its order.
pub(super) fn links(text: &str) -> impl Iterator<Item = Link<'_>> {
    let mut fence: Option<(char, usize)> = None;
    lines_at(text).flat_map(move |(start, line)| {
        let line = without_last_break(line);
        let in_text = match (fence, fence_of(line)) {
            (None, Some((opened, count, _))) => {
                fence = Some((opened, count));
                false
            }
            (Some((opened, least)), Some((closing, count, bare))) => {
                if opened == closing && count >= least && bare {
                    fence = None;
                }
                false
            }
            (fence, None) => fence.is_none(),
        };
        let line = if in_text { line } else { "" };
        let code = inline_code(line);
        let found: Vec<Link<'_>> = LINK
            .captures_iter(line)
            .chain(DEFINITION.captures_iter(line))
            .filter_map(|captures| captures.get(1))
            .filter(|target| !is_in(&code, target.start()))
            .map(|target| Link {
                range: start + target.start()..start + target.end(),
                target: target.as_str(),
            })
            .collect();
        found
    })
}

/// The character of a code fence, how often it comes, and whether nothing follows.
fn fence_of(line: &str) -> Option<(char, usize, bool)> {
    let line = line.trim_start();
    let fence = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let rest = line.trim_start_matches(fence);
    let count = line.len() - rest.len();
    // Of backticks on one line, code in the text is made too.
    let is_fence = count >= 3 && !(fence == '`' && rest.contains('`'));
    is_fence.then(|| (fence, count, rest.trim().is_empty()))
}

/// Whether a byte is in one of these ranges, which are in order and apart.
fn is_in(ranges: &[Range<usize>], at: usize) -> bool {
    let before = ranges.partition_point(|range| range.start <= at);
    before.checked_sub(1).is_some_and(|found| ranges[found].contains(&at))
}

/// Code inside of a line: from as many backticks to equally many.
fn inline_code(line: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut runs: Vec<(usize, usize)> = Vec::new();
    let mut at = 0;
    while let Some(start) = line[at..].find('`').map(|found| at + found) {
        let count = line[start..].len() - line[start..].trim_start_matches('`').len();
        runs.push((start, count));
        at = start + count;
    }
    // By length, so that a line of nothing but backticks costs no more than its length.
    let mut next_of: HashMap<usize, Vec<usize>> = HashMap::new();
    for (number, (_, count)) in runs.iter().enumerate().rev() {
        next_of.entry(*count).or_default().push(number);
    }
    let mut number = 0;
    while let Some((start, count)) = runs.get(number) {
        let same = next_of.entry(*count).or_default();
        while same.last().is_some_and(|later| *later <= number) {
            same.pop();
        }
        match same.last().and_then(|later| Some((*later, runs.get(*later)?))) {
            Some((later, (end, _))) => {
                found.push(*start..end + count);
                number = later + 1;
            }
            None => number += 1,
        }
    }
    found
}

/// Where a link leads.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Leads {
    /// To the web, to a heading, or to what a program fills in.
    Elsewhere,
    /// To a place that is not told from the skill's folder.
    Absolute,
    /// Above the skill's folder.
    Outside,
    /// To this path in the skill; empty for the folder itself.
    Inside(String),
}

/// Where a target leads from a file in `folder`, a path in the skill.
pub(super) fn leads(target: &str, folder: &str) -> Leads {
    let lower = target.to_ascii_lowercase();
    let drive = lower.as_bytes().first().is_some_and(u8::is_ascii_alphabetic)
        && matches!(lower.as_bytes().get(1..3), Some([b':', b'\\' | b'/']));
    if drive || lower.starts_with("file:") || target.starts_with('~') {
        return Leads::Absolute;
    }
    if target.starts_with(['#', '$', '{', '<']) || target.contains(':') || target.starts_with("//")
    {
        return Leads::Elsewhere;
    }
    if target.starts_with('/') {
        return Leads::Absolute;
    }
    let path = target.split(['#', '?']).next().unwrap_or_default();
    let decoded = percent_decode_str(path).decode_utf8_lossy();
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in decoded.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.pop().is_none() => return Leads::Outside,
            ".." => {}
            part => parts.push(part),
        }
    }
    Leads::Inside(parts.join("/"))
}

/// Whether there is a file or a folder at this path.
fn is_there(files: &BTreeSet<&str>, path: &str) -> bool {
    if path.is_empty() || files.contains(path) {
        return true;
    }
    let folder = format!("{path}/");
    files.range(folder.as_str()..).next().is_some_and(|file| file.starts_with(&folder))
}

pub(super) fn check(
    text: &str,
    start: usize,
    files: &BTreeSet<&str>,
    index: &LineIndex<'_>,
    found: &mut Vec<Diagnostic>,
) {
    let mut told = [0; 4];
    for Link { range, target } in links(&text[start..]) {
        let shown = |text| shortened(text, MAX_VALUE);
        let (kind, rule, message) = match leads(target, "") {
            Leads::Elsewhere => continue,
            Leads::Absolute => {
                let message = format!("`{}` is not relative to the skill", shown(target));
                (0, &codes::LINK_ABSOLUTE, message)
            }
            Leads::Outside => {
                let message = format!("`{}` lies outside of the skill", shown(target));
                (1, &codes::LINK_OUTSIDE, message)
            }
            Leads::Inside(path) if !is_there(files, &path) => {
                (2, &codes::LINK_MISSING, format!("there is no file `{}`", shown(&path)))
            }
            Leads::Inside(path) if path.matches('/').count() > 1 => {
                let message = format!("`{}` lies more than one level deep", shown(&path));
                (3, &codes::LINK_DEEP, message)
            }
            Leads::Inside(_) => continue,
        };
        told[kind] += 1;
        if told[kind] <= MAX_PLACES {
            let place = index.place(MAIN_FILE, start + range.start..start + range.end);
            found.push(rule.say(message, Some(place)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn targets(text: &str) -> Vec<&str> {
        links(text).map(|link| link.target).collect()
    }

    #[test]
    fn links_are_found_outside_of_code() {
        assert_eq!(
            targets("[a](b.md) ![c](<d.png> \"t\")\n[e]: f.md 'x'\n"),
            ["b.md", "d.png", "f.md"]
        );
        assert_eq!(targets("`[a](b)` ``[c](d) ` `` [e](f)"), ["f"]);
        assert_eq!(targets("`open [a](b)"), ["b"]);
        assert_eq!(targets("````\n[a](b)\n```\n[c](d)\n````\n[e](f)"), ["f"]);
        assert_eq!(targets("```x``` [a](b)"), ["b"]);
        assert_eq!(targets("~~~\n[a](b)\n```\n~~~\n[c](d)"), ["d"]);
        assert_eq!(targets("[^1]: note"), [""; 0]);
    }

    #[test]
    fn a_target_is_told_by_its_form() {
        for web in ["https://a.b/c", "mailto:a@b", "#top", "$FILE", "{x}", "//a.b/c"] {
            assert_eq!(leads(web, ""), Leads::Elsewhere, "{web}");
        }
        for absolute in ["/etc/x", "~/x", "file:///x", "C:\\x", "c:/x"] {
            assert_eq!(leads(absolute, ""), Leads::Absolute, "{absolute}");
        }
        assert_eq!(leads("../x", ""), Leads::Outside);
        assert_eq!(leads("a/../../x", ""), Leads::Outside);
        let inside = |target: &str, folder: &str| match leads(target, folder) {
            Leads::Inside(path) => path,
            other => panic!("{other:?}"),
        };
        assert_eq!(inside("./a%20b.md#c", ""), "a b.md");
        assert_eq!(inside("../x.md", "docs"), "x.md");
        assert_eq!(inside("?q", ""), "");
    }

    #[test]
    fn many_backticks_cost_no_more_than_their_number() {
        let line: String = (1..400).map(|n| format!("{} ", "`".repeat(n))).collect();
        assert!(inline_code(&line).is_empty());
        assert_eq!(inline_code("`a` ``b``"), [0..3, 4..9]);
    }
}
