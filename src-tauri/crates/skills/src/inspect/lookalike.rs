//! Letters of other scripts that look like Latin ones.

/// Letters of other scripts and the Latin letter for which a person takes each. A choice from the
/// Unicode consortium's table of confusables: those that look the same in common typefaces.
const ALIKE: &[(char, char)] = &[
    // Latin letters that are drawn like others
    ('\u{131}', 'i'),
    ('\u{1c0}', 'l'),
    ('\u{251}', 'a'),
    ('\u{261}', 'g'),
    ('\u{269}', 'i'),
    // Greek
    ('\u{391}', 'A'),
    ('\u{392}', 'B'),
    ('\u{395}', 'E'),
    ('\u{396}', 'Z'),
    ('\u{397}', 'H'),
    ('\u{399}', 'I'),
    ('\u{39a}', 'K'),
    ('\u{39c}', 'M'),
    ('\u{39d}', 'N'),
    ('\u{39f}', 'O'),
    ('\u{3a1}', 'P'),
    ('\u{3a4}', 'T'),
    ('\u{3a5}', 'Y'),
    ('\u{3a7}', 'X'),
    ('\u{3bf}', 'o'),
    ('\u{3f2}', 'c'),
    ('\u{3f3}', 'j'),
    // Cyrillic
    ('\u{405}', 'S'),
    ('\u{406}', 'I'),
    ('\u{408}', 'J'),
    ('\u{410}', 'A'),
    ('\u{412}', 'B'),
    ('\u{415}', 'E'),
    ('\u{41a}', 'K'),
    ('\u{41c}', 'M'),
    ('\u{41d}', 'H'),
    ('\u{41e}', 'O'),
    ('\u{420}', 'P'),
    ('\u{421}', 'C'),
    ('\u{422}', 'T'),
    ('\u{425}', 'X'),
    ('\u{430}', 'a'),
    ('\u{435}', 'e'),
    ('\u{43e}', 'o'),
    ('\u{440}', 'p'),
    ('\u{441}', 'c'),
    ('\u{443}', 'y'),
    ('\u{445}', 'x'),
    ('\u{455}', 's'),
    ('\u{456}', 'i'),
    ('\u{458}', 'j'),
    ('\u{4bb}', 'h'),
    ('\u{4c0}', 'I'),
    ('\u{4cf}', 'l'),
    ('\u{501}', 'd'),
    ('\u{51b}', 'q'),
    ('\u{51d}', 'w'),
    // Armenian
    ('\u{555}', 'O'),
    ('\u{570}', 'h'),
    ('\u{578}', 'n'),
    ('\u{57d}', 'u'),
    ('\u{581}', 'g'),
    ('\u{585}', 'o'),
];

/// The Latin letter that this letter of another script looks like.
pub(super) fn latin(c: char) -> Option<char> {
    ALIKE.binary_search_by_key(&c, |pair| pair.0).ok().map(|at| ALIKE[at].1)
}

/// The first letter in a word that is there in place of a Latin one: all else in the word is
/// Latin, or looks like it, so that nothing shows.
pub(super) fn in_word(word: &str) -> Option<char> {
    let (mut own, mut alike) = (0, None);
    for c in word.chars() {
        if c.is_ascii() {
            own += usize::from(c.is_ascii_alphabetic());
        } else if latin(c).is_some() {
            alike = alike.or(Some(c));
        } else {
            return None;
        }
    }
    alike.filter(|_| own >= 2)
}

/// As [`in_word`], for the words of a name or an address.
pub(super) fn in_name(name: &str) -> Option<char> {
    name.split(|c: char| !c.is_alphanumeric()).find_map(in_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_order() {
        assert!(ALIKE.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }

    #[test]
    fn a_word_with_one_foreign_letter_is_told_from_a_foreign_word() {
        assert_eq!(in_word("p\u{430}ypal"), Some('\u{430}'));
        assert_eq!(in_name("git-hel\u{440}er.md"), Some('\u{440}'));
        assert_eq!(in_word("\u{441}\u{43e}\u{440}\u{430}"), None);
        assert_eq!(in_word("\u{3b1}BC"), None);
        assert_eq!(in_word("k\u{3a9}"), None);
        assert_eq!(in_name("git-\u{440}\u{435}\u{43f}\u{43e}"), None);
    }
}
