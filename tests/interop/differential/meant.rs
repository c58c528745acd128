//! Where ours is meant to answer otherwise than the reference, and why.

use serde_json::{Value, json};

use super::{Difference, Of};

/// A reason and the differences that it is the reason of.
pub(crate) struct Meant {
    pub(crate) reason: &'static str,
    covers: fn(&Difference<'_>) -> bool,
}

impl Meant {
    pub(crate) fn covers(&self, difference: &Difference<'_>) -> bool {
        (self.covers)(difference)
    }
}

const NOT_FOUND: i64 = -32602;
const FAILED: i64 = -32603;

fn is_error(answer: &Value, code: i64) -> bool {
    *answer == json!({ "error": code })
}

/// Only ours has an answer: the reference knows no such thing.
fn only_ours(difference: &Difference<'_>) -> bool {
    difference.field.is_empty()
        && difference.ours.get("error").is_none()
        && !difference.ours.is_null()
        && (difference.theirs.is_null() || is_error(&difference.theirs, NOT_FOUND))
}

/// Only the reference has an answer.
fn only_theirs(difference: &Difference<'_>) -> bool {
    difference.field.is_empty()
        && difference.theirs.get("error").is_none()
        && !difference.theirs.is_null()
        && (difference.ours.is_null() || is_error(&difference.ours, NOT_FOUND))
}

fn is_case(difference: &Difference<'_>, cases: &[&str]) -> bool {
    cases.contains(&difference.case)
}

pub(crate) const MEANT: &[Meant] = &[
    Meant {
        reason: "`_meta` of the reference holds tags and names of FastMCP and its own name; ours \
                 has none beside its own name.",
        covers: |difference| difference.field == "_meta",
    },
    Meant {
        reason: "Ours tells the size of each file where it lists it.",
        covers: |difference| difference.of == Of::Resource && difference.field == "size",
    },
    Meant {
        reason: "Without tokens and without a policy everybody is answered alike, so any cache may \
                 hold it; with them ours says `private` too.",
        covers: |difference| {
            difference.field == "cacheScope"
                && difference.theirs == "private"
                && difference.ours == "public"
        },
    },
    Meant {
        reason: "The extension asks for name and description of a `SKILL.md` from its front \
                 matter.",
        covers: |difference| {
            difference.way.strict
                && difference.of == Of::Resource
                && difference.about.ends_with("/SKILL.md")
                && matches!(difference.field.as_str(), "name" | "description")
        },
    },
    Meant {
        reason: "A template stands for files of every type, so ours says none.",
        covers: |difference| difference.of == Of::Template && difference.field == "mimeType",
    },
    Meant {
        reason: "Ours has one table of types, the same on every machine, and says the file's own \
                 type also where it is read through a template; text is what the table calls so.",
        covers: |difference| {
            matches!(difference.of, Of::Resource | Of::Read)
                && matches!(difference.field.as_str(), "mimeType" | "kind")
                && !difference.about.ends_with("/_manifest")
        },
    },
    Meant {
        reason: "What is called `_manifest` is listed and read as a manifest, a file of a person \
                 too, which the reference lists in its place.",
        covers: |difference| {
            difference.about.ends_with("/_manifest")
                && matches!(difference.field.as_str(), "mimeType" | "kind" | "description")
        },
    },
    Meant {
        reason: "Ours keeps every byte; the reference's default mode reads text with every line \
                 end as a line feed.",
        covers: |difference| {
            let size = |answer: &Value| answer[0].as_u64();
            !difference.way.strict
                && difference.of == Of::Read
                && difference.field == "bytes"
                && size(&difference.theirs) <= size(&difference.ours)
                && (difference.case.contains("CRLF")
                    || difference.case.contains("carriage returns")
                    || difference.case.contains("line ends"))
        },
    },
    Meant {
        reason: "Text that is not UTF-8 is a blob; the reference's default mode fails.",
        covers: |difference| {
            !difference.way.strict
                && difference.of == Of::Read
                && is_error(&difference.theirs, FAILED)
                && difference.ours["kind"] == "blob"
                && difference.case.contains("not UTF-8")
        },
    },
    Meant {
        reason: "What is not there, or is no file, is not found; the reference's default mode \
                 says that it failed.",
        covers: |difference| {
            !difference.way.strict
                && difference.of == Of::Read
                && difference.field == "error"
                && difference.theirs == FAILED
                && difference.ours == NOT_FOUND
        },
    },
    Meant {
        reason: "The skill's name is percent-encoded in URIs; the reference's default mode \
                 forgets it.",
        covers: |difference| {
            !difference.way.strict
                && difference.case.starts_with("served: a name ")
                && (only_ours(difference) || only_theirs(difference))
        },
    },
    Meant {
        reason: "Any spelling of a URI is accepted but one with a hidden separator.",
        covers: |difference| {
            difference.of == Of::Read
                && difference.about == "skill://sample/%53KILL.md"
                && only_ours(difference)
        },
    },
    Meant {
        reason: "A path with a part that is empty, `.` or `..` is no path of a file.",
        covers: |difference| {
            difference.of == Of::Read
                && only_theirs(difference)
                && [
                    "skill://sample/./SKILL.md",
                    "skill://sample/SKILL.md/",
                    "skill://sample/docs/%2E%2E/SKILL.md",
                ]
                .contains(&difference.about.as_str())
        },
    },
    Meant {
        reason: "Files are read as they are now; the reference, where it lists each, reads only \
                 those that it listed.",
        covers: |difference| {
            !difference.way.strict
                && difference.way.listed
                && difference.of == Of::Read
                && only_ours(difference)
                && (difference.look == 1 && !difference.way.live
                    || difference.case == "a link to the skill's own folder")
        },
    },
    Meant {
        reason: "A folder without its main file is no skill, also where it was one at the first \
                 look.",
        covers: |difference| {
            difference.case == "changed: a SKILL.md less"
                && !difference.way.live
                && difference.of == Of::Read
                && only_theirs(difference)
        },
    },
    Meant {
        reason: "In strict mode a link is no resource; the reference lists it, and cannot read it.",
        covers: |difference| {
            let cases =
                ["SKILL.md is a link to a file inside", "SKILL.md is a link to a file outside"];
            difference.way.strict
                && is_case(difference, &cases)
                && matches!(difference.of, Of::Resource | Of::Template)
                && only_theirs(difference)
        },
    },
    Meant {
        reason: "A link in place of a `SKILL.md` makes a folder one of a skill that is left out, \
                 wherever it leads: the other files can be read.",
        covers: |difference| {
            difference.way.strict
                && difference.case == "SKILL.md is a link to nothing"
                && difference.of == Of::Read
                && only_ours(difference)
        },
    },
    Meant {
        reason: "A root that is a file is as one that is not there; the reference does not start.",
        covers: |difference| {
            !difference.way.strict
                && difference.case == "a root that is a file"
                && difference.of == Of::Result
        },
    },
    Meant {
        reason: "The reference takes a first letter and a colon for a drive of Windows, on every \
                 system; the URI is right.",
        covers: |difference| {
            is_case(difference, &[r#"a file "a:b""#, "served: a name with a colon"])
        },
    },
    Meant {
        reason: "A backslash divides a path on Windows: a URI with one is refused, so the file is \
                 not listed.",
        covers: |difference| {
            difference.case == r#"a file "a\\b""#
                && difference.about == "skill://sample/a%5Cb"
                && only_theirs(difference)
        },
    },
    Meant {
        reason: "Ours follows folders up to 64 levels; beyond that nothing is meant for a person.",
        covers: |difference| difference.case == "a file 70 folders deep",
    },
    Meant {
        reason: "A name that is not UTF-8 has no URI: the reference's listing cannot be sent, or \
                 has signs in it that nobody can ask for.",
        covers: |difference| {
            let cases =
                ["a file whose name is not UTF-8", "a skill whose folder's name is not UTF-8"];
            is_case(difference, &cases)
        },
    },
    Meant {
        reason: "Roots that are one folder by real path count once; the reference takes each \
                 skill for its own duplicate.",
        covers: |difference| {
            difference.way.strict
                && is_case(difference, &["one root twice", "one root in two spellings"])
                && only_ours(difference)
        },
    },
    Meant {
        reason: "The reference's later versions (4.2.3) take a list in `allowed-tools` and \
                 values of any type in `metadata`, as hundreds of public skills have them; we \
                 follow these, and warn.",
        covers: |difference| {
            let cases = ["served: tools that are a list", "served: metadata with a number"];
            difference.way.strict
                && is_case(difference, &cases)
                && matches!(difference.of, Of::Skill | Of::Get)
                && only_ours(difference)
        },
    },
];
