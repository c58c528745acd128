//! What is written to standard output: lines for a person, or JSON of a form that stays.

use std::fmt::Write as _;

use serde::{Serialize, Serializer};
use serde_json::{Map, Value};
use skills::entry::Entry;
use skills::inspect::Finding;
use skills_mcp::{Offer, Rule, Verdict};

use super::Ended;
use crate::cli::check::contents::JsonFinding;
use crate::cli::check::{number, spelled_in_ascii};
use crate::render::in_one_line;
use crate::view::{ErrorCode, ErrorView};

/// One skill as a server declares it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Skill {
    name: String,
    description: String,
    uri: String,
    /// `verifiable`, `unverifiable` or `refused`.
    state: &'static str,
    /// 64 digits, for what can be verified.
    fingerprint: Option<String>,
    files: Option<usize>,
    bytes: Option<u64>,
    /// Why it cannot be verified.
    reason: Option<String>,
    /// The rules that it breaks.
    rules: Vec<Broken>,
}

#[derive(Debug, Serialize)]
struct Broken {
    code: &'static str,
    message: String,
    expected: String,
    actual: String,
}

impl From<&Rule> for Broken {
    fn from(rule: &Rule) -> Self {
        Self {
            code: rule.code,
            message: rule.message.clone(),
            expected: rule.expected.clone(),
            actual: rule.actual.clone(),
        }
    }
}

impl From<&Offer> for Skill {
    fn from(offer: &Offer) -> Self {
        let mut skill = Self {
            name: offer.name.clone(),
            description: offer.description.clone(),
            uri: offer.uri.clone(),
            state: "verifiable",
            fingerprint: None,
            files: None,
            bytes: None,
            reason: None,
            rules: Vec::new(),
        };
        match &offer.verdict {
            Verdict::Verifiable(entry) => {
                skill.fingerprint = Some(entry.fingerprint().to_string());
                skill.files = Some(entry.files().len());
                skill.bytes = Some(entry.manifest().total_size());
            }
            Verdict::Unverifiable(reason) => {
                skill.state = "unverifiable";
                skill.reason = Some(reason.clone());
            }
            Verdict::Refused(rules) => {
                skill.state = "refused";
                skill.rules = rules.iter().map(Broken::from).collect();
            }
        }
        skill
    }
}

impl Skill {
    pub(super) fn is_refused(&self) -> bool {
        self.state == "refused"
    }

    fn lines(&self, out: &mut String) {
        let name = in_one_line(&self.name);
        let uri = in_one_line(&self.uri);
        match (self.files, self.bytes, &self.fingerprint) {
            (Some(files), Some(bytes), Some(fingerprint)) => {
                let files = number(files, "file");
                let _ = writeln!(out, "{name}: {files}, {bytes} bytes, {uri}\n  {fingerprint}");
            }
            _ => {
                let _ = writeln!(out, "{name}: {}, {uri}", self.state);
            }
        }
        if let Some(reason) = &self.reason {
            let _ = writeln!(out, "  {}", in_one_line(reason));
        }
        for rule in &self.rules {
            let _ = writeln!(
                out,
                "  {}: {} (expected {}, found {})",
                rule.code,
                in_one_line(&rule.message),
                in_one_line(&rule.expected),
                in_one_line(&rule.actual),
            );
        }
    }
}

/// What `list` says.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Listing {
    pub(super) server: String,
    pub(super) protocol: String,
    /// `extension`, `manifests` or `none`.
    pub(super) source: &'static str,
    pub(super) skills: Vec<Skill>,
    pub(super) notices: Vec<String>,
}

impl Listing {
    pub(super) fn text(&self) -> String {
        let mut out = String::new();
        for skill in &self.skills {
            skill.lines(&mut out);
        }
        for notice in &self.notices {
            let _ = writeln!(out, "note: {}", in_one_line(notice));
        }
        let _ = writeln!(out, "{} offered", number(self.skills.len(), "skill"));
        out
    }
}

/// What `manifest` says.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Declared {
    pub(super) server: String,
    #[serde(flatten)]
    pub(super) skill: Skill,
    /// As declared; `null` where the server declares none.
    pub(super) front_matter: Option<Map<String, Value>>,
    pub(super) resources: Vec<Resource>,
}

/// One file of a manifest.
#[derive(Debug, Serialize)]
pub(super) struct Resource {
    path: String,
    uri: String,
    size: u64,
    /// `sha256:` and 64 digits.
    digest: String,
}

impl Declared {
    pub(super) fn new(server: String, offer: &Offer) -> Self {
        let entry = match &offer.verdict {
            Verdict::Verifiable(entry) => Some(entry),
            _ => None,
        };
        Self {
            server,
            skill: Skill::from(offer),
            front_matter: entry.and_then(Entry::front_matter).cloned(),
            resources: entry.map(resources).unwrap_or_default(),
        }
    }

    pub(super) fn text(&self) -> String {
        let mut out = String::new();
        self.skill.lines(&mut out);
        for file in &self.resources {
            let path = in_one_line(&file.path);
            let _ = writeln!(out, "  {path}: {} bytes, {}", file.size, file.digest);
        }
        out
    }
}

fn resources(entry: &Entry) -> Vec<Resource> {
    let files = entry.files().iter().map(|file| Resource {
        path: file.path.clone(),
        uri: file.uri.clone(),
        size: file.size,
        digest: file.digest.to_string(),
    });
    files.collect()
}

/// What became of skills.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Taken {
    pub(super) server: String,
    pub(super) to: String,
    pub(super) skills: Vec<TakenSkill>,
}

/// What became of one skill.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TakenSkill {
    pub(super) name: String,
    pub(super) uri: String,
    pub(super) fingerprint: Option<String>,
    pub(super) result: Became,
    /// The folder, where one was written or was there.
    pub(super) path: Option<String>,
    /// Why, where it was not written.
    pub(super) reason: Option<String>,
    /// Fields of the front matter that were left out because nobody granted them.
    pub(super) left_out: Vec<String>,
    /// Files whose line endings the server had changed and that were put right.
    pub(super) restored: Vec<String>,
    /// What an inspection found in it.
    pub(super) findings: Vec<Found>,
}

/// Something that an inspection found; in JSON as `check --inspect` writes it.
#[derive(Debug)]
pub(super) struct Found(pub(super) Finding);

impl Found {
    /// As in `download-to-shell`.
    pub(super) fn code(&self) -> &'static str {
        self.0.diagnostic.code
    }

    /// Must be accepted by itself.
    pub(super) fn is_grave(&self) -> bool {
        self.0.is_grave()
    }

    /// `code: message`.
    pub(super) fn text(&self) -> String {
        format!("{}: {}", self.0.diagnostic.code, self.0.diagnostic.message)
    }

    /// File and line, and what stands there with what is hidden made visible.
    fn place(&self) -> Option<String> {
        let place = self.0.diagnostic.place.as_ref()?;
        Some(format!("{}:{}: {}", place.file, place.line, self.0.excerpt))
    }
}

impl Serialize for Found {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        JsonFinding::from(&self.0).serialize(serializer)
    }
}

/// What became of a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Became {
    /// It is there now.
    Written,
    /// It is there now in the place of something else.
    Replaced,
    /// Something is there already.
    Skipped,
    /// It was not taken.
    Refused,
}

impl Taken {
    pub(super) fn any_refused(&self) -> bool {
        self.skills.iter().any(|skill| skill.result == Became::Refused)
    }

    pub(super) fn text(&self) -> String {
        let mut out = String::new();
        for skill in &self.skills {
            let word = match skill.result {
                Became::Written => "written",
                Became::Replaced => "replaced",
                Became::Skipped => "skipped",
                Became::Refused => "refused",
            };
            let _ = write!(out, "{}: {word}", in_one_line(&skill.name));
            if let Some(path) = &skill.path {
                let _ = write!(out, ", {}", in_one_line(path));
            }
            if let Some(reason) = &skill.reason {
                let _ = write!(out, ": {}", in_one_line(reason));
            }
            out.push('\n');
            if !skill.left_out.is_empty() {
                let fields = in_one_line(&skill.left_out.join(", "));
                let _ = writeln!(out, "  left out, because nobody granted it: {fields}");
            }
            if !skill.restored.is_empty() {
                let files = in_one_line(&skill.restored.join(", "));
                let _ = writeln!(out, "  line endings were put right in {files}");
            }
            for finding in &skill.findings {
                let grave = if finding.is_grave() { ", grave" } else { "" };
                let _ = writeln!(out, "  found{grave}: {}", in_one_line(&finding.text()));
                if let Some(place) = finding.place() {
                    let _ = writeln!(out, "    {}", in_one_line(&place));
                }
            }
        }
        out
    }
}

/// One of the two.
pub(super) fn told<T: Serialize>(
    json: bool,
    value: &T,
    text: impl FnOnce(&T) -> String,
) -> Result<String, Ended> {
    if !json {
        return Ok(text(value));
    }
    let json = serde_json::to_string_pretty(value).map_err(|error| {
        Ended::Failed(ErrorView::new(ErrorCode::Internal, format!("cannot write JSON: {error}")))
    })?;
    let mut text = spelled_in_ascii(&json);
    text.push('\n');
    Ok(text)
}
