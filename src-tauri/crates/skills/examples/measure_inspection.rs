//! Inspects every skill below the folders given and counts what was found.
//!
//! `cargo xtask measure-inspection [--grave] [--code CODE] DIR…`; each folder is one repository.
//! With `--grave` or `--code` each such finding is printed; several codes may be given.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a command line of its own: it reads what it is pointed at and prints"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use skills::MAIN_FILE;
use skills::inspect::{Finding, Weight, inspect, rules};
use skills::manifest::{MAX_BYTES, MAX_FILES};

/// Folders are not looked for deeper than this.
const MAX_DEPTH: usize = 24;

fn main() -> ExitCode {
    let (mut grave, mut codes, mut folders) = (false, Vec::new(), Vec::new());
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--grave" => grave = true,
            "--code" => codes.extend(args.next()),
            _ => folders.push(PathBuf::from(arg)),
        }
    }
    if folders.is_empty() {
        eprintln!("usage: measure_inspection [--grave] [--code CODE] DIR…");
        return ExitCode::from(2);
    }
    let shown = |finding: &Finding| {
        grave && finding.is_grave() || codes.iter().any(|code| code == finding.diagnostic.code)
    };
    let mut all = Counts::default();
    println!(
        "{:<48} {:>6} {:>9} {:>7} {:>7} {:>7}",
        "repository", "skills", "bytes", "grave", "caution", "note"
    );
    for folder in &folders {
        let mut counts = Counts::default();
        let mut mains = Vec::new();
        find(folder, 0, &mut mains);
        mains.sort();
        for skill in &mains {
            let files = files_of(skill);
            let started = Instant::now();
            let findings = inspect(&files).findings;
            counts.time += started.elapsed();
            counts.bytes += files.values().map(Vec::len).sum::<usize>();
            for finding in findings.iter().filter(|finding| shown(finding)) {
                print(skill, finding);
            }
            counts.add(&findings);
        }
        let name =
            folder.file_name().map_or_else(String::new, |name| name.to_string_lossy().into());
        println!(
            "{name:<48} {:>6} {:>9} {:>6.1}% {:>6.1}% {:>6.1}%",
            counts.skills,
            counts.bytes,
            counts.share(Weight::Grave),
            counts.share(Weight::Caution),
            counts.share(Weight::Note),
        );
        all.merge(counts);
    }
    println!(
        "\n{} skills of {} repositories, {} MiB in {:.1} s, {} rules",
        all.skills,
        folders.len(),
        all.bytes >> 20,
        all.time.as_secs_f64(),
        rules().len(),
    );
    for weight in [Weight::Grave, Weight::Caution, Weight::Note] {
        println!("{:<8} {:>6.2} % of skills", format!("{weight:?}"), all.share(weight));
    }
    println!(
        "\n{:<26} {:<8} {:>8} {:>7} {:>7} {:>13}",
        "code", "weight", "findings", "skills", "%", "repositories"
    );
    for ((code, weight), count) in &all.codes {
        println!(
            "{code:<26} {:<8} {:>8} {:>7} {:>6.2}% {:>13}",
            format!("{weight:?}"),
            count.findings,
            count.skills,
            100.0 * count.skills as f64 / all.skills.max(1) as f64,
            count.repositories,
        );
    }
    ExitCode::SUCCESS
}

/// What was counted in one repository or in all.
#[derive(Default)]
struct Counts {
    skills: usize,
    bytes: usize,
    time: Duration,
    with: BTreeMap<Weight, usize>,
    codes: BTreeMap<(&'static str, Weight), Count>,
}

/// What was counted for one code and weight.
#[derive(Default)]
struct Count {
    findings: usize,
    skills: usize,
    repositories: usize,
}

impl Counts {
    fn add(&mut self, findings: &[Finding]) {
        self.skills += 1;
        let weights: BTreeSet<Weight> = findings.iter().map(|finding| finding.weight).collect();
        for weight in weights {
            *self.with.entry(weight).or_default() += 1;
        }
        let mut codes = BTreeSet::new();
        for finding in findings {
            let key = (finding.diagnostic.code, finding.weight);
            let count = self.codes.entry(key).or_default();
            count.findings += 1;
            count.repositories = 1;
            if codes.insert(key) {
                count.skills += 1;
            }
        }
    }

    fn merge(&mut self, other: Self) {
        self.skills += other.skills;
        self.bytes += other.bytes;
        self.time += other.time;
        for (weight, count) in other.with {
            *self.with.entry(weight).or_default() += count;
        }
        for (key, count) in other.codes {
            let sum = self.codes.entry(key).or_default();
            sum.findings += count.findings;
            sum.skills += count.skills;
            sum.repositories += count.repositories;
        }
    }

    /// Of 100 skills, how many have a finding of this weight.
    fn share(&self, weight: Weight) -> f64 {
        let with = self.with.get(&weight).copied().unwrap_or_default();
        100.0 * with as f64 / self.skills.max(1) as f64
    }
}

fn print(skill: &Path, finding: &Finding) {
    let place = finding.diagnostic.place.as_ref();
    println!(
        "  {} {:?} {}/{}:{} | {}",
        finding.diagnostic.code,
        finding.weight,
        skill.display(),
        place.map_or("", |place| place.file.as_str()),
        place.map_or(0, |place| place.line),
        if finding.excerpt.is_empty() { &finding.diagnostic.message } else { &finding.excerpt },
    );
}

/// The folders with a `SKILL.md`, at any depth; links are not followed.
fn find(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_file() && entry.file_name() == MAIN_FILE {
            found.push(folder.to_owned());
        } else if kind.is_dir() && depth < MAX_DEPTH && entry.file_name() != ".git" {
            find(&entry.path(), depth + 1, found);
        }
    }
}

/// The files of one skill, as far as the format's limits go.
fn files_of(skill: &Path) -> BTreeMap<String, Vec<u8>> {
    fn walk(folder: &Path, under: &str, files: &mut BTreeMap<String, Vec<u8>>, left: &mut u64) {
        let Ok(entries) = fs::read_dir(folder) else { return };
        let mut entries: Vec<_> = entries.flatten().collect();
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let Ok(kind) = entry.file_type() else { continue };
            let path = format!("{under}{}", entry.file_name().to_string_lossy());
            if kind.is_dir() {
                walk(&entry.path(), &format!("{path}/"), files, left);
            } else if kind.is_file()
                && files.len() < MAX_FILES
                && entry.metadata().is_ok_and(|metadata| metadata.len() <= *left)
                && let Ok(bytes) = fs::read(entry.path())
            {
                *left = left.saturating_sub(bytes.len() as u64);
                files.insert(path, bytes);
            }
        }
    }
    let (mut files, mut left) = (BTreeMap::new(), MAX_BYTES);
    if let Ok(main) = fs::read(skill.join(MAIN_FILE)) {
        files.insert(MAIN_FILE.to_owned(), main);
    }
    walk(skill, "", &mut files, &mut left);
    files
}
