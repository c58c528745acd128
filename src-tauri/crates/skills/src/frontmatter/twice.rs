//! Fields whose keys come twice: readers differ in which of them counts.

use std::collections::HashMap;
use std::ops::Range;

use super::tree::{Kind, Node};

/// Where these fields stand, from the key to the end of the value, at whatever depth; in bytes of
/// the parsed text. Beside a key that is an alias each field may be the one that it stands for.
pub(super) fn fields(pairs: &[(Node, Node)]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    collect(pairs, &mut found);
    found
}

fn collect(pairs: &[(Node, Node)], found: &mut Vec<Range<usize>>) {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for (key, _) in pairs {
        // However it is written: in quotes, a number may be the text of another key.
        if let Kind::Scalar { text, .. } = &key.kind {
            *counts.entry(text).or_default() += 1;
        }
    }
    let any_alias = pairs.iter().any(|(key, _)| matches!(key.kind, Kind::Alias(_)));
    for (key, value) in pairs {
        let is_twice = match &key.kind {
            Kind::Scalar { text, .. } => counts.get(text.as_str()).is_some_and(|count| *count > 1),
            _ => false,
        };
        if any_alias || is_twice {
            found.push(key.range.start..value.range.end.max(key.range.end));
        } else {
            inside(value, found);
        }
    }
}

fn inside(node: &Node, found: &mut Vec<Range<usize>>) {
    match &node.kind {
        Kind::Scalar { .. } | Kind::Alias(_) => {}
        Kind::Sequence(items) => items.iter().for_each(|item| inside(item, found)),
        Kind::Mapping { pairs, .. } => collect(pairs, found),
    }
}
