//! Files that are not text: what they are and what text they hold.

use super::codes::{self, Found};
use super::excerpt;
use super::fold::Folded;
use super::image;
use super::kind::{Kind, holds};
use super::table;

/// Runs of text shorter than this are chance.
const MIN_RUN: usize = 12;

/// As many words in a run make it look like sentences.
const MIN_WORDS: usize = 12;

/// As many words in the data of a picture do.
const MIN_METADATA_WORDS: usize = 8;

/// The most characters that a message shows.
const EXCERPT: usize = 120;

/// `alone`: no text is looked at in these bytes by anybody else.
pub(super) fn look(path: &str, kind: Kind, bytes: &[u8], alone: bool, findings: &mut Vec<Found>) {
    match kind {
        Kind::Program(which) => findings
            .push(Found::of(&codes::PROGRAM).saying(format!("the file is a program ({which})"))),
        Kind::Compiled(which) => {
            findings.push(Found::of(&codes::COMPILED).saying(format!("the file is {which}")));
        }
        Kind::Archive(which) => {
            findings.push(Found::of(&codes::ARCHIVE).saying(format!(
                "the file is packed ({which}), and what is in it was not looked at"
            )))
        }
        Kind::Pickle => findings.push(Found::of(&codes::PICKLE)),
        Kind::Office => {
            let marks: [&[u8]; 4] = [
                b"vbaProject.bin",
                b"_\0V\0B\0A\0_\0P\0R\0O\0J\0E\0C\0T\0",
                b"M\0a\0c\0r\0o\0s\0",
                b"xl/macrosheets/",
            ];
            let macros = marks.iter().any(|mark| holds(bytes, mark));
            if macros {
                findings.push(Found::of(&codes::MACROS));
            } else {
                findings.push(Found::of(&codes::ARCHIVE).weighing(super::Weight::Note));
            }
        }
        Kind::Pdf => {
            let marks = ["/JavaScript", "/JS", "/Launch", "/EmbeddedFile", "/OpenAction"];
            let has = |mark: &&&str| holds(bytes, mark.as_bytes());
            // An action at opening is mostly a page to begin with.
            if let Some(mark) = marks[..4].iter().find(has) {
                findings.push(
                    Found::of(&codes::DOCUMENT_SCRIPT).saying(format!("the document has {mark}")),
                );
            }
        }
        _ => {}
    }
    let pictures = matches!(kind, Kind::Png | Kind::Jpeg | Kind::Gif | Kind::Webp);
    let mut texts = wide_runs(bytes);
    let mut plain = runs(bytes);
    if pictures {
        let carried = image::carried(kind, bytes);
        if carried.behind > 0 {
            findings.push(Found::of(&codes::BEHIND_IMAGE).saying(format!(
                "{} bytes stand behind the end of {}",
                carried.behind,
                kind.name()
            )));
        }
        if carried.unread > 0 {
            let message =
                format!("{} packed texts in a picture were not looked at whole", carried.unread);
            findings.push(Found::of(&codes::METADATA).saying(message));
        }
        if let Some(text) = longest(&carried.texts, MIN_METADATA_WORDS) {
            findings.push(Found::of(&codes::METADATA).showing(cut(text)));
        }
        plain.extend(carried.texts);
    } else if let Some(run) = longest(&plain, MIN_WORDS).or_else(|| longest(&texts, MIN_WORDS)) {
        findings.push(
            Found::of(&codes::TEXT_IN_BINARY)
                .saying(format!("the file holds the text {:?}", cut(run)))
                .showing(cut(run)),
        );
    }
    if let Some(shown) = disguise(path, kind) {
        findings.push(Found::of(&codes::DISGUISED).saying(shown));
    }
    if alone {
        texts.append(&mut plain);
    }
    // Text in the data of a picture lies open there too, and is told once.
    let text = texts.join("\n");
    let folded = Folded::of(&text);
    let mut told: Vec<(&str, String)> = Vec::new();
    for hit in table::look(&folded) {
        let shown = excerpt::around(&text, &hit.range);
        if !told.iter().any(|(code, other)| *code == hit.rule.info.code && *other == shown) {
            told.push((hit.rule.info.code, shown.clone()));
            findings.push(Found::of(&hit.rule.info).weighing(hit.weight).showing(shown));
        }
    }
}

/// What the file passes for and is not.
pub(super) fn disguise(path: &str, kind: Kind) -> Option<String> {
    let name = path.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    let (_, extension) = name.rsplit_once('.')?;
    let fits = match extension {
        "png" | "jpg" | "jpeg" | "gif" | "webp" => {
            matches!(kind, Kind::Png | Kind::Jpeg | Kind::Gif | Kind::Webp | Kind::Other)
        }
        "ico" | "bmp" | "tif" | "tiff" | "ttf" | "woff" | "woff2" | "mp3" | "mp4" | "wav" => {
            !matches!(kind, Kind::Text | Kind::Program(_) | Kind::Compiled(_))
        }
        "pdf" => matches!(kind, Kind::Pdf | Kind::Other),
        "md" | "txt" | "json" | "yaml" | "yml" | "toml" | "csv" | "html" | "css" | "py" | "sh"
        | "js" | "ts" | "xml" | "svg" => matches!(kind, Kind::Text),
        _ => true,
    };
    (!fits).then(|| format!("the name ends with .{extension} and the file is {}", kind.name()))
}

fn longest(texts: &[String], least: usize) -> Option<&String> {
    texts.iter().filter(|text| words(text) >= least).max_by_key(|text| text.len())
}

fn cut(text: &str) -> String {
    let text: String = text.trim().chars().take(EXCERPT).collect();
    excerpt::visible(&text)
}

/// Runs of printable ASCII.
pub(super) fn runs(bytes: &[u8]) -> Vec<String> {
    bytes
        .split(|byte| !matches!(byte, b' '..=b'~' | b'\t' | b'\n' | b'\r'))
        .filter(|run| run.len() >= MIN_RUN)
        .map(|run| String::from_utf8_lossy(run).into_owned())
        .collect()
}

/// Runs of printable ASCII in UTF-16, at either byte order.
pub(super) fn wide_runs(bytes: &[u8]) -> Vec<String> {
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
pub(super) fn words(run: &str) -> usize {
    run.split_whitespace()
        .filter(|word| {
            word.len() >= 3
                && word.bytes().all(|b| b.is_ascii_alphabetic() || b",.!?;:'".contains(&b))
        })
        .count()
}
