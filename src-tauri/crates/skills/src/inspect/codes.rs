//! The rules that are code: what each is, how much it weighs, why it matters. Those for text are
//! in `rules.toml`.

use std::ops::Range;

use super::{RuleInfo, Weight};

macro_rules! codes {
    ($($name:ident $weight:ident $code:literal $message:literal $help:literal;)*) => {
        $(pub(super) const $name: RuleInfo = RuleInfo {
            code: $code,
            weight: Weight::$weight,
            message: $message,
            help: $help,
        };)*

        pub(super) const ALL: &[RuleInfo] = &[$($name),*];
    };
}

codes! {
    TAGS Grave "hidden-tag-characters"
        "characters that do not show and that a model reads as letters"
        "such text is there to be read by the model and not by you";
    BIDI Grave "hidden-bidi-controls"
        "characters that change the order in which text is shown"
        "what you see is not what the model reads";
    ZERO_WIDTH Caution "hidden-zero-width"
        "characters that take no room"
        "they can hide text or split words";
    SELECTORS Grave "variation-selector-run"
        "several variation selectors in a row"
        "one belongs to the sign before it; a row of them is a way to hide text";
    PRIVATE_USE Caution "private-use-text"
        "characters without a meaning of their own"
        "what they show depends on the font, what they say on whoever made them";
    ESCAPES Caution "terminal-escape"
        "a control sequence for terminals"
        "shown in a terminal it can hide or replace the text around it";
    APART Caution "letters-apart"
        "a text whose letters stand apart"
        "a model reads it as words, and what looks for words does not";
    LOOK_ALIKE Caution "look-alike-letters"
        "a word with a letter of another script that looks like one of the word's own"
        "the word is not the one that you read";
    LOOK_ALIKE_NAME Grave "look-alike-name"
        "a name with a letter of another script that looks like one of its own"
        "it passes for a name that it is not";
    LOOK_ALIKE_ADDRESS Grave "look-alike-address"
        "an address that looks like another"
        "it does not lead where it seems to";
    LINK_TEXT Caution "link-text-differs"
        "a link that shows one address and leads to another"
        "it does not lead where it says";
    COMMENT Note "html-comment"
        "a comment that the model reads and a rendered page does not show"
        "read it as part of the skill";
    COMMENT_INSTRUCTS Caution "comment-with-instructions"
        "a comment with instructions that a rendered page does not show"
        "the model reads them; who looks at the page does not";
    BLANKS Caution "long-blank-run"
        "a long run of blank lines or spaces"
        "it pushes what comes after it out of sight";
    HIDDEN_NAME Grave "hidden-in-name"
        "the name of a file has characters that do not show"
        "the name that you see is not the name that it has";
    PLUGIN Grave "plugin-inside"
        "tools load a folder with this file as a plugin"
        "a plugin starts hooks, servers and agents of its own; without the grant the skill is not installed";
    MAIN_FILE_CASE Caution "main-file-in-other-case"
        "some tools and disks read this file as a SKILL.md"
        "it is looked at like one, but cannot be approved by itself";
    NESTED Caution "nested-skill"
        "a skill inside of the skill"
        "some tools load it as a skill of its own; it needs an approval of its own";
    AGENT_FILE Caution "agent-file-inside"
        "a file that steers agents wherever it lies"
        "tools that work in this folder take it for their instructions or settings, unasked";
    RUNS_UNASKED Caution "runs-unasked"
        "a file that other programs run by its name"
        "it runs when the folder is entered or Python starts, not when the skill is used";
    RUNS_BY_NAME Note "runs-by-name"
        "a file that build and test programs run by its name"
        "it runs when somebody builds, installs or tests here";
    PROGRAM Grave "program-file"
        "the file is a program"
        "nobody can read what it does; ask for its source";
    COMPILED Caution "compiled-code"
        "the file is compiled code"
        "it runs without its source, and may differ from the source beside it";
    ARCHIVE Caution "archive-file"
        "the file is packed, and what is in it was not looked at"
        "unpack and look at it before you approve";
    PICKLE Caution "pickled-data"
        "the file is a Python pickle"
        "to load it is to run what it says";
    MACROS Grave "office-macros"
        "the document has macros"
        "they are programs that run when the document is opened";
    DOCUMENT_SCRIPT Caution "document-script"
        "the document runs or starts something"
        "it happens when the document is opened";
    DISGUISED Caution "disguised-file"
        "the file is not what its name says"
        "a name that misleads keeps you from looking";
    METADATA Caution "image-metadata-text"
        "a picture with sentences in its data"
        "the picture does not show them, and a model that reads the file does";
    BEHIND_IMAGE Caution "data-behind-image"
        "a picture with data behind its end"
        "nothing that shows the picture shows it";
    TEXT_IN_BINARY Note "text-in-binary"
        "sentences in a file that is not text"
        "a model that opens the file may read them";
    ENCODING Note "other-encoding"
        "the file is text, but not UTF-8"
        "tools may read it in different ways";
    ENCODED Caution "encoded-text"
        "sentences in encoded form"
        "a model can read them as they are; you cannot";
    HOOKS Caution "hooks-requested"
        "the front matter sets hooks"
        "they run at every such event, without a question, while the skill is active";
    TOOLS Note "tools-requested"
        "the front matter asks for tools"
        "what is granted is used without a question";
    ANY_COMMAND Caution "any-command-requested"
        "the front matter asks to run any command"
        "a grant without bounds covers whatever the text comes to ask for";
    ADDRESSES Note "network-addresses"
        "the files name network addresses"
        "what they serve can change after you have looked";
}

/// What was found, before its place is known in lines.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) rule: RuleInfo,
    pub(super) weight: Weight,
    pub(super) message: String,
    /// In bytes of the text of its file; `None` for the file as a whole.
    pub(super) range: Option<Range<usize>>,
    /// Shown in place of the line around the range.
    pub(super) excerpt: Option<String>,
}

impl Found {
    pub(super) fn of(rule: &RuleInfo) -> Self {
        Self {
            rule: *rule,
            weight: rule.weight,
            message: rule.message.to_owned(),
            range: None,
            excerpt: None,
        }
    }

    pub(super) fn at(self, range: Range<usize>) -> Self {
        Self { range: Some(range), ..self }
    }

    pub(super) fn saying(self, message: impl Into<String>) -> Self {
        Self { message: message.into(), ..self }
    }

    pub(super) fn showing(self, excerpt: impl Into<String>) -> Self {
        Self { excerpt: Some(excerpt.into()), ..self }
    }

    pub(super) fn weighing(self, weight: Weight) -> Self {
        Self { weight, ..self }
    }
}
