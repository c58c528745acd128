//! The time is linear in the text, whatever it holds.

use super::*;
use crate::inspect::table::{look_and_count, table};

/// Texts made of the words and samples of the rules, which give every rule the most to do.
fn hostile() -> Vec<String> {
    let rules = &table().rules;
    let samples = |of: fn(&crate::inspect::table::Rule) -> &Vec<String>, between: &str| {
        rules.iter().flat_map(of).map(|s| s.replace('\n', " ")).collect::<Vec<_>>().join(between)
    };
    vec![
        samples(|rule| &rule.found, " "),
        samples(|rule| &rule.silent, " "),
        samples(|rule| &rule.silent, "\n"),
        rules.iter().flat_map(|rule| rule.needs.clone()).collect::<Vec<_>>().concat(),
        "curl curl curl | | ".to_owned(),
        "<!-- a b c ".to_owned(),
        "[a]: # (b c d)\n[![](http://".to_owned(),
        "\u{200b}a\u{43e}\u{fe0f} ".to_owned(),
        "`".to_owned(),
        "../ ~/ https://a ".to_owned(),
        "aGVsbG8gd29ybGQgdGhpcyBpcyBhIHRleHQgb2Ygd29yZHM= ".to_owned(),
    ]
}

#[test]
fn marks_that_take_words_apart_are_looked_for_in_a_bounded_number_of_bytes() {
    for part in
        ["a<!--", "<!-- a b c ", "a**b", "a&#", "&#105;gnore all ", "a<b", "a_", "\\x", "%6"]
    {
        let counted = |size: usize| {
            let text = part.repeat(size / part.len());
            (crate::inspect::split::together_and_count(&text).1, text.len())
        };
        let (small, large) = (counted(10_000), counted(80_000));
        // A look at all that is left for each of them would grow by 64.
        assert!(large.0 <= 9 * small.0, "{part}: {small:?} {large:?}");
        assert!(large.0 <= 256 * large.1, "{part}: {large:?}");
    }
}

#[test]
fn patterns_are_tried_on_each_byte_a_bounded_number_of_times() {
    let tried = |text: &str, size: usize| {
        let text = text.repeat(size / text.len() + 1);
        let tried = look_and_count(&Folded::of(&text), &[]).1;
        (tried, text.len())
    };
    for text in hostile() {
        let (small, large) = (tried(&text, 64 * 1024), tried(&text, 256 * 1024));
        let growth = large.0 as f64 / small.0.max(1) as f64;
        // A quadratic way would grow by sixteen.
        assert!(growth < 5.0, "{growth}: {:?}", text.chars().take(60).collect::<String>());
        // Windows overlap by less than their half, and one of a few lines is tried anew from each.
        let patterns: usize = table().rules.iter().map(|rule| rule.patterns.len()).sum();
        assert!(large.0 <= 4 * patterns * large.1, "{large:?}");
    }
}
