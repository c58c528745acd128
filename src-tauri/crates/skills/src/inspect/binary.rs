//! Files that are not text: what they are and what text they hold.

use super::Finding;
use super::rules::RULES;
use crate::check::{Diagnostic, Place, Severity};

/// The first bytes of programs.
const PROGRAMS: &[&[u8]] = &[
    b"\x7fELF",
    b"MZ",
    b"\xfe\xed\xfa\xce",
    b"\xfe\xed\xfa\xcf",
    b"\xce\xfa\xed\xfe",
    b"\xcf\xfa\xed\xfe",
    b"\xca\xfe\xba\xbe",
    b"\0asm",
];

/// The first bytes of archives and compressed files.
const ARCHIVES: &[&[u8]] = &[
    b"PK\x03\x04",
    b"\x1f\x8b",
    b"BZh",
    b"\xfd7zXZ\0",
    b"7z\xbc\xaf\x27\x1c",
    b"Rar!",
    b"\x28\xb5\x2f\xfd",
];

/// Runs of text shorter than this are chance.
const MIN_RUN: usize = 12;

/// Words in a run that make it look like sentences.
const MIN_WORDS: usize = 12;

/// The most characters that a message shows.
const EXCERPT: usize = 120;

pub(super) fn look(path: &str, bytes: &[u8], findings: &mut Vec<Finding>) {
    let place = || Some(Place { file: path.to_owned(), line: 1, column: 1, length: 0 });
    let mut say = |code, severity, message: String, help: &str| {
        findings.push(Finding {
            grave: false,
            diagnostic: Diagnostic {
                code,
                severity,
                message,
                help: Some(help.to_owned()),
                place: place(),
            },
        });
    };
    let starts = |magics: &[&[u8]]| magics.iter().any(|magic| bytes.starts_with(magic));
    if starts(PROGRAMS) {
        let help = "nobody can read what it does; ask for its source";
        say("program-file", Severity::Warning, "the file is a program".to_owned(), help);
    }
    if starts(ARCHIVES) {
        let help = "unpack and look at it before you approve";
        say(
            "archive-file",
            Severity::Note,
            "the file is packed, and what is in it was not looked at".to_owned(),
            help,
        );
    }
    let texts = [runs(bytes), wide_runs(bytes)].concat();
    let longest = texts.iter().filter(|run| words(run) >= MIN_WORDS).max_by_key(|run| run.len());
    if let Some(run) = longest {
        let excerpt: String = run.trim().chars().take(EXCERPT).collect();
        let help = "a model that opens the file may read it";
        say("text-in-binary", Severity::Note, format!("the file holds the text {excerpt:?}"), help);
    }
    let text = texts.join("\n");
    for rule in RULES.iter().filter(|rule| rule.code != "runs-on-load" && rule.is_in(&text)) {
        findings.push(rule.say(place()));
    }
}

/// Runs of printable ASCII.
fn runs(bytes: &[u8]) -> Vec<String> {
    bytes
        .split(|byte| !matches!(byte, b' '..=b'~' | b'\t' | b'\n' | b'\r'))
        .filter(|run| run.len() >= MIN_RUN)
        .map(|run| String::from_utf8_lossy(run).into_owned())
        .collect()
}

/// Runs of printable ASCII in UTF-16, at either byte order.
fn wide_runs(bytes: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    for offset in [0, 1] {
        let mut run = String::new();
        let pairs = bytes.get(offset..).unwrap_or_default().chunks(2);
        for pair in pairs.chain([&[0xff_u8, 0xff][..]]) {
            match pair {
                [byte @ (b' '..=b'~' | b'\t' | b'\n' | b'\r'), 0] => run.push(char::from(*byte)),
                _ if run.len() >= MIN_RUN => found.push(std::mem::take(&mut run)),
                _ => run.clear(),
            }
        }
    }
    found
}

/// How many words of three letters and more.
fn words(run: &str) -> usize {
    run.split_whitespace()
        .filter(|word| {
            word.len() >= 3
                && word.bytes().all(|b| b.is_ascii_alphabetic() || b",.!?;:'".contains(&b))
        })
        .count()
}
