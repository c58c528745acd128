//! What a skill's content asks for and what it hides. Findings are never proof of harm, and their
//! absence is no proof of the contrary.
//!
//! Rules for text are a table, `rules.toml`, with their samples; others are listed in `codes.rs`.
//! All look at the bytes, not at the extension. Text is folded first, so that letters that look
//! alike and characters that do not show split no word; words that marks take apart are put
//! together and looked at again. Nothing that stands beside a match makes a grave finding lighter:
//! its author could write that, too.
//!
//! # Figures
//!
//! Measured with `cargo xtask measure-inspection DIR…` over public repositories, each exported at
//! the commit below (files that were not to be had are left out): of 3,378 skills of 18
//! repositories 1.30 % have a grave finding, 14.6 % a caution, 82.5 % a note (most of them that
//! network addresses are named). Without the two repositories whose skills are made from one
//! template (ComposioHQ and PranavNagrecha) 2.6 % of 1,529 have a grave one. Each of the 80 grave
//! findings was read: half are `download-to-shell`, mostly an installer's own line; most others
//! quote an attack in a skill on security, or say what not to tell the user.
//!
//! | repository | commit | skills | grave |
//! |---|---|---:|---:|
//! | ComposioHQ/awesome-claude-skills | f2b5e29bc315 | 864 | 0.0 % |
//! | HoangNguyen0403/agent-skills-standard | b438bacc46d2 | 252 | 0.0 % |
//! | K-Dense-AI/claude-scientific-skills | 899a51bfbd63 | 134 | 0.0 % |
//! | PranavNagrecha/AwesomeSalesforceSkills | 2f65a366007b | 985 | 0.4 % |
//! | UiPath/skills | b1206c8b6f9a | 34 | 11.8 % |
//! | alirezarezvani/claude-skills | 7d493fed97e4 | 241 | 1.2 % |
//! | anthropics/skills | 9d2f1ae18723 | 18 | 5.6 % |
//! | daymade/claude-code-skills | 723a962ddca0 | 94 | 5.3 % |
//! | microsoft/cat-agent-skills | 0bb3472820f4 | 83 | 3.6 % |
//! | muratcankoylan/Agent-Skills-for-Context-Engineering | 46019a3e7704 | 13 | 7.7 % |
//! | obra/superpowers | 44c9b2d6e889 | 14 | 0.0 % |
//! | openai/skills | f6b8344b4e51 | 10 | 0.0 % |
//! | simota/agent-skills | 11befd9bedea | 43 | 0.0 % |
//! | tech-leads-club/agent-skills | 4beb50707194 | 84 | 3.6 % |
//! | terrylica/cc-skills | 265421d2dad2 | 241 | 4.1 % |
//! | trailofbits/skills | 293fb74c3151 | 80 | 8.8 % |
//! | vercel-labs/agent-skills | b9c8ee0643d8 | 7 | 0.0 % |
//! | wshobson/agents | 367cb6a4a182 | 181 | 1.7 % |
//!
//! Time is measured with `cargo bench -p skills --bench inspect`, over skills of 16 MiB on two idle
//! cores of one machine: ordinary Markdown took 0.62 s, in 512 files 0.45 s; the words of all rules in
//! one line 1.27 s, their near-misses 1.29 s, lines of base64 that hide words of rules 1.97 s, every
//! other shape of that benchmark less than the near-misses.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use rayon::prelude::*;
use serde::Deserialize;

mod binary;
mod codes;
mod comments;
mod encoded;
mod excerpt;
mod expression;
mod fold;
mod hidden;
mod image;
mod kind;
mod lookalike;
mod names;
mod places;
mod requests;
mod split;
mod table;

use self::codes::Found;
use self::fold::Folded;
use self::kind::Kind;
use self::places::Places;
use self::requests::Lists;
use crate::MAIN_FILE;
use crate::check::{Diagnostic, Place, Severity};
use crate::frontmatter::FrontMatter;

pub use self::hidden::is_hidden;

/// The most findings of one kind in one file, of those that are not in the table.
const MAX_PLACES: usize = 20;

/// The most findings of one rule and one weight in all files; the last says that there are more.
const MAX_FOUND: usize = 100;

/// So many files are looked at side by side.
const BATCH: usize = 32;

/// What was found in the bytes of one skill.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Inspection {
    /// What it asks for.
    pub requests: Requests,
    /// Paths of files that can be run.
    pub scripts: Vec<String>,
    /// Paths of files that are not text.
    pub binaries: Vec<String>,
    /// Paths of the `SKILL.md` of skills inside of this one.
    pub nested: Vec<String>,
    /// What is hidden, or asks for a second look; grave ones first.
    pub findings: Vec<Finding>,
}

/// What a skill asks for; each once, in order of first appearance.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Requests {
    /// The words of `allowed-tools`.
    pub allowed_tools: Vec<String>,
    /// The hooks of the front matter, as text.
    pub hooks: Vec<String>,
    /// Commands that its text tells the model to run.
    pub commands: Vec<String>,
    /// Network addresses in its files.
    pub addresses: Vec<String>,
    /// Paths outside of itself.
    pub outside: Vec<String>,
}

/// One thing that a person should look at before approving.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// How much it asks for a second look.
    pub weight: Weight,
    /// The place as it reads, with what does not show made visible; empty where there is no text.
    pub excerpt: String,
    /// What it is and where; its help says why it matters.
    pub diagnostic: Diagnostic,
}

/// How much a finding asks for a second look; the heaviest compares least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Weight {
    /// Must be acknowledged by itself before approving.
    Grave,
    /// Worth reading first.
    Caution,
    /// Good to know.
    Note,
}

impl Weight {
    fn severity(self) -> Severity {
        match self {
            Self::Grave => Severity::Error,
            Self::Caution => Severity::Warning,
            Self::Note => Severity::Note,
        }
    }
}

impl Finding {
    /// Whether it must be acknowledged by itself.
    pub fn is_grave(&self) -> bool {
        self.weight == Weight::Grave
    }
}

/// A rule of the inspection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleInfo {
    /// As in `download-to-shell`; never changes its meaning.
    pub code: &'static str,
    /// What a finding mostly weighs; one can be lighter or heavier by what stands around it.
    pub weight: Weight,
    /// What is found, in general.
    pub message: &'static str,
    /// Why it matters, in one sentence.
    pub help: &'static str,
}

/// Every rule that [`inspect`] tries: an inspection without findings is "nothing found by so many
/// rules".
pub fn rules() -> &'static [RuleInfo] {
    static ALL: LazyLock<Vec<RuleInfo>> = LazyLock::new(|| {
        codes::ALL
            .iter()
            .copied()
            .chain(table::table().rules.iter().map(|rule| rule.info))
            .collect()
    });
    &ALL
}

/// What was seen in one file.
#[derive(Default)]
struct Seen<'a> {
    requests: Lists,
    script: bool,
    binary: bool,
    /// The file as a text, as far as it is one.
    text: Cow<'a, str>,
    /// In order of their ranges in the text.
    found: Vec<Found>,
}

/// Looks at every byte of a skill, path to bytes. The time is linear in the bytes; files are
/// looked at side by side.
pub fn inspect(files: &BTreeMap<String, Vec<u8>>) -> Inspection {
    let files: Vec<(&String, &Vec<u8>)> = files.iter().collect();
    let mut seen: Vec<Seen<'_>> = Vec::with_capacity(files.len());
    let mut counts = BTreeMap::new();
    for files in files.chunks(BATCH) {
        let full = full(&counts);
        let batch = files.par_iter().map(|(path, bytes)| file(path, bytes, &full));
        seen.extend(batch.collect::<Vec<_>>().into_iter().map(|seen| bounded(seen, &mut counts)));
    }
    let mut inspection = Inspection::default();
    let mut requests = Lists::default();
    let mut first_address = None;
    for ((path, _), seen) in files.iter().zip(&seen) {
        let path = *path;
        if first_address.is_none() && !seen.requests.addresses.items().is_empty() {
            first_address = Some(path.clone());
        }
        requests.add_all(&seen.requests);
        if crate::is_nested_main(path) {
            inspection.nested.push(path.clone());
        }
        if seen.script {
            inspection.scripts.push(path.clone());
        }
        if seen.binary {
            inspection.binaries.push(path.clone());
        }
    }
    let placed = files.par_iter().zip(seen).map(|((path, _), seen)| {
        let mut places = Places::of(&seen.text);
        let found = seen.found.into_iter();
        found.map(|found| finding(path, &seen.text, found, &mut places)).collect::<Vec<_>>()
    });
    inspection.findings = placed.flatten_iter().collect();
    for ((code, weight), _) in counts.iter().filter(|(_, count)| **count > MAX_FOUND) {
        let mut alike = inspection.findings.iter_mut().rev();
        let last = alike.find(|one| one.diagnostic.code == *code && one.weight == *weight);
        if let Some(last) = last {
            last.diagnostic.message.push_str("; there are more of these, which are not listed");
        }
    }
    if let (Some(path), addresses) = (first_address, requests.addresses.items()) {
        let count = addresses.len();
        let message = match count {
            1 => "the files name 1 network address".to_owned(),
            _ => format!("the files name {count} network addresses"),
        };
        let shown = addresses.first().map(|first| excerpt::visible(first)).unwrap_or_default();
        let found = Found::of(&codes::ADDRESSES).saying(message).showing(shown);
        inspection.findings.push(finding(&path, "", found, &mut Places::of("")));
    }
    inspection.requests = requests.done();
    inspection.findings.sort_by(|a, b| {
        let key = |finding: &Finding| (finding.weight, finding.diagnostic.place.clone());
        key(a).cmp(&key(b)).then_with(|| a.diagnostic.code.cmp(b.diagnostic.code))
    });
    inspection
}

/// How often each rule has found something of each weight.
type Counts = BTreeMap<(&'static str, Weight), usize>;

/// The findings of a file without those that are too many.
fn bounded<'a>(mut seen: Seen<'a>, counts: &mut Counts) -> Seen<'a> {
    seen.found.retain(|found| {
        let count = counts.entry((found.rule.code, found.weight)).or_default();
        *count += 1;
        *count <= MAX_FOUND
    });
    seen
}

/// The rules of the table of which no more is listed. Where they are denied they weigh less; such are not listed any more either.
fn full(counts: &Counts) -> Vec<&'static str> {
    let full = |code: &'static str, weight| counts.get(&(code, weight)) > Some(&MAX_FOUND);
    let rules = table::table().rules.iter().map(|rule| rule.info);
    rules.filter(|rule| full(rule.code, rule.weight)).map(|rule| rule.code).collect()
}

/// Looks at one file, for all rules of the table but these.
fn file<'a>(path: &str, bytes: &'a [u8], full: &[&str]) -> Seen<'a> {
    let mut seen = Seen::default();
    let mut found = Vec::new();
    names::look(path, &mut found);
    if crate::is_plugin_manifest(path) {
        requests::plugin(path, &mut seen.requests);
    }
    seen.script = names::is_script(path, bytes);
    let kind = Kind::of(bytes);
    let read = if kind == Kind::Text { kind::text(bytes) } else { kind::mostly_text(bytes) };
    let text = read.as_ref().map(|read| read.text.as_ref()).unwrap_or_default();
    match &read {
        Some(read) if kind == Kind::Text => {
            if !read.utf8 {
                found.push(Found::of(&codes::ENCODING));
            }
            if let Some(message) = binary::disguise(path, kind) {
                found.push(Found::of(&codes::DISGUISED).saying(message));
            }
            if path == MAIN_FILE {
                front_matter(bytes, &mut seen.requests, &mut found);
            }
            look(path, text, full, &mut seen.requests, &mut found);
        }
        _ => {
            seen.binary = true;
            binary::look(path, kind, bytes, read.is_none(), &mut found);
            // What begins like a picture or a document can be a text all the same.
            if read.is_some() {
                look(path, text, full, &mut seen.requests, &mut found);
            }
        }
    }
    found.sort_by_key(|found| found.range.as_ref().map_or(0, |range| range.start));
    seen.found = found;
    seen.text = read.map(|read| read.text).unwrap_or_default();
    seen
}

/// Looks at a text.
fn look(path: &str, text: &str, full: &[&str], requests: &mut Lists, found: &mut Vec<Found>) {
    let ((hits, split), (misleading, mut others)) = rayon::join(
        || rayon::join(|| table::look_without(&Folded::of(text), full), || split::look(text, full)),
        || rayon::join(|| requests::text(path, text, requests), || beside_the_table(text)),
    );
    // What is found as it stands is not told once more for a word that was put together.
    let new = split.into_iter().filter(|found| {
        let range = found.range.clone().unwrap_or_default();
        !hits.iter().any(|hit| {
            hit.rule.info.code == found.rule.code
                && hit.range.start < range.end
                && range.start < hit.range.end
        })
    });
    found.extend(new);
    found.extend(
        hits.into_iter().map(|hit| Found::of(&hit.rule.info).weighing(hit.weight).at(hit.range)),
    );
    found.append(&mut others);
    found.extend(misleading);
}

/// The rules for text that are code.
fn beside_the_table(text: &str) -> Vec<Found> {
    let mut found = Vec::new();
    hidden::look(text, &mut found);
    encoded::look(text, &mut found);
    comments::look(text, &mut found);
    comments::links(text, &mut found);
    found
}

/// What the front matter asks for.
fn front_matter(skill_md: &[u8], requests: &mut Lists, found: &mut Vec<Found>) {
    let read = FrontMatter::read(skill_md);
    requests::front_matter(&read, requests);
    let shown = |items: &[String]| {
        let all: String = items.join(", ").chars().take(160).collect();
        excerpt::visible(&all)
    };
    let hooks = requests.hooks.items();
    if !hooks.is_empty() {
        found.push(Found::of(&codes::HOOKS).showing(shown(hooks)));
    }
    let tools = requests.allowed_tools.items();
    if !tools.is_empty() {
        let message = format!("it asks for the tools {}", shown(tools));
        found.push(Found::of(&codes::TOOLS).saying(message).showing(shown(tools)));
    }
    let any = |tool: &&String| {
        let tool = tool.to_ascii_lowercase();
        matches!(tool.as_str(), "*" | "all" | "bash" | "shell" | "execute" | "terminal")
            || ["bash(*)", "bash(*:*)", "shell(*)", "bash(:*)"].contains(&tool.as_str())
    };
    if let Some(tool) = tools.iter().find(any) {
        found.push(Found::of(&codes::ANY_COMMAND).showing(shown(std::slice::from_ref(tool))));
    }
    let name = read.fields().get("name").and_then(|name| name.as_str()).unwrap_or_default();
    if let Some(c) = lookalike::in_name(name) {
        let message =
            format!("the skill's name has U+{:04X} in place of a Latin letter", u32::from(c));
        found.push(Found::of(&codes::LOOK_ALIKE_NAME).saying(message));
    }
}

/// The finding at its place. `found` come in order of their ranges.
fn finding(path: &str, text: &str, found: Found, places: &mut Places<'_>) -> Finding {
    let Found { rule, weight, message, range, excerpt } = found;
    let (line, column, length) = match &range {
        Some(range) => places.of_range(range),
        None => (1, 1, 0),
    };
    let excerpt =
        excerpt.or_else(|| range.map(|range| excerpt::around(text, &range))).unwrap_or_default();
    Finding {
        weight,
        excerpt,
        diagnostic: Diagnostic {
            code: rule.code,
            severity: weight.severity(),
            message,
            help: Some(rule.help.to_owned()),
            place: Some(Place { file: path.to_owned(), line, column, length }),
            fixes: Vec::new(),
        },
    }
}

/// True for the files that a model reads as Markdown.
fn is_markdown(path: &str) -> bool {
    crate::provider::mime_type(path) == "text/markdown"
}

#[cfg(test)]
mod tests;
