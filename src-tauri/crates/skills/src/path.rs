//! The one policy for names of files that come from outside and may be written to a disk.
//!
//! A path that passes can be created with the same meaning on Linux, macOS and Windows.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;

use unicode_normalization::UnicodeNormalization;

/// The longest name of one file or folder, in bytes of UTF-8.
pub const MAX_COMPONENT: usize = 255;

/// The longest path inside of a skill, in bytes of UTF-8: the shortest limit of a system for a
/// whole path is 1,024 bytes, and the tool's folder comes before it.
pub const MAX_PATH: usize = 768;

/// The most components of a path inside of a skill.
pub const MAX_DEPTH: usize = 64;

/// A path that cannot be written everywhere, and the rule that it breaks.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path:?} {rule}")]
pub struct PathProblem {
    /// The path as it was given.
    pub path: String,
    /// What is wrong with it.
    pub rule: PathRule,
}

/// A rule of [`check_portable`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathRule {
    /// The path is empty, starts or ends with `/`, or has `//`.
    EmptyComponent,
    /// A component is `.` or `..`.
    DotComponent,
    /// A backslash, a NUL or another control character, or one of `: < > " | ? *`.
    ForbiddenCharacter(char),
    /// Windows keeps this name for a device, whatever extension follows.
    ReservedName,
    /// A component ends with a dot or a space, which Windows drops.
    TrailingDotOrSpace,
    /// A component is longer than [`MAX_COMPONENT`] bytes.
    TooLong,
    /// The whole path is longer than [`MAX_PATH`] bytes.
    PathTooLong,
    /// There are more than [`MAX_DEPTH`] components.
    TooDeep,
}

impl fmt::Display for PathRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::EmptyComponent => f.write_str("has an empty component"),
            Self::DotComponent => f.write_str("has the component `.` or `..`"),
            Self::ForbiddenCharacter(c) => write!(f, "has the character {c:?}"),
            Self::ReservedName => f.write_str("has a name that Windows keeps for a device"),
            Self::TrailingDotOrSpace => f.write_str("has a name that ends with a dot or a space"),
            Self::TooLong => write!(f, "has a name of more than {MAX_COMPONENT} bytes"),
            Self::PathTooLong => write!(f, "has more than {MAX_PATH} bytes"),
            Self::TooDeep => write!(f, "is more than {MAX_DEPTH} folders deep"),
        }
    }
}

/// Checks that this is a relative path, `/` between its components, that every system can write.
///
/// # Errors
/// The first rule that it breaks, from left to right.
pub fn check_portable(path: &str) -> Result<(), PathProblem> {
    let whole = || {
        if path.len() > MAX_PATH {
            Some(PathRule::PathTooLong)
        } else {
            (path.split('/').count() > MAX_DEPTH).then_some(PathRule::TooDeep)
        }
    };
    match path.split('/').find_map(broken_rule).or_else(whole) {
        Some(rule) => Err(PathProblem { path: path.to_owned(), rule }),
        None => Ok(()),
    }
}

fn broken_rule(component: &str) -> Option<PathRule> {
    if component.is_empty() {
        return Some(PathRule::EmptyComponent);
    }
    if matches!(component, "." | "..") {
        return Some(PathRule::DotComponent);
    }
    if let Some(c) = component.chars().find(|&c| c.is_control() || r#"\:<>"|?*"#.contains(c)) {
        return Some(PathRule::ForbiddenCharacter(c));
    }
    if component.ends_with(['.', ' ']) {
        return Some(PathRule::TrailingDotOrSpace);
    }
    if is_device(component) {
        return Some(PathRule::ReservedName);
    }
    (component.len() > MAX_COMPONENT).then_some(PathRule::TooLong)
}

/// `CON`, `con.txt`, `LPT1 .x`: Windows looks only at what is before the first dot.
fn is_device(component: &str) -> bool {
    let stem = component.split('.').next().unwrap_or_default().trim_end().to_ascii_uppercase();
    if matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$") {
        return true;
    }
    let port = stem.strip_prefix("COM").or_else(|| stem.strip_prefix("LPT"));
    matches!(port, Some("1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" | "¹" | "²" | "³"))
}

/// The first two paths that would be one on a disk that ignores case or Unicode composition, or of
/// which one is a file where the other needs a folder; the earlier one first.
pub fn collision<'a>(paths: impl Iterator<Item = &'a str>) -> Option<(String, String)> {
    /// What lies at a folded name in a folder: how it is spelt, whether it is a file, its number
    /// as a folder, and who said so first.
    struct Taken<'a> {
        spelling: &'a str,
        file: bool,
        number: usize,
        by: &'a str,
    }
    let mut taken: HashMap<(usize, String), Taken<'a>> = HashMap::new();
    for path in paths {
        let mut folder = 0;
        let mut names = path.split('/').peekable();
        while let Some(spelling) = names.next() {
            let file = names.peek().is_none();
            let number = taken.len() + 1;
            match taken.entry((folder, folded(spelling))) {
                Entry::Vacant(place) => {
                    place.insert(Taken { spelling, file, number, by: path });
                    folder = number;
                }
                Entry::Occupied(first) => {
                    let first = first.get();
                    if first.file || file || first.spelling != spelling {
                        return Some((first.by.to_owned(), path.to_owned()));
                    }
                    folder = first.number;
                }
            }
        }
    }
    None
}

/// The same text for names that a file system may hold equal: composed, without case, and without
/// the characters that HFS+ ignores.
pub fn folded(name: &str) -> String {
    let ignored = |c: &char| {
        matches!(
            c,
            '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}'
        )
    };
    name.chars()
        .filter(|c| !ignored(c))
        .nfc()
        .flat_map(char::to_uppercase)
        .flat_map(char::to_lowercase)
        .nfc()
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rule(path: &str) -> Option<PathRule> {
        check_portable(path).err().map(|problem| problem.rule)
    }

    #[test]
    fn usual_paths_pass() {
        for path in
            ["SKILL.md", "scripts/run.sh", ".hidden/.env", "a b/ü.txt", "COM10", "console.md"]
        {
            assert_eq!(rule(path), None, "{path}");
        }
    }

    #[test]
    fn paths_that_leave_the_folder_are_refused() {
        assert_eq!(rule(".."), Some(PathRule::DotComponent));
        assert_eq!(rule("a/../b"), Some(PathRule::DotComponent));
        assert_eq!(rule("./a"), Some(PathRule::DotComponent));
        assert_eq!(rule("/etc/passwd"), Some(PathRule::EmptyComponent));
        assert_eq!(rule(""), Some(PathRule::EmptyComponent));
        assert_eq!(rule("a//b"), Some(PathRule::EmptyComponent));
        assert_eq!(rule("a/"), Some(PathRule::EmptyComponent));
        assert_eq!(rule("a\\b"), Some(PathRule::ForbiddenCharacter('\\')));
        assert_eq!(rule("C:x"), Some(PathRule::ForbiddenCharacter(':')));
        assert_eq!(rule("a\0"), Some(PathRule::ForbiddenCharacter('\0')));
    }

    #[test]
    fn names_that_windows_reads_otherwise_are_refused() {
        assert_eq!(rule("con"), Some(PathRule::ReservedName));
        assert_eq!(rule("a/NUL.txt"), Some(PathRule::ReservedName));
        assert_eq!(rule("lpt1.tar.gz"), Some(PathRule::ReservedName));
        assert_eq!(rule("COM²"), Some(PathRule::ReservedName));
        assert_eq!(rule("a."), Some(PathRule::TrailingDotOrSpace));
        assert_eq!(rule("a /b"), Some(PathRule::TrailingDotOrSpace));
        assert_eq!(rule("what?.md"), Some(PathRule::ForbiddenCharacter('?')));
    }

    #[test]
    fn a_name_of_256_bytes_is_refused() {
        assert_eq!(rule(&"a".repeat(255)), None);
        assert_eq!(rule(&"a".repeat(256)), Some(PathRule::TooLong));
        assert_eq!(rule(&"é".repeat(128)), Some(PathRule::TooLong));
    }

    #[test]
    fn a_path_that_no_disk_holds_is_refused() {
        assert_eq!(rule(&vec!["b".repeat(191); 4].join("/")), None);
        assert_eq!(rule(&vec!["b".repeat(192); 4].join("/")), Some(PathRule::PathTooLong));
        assert_eq!(rule(&vec!["b"; 64].join("/")), None);
        assert_eq!(rule(&vec!["b"; 65].join("/")), Some(PathRule::TooDeep));
    }

    #[test]
    fn collisions_in_long_paths_are_found_at_once() {
        let deep = vec!["a"; 50_000].join("/");
        let other = format!("{deep}/b");
        assert_eq!(
            collision([deep.as_str(), other.as_str()].into_iter()),
            Some((deep.clone(), other.clone()))
        );
    }

    #[test]
    fn paths_that_are_one_on_another_disk_collide() {
        let pair = |a: &str, b: &str| Some((a.to_owned(), b.to_owned()));
        assert_eq!(
            collision(["README.md", "Readme.md"].into_iter()),
            pair("README.md", "Readme.md")
        );
        assert_eq!(
            collision(["caf\u{e9}", "cafe\u{301}"].into_iter()),
            pair("caf\u{e9}", "cafe\u{301}")
        );
        assert_eq!(collision(["Docs/a", "docs/b"].into_iter()), pair("Docs/a", "docs/b"));
        assert_eq!(collision(["a\u{200c}", "a"].into_iter()), pair("a\u{200c}", "a"));
        assert_eq!(collision(["a", "a/b"].into_iter()), pair("a", "a/b"));
        assert_eq!(collision(["A/b", "a"].into_iter()), pair("A/b", "a"));
        assert_eq!(collision(["STRASSE", "straße"].into_iter()), pair("STRASSE", "straße"));
        assert_eq!(collision(["SKILL.md", "a/b", "a/c", "b/a"].into_iter()), None);
    }

    proptest! {
        #[test]
        fn a_path_that_passes_stays_inside(path in "[a./\\\\: ~é\u{0}]{0,12}") {
            if check_portable(&path).is_ok() {
                prop_assert!(!path.starts_with('/'));
                prop_assert!(path.split('/').all(|part| !part.is_empty() && part != "." && part != ".."));
                prop_assert!(!path.contains(['\\', ':', '\0']));
            }
        }
    }
}
