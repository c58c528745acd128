//! Rules for the names of fields that the format does not have.

use super::fields::{FORMAT, OF_TOOLS};
use super::mending::Mender;
use super::{Diagnostic, MAX_KEY, codes, short_key};
use crate::frontmatter::{FrontMatter, same_field};

/// A field that the format does not have, among `others`.
pub(super) fn judge(
    name: &str,
    others: &[&String],
    read: &FrontMatter,
    mender: Option<&Mender<'_>>,
    found: &mut Vec<Diagnostic>,
) {
    let place = read.place(name).map(|field| field.key.clone());
    let shown = short_key(name);
    if OF_TOOLS.contains(&name) {
        let message = format!("`{shown}` is a field of single tools, not of the format");
        found.push(codes::FIELD_OF_TOOL.say(message, place));
        return;
    }
    let Some(Meant { known, is_certain }) = meant(name) else {
        let message = format!("`{shown}` is not a field of the format");
        found.push(codes::FIELD_UNKNOWN.say(message, place));
        return;
    };
    let message = format!("`{shown}` is not a field; did you mean `{known}`?");
    let mut misspelt = codes::FIELD_MISSPELT.say(message, place);
    // Of two fields that mean the same, its author says which one does.
    let is_alone = || {
        let means = |other: &str| meant(other).is_some_and(|other| other.known == known);
        !others.iter().any(|other| *other != name && means(other))
    };
    if let Some(mender) = mender.filter(|_| is_certain && is_alone()) {
        misspelt.fixes.extend(mender.rename(&codes::FIELD_MISSPELT, name, known));
    }
    found.push(misspelt);
}

/// The field that a misspelt name means.
struct Meant {
    known: &'static str,
    /// Two letters off may still be another word.
    is_certain: bool,
}

fn meant(name: &str) -> Option<Meant> {
    // No known name is nearly as long.
    if name.chars().nth(MAX_KEY).is_some() || OF_TOOLS.contains(&name) {
        return None;
    }
    let spelt = FORMAT.iter().chain(OF_TOOLS).find(|known| same_field(known, name));
    if let Some(known) = spelt {
        return Some(Meant { known, is_certain: true });
    }
    let lower = name.to_lowercase();
    let near = |known: &&&str| distance(known, &lower) <= 2;
    let known = FORMAT.iter().find(near)?;
    Some(Meant { known, is_certain: distance(known, &lower) == 1 })
}

/// How many letters must be changed, added or removed.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().take(40).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, letter) in a.chars().take(40).enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, other) in b.iter().enumerate() {
            let changed = diagonal + usize::from(letter != *other);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_distance_counts_letters() {
        assert_eq!(distance("license", "licence"), 1);
        assert_eq!(distance("name", "nmae"), 2);
        assert_eq!(distance("metadata", "meta"), 4);
        assert_eq!(distance("", "ab"), 2);
    }
}
