//! Which tools see which skill, and why: from where it lies and what sources say of each tool.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::library::{LocalSkill, RootState, Snapshot, Through};
use crate::tool::{self, NamedBy, Precedence, ProjectRank, Reads, Said};

/// Whether a tool sees a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Seen {
    /// It does.
    Seen,
    /// It takes another one of the same name.
    Shadowed,
    /// It does not read it there.
    NotSeen,
    /// No source says.
    Unknown,
}

/// What one tool makes of one skill in one of its roots.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Visibility {
    /// The tool's id.
    pub tool: String,
    /// The skill's id.
    pub skill: String,
    /// The root through which it would see it.
    pub root: PathBuf,
    /// Whether it does.
    pub seen: Seen,
    /// Why.
    pub reason: String,
}

/// A skill where one tool meets it.
struct Meeting<'a> {
    skill: &'a LocalSkill,
    through: &'a Through,
    root: &'a RootState,
    rank: usize,
}

impl Snapshot {
    /// What each tool on this machine, also one that is switched off here, makes of the skills of
    /// this name: in order of tools as the table has them, for each the strongest root first.
    /// Skills of other names are told only where they stand in the way of one of this name.
    pub fn visibility(&self, name: &str) -> Vec<Visibility> {
        let start = self.skills.partition_point(|skill| skill.name.as_str() < name);
        let group: Vec<&LocalSkill> =
            self.skills[start..].iter().take_while(|skill| skill.name == name).collect();
        let folders: BTreeSet<&str> =
            group.iter().map(|skill| skill.folder_name.as_str()).collect();
        let roots: BTreeMap<&Path, &RootState> =
            self.roots.iter().map(|root| (root.path.as_path(), root)).collect();
        let mut meetings: BTreeMap<&str, Vec<Meeting<'_>>> = BTreeMap::new();
        let rivals = self
            .skills
            .iter()
            .filter(|skill| skill.name == name || folders.contains(skill.folder_name.as_str()));
        for skill in rivals {
            for through in &skill.through {
                let Some(root) = roots.get(through.root.as_path()) else { continue };
                for reader in &root.readers {
                    meetings.entry(&reader.tool).or_default().push(Meeting {
                        skill,
                        through,
                        root,
                        rank: reader.rank,
                    });
                }
            }
        }
        let mut rows = Vec::new();
        for state in &self.tools {
            let Some(mut met) = meetings.remove(state.tool.id.as_str()) else { continue };
            met.sort_by(|a, b| {
                let key = |meeting: &Meeting<'_>| (meeting.rank, meeting.through.path.clone());
                key(a).cmp(&key(b))
            });
            judge(name, &state.tool.id, &met, &mut rows);
        }
        rows
    }
}

/// What one tool makes of skills that may be of one name to it.
fn judge(name: &str, tool: &str, met: &[Meeting<'_>], rows: &mut Vec<Visibility>) {
    let Some(known) = tool::tool(tool) else { return };
    let reads = &known.reads;
    let verdicts: Vec<(Seen, String)> =
        met.iter().map(|meeting| alone(&known.name, reads, meeting)).collect();
    for (at, meeting) in met.iter().enumerate() {
        if meeting.skill.name != name {
            continue;
        }
        let (seen, reason) = match &verdicts[at] {
            (Seen::NotSeen, reason) => (Seen::NotSeen, reason.clone()),
            (own, reason) => among(known.name.as_str(), reads, met, &verdicts, at)
                .unwrap_or_else(|| (*own, reason.clone())),
        };
        rows.push(Visibility {
            tool: tool.to_owned(),
            skill: meeting.skill.id.clone(),
            root: meeting.root.path.clone(),
            seen,
            reason,
        });
    }
}

/// Whether the tool reads this skill there, whatever else there is.
fn alone(tool: &str, reads: &Reads, meeting: &Meeting<'_>) -> (Seen, String) {
    let Meeting { skill, through, root, .. } = meeting;
    if skill.linked && skill.manifest.is_err() && !through.path.exists() {
        return (Seen::NotSeen, "its folder is a link that leads nowhere".to_owned());
    }
    let has = |codes: &[&str]| skill.diagnostics.iter().any(|found| codes.contains(&found.code));
    let questions = [
        (
            through.linked,
            reads.links,
            "does not read folders that are links",
            "reads folders that are links",
        ),
        (
            through.groups > 0 && !root.cache,
            reads.groups,
            "reads only skills directly in the folder",
            "reads skills in folders that group them",
        ),
        (
            has(&INVALID_YAML),
            reads.invalid_yaml,
            "leaves out skills whose front matter is no valid YAML",
            "reads skills whose front matter is no valid YAML",
        ),
        (
            has(&NOTHING_SAID),
            reads.no_description,
            "leaves out skills without a description",
            "reads skills without a description",
        ),
    ];
    let asked = || questions.iter().filter(|(concerns, ..)| *concerns);
    if let Some((_, _, no, _)) = asked().find(|(_, said, ..)| *said == Said::No) {
        return (Seen::NotSeen, format!("{tool} {no}"));
    }
    if root.cache {
        let reason = format!(
            "it belongs to a plug-in: {tool} sees it under the plug-in's name while that is on"
        );
        return (Seen::Unknown, reason);
    }
    match asked().find(|(_, said, ..)| *said == Said::Unknown) {
        Some((.., unknown)) => (Seen::Unknown, format!("no source says whether {tool} {unknown}")),
        None => (Seen::Seen, format!("{tool} reads this folder")),
    }
}

/// Codes that mean that a reader of YAML stops.
const INVALID_YAML: [&str; 2] = ["frontmatter-yaml", "frontmatter-unquoted-colon"];

/// Codes that mean that no description is read.
const NOTHING_SAID: [&str; 6] = [
    "frontmatter-missing",
    "frontmatter-empty",
    "frontmatter-unclosed",
    "frontmatter-not-mapping",
    "description-missing",
    "description-blank",
];

/// What other skills of the same name make of it; `None` where they change nothing.
fn among(
    tool: &str,
    reads: &Reads,
    met: &[Meeting<'_>],
    verdicts: &[(Seen, String)],
    at: usize,
) -> Option<(Seen, String)> {
    let own = &met[at];
    // A plug-in's skills have names of their own.
    if own.root.cache {
        return None;
    }
    let is_seen = verdicts[at].0 == Seen::Seen;
    let rivals: Vec<(&Meeting<'_>, &(Seen, String))> = met
        .iter()
        .zip(verdicts)
        .filter(|(other, (seen, _))| {
            other.skill.id != own.skill.id
                && !other.root.cache
                && *seen != Seen::NotSeen
                && meets(own.root, other.root)
                && same_name(reads.name, own.skill, other.skill) != Said::No
        })
        .collect();
    let mut kept = None;
    for (rival, (rival_seen, doubt)) in rivals {
        let place = rival.through.path.display();
        if same_name(reads.name, own.skill, rival.skill) == Said::Unknown {
            return Some((
                Seen::Unknown,
                format!(
                    "no source says whether {tool} goes by the folder's name or by the field \
                     `name`: {place} shares one of them"
                ),
            ));
        }
        match stronger(reads, own, rival) {
            // Both are there.
            Some(Ordering::Equal) => {}
            Some(Ordering::Greater) => {
                kept.get_or_insert_with(|| format!("{tool} takes this one before {place}"));
            }
            // Outside of the project, nothing stands in its way.
            Some(Ordering::Less) if own.root.project.is_none() && rival.root.project.is_some() => {
                kept = Some(format!("{tool} reads this folder; in its project it takes {place}"));
            }
            Some(Ordering::Less) if *rival_seen == Seen::Seen => {
                return Some((Seen::Shadowed, format!("{tool} takes {place} before this one")));
            }
            Some(Ordering::Less) => {
                return Some((
                    Seen::Unknown,
                    format!("{tool} takes {place} before this one if it sees it: {doubt}"),
                ));
            }
            None => {
                return Some((
                    Seen::Unknown,
                    format!(
                        "no source says which of several skills of one name {tool} takes: \
                         {place} has the same"
                    ),
                ));
            }
        }
    }
    kept.filter(|_| is_seen).map(|reason| (Seen::Seen, reason))
}

/// Whether a tool can meet skills of both roots at once: not those of two projects.
fn meets(a: &RootState, b: &RootState) -> bool {
    a.project == b.project || a.project.is_none() || b.project.is_none()
}

/// Which of two skills of one name the tool takes, the first if greater; `None` where no source
/// says.
fn stronger(reads: &Reads, own: &Meeting<'_>, rival: &Meeting<'_>) -> Option<Ordering> {
    let in_project = |meeting: &Meeting<'_>| meeting.root.project.is_some();
    match (in_project(own), in_project(rival), reads.project) {
        (true, false, ProjectRank::Stronger) | (false, true, ProjectRank::Weaker) => {
            return Some(Ordering::Greater);
        }
        (true, false, ProjectRank::Weaker) | (false, true, ProjectRank::Stronger) => {
            return Some(Ordering::Less);
        }
        (true, false, ProjectRank::Equal) | (false, true, ProjectRank::Equal) => {
            return Some(Ordering::Equal);
        }
        (true, false, ProjectRank::Unknown) | (false, true, ProjectRank::Unknown) => return None,
        (true, true, _) | (false, false, _) => {}
    }
    match reads.precedence {
        Precedence::All => Some(Ordering::Equal),
        Precedence::Unknown => None,
        // Two in one root: the order of a folder's entries says nothing.
        _ if own.rank == rival.rank => None,
        Precedence::First => Some(rival.rank.cmp(&own.rank)),
        Precedence::Last => Some(own.rank.cmp(&rival.rank)),
    }
}

/// Whether the tool takes two skills for ones of the same name.
fn same_name(by: NamedBy, a: &LocalSkill, b: &LocalSkill) -> Said {
    let folder = a.folder_name == b.folder_name;
    let field = a.name == b.name;
    let said = |same: bool| if same { Said::Yes } else { Said::No };
    match by {
        NamedBy::Folder => said(folder),
        NamedBy::Field => said(field),
        NamedBy::Unknown if folder == field => said(folder),
        NamedBy::Unknown => Said::Unknown,
    }
}

#[cfg(test)]
mod tests;
