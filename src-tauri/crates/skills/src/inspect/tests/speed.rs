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
fn a_word_that_is_taken_apart_over_and_over_takes_linear_time() {
    // By a way that looks at the rest for each of them, this is hours.
    for part in ["a<!--", "<!-- a b c ", "a**b", "a&#", "&#105;gnore all ", "a<b"] {
        let _ = crate::inspect::split::look(&part.repeat(400_000 / part.len()));
    }
}

#[test]
fn patterns_are_tried_on_each_byte_a_bounded_number_of_times() {
    let tried = |text: &str, size: usize| {
        let text = text.repeat(size / text.len() + 1);
        let tried = look_and_count(&Folded::of(&text)).1;
        (tried, text.len())
    };
    for text in hostile() {
        let (small, large) = (tried(&text, 64 * 1024), tried(&text, 256 * 1024));
        let growth = large.0 as f64 / small.0.max(1) as f64;
        // A quadratic way would grow by sixteen.
        assert!(growth < 5.0, "{growth}: {:?}", text.chars().take(60).collect::<String>());
        // Windows overlap by less than their half, and one of a few lines is tried anew from each.
        let rules = table().rules.len();
        assert!(large.0 <= 4 * rules * large.1, "{large:?}");
    }
}
