//! The table of rules: what each says, how bad it is to break it, what to do, and who says so.
//!
//! An **error** breaks a MUST of the Agent Skills specification, of the skills extension, or of the
//! strict mode of the reference: such a skill is not published. A **warning** is allowed but
//! unwise, or read differently by different tools. A **note** is advice.

use super::{Diagnostic, Place, Severity};

/// One rule, as the table of rules has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// As in `name-folder`; never changes its meaning.
    pub code: &'static str,
    /// How bad it is to break it.
    pub severity: Severity,
    /// The rule in one sentence.
    pub message: &'static str,
    /// What to do where it is broken.
    pub help: &'static str,
    /// Which document says so, and where in it.
    pub source: &'static str,
}

impl Rule {
    /// A diagnostic of this rule.
    pub(crate) fn say(&self, message: impl Into<String>, place: Option<Place>) -> Diagnostic {
        Diagnostic {
            code: self.code,
            severity: self.severity,
            message: message.into(),
            help: Some(self.help.to_owned()),
            place,
            fixes: Vec::new(),
        }
    }
}

macro_rules! codes {
    ($($name:ident $severity:ident $code:literal
        $message:literal
        $help:literal
        $source:literal;)*) => {
        $(pub(crate) const $name: Rule = Rule {
            code: $code,
            severity: Severity::$severity,
            message: $message,
            help: $help,
            source: $source,
        };)*

        /// Every rule, in the order of the table.
        pub(super) static RULES: &[Rule] = &[$($name),*];
    };
}

// Sources, as they are cited below:
// "Agent Skills" is the specification of the format (agentskills.io, `specification`);
// "skills extension" is that of `io.modelcontextprotocol/skills`;
// "strict mode" is FastMCP 4.1.7 with `experimental_skills=True`;
// "skills-ref" is version 0.1.1 of the format's own validator.
codes! {
    FRONT_MATTER_MISSING Error "frontmatter-missing"
        "A `SKILL.md` starts with front matter."
        "start the file with a line `---`, the fields `name` and `description`, and a line `---`"
        "Agent Skills, `SKILL.md` format; skills extension, Skill Format; skills-ref";
    FRONT_MATTER_UNCLOSED Error "frontmatter-unclosed"
        "A line `---` ends the front matter."
        "end the front matter with a line `---`"
        "Agent Skills, `SKILL.md` format; strict mode, parse_frontmatter; skills-ref";
    FRONT_MATTER_DELIMITER Error "frontmatter-delimiter"
        "The lines around the front matter are exactly `---`."
        "leave nothing, not even a space, after `---` on its line"
        "strict mode, parse_frontmatter";
    FRONT_MATTER_EMPTY Error "frontmatter-empty"
        "The front matter holds fields."
        "add the fields `name` and `description`"
        "Agent Skills, Frontmatter; strict mode, parse_frontmatter; skills-ref";
    FRONT_MATTER_YAML Error "frontmatter-yaml"
        "The front matter is YAML."
        "correct the YAML: some tools drop the whole skill, others its fields"
        "Agent Skills, `SKILL.md` format; strict mode, parse_frontmatter; skills-ref";
    FRONT_MATTER_COLON Error "frontmatter-unquoted-colon"
        "A value with a colon and a blank in it is quoted."
        "put the value in quotes: some tools drop the whole skill, others all of its fields"
        "YAML 1.2, 7.3.3; strict mode, parse_frontmatter; skills-ref";
    FRONT_MATTER_NOT_MAPPING Error "frontmatter-not-mapping"
        "The front matter is a mapping from names to values."
        "write fields as `name: value`, one a line"
        "strict mode, parse_frontmatter; skills-ref";
    FRONT_MATTER_DUPLICATE Error "frontmatter-duplicate-key"
        "Each field comes once."
        "keep one of them: tools differ in which they take"
        "YAML 1.2, 3.2.1.3; strict mode, parse_frontmatter; skills-ref";
    FRONT_MATTER_KEY Error "frontmatter-key-type"
        "The names of fields are texts."
        "put the key in quotes"
        "strict mode, parse_frontmatter";
    FRONT_MATTER_VALUE Error "frontmatter-value"
        "Every value has a JSON value, with no alias, merge, date, binary or infinite number."
        "put the value in quotes, or write it out in full"
        "skills extension, Frontmatter; strict mode, parse_frontmatter";
    YAML_VERSIONS_DIFFER Warning "yaml-versions-differ"
        "A value is the same under YAML 1.1 and 1.2."
        "put the value in quotes: tools read it as different values"
        "YAML 1.1, types of scalars; YAML 1.2, 10.3";
    NOT_UTF8 Error "not-utf8"
        "A `SKILL.md` is UTF-8."
        "save the file as UTF-8"
        "strict mode, parse_frontmatter; skills-ref";
    BYTE_ORDER_MARK Warning "byte-order-mark"
        "A `SKILL.md` starts with `---`, not with a byte order mark."
        "save the file as UTF-8 without a byte order mark: some readers find no front matter"
        "skills-ref, parse_frontmatter";
    FRONT_MATTER_DASHES Warning "frontmatter-dashes"
        "The front matter has no `---` in it."
        "write it in another way: some readers end the front matter there"
        "skills-ref, parse_frontmatter, which splits at every `---`";
    FLOW_STYLE Warning "flow-style"
        "No value is written in brackets or braces."
        "write items and fields on lines of their own, or tools as one text"
        "skills-ref, whose StrictYAML refuses flow style";
    LINE_ENDINGS Warning "line-endings"
        "The lines of a `SKILL.md` end in one way, with LF or CRLF."
        "end every line in the same way: readers differ in what ends a line"
        "strict mode, parse_frontmatter, ends lines at LF and CRLF only";
    MERGE_MARKER Warning "merge-marker"
        "No merge is left unfinished."
        "finish the merge and remove the markers"
        "advice of Skillhold: the model reads both sides";
    CONTROL_CHARACTER Warning "control-character"
        "The text has no control characters."
        "remove it: it does not show and some readers refuse it"
        "YAML 1.2, 5.1, for the front matter; advice of Skillhold for the body";
    NUL Warning "nul-character"
        "The text has no NUL."
        "remove it: readers refuse the file or end at it"
        "YAML 1.2, 5.1, for the front matter; advice of Skillhold for the body";

    NAME_MISSING Error "name-missing"
        "There is a field `name`."
        "add the field `name` with the name of the folder"
        "Agent Skills, Frontmatter; skills-ref; strict mode, SkillFrontmatter";
    NAME_TYPE Error "name-type"
        "The name is a text."
        "put the name in quotes"
        "Agent Skills, `name` field; strict mode, SkillFrontmatter";
    NAME_FORM Error "name-form"
        "A name is of a to z, 0 to 9 and single hyphens, none at an end."
        "use a to z, 0 to 9 and single hyphens, none at an end"
        "Agent Skills, `name` field; skills-ref; strict mode, SkillFrontmatter";
    NAME_LENGTH Error "name-length"
        "A name has 1 to 64 characters."
        "use at most 64 characters"
        "Agent Skills, `name` field; skills-ref; strict mode, SkillFrontmatter";
    NAME_FOLDER Error "name-folder"
        "The name is that of the folder."
        "rename the folder or change the field, so that both are equal"
        "Agent Skills, `name` field: must match the parent directory name; skills extension, Resource Mapping: MUST equal; skills-ref; strict mode";
    NAME_LOOK_ALIKE Warning "name-look-alike"
        "A name has no letters of other scripts that look like its own."
        "check that the skill is the one you think it is"
        "Unicode Technical Standard 39, confusables";
    NAME_RESERVED Warning "name-reserved"
        "A name is none that Windows keeps for a device."
        "choose another name: the folder cannot be made on Windows"
        "Windows, Naming Files, Paths, and Namespaces";
    NAME_VENDOR Note "name-vendor-word"
        "A name has neither `claude` nor `anthropic` in it."
        "choose another name if the skill is to be uploaded to Claude, which refuses these words"
        "Claude's documentation of Agent Skills, field requirements";
    DESCRIPTION_MISSING Error "description-missing"
        "There is a field `description`."
        "say in `description` what the skill does and when to use it"
        "Agent Skills, Frontmatter; skills-ref; strict mode, SkillFrontmatter";
    DESCRIPTION_TYPE Error "description-type"
        "The description is a text."
        "make the description one text"
        "Agent Skills, `description` field; strict mode, SkillFrontmatter";
    DESCRIPTION_BLANK Error "description-blank"
        "The description says something."
        "say what the skill does and when to use it"
        "Agent Skills, `description` field; skills-ref; strict mode, SkillFrontmatter";
    DESCRIPTION_LENGTH Error "description-length"
        "A description has at most 1,024 characters."
        "use at most 1,024 characters; the rest belongs in the body"
        "Agent Skills, `description` field; skills-ref; strict mode, SkillFrontmatter";
    DESCRIPTION_BLANKS Note "description-blanks"
        "A description neither starts nor ends with blanks."
        "remove them: they count towards the length"
        "advice of Skillhold: skills-ref drops them, strict mode keeps them";
    DESCRIPTION_WHEN Note "description-when"
        "A description says when to use the skill."
        "say when to use the skill, as in `use when the user asks for`: models choose by it"
        "Agent Skills, `description` field: should describe both what and when";
    DESCRIPTION_TAGS Warning "description-tags"
        "A description has no XML tags."
        "remove the tag: Claude refuses a skill with one, and it goes into the model's instructions"
        "Claude's documentation of Agent Skills, field requirements";
    FIELD_UNKNOWN Warning "field-unknown"
        "A field is one of the format."
        "put fields of your own under `metadata`"
        "skills-ref, ALLOWED_FIELDS; Agent Skills, Frontmatter";
    FIELD_MISSPELT Warning "field-misspelt"
        "A field is spelt as the format spells it."
        "correct the field's name"
        "skills-ref, ALLOWED_FIELDS; Agent Skills, Frontmatter";
    FIELD_OF_TOOL Note "field-of-tool"
        "A field that single tools define means nothing to the others."
        "keep it if the skill is for that tool: others pass over it, and skills-ref refuses it"
        "skills-ref, ALLOWED_FIELDS; the tools' own documentation";
    LICENSE_TYPE Error "license-type"
        "The license is a text."
        "write the license as one text"
        "strict mode, SkillFrontmatter; Agent Skills, `license` field";
    COMPATIBILITY_TYPE Error "compatibility-type"
        "The compatibility is a text of 1 to 500 characters."
        "write it as one text of 1 to 500 characters"
        "Agent Skills, `compatibility` field; skills-ref; strict mode, SkillFrontmatter";
    ALLOWED_TOOLS_TYPE Error "allowed-tools-type"
        "The allowed tools are a text, or at least a list of texts."
        "write the tools as one text with spaces between them"
        "Agent Skills, `allowed-tools` field; strict mode, SkillFrontmatter";
    ALLOWED_TOOLS_LIST Warning "allowed-tools-list"
        "The allowed tools are one text, not a list."
        "write the tools as one text with spaces between them"
        "Agent Skills, `allowed-tools` field; FastMCP 4.1.7 refuses a list and 4.2.3 takes it";
    ALLOWED_TOOLS_WILDCARD Warning "allowed-tools-wildcard"
        "The allowed tools are named one by one."
        "name the tools and commands that the skill needs: this allows all of them"
        "Agent Skills, `allowed-tools` field; advice of Skillhold";
    METADATA_TYPE Error "metadata-type"
        "The metadata are a mapping."
        "write `metadata` as fields with texts as values"
        "Agent Skills, `metadata` field; strict mode, SkillFrontmatter";
    METADATA_VALUES Warning "metadata-values"
        "The values of the metadata are texts."
        "put the value in quotes: some readers refuse the skill"
        "Agent Skills, `metadata` field; FastMCP 4.1.7 refuses others and 4.2.3 takes them";

    BODY_EMPTY Warning "body-empty"
        "There is text below the front matter."
        "write below the front matter what the model should do"
        "Agent Skills, Body content";
    BODY_LONG Warning "body-long"
        "A body has at most 500 lines."
        "move parts into files of their own that the body names"
        "Agent Skills, Progressive disclosure";
    BODY_TOKENS Warning "body-tokens"
        "A body has at most about 5,000 tokens."
        "move parts into files of their own that the body names"
        "Agent Skills, Progressive disclosure";
    LINK_MISSING Warning "link-missing"
        "A link leads to a file of the skill."
        "add the file or correct the link"
        "Agent Skills, File references";
    LINK_OUTSIDE Warning "link-outside"
        "A link does not leave the skill."
        "copy the file into the skill: it does not travel with it"
        "Agent Skills, File references";
    LINK_ABSOLUTE Warning "link-absolute"
        "A link is relative to the skill."
        "write the path from the skill's folder: this one means something else on each machine"
        "Agent Skills, File references: use relative paths from the skill root";
    LINK_DEEP Note "link-deep"
        "Files that are referred to lie one level deep."
        "move the file up, to one folder below `SKILL.md`"
        "Agent Skills, File references: one level deep";
    REFERENCE_CHAIN Note "reference-chain"
        "Files are referred to by `SKILL.md` itself."
        "name the file in `SKILL.md` too: models do not follow long chains"
        "Agent Skills, File references: avoid deeply nested reference chains";

    PATH_COLLISION Warning "path-collision"
        "No two files are one on a disk that ignores case or composition."
        "rename one: on some disks both are one file"
        "advice of Skillhold, which installs no such skill";
    PATH_NOT_PORTABLE Warning "path-not-portable"
        "Every system can hold the names of the files."
        "rename it, so that every system can hold it"
        "advice of Skillhold, which installs no such skill";
    PATH_NO_URI Error "path-no-uri"
        "The URI of each file leads to that file."
        "rename the file: servers cannot give it under its URI"
        "skills extension, Resources: each file exactly once; strict mode";
    NESTED_SKILL Note "nested-skill"
        "A skill inside another is a skill of its own to some tools only."
        "keep it if that is meant: tools that read one level do not see it"
        "skills extension, Nested Skills";
    SCRIPT_NOT_EXECUTABLE Note "script-not-executable"
        "A script has the executable bit."
        "run `chmod +x` on it, or have it run by its interpreter"
        "Agent Skills, `scripts/`: executable code; advice of Skillhold";
    SCRIPT_NO_SHEBANG Note "script-no-shebang"
        "A script names its interpreter in a first line with `#!`."
        "start it with a line like `#!/usr/bin/env bash`"
        "Agent Skills, `scripts/`: self-contained; advice of Skillhold";
    FOLDER_LINK Error "folder-link"
        "The folder of a skill is not a link."
        "look at the folder that the link leads to: servers in strict mode leave links out"
        "strict mode, scan_files";
    FILE_LINK Error "file-link"
        "A skill holds no links."
        "put the file itself in place of the link"
        "strict mode, scan_files";
    LINK_BROKEN Error "link-broken"
        "A skill holds no links, and none that leads nowhere."
        "remove the link or put the file in its place"
        "strict mode, scan_files";
    FILE_SPECIAL Error "file-special"
        "A skill holds files and folders only."
        "remove it: a socket, pipe or device is not part of a skill"
        "strict mode, scan_files";
    NAME_NOT_UTF8 Error "file-name-not-utf8"
        "The names of files are UTF-8."
        "rename the file: such a name has no URI"
        "skills extension, Resource Mapping";
    FILE_UNREADABLE Error "file-unreadable"
        "Every file and folder of a skill can be read."
        "give yourself the right to read it"
        "skills extension, Resources: complete; strict mode, snapshot";
    FILE_CHANGED Error "file-changed"
        "The files of a skill stay as they are while they are read."
        "check again when nothing writes to the folder"
        "strict mode, snapshot";
    FILES_UNREADABLE Error "files-unreadable"
        "The folder holds a `SKILL.md` and no more than a skill can."
        "make every file of the skill a plain file that you may read"
        "Agent Skills, Directory structure; skills-ref";
    TOO_MANY_FILES Error "too-many-files"
        "A skill has at most 512 files."
        "keep at most 512 files: servers leave larger skills out"
        "skills extension, Limits; strict mode, MAX_SKILL_RESOURCES";
    TOO_MANY_BYTES Error "too-many-bytes"
        "A skill has at most 16 MiB."
        "keep at most 16 MiB: servers leave larger skills out"
        "skills extension, Limits; strict mode, MAX_SKILL_BYTES";
}
