//! Text as lines of pieces, each with what it is.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxReference, SyntaxSet};

use super::hidden::{Run, code_point, runs};
use crate::view::{Piece, TextRole};

/// The most lines that are shown.
const MOST_LINES: usize = 10_000;
/// The most bytes that are shown.
const MOST_BYTES: usize = 1024 * 1024;
/// Longer lines are shown without roles.
const LONG_LINE: usize = 2000;
/// After this, the rest is shown without roles: a hostile text may be slow to take apart.
const PATIENCE: Duration = Duration::from_millis(400);

/// The syntaxes, a constant table that takes some milliseconds to unpack.
static SYNTAXES: LazyLock<SyntaxSet> = LazyLock::new(SyntaxSet::load_defaults_newlines);
/// Prefixes of scopes and what they mean; the first that fits wins.
static ROLES: LazyLock<Vec<(Scope, TextRole)>> = LazyLock::new(|| {
    [
        ("comment", TextRole::Comment),
        ("string", TextRole::String),
        ("constant", TextRole::Number),
        ("keyword", TextRole::Keyword),
        ("storage", TextRole::Keyword),
        ("entity.name.section", TextRole::Markup),
        ("markup.heading", TextRole::Markup),
        ("markup.bold", TextRole::Markup),
        ("markup.italic", TextRole::Markup),
        ("entity", TextRole::Name),
        ("support", TextRole::Name),
        ("variable.function", TextRole::Name),
    ]
    .into_iter()
    .filter_map(|(prefix, role)| Some((Scope::new(prefix).ok()?, role)))
    .collect()
});

/// What a paragraph of Markdown is in.
static PARAGRAPH: LazyLock<Option<Scope>> =
    LazyLock::new(|| Scope::new("meta.paragraph.markdown").ok());

/// The lines of a text, and whether it was cut. Line ends are not part of the lines; hidden
/// characters are pieces of their own.
pub(super) fn highlight(path: &str, text: &str) -> (Vec<Vec<Piece>>, bool) {
    highlight_within(PATIENCE, path, text)
}

fn highlight_within(patience: Duration, path: &str, text: &str) -> (Vec<Vec<Piece>>, bool) {
    let mut lines = Vec::new();
    let begun = |syntax| (ParseState::new(syntax), ScopeStack::new());
    let front = front_matter_ends(path, text);
    let first = if front.is_some() { SYNTAXES.find_syntax_by_token("yaml") } else { syntax(path) };
    let mut syntax = first.map(begun);
    let end = Instant::now() + patience;
    let mut bytes = 0;
    for line in text.split_inclusive('\n') {
        bytes += line.len();
        if lines.len() >= MOST_LINES || bytes > MOST_BYTES {
            return (lines, true);
        }
        if line.len() > LONG_LINE || Instant::now() > end {
            syntax = None;
        }
        let shown = without_break(line);
        // Every line break is a line feed to the syntax, which may cut a CRLF in two.
        let fed = format!("{shown}\n");
        let spans = syntax
            .as_mut()
            .and_then(|(state, stack)| spans(&fed, state, stack))
            .unwrap_or_else(|| vec![(shown, None)]);
        lines.push(pieces(&spans));
        // The syntax carries a paragraph on over the blank line that ends it.
        if shown.trim().is_empty()
            && syntax.as_ref().is_some_and(|(_, stack)| {
                PARAGRAPH.is_some_and(|one| stack.as_slice().contains(&one))
            })
        {
            syntax = self::syntax(path).map(begun);
        }
        if front == Some(lines.len()) && syntax.is_some() {
            syntax = self::syntax(path).map(begun);
        }
    }
    (lines, false)
}

/// The number of the line that ends the front matter of a Markdown file, from 1.
fn front_matter_ends(path: &str, text: &str) -> Option<usize> {
    let is_fence = |line: &str| line.trim_end() == "---";
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text.lines().take(MOST_LINES);
    if !path.to_ascii_lowercase().ends_with(".md") || !lines.next().is_some_and(is_fence) {
        return None;
    }
    lines.position(is_fence).map(|at| at + 2)
}

fn syntax(path: &str) -> Option<&'static SyntaxReference> {
    let name = path.rsplit('/').next()?;
    let token = name.rsplit_once('.').map_or(name, |(_, extension)| extension);
    // The set has neither of these two; the nearest of kin reads well enough.
    let token = match token {
        "ts" | "tsx" | "mjs" | "cjs" | "jsx" => "js",
        "jsonc" | "json5" => "json",
        other => other,
    };
    SYNTAXES.find_syntax_by_extension(name).or_else(|| SYNTAXES.find_syntax_by_extension(token))
}

/// A line without its line feed or its carriage return and line feed.
fn without_break(line: &str) -> &str {
    line.strip_suffix('\n').map_or(line, |line| line.strip_suffix('\r').unwrap_or(line))
}

/// The line cut where its meaning changes; `None` when the syntax does not get on with it.
fn spans<'a>(
    line: &'a str,
    state: &mut ParseState,
    stack: &mut ScopeStack,
) -> Option<Vec<(&'a str, Option<TextRole>)>> {
    let ops = state.parse_line(line, &SYNTAXES).ok()?;
    let mut out = Vec::new();
    let mut from = 0;
    for (at, op) in ops {
        if from < at {
            out.push((line.get(from..at)?, role(stack)));
            from = at;
        }
        stack.apply(&op).ok()?;
    }
    out.push((line.get(from..)?, role(stack)));
    Some(out)
}

fn role(stack: &ScopeStack) -> Option<TextRole> {
    stack.as_slice().iter().rev().find_map(|scope| {
        ROLES.iter().find(|(prefix, _)| prefix.is_prefix_of(*scope)).map(|&(_, role)| role)
    })
}

fn pieces(spans: &[(&str, Option<TextRole>)]) -> Vec<Piece> {
    let mut out: Vec<Piece> = Vec::new();
    for &(text, role) in spans {
        for run in runs(text.strip_suffix('\n').unwrap_or(text)) {
            match run {
                Run::Hidden(c) => {
                    out.push(Piece { text: code_point(c), role: Some(TextRole::Hidden) });
                }
                Run::Plain(text) => match out.last_mut() {
                    Some(last) if last.role == role => last.text.push_str(text),
                    _ => out.push(Piece { text: text.to_owned(), role }),
                },
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// However slow the machine is.
    fn highlight(path: &str, text: &str) -> (Vec<Vec<Piece>>, bool) {
        highlight_within(Duration::from_secs(3600), path, text)
    }

    fn piece(text: &str, role: Option<TextRole>) -> Piece {
        Piece { text: text.to_owned(), role }
    }

    #[test]
    fn a_comment_and_a_number_are_told_apart() {
        let (lines, cut) = highlight("a.py", "x = 1 # why\n");
        assert_eq!(
            lines,
            [vec![
                piece("x ", None),
                piece("=", Some(TextRole::Keyword)),
                piece(" ", None),
                piece("1", Some(TextRole::Number)),
                piece(" ", None),
                piece("# why", Some(TextRole::Comment)),
            ]]
        );
        assert!(!cut);
    }

    #[test]
    fn hidden_characters_are_pieces_of_their_own() {
        let (lines, _) = highlight("a.unknown", "a\u{200b}b\r\n\nc");
        assert_eq!(
            lines,
            [
                vec![piece("a", None), piece("U+200B", Some(TextRole::Hidden)), piece("b", None)],
                vec![],
                vec![piece("c", None)],
            ]
        );
    }

    #[test]
    fn the_line_breaks_of_a_heading_are_not_part_of_it_whatever_they_are() {
        let text = "---\nname: a\n---\n# Title\n\n- one\n\n```sh\nls # all\n```\n";
        let (expected, _) = highlight("SKILL.md", text);
        assert_eq!(
            expected[3].iter().map(|piece| piece.text.as_str()).collect::<String>(),
            "# Title"
        );
        assert!(expected[3].iter().any(|piece| piece.role.is_some()), "{:?}", expected[3]);
        assert_eq!(highlight("SKILL.md", &text.replace('\n', "\r\n")).0, expected);
    }

    #[test]
    fn a_paragraph_and_a_list_end_with_themselves() {
        let text =
            "# One\n\n**Bold.** It was `a`, and\nno more.\n\n## Two\n\n1. Collect.\n\n## Three\n";
        let (lines, _) = highlight("SKILL.md", text);
        let marked = |at: usize| {
            lines[at].iter().any(|Piece { text, role }| {
                *role == Some(TextRole::Markup) && text.chars().any(char::is_alphabetic)
            })
        };
        assert_eq!(
            [0, 2, 3, 5, 7, 9].map(marked),
            [true, true, false, true, false, true],
            "{lines:?}"
        );
    }

    #[test]
    fn front_matter_reads_as_yaml_and_the_rest_as_markdown() {
        let text = "---\nname: \"a\"\n---\n# Title\n";
        let (lines, _) = highlight("SKILL.md", text);
        assert!(lines[1].contains(&piece("name", Some(TextRole::Name))), "{:?}", lines[1]);
        assert!(
            lines[1].iter().any(|piece| piece.role == Some(TextRole::String)),
            "{:?}",
            lines[1]
        );
        assert!(
            lines[3].iter().any(|piece| piece.role == Some(TextRole::Markup)),
            "{:?}",
            lines[3]
        );
        // Without an end it is a text like any other.
        assert_eq!(front_matter_ends("SKILL.md", "---\nname: a\n"), None);
        assert_eq!(front_matter_ends("a.yaml", text), None);
        assert_eq!(front_matter_ends("SKILL.md", text), Some(3));
    }

    #[test]
    fn a_carriage_return_within_a_line_is_shown() {
        let (lines, _) = highlight("a.unknown", "a\rb\r\r\n");
        let shown = || piece("U+000D", Some(TextRole::Hidden));
        assert_eq!(lines, [vec![piece("a", None), shown(), piece("b", None), shown()]]);
    }

    #[test]
    fn a_very_long_text_is_cut() {
        let (lines, cut) = highlight("a.txt", &"\n".repeat(20_000));
        assert_eq!(lines.len(), 10_000);
        assert!(cut);
    }
}
