//! Text in Base64: a model reads it as it is, a person does not.

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::binary::words;
use super::codes::{self, Found};
use super::fold::Folded;
use super::table;
use super::{MAX_PLACES, Weight, excerpt};

/// Shorter runs of the alphabet are names and paths.
const MIN_RUN: usize = 24;

/// What is decoded is text where as many characters in a row can be shown.
const MIN_TEXT: usize = 16;

/// As many words make what is decoded look like sentences.
const MIN_WORDS: usize = 5;

/// The most characters of decoded text that are shown.
const EXCERPT: usize = 120;

pub(super) fn look(text: &str, findings: &mut Vec<Found>) {
    let bytes = text.as_bytes();
    // Of each weight, so that many light ones hide no heavy one.
    let mut told = [0; 3];
    let mut at = 0;
    while at < bytes.len() {
        let run = bytes[at..].iter().take_while(|byte| in_alphabet(**byte)).count();
        if run < MIN_RUN {
            at += run.max(1);
            continue;
        }
        for decoded in decoded(&bytes[at..at + run]) {
            let Some(found) = judge(&decoded.text, decoded.whole) else { continue };
            let known = &mut told[found.weight as usize];
            *known += 1;
            if *known <= MAX_PLACES {
                findings.push(found.at(at..at + run));
            }
        }
        at += run;
    }
}

fn in_alphabet(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_')
}

/// A text that was encoded.
struct Decoded {
    text: String,
    /// Nothing else was.
    whole: bool,
}

/// What of a run is text when decoded: from each of the four places at which it can begin, for a
/// path may stand before it, and as hexadecimal digits.
fn decoded(run: &[u8]) -> Vec<Decoded> {
    const BASE64: GeneralPurpose = GeneralPurpose::new(
        &alphabet::STANDARD,
        GeneralPurposeConfig::new()
            .with_decode_padding_mode(DecodePaddingMode::Indifferent)
            .with_decode_allow_trailing_bits(true),
    );
    let mut texts = Vec::new();
    if run.iter().all(u8::is_ascii_hexdigit) {
        let digit = |byte: u8| char::from(byte).to_digit(16).unwrap_or_default();
        let bytes: Vec<u8> = run
            .chunks_exact(2)
            .map(|pair| u8::try_from(digit(pair[0]) << 4 | digit(pair[1])).unwrap_or_default())
            .collect();
        texts_of(&bytes, &mut texts);
    }
    let standard: Vec<u8> = run
        .iter()
        .map(|byte| match byte {
            b'-' => b'+',
            b'_' => b'/',
            byte => *byte,
        })
        .collect();
    for from in 0..4 {
        let rest = &standard[from.min(standard.len())..];
        let whole = if rest.len() % 4 == 1 { rest.len() - 1 } else { rest.len() };
        if let Ok(bytes) = BASE64.decode(&rest[..whole]) {
            texts_of(&bytes, &mut texts);
        }
    }
    texts
}

fn texts_of(bytes: &[u8], texts: &mut Vec<Decoded>) {
    // Most of what is decoded is no text, so that most chunks are short.
    for chunk in bytes.utf8_chunks().filter(|chunk| chunk.valid().len() >= MIN_TEXT) {
        let unshown = |c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t');
        let long = chunk.valid().split(unshown).filter(|text| text.len() >= MIN_TEXT);
        texts.extend(
            long.map(|text| Decoded { text: text.to_owned(), whole: text.len() == bytes.len() }),
        );
    }
}

fn judge(decoded: &str, whole: bool) -> Option<Found> {
    let shown: String = decoded.chars().take(EXCERPT).collect();
    let shown = excerpt::visible(shown.trim());
    let found = Found::of(&codes::ENCODED)
        .saying(format!("encoded text that reads {shown:?}"))
        .showing(shown);
    let folded = Folded::of(decoded);
    let heaviest = table::look(&folded).iter().map(|hit| hit.weight).min();
    if let Some(weight) = heaviest {
        return Some(found.weighing(weight.min(Weight::Caution)));
    }
    (whole && words(decoded) >= MIN_WORDS).then(|| found.weighing(Weight::Note))
}
