//! The table of codes: how bad each is and what to do about it.

use super::{Diagnostic, Place, Severity};

/// A kind of diagnostic.
#[derive(Debug)]
pub(crate) struct Code {
    pub(crate) code: &'static str,
    pub(crate) severity: Severity,
    pub(crate) help: &'static str,
}

impl Code {
    /// A diagnostic of this kind.
    pub(crate) fn say(&self, message: impl Into<String>, place: Option<Place>) -> Diagnostic {
        Diagnostic {
            code: self.code,
            severity: self.severity,
            message: message.into(),
            help: (!self.help.is_empty()).then(|| self.help.to_owned()),
            place,
        }
    }
}

macro_rules! codes {
    ($($name:ident $severity:ident $code:literal $help:literal;)*) => {
        $(pub(crate) const $name: Code = Code { code: $code, severity: Severity::$severity, help: $help };)*

        #[cfg(test)]
        pub(crate) const ALL: &[&Code] = &[$(&$name),*];
    };
}

codes! {
    FRONT_MATTER_MISSING Error "frontmatter-missing"
        "start the file with a line `---`, the fields `name` and `description`, and a line `---`";
    FRONT_MATTER_UNCLOSED Error "frontmatter-unclosed" "end the front matter with a line `---`";
    FRONT_MATTER_DELIMITER Error "frontmatter-delimiter"
        "leave nothing, not even a space, after `---` on its line";
    FRONT_MATTER_EMPTY Error "frontmatter-empty" "add the fields `name` and `description`";
    FRONT_MATTER_YAML Error "frontmatter-yaml" "correct the YAML: some tools drop the whole skill, others its fields";
    FRONT_MATTER_COLON Error "frontmatter-unquoted-colon"
        "put the value in quotes: some tools drop the whole skill, others all of its fields";
    FRONT_MATTER_NOT_MAPPING Error "frontmatter-not-mapping" "write fields as `name: value`, one a line";
    FRONT_MATTER_DUPLICATE Error "frontmatter-duplicate-key" "keep one of them: tools differ in which they take";
    FRONT_MATTER_KEY Error "frontmatter-key-type" "put the key in quotes";
    FRONT_MATTER_VALUE Error "frontmatter-value" "put the value in quotes, or write it out in full";
    NAME_MISSING Error "name-missing" "add the field `name` with the name of the folder";
    NAME_TYPE Error "name-type" "put the name in quotes";
    NAME_FORM Error "name-form" "use a to z, 0 to 9 and single hyphens, none at an end";
    NAME_LENGTH Error "name-length" "use at most 64 characters";
    NAME_FOLDER Warning "name-folder" "rename the folder or change the field, so that both are equal";
    NAME_LOOK_ALIKE Warning "name-look-alike" "check that the skill is the one you think it is";
    DESCRIPTION_MISSING Error "description-missing" "say in `description` what the skill does and when to use it";
    DESCRIPTION_TYPE Error "description-type" "make the description one text";
    DESCRIPTION_BLANK Error "description-blank" "say what the skill does and when to use it";
    DESCRIPTION_LENGTH Error "description-length" "use at most 1,024 characters; the rest belongs in the body";
    FIELD_UNKNOWN Note "field-unknown" "put fields of your own under `metadata`";
    FIELD_MISSPELT Warning "field-misspelt" "correct the field's name";
    LICENSE_TYPE Error "license-type" "write the license as one text";
    COMPATIBILITY_TYPE Error "compatibility-type" "write it as one text of 1 to 500 characters";
    ALLOWED_TOOLS_TYPE Error "allowed-tools-type" "write the tools as one text with spaces between them";
    ALLOWED_TOOLS_LIST Warning "allowed-tools-list" "write the tools as one text with spaces between them";
    METADATA_TYPE Error "metadata-type" "write `metadata` as fields with texts as values";
    METADATA_VALUES Warning "metadata-values" "put the value in quotes: some readers refuse the skill";
    BODY_EMPTY Warning "body-empty" "write below the front matter what the model should do";
    BODY_LONG Warning "body-long" "move parts into files of their own that the body names";
    LINK_MISSING Warning "link-missing" "add the file or correct the link";
    LINK_OUTSIDE Warning "link-outside" "copy the file into the skill: it does not travel with it";
    MERGE_MARKER Error "merge-marker" "finish the merge and remove the markers";
    CONTROL_CHARACTER Warning "control-character" "remove it: it does not show and some readers refuse it";
    NUL Error "nul-character" "remove it: readers refuse the file or end at it";
    NOT_UTF8 Error "not-utf8" "save the file as UTF-8";
    PATH_COLLISION Error "path-collision" "rename one: on some disks both are one file";
    PATH_NOT_PORTABLE Warning "path-not-portable" "rename it, so that every system can hold it";
    NESTED_SKILL Note "nested-skill" "tools that read one level do not see it";
    FILES_UNREADABLE Error "files-unreadable" "make every file of the skill a plain file that you may read";
    TOO_MANY_FILES Error "too-many-files" "keep at most 512 files: servers leave larger skills out";
    TOO_MANY_BYTES Error "too-many-bytes" "keep at most 16 MiB: servers leave larger skills out";
}
