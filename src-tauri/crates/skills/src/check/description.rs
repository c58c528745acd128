//! Rules for the description of a skill.

use serde_json::Value;

use super::mending::Mender;
use super::publish::DESCRIPTION;
use super::{Diagnostic, codes, fields};
use crate::frontmatter::{FrontMatter, Style};
use crate::pattern::{Pattern, compile};

/// A tag as XML and HTML have it, but not a placeholder such as `<name of the file>`.
static TAG: Pattern =
    Pattern::new(|| compile(r"</?[A-Za-z][A-Za-z0-9_-]*(?:\s+[a-z-]+=[^<>]*)?/?>"));

/// What English says when it says when; generous, for a wrong note is a nag.
static WHEN: Pattern = Pattern::new(|| {
    compile(
        r"(?i)\b(?:when|whenever|while|if|once|during|before|after|upon|until|unless|any ?time|every ?time|each time|always|trigger\w*|invoke\w*|activat\w*|us(?:e|ed|es|ing)|applies|apply|call(?:ed)? (?:for|to|this)|for (?:any|all|every|each|use|tasks?|users?|creating|working|building|writing|handling)|in case|needs?|wants?|asks?|asked|request\w*|mention\w*|helps? (?:you|with|users?)|must|should|load)\b",
    )
});

/// Small words by which English is told from other languages.
const ENGLISH: &[&str] = &[
    "the", "a", "an", "and", "or", "of", "to", "for", "with", "in", "from", "by", "is", "are",
    "on", "as",
];

pub(super) fn judge(read: &FrontMatter, mender: Option<&Mender<'_>>, found: &mut Vec<Diagnostic>) {
    let place = || fields::value_place(read, "description");
    let text = match read.judged().get("description") {
        None => {
            let message = "there is no `description`";
            found.push(codes::DESCRIPTION_MISSING.say(message, fields::first_place()));
            return;
        }
        Some(Value::Null) if read.text("description").is_none_or(str::is_empty) => {
            found.push(codes::DESCRIPTION_BLANK.say("`description` is blank", place()));
            return;
        }
        Some(Value::String(text)) if text.trim().is_empty() => {
            found.push(codes::DESCRIPTION_BLANK.say("`description` is blank", place()));
            return;
        }
        Some(Value::String(text)) => text,
        Some(value) => {
            let message = fields::no_text(read, "description", value);
            let mut wrong = codes::DESCRIPTION_TYPE.say(message, place());
            if value.is_null() {
                // In quotes it would describe nothing and pass.
                found.push(wrong);
                return;
            }
            wrong.fixes.extend(fields::quote(mender, &codes::DESCRIPTION_TYPE, "description"));
            found.push(wrong);
            // What would be wrong with it in quotes, too.
            let Some(text) = read.text("description") else { return };
            text
        }
    };
    let length = text.chars().count();
    if length > DESCRIPTION {
        let message = format!("`description` has {length} characters; 1,024 is the most");
        found.push(codes::DESCRIPTION_LENGTH.say(message, place()));
    }
    // Every block ends with a line break; only in quotes do blanks stand by mistake.
    let in_quotes = read.field_sources().iter().any(|source| {
        source.name == "description" && matches!(source.style, Style::Single | Style::Double)
    });
    if in_quotes && text.trim() != text {
        let message = "`description` starts or ends with blanks";
        let mut blanks = codes::DESCRIPTION_BLANKS.say(message, place());
        if let Some(mender) = mender {
            let title = "remove the blanks around the description";
            let rule = &codes::DESCRIPTION_BLANKS;
            blanks.fixes.extend(mender.set(rule, title, "description", text.trim()));
        }
        found.push(blanks);
    }
    if is_english(text) && !WHEN.is_match(text) {
        let message = "`description` does not say when to use the skill";
        found.push(codes::DESCRIPTION_WHEN.say(message, place()));
    }
    if let Some(tag) = TAG.find(text) {
        let message = format!("`description` has the tag `{}`", tag.as_str());
        found.push(codes::DESCRIPTION_TAGS.say(message, place()));
    }
}

/// Whether a text is English beyond doubt: a few of its small words, and hardly a letter that
/// English lacks.
fn is_english(text: &str) -> bool {
    let (ascii, letters) = text
        .chars()
        .filter(|c| c.is_alphabetic())
        .fold((0, 0), |(ascii, all), c| (ascii + usize::from(c.is_ascii()), all + 1));
    let words = || text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let small = words().filter(|word| ENGLISH.contains(&word.to_ascii_lowercase().as_str()));
    // One letter alone may be a word of Spanish, Italian or Portuguese.
    let sure =
        small.clone().any(|word| word.len() > 1 && !matches!(word, "as" | "an" | "in" | "or"));
    sure && ascii * 50 >= letters * 49 && small.count() * 12 >= words().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_english_is_taken_for_english() {
        assert!(is_english("Extracts text and tables from PDF files."));
        assert!(is_english("Guidance for the naming of cats"));
        for text in [
            "PDF",
            "Helps with PDFs, é è ü ö ä",
            "Extrait le texte et les tableaux de fichiers PDF",
            "Extrae texto y tablas de archivos a partir de PDF",
            "Liest Texte und Tabellen in PDF-Dateien an",
            "从PDF文件中提取文本 and more",
        ] {
            assert!(!is_english(text), "{text}");
        }
    }
}
