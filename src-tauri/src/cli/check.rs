//! `check`: what is wrong with skills on this disk, and putting right what can be.

pub(super) mod contents;
mod json;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use skills::MAIN_FILE;
use skills::check::{Checked, Diagnostic, Severity, check_folder};
use skills::folder::{FolderKind, kind_of, skills_in};

use self::contents::{Inspected, inspected};
use self::json::json;
use super::WRONG_USE;
use super::fix::{Fixable, Fixer, Ground, left_alone};
use crate::render::in_one_line;

#[derive(Debug, Args)]
pub(super) struct Check {
    /// A skill, a folder of skills, or a project in which tools keep skills.
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,

    /// How the result is written to standard output.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    /// Carry out the first fix of everything that has one, then say what is left. What was there
    /// before is kept, and Activity in the window undoes it.
    #[arg(long)]
    fix: bool,

    /// Look into the contents too: for what is downloaded and run, hidden text, instructions to
    /// ignore or conceal and more. What is found is for you to judge: it changes nothing of how
    /// this ends. In JSON, each skill has `findings` then.
    #[arg(long)]
    inspect: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Lines for a person, as `FILE:LINE:COLUMN: severity code: message`.
    Text,
    /// An array with an object for each skill.
    Json,
}

/// A path that cannot be checked.
#[derive(Debug, thiserror::Error)]
enum WrongPath {
    #[error("cannot look into {}", .0.display())]
    Unreadable(PathBuf, #[source] io::Error),
    #[error("{} holds no skill: there is no {MAIN_FILE} in it, nor in the folders where tools look", .0.display())]
    NoSkill(PathBuf),
}

/// A skill that is checked.
#[derive(Debug)]
struct Skill {
    /// As it follows from the path that was given.
    shown: PathBuf,
    /// The same from the root of the disk on.
    at: PathBuf,
    /// The real path of what a link leads to: one that is itself the skill, or lies in what was
    /// given. Nothing is fixed through it.
    linked: Option<PathBuf>,
}

impl Check {
    /// Ends with 0 where there is no error, 1 where there is one, 2 where a path is no use.
    pub(super) fn run(self) -> ExitCode {
        crate::logging::to_stderr();
        let mut skills = match skills_of(&self.paths) {
            Ok(skills) => skills,
            Err(error) => {
                super::fail(&error);
                return ExitCode::from(WRONG_USE);
            }
        };
        let mut failed = false;
        if self.fix {
            match self.fix(&mut skills) {
                Ok(all) => failed = !all,
                Err(error) => return super::fail(error.as_ref()),
            }
        }
        let ground = Ground::new();
        let reports: Vec<Report> = skills
            .into_iter()
            .map(|skill| {
                let checked = check_folder(&skill.at);
                let ground = ground.as_ref().filter(|_| skill.linked.is_none());
                let fixable = ground.map(|ground| ground.fixable(&skill.at, &checked));
                let inspected = self.inspect.then(|| inspected(&skill.at, &checked));
                let fixable = fixable.unwrap_or_default();
                Report { shown: skill.shown, checked, fixable, inspected }
            })
            .collect();
        let written = match self.format {
            Format::Text => say(&text(&reports)),
            Format::Json => json(&reports).map_err(io::Error::from).and_then(|json| say(&json)),
        };
        match written {
            Err(error) => return super::fail(&error),
            Ok(()) => failed |= reports.iter().any(|report| report.count(Severity::Error) > 0),
        }
        if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
    }

    /// Fixes what can be fixed and says what was done; false where something could not be done.
    /// A skill whose folder gets another name is then where it went.
    fn fix(&self, skills: &mut [Skill]) -> Result<bool, Box<dyn std::error::Error>> {
        let fixer = Fixer::open()?;
        let (mut all, mut changed) = (true, false);
        let mut stands = here();
        for skill in skills {
            let before = skill.at.canonicalize();
            let (done, error) = match &skill.linked {
                Some(real) => (Vec::new(), left_alone(&skill.at, real)),
                None => fixer.fix(&skill.at),
            };
            let mut lines = String::new();
            for step in &done {
                let _ =
                    writeln!(lines, "{}: fixed: {}", shown(&skill.shown), in_one_line(&step.what));
                for note in &step.notes {
                    let _ = writeln!(lines, "  {}", in_one_line(note));
                }
                if let Some(folder) = &step.renamed {
                    let name = folder.file_name().unwrap_or_default();
                    skill.shown = match skill.shown.file_name() {
                        Some(_) => skill.shown.with_file_name(name),
                        None => folder.clone(),
                    };
                    skill.at.clone_from(folder);
                }
            }
            changed |= !done.is_empty();
            if let (Some(at), Ok(before)) = (&mut stands, before)
                && let Ok(inner) = at.strip_prefix(&before)
                && let Ok(now) = skill.at.canonicalize()
            {
                // Joined with nothing it would end in a separator.
                *at = now.components().chain(inner.components()).collect();
            }
            match self.format {
                Format::Text => say(&lines)?,
                Format::Json => super::tell(&lines),
            }
            if let Some(error) = error {
                super::fail(&error);
                all = false;
            }
        }
        if changed {
            let mut lines =
                "what was there before is kept: Activity in the window of Skillhold undoes this\n"
                    .to_owned();
            // A shell stays in the folder that was put away, and what is written from there would
            // go to it.
            if let Some(at) = stands.filter(|at| here().as_ref() != Some(at)) {
                let _ = writeln!(
                    lines,
                    "you are still in what was there before: go to {} again",
                    shown(&at)
                );
            }
            lines.push('\n');
            match self.format {
                Format::Text => say(&lines)?,
                Format::Json => super::tell(&lines),
            }
        }
        Ok(all)
    }
}

/// What was found out about one skill.
#[derive(Debug)]
struct Report {
    shown: PathBuf,
    checked: Checked,
    /// What `--fix` would do.
    fixable: Fixable,
    /// What is in the contents, where somebody asked.
    inspected: Option<Inspected>,
}

impl Report {
    fn count(&self, severity: Severity) -> usize {
        self.checked.diagnostics.iter().filter(|found| found.severity == severity).count()
    }
}

/// Every skill that these paths lead to, each once, in the order of the paths and then of names.
fn skills_of(paths: &[PathBuf]) -> Result<Vec<Skill>, WrongPath> {
    let mut known = BTreeSet::new();
    let mut skills = Vec::new();
    for path in paths {
        let unreadable = |error| WrongPath::Unreadable(path.clone(), error);
        // Whoever points at the main file means the skill.
        let is_main = path.file_name().is_some_and(|name| name == MAIN_FILE) && path.is_file();
        let folder = match path.parent() {
            Some(parent) if is_main && parent.as_os_str().is_empty() => PathBuf::from("."),
            Some(parent) if is_main => parent.to_owned(),
            _ => path.clone(),
        };
        let given = folder.canonicalize().map_err(unreadable)?;
        let found = match kind_of(&folder).map_err(unreadable)? {
            FolderKind::Skill => vec![folder],
            FolderKind::Skills => skills_in(&folder).map_err(unreadable)?,
            FolderKind::Project { roots } => {
                let mut found = Vec::new();
                for (root, _) in roots {
                    // One that cannot be read is told like a skill, beside the others.
                    found.extend(skills_in(&root).unwrap_or_else(|_| vec![root]));
                }
                found
            }
            FolderKind::Empty => Vec::new(),
        };
        if found.is_empty() {
            return Err(WrongPath::NoSkill(path.clone()));
        }
        for shown in found {
            let at = named(&shown).map_err(unreadable)?;
            let real = at.canonicalize().unwrap_or_else(|_| at.clone());
            if known.insert(real.clone()) {
                // A separator at its end would follow the link.
                let plain: PathBuf = at.components().collect();
                let is_link = plain.symlink_metadata().is_ok_and(|found| found.is_symlink());
                let linked = (is_link || !real.starts_with(&given)).then_some(real);
                skills.push(Skill { shown, at, linked });
            }
        }
    }
    Ok(skills)
}

/// The path from the root of the disk on, with the folder's own name at its end.
fn named(path: &Path) -> io::Result<PathBuf> {
    let path = std::path::absolute(path)?;
    if path.file_name().is_some() { Ok(path) } else { path.canonicalize() }
}

/// The folder from which this was called, where that is now.
fn here() -> Option<PathBuf> {
    Path::new(".").canonicalize().ok()
}

/// A path as it may be written to a terminal.
fn shown(path: &Path) -> String {
    in_one_line(&path.display().to_string())
}

/// What is wrong, skill after skill, and a line about all of them.
fn text(reports: &[Report]) -> String {
    let mut out = String::new();
    for report in reports {
        for diagnostic in &report.checked.diagnostics {
            line(&mut out, report, diagnostic);
        }
        if let Some(inspected) = &report.inspected {
            contents::lines(&mut out, &report.shown, inspected);
        }
        if !(out.is_empty() || out.ends_with("\n\n")) {
            out.push('\n');
        }
    }
    let all = |severity| reports.iter().map(|report| report.count(severity)).sum();
    let fixable = reports
        .iter()
        .flat_map(|report| report.checked.diagnostics.iter().map(move |found| (report, found)))
        .filter(|(report, found)| report.fixable.holds(found))
        .count();
    let _ = write!(
        out,
        "{} checked: {}, {}, {}",
        number(reports.len(), "skill"),
        number(all(Severity::Error), "error"),
        number(all(Severity::Warning), "warning"),
        number(all(Severity::Note), "note"),
    );
    if fixable > 0 {
        let _ = write!(out, "; {fixable} can be fixed with --fix");
    }
    out.push('\n');
    let inspected: Vec<&Inspected> =
        reports.iter().filter_map(|report| report.inspected.as_ref()).collect();
    match inspected.is_empty() {
        true => out.push_str(contents::NOT_ASKED),
        false => out.push_str(&contents::sum(inspected.into_iter())),
    }
    out
}

fn line(out: &mut String, report: &Report, diagnostic: &Diagnostic) {
    let place = match &diagnostic.place {
        Some(place) => {
            let file = shown(&report.shown.join(&place.file));
            format!("{file}:{}:{}", place.line, place.column)
        }
        None => shown(&report.shown),
    };
    let _ = writeln!(
        out,
        "{place}: {} {}: {}",
        word(diagnostic.severity),
        diagnostic.code,
        in_one_line(&diagnostic.message),
    );
    if let Some(help) = &diagnostic.help {
        let _ = writeln!(out, "  {}", in_one_line(help));
    }
    if let Some(fix) = diagnostic.fixes.first().filter(|_| report.fixable.holds(diagnostic)) {
        let _ = writeln!(out, "  fixable: {}", in_one_line(fix.title()));
    }
}

pub(super) fn number(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

/// JSON in which what does not show, or steers a terminal, is written as `\u202e`. Outside of its
/// strings JSON has none of these.
pub(super) fn spelled_in_ascii(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if c != '\n' && (c.is_control() || skills::inspect::is_hidden(c)) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
    }
    out
}

/// Writes to standard output. Whoever reads it may stop at the first lines.
pub(super) fn say(text: &str) -> io::Result<()> {
    match io::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
