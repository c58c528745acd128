//! How long a look at everything that was placed takes, and previews for all of it:
//! `cargo bench -p vault`. There are 2,000 placements: 100 skills of 5 files in the folders of 20
//! tools, once as copies and once as links.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "benchmarks write to folders of their own"
)]

use std::fs;
use std::hint::black_box;
use std::ops::ControlFlow;
use std::path::PathBuf;

use criterion::Criterion;
use skills::blobs::Blobs;
use skills::digest::Digest;
use skills::entry::{Entry, EntryFile};
use skills::origin::Endpoint;
use skills::paths::Paths;
use skills::uri::SkillUri;
use tempfile::TempDir;
use vault::Vault;
use vault::batch::Part;
use vault::link::Mode;
use vault::plan::{OnConflict, Source, Target};
use vault::servers::SavedServer;
use vault::upkeep::Offered;

const SKILLS: usize = 100;
const TOOLS: usize = 20;

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    for (name, mode) in [("copies", Mode::Copy), ("links", Mode::Link)] {
        let home = Home::new();
        home.place_all(mode);
        measure(&mut criterion, name, &home, mode);
    }
    criterion.final_summary();
}

fn measure(criterion: &mut Criterion, name: &str, home: &Home, mode: Mode) {
    let mut group = criterion.benchmark_group(name);
    group.sample_size(10);
    group.bench_function("reconcile, nothing changed", |bencher| {
        bencher.iter(|| {
            let all = home.vault.reconcile().unwrap();
            assert!(all.len() >= SKILLS * TOOLS);
            all
        });
    });
    let entries: Vec<Entry> = (0..SKILLS).map(|skill| home.entry(skill, 1)).collect();
    let all = home.vault.reconcile().unwrap();
    group.bench_function("states of all, as the library read them", |bencher| {
        bencher.iter(|| {
            for (placement, _) in &all {
                let skill: usize = placement.name[6..].parse().unwrap();
                let offered = Offered::Entry(&entries[skill]);
                black_box(home.vault.state(placement, Some(&placement.installed), offered));
            }
        });
    });
    let sources: Vec<Source> = (0..SKILLS).map(|skill| home.approved(skill, 1)).collect();
    group.bench_function("preview, each skill for each tool", |bencher| {
        bencher.iter(|| {
            let planner = home.vault.planner(&home.roots);
            let plans = sources.iter().map(|source| {
                Part::Place(planner.plan(source.clone(), home.targets(mode)).unwrap())
            });
            home.vault.plan_batch(plans.collect()).unwrap()
        });
    });
    let folders: Vec<(PathBuf, usize)> = all
        .iter()
        .filter(|(placement, _)| !placement.tools.is_empty())
        .map(|(placement, _)| (placement.folder.clone(), placement.name[6..].parse().unwrap()))
        .collect();
    assert_eq!(folders.len(), SKILLS * TOOLS);
    group.bench_function("preview, an update of each placement", |bencher| {
        bencher.iter(|| {
            let planner = home.vault.planner(&home.roots);
            let plans = folders.iter().map(|(folder, skill)| {
                let source = sources[*skill].clone();
                Part::Place(planner.update(folder, source, OnConflict::Keep).unwrap())
            });
            let mut plans: Vec<Part> = plans.collect();
            if mode == Mode::Link {
                plans.truncate(SKILLS);
            }
            home.vault.plan_batch(plans).unwrap()
        });
    });
}

/// A vault with a server, and the folders of tools.
struct Home {
    _dir: TempDir,
    vault: Vault,
    server: SavedServer,
    roots: Vec<PathBuf>,
}

impl Home {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let (vault, _) = Vault::open(&Paths::under(dir.path())).unwrap();
        let endpoint = Endpoint::Http { url: "http://127.0.0.1:8000/mcp".to_owned() };
        let server = vault.add_server("docs", endpoint).unwrap();
        let base = dir.path().canonicalize().unwrap();
        let roots: Vec<_> =
            (0..TOOLS).map(|tool| base.join(format!(".tool-{tool}/skills"))).collect();
        for root in &roots {
            fs::create_dir_all(root).unwrap();
        }
        Self { _dir: dir, vault, server, roots }
    }

    /// Files of a version of a skill, 2 KiB each.
    fn files(skill: usize, version: usize) -> Vec<(String, String)> {
        let main = format!("---\nname: skill-{skill}\ndescription: Does {skill}\n---\n");
        let text = |number| format!("{skill} {version} {number}\n").repeat(256);
        let mut files = vec![("SKILL.md".to_owned(), main + &text(0))];
        files.extend((1..5).map(|number| (format!("references/{number}.md"), text(number))));
        files
    }

    fn entry(&self, skill: usize, version: usize) -> Entry {
        let uri = SkillUri::parse(&format!("skill://skill-{skill}/SKILL.md")).unwrap();
        let files = Self::files(skill, version);
        let files = files.iter().map(|(path, text)| EntryFile {
            path: path.clone(),
            uri: uri.file_uri(path),
            size: text.len() as u64,
            digest: Digest::of(text.as_bytes()),
        });
        Entry::new(uri.clone(), None, None, files.collect()).unwrap()
    }

    fn approved(&self, skill: usize, version: usize) -> Source {
        for (_, text) in Self::files(skill, version) {
            self.vault.put(&self.server.id, text.as_bytes()).unwrap();
        }
        let entry = self.entry(skill, version);
        self.vault.approve(&self.server, &entry, false, Vec::new()).unwrap();
        Source::Approved {
            server: self.server.clone(),
            entry: Box::new(entry),
            executable: Default::default(),
        }
    }

    fn targets(&self, mode: Mode) -> Vec<Target> {
        let target = |(tool, root): (usize, &PathBuf)| Target {
            tool: format!("tool-{tool}"),
            root: root.clone(),
            name: None,
            on_conflict: OnConflict::Replace,
            mode,
        };
        self.roots.iter().enumerate().map(target).collect()
    }

    fn place_all(&self, mode: Mode) {
        for skill in 0..SKILLS {
            let source = self.approved(skill, 0);
            let plan = self.vault.plan(source, self.targets(mode), &self.roots).unwrap();
            let change = self.vault.apply(&plan, &mut |_| ControlFlow::Continue(())).unwrap();
            assert!(change.items.iter().all(|item| item.error.is_none()));
        }
    }
}
