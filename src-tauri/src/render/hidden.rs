//! Characters that a person cannot see, or that change what is seen around them.

/// Whether a character is invisible or reorders text. Joiners and variation selectors are judged
/// by their neighbours: see [`hidden_at`].
pub(super) fn is_hidden(c: char) -> bool {
    matches!(c,
        '\0'..='\u{8}' | '\u{b}'..='\u{1f}' | '\u{7f}'..='\u{9f}'
        | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// Whether this character must be shown as its code point, given the ones before and after it.
/// The joiners of emoji and of scripts that need them, and the selector of an emoji's form, are
/// ordinary text there.
pub(super) fn hidden_at(before: Option<char>, c: char, after: Option<char>) -> bool {
    match c {
        '\u{200d}' if before.is_some_and(emoji_part) && after.is_some_and(emoji) => false,
        '\u{200c}' | '\u{200d}'
            if before.is_some_and(joining_script) && after.is_some_and(joining_script) =>
        {
            false
        }
        '\u{fe0e}' | '\u{fe0f}' if before.is_some_and(takes_form) => false,
        _ => is_hidden(c),
    }
}

/// As in `U+200B`.
pub(super) fn code_point(c: char) -> String {
    format!("U+{:04X}", u32::from(c))
}

/// The text cut where hidden characters stand: each run is plain text or one hidden character.
pub(super) fn runs(text: &str) -> Vec<Run<'_>> {
    let mut out = Vec::new();
    let mut plain = 0;
    let mut before = None;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let after = chars.peek().map(|&(_, c)| c);
        if hidden_at(before, c, after) {
            if plain < at {
                out.push(Run::Plain(&text[plain..at]));
            }
            out.push(Run::Hidden(c));
            plain = at + c.len_utf8();
        }
        before = Some(c);
    }
    if plain < text.len() {
        out.push(Run::Plain(&text[plain..]));
    }
    out
}

/// A part of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Run<'a> {
    /// As it is.
    Plain(&'a str),
    /// One hidden character.
    Hidden(char),
}

/// The text with each hidden character written as `⟨U+200B⟩`.
pub fn spelled_out(text: &str) -> String {
    runs(text)
        .into_iter()
        .map(|run| match run {
            Run::Plain(text) => text.to_owned(),
            Run::Hidden(c) => format!("⟨{}⟩", code_point(c)),
        })
        .collect()
}

/// A text that may come from anywhere, as a part of a line: nothing in it can steer a terminal or
/// look like a line of its own.
pub fn in_one_line(text: &str) -> String {
    spelled_out(text).replace('\n', "⟨U+000A⟩").replace('\t', "⟨U+0009⟩")
}

fn emoji(c: char) -> bool {
    matches!(c, '\u{1f000}'..='\u{1faff}' | '\u{2190}'..='\u{2bff}')
}

fn emoji_part(c: char) -> bool {
    emoji(c) || c == '\u{fe0f}'
}

fn takes_form(c: char) -> bool {
    emoji(c)
        || matches!(
            c,
            '#' | '*' | '0'..='9' | '©' | '®' | '‼' | '⁉' | '™' | 'ℹ' | '〰' | '〽' | '㊗' | '㊙'
        )
}

fn joining_script(c: char) -> bool {
    matches!(c, '\u{600}'..='\u{8ff}' | '\u{900}'..='\u{dff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zero_width_space_is_cut_out_as_one_run() {
        assert_eq!(runs("a\u{200b}b"), [Run::Plain("a"), Run::Hidden('\u{200b}'), Run::Plain("b")]);
        assert_eq!(spelled_out("a\u{200b}b"), "a⟨U+200B⟩b");
    }

    #[test]
    fn tag_characters_and_reordering_marks_are_spelled_out() {
        assert_eq!(spelled_out("\u{e0041}"), "⟨U+E0041⟩");
        assert_eq!(spelled_out("x\u{202e}y"), "x⟨U+202E⟩y");
    }

    #[test]
    fn a_family_of_emoji_and_persian_joiners_stay_text() {
        let family = "👨\u{200d}👩\u{200d}👧";
        assert_eq!(runs(family), [Run::Plain(family)]);
        let persian = "می\u{200c}خواهم";
        assert_eq!(runs(persian), [Run::Plain(persian)]);
        assert_eq!(runs("❤\u{fe0f}"), [Run::Plain("❤\u{fe0f}")]);
    }

    #[test]
    fn a_joiner_between_latin_letters_is_hidden() {
        assert_eq!(spelled_out("a\u{200d}b"), "a⟨U+200D⟩b");
    }
}
