//! How long it takes to read and judge skills: `cargo bench -p skills`.
//!
//! Each group has a small skill, as most are, and the largest that is allowed: 16 MiB. Parsing is
//! also measured at sizes that double, and at texts made to be slow; its time must double too.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "benchmarks write to folders of their own"
)]

use std::fs;
use std::hint::black_box;
use std::path::Path;

use criterion::{BenchmarkId, Criterion, Throughput};
use serde_json::Map;
use skills::check::{check, check_folder};
use skills::frontmatter::{FrontMatter, REQUEST_FIELDS, same_as, without};
use skills::inspect::inspect;
use skills::manifest::{Manifest, read_files};
use skills::readers::readings;
use tempfile::TempDir;

const ORDINARY: &str = "---\nname: refunds\ndescription: Handles refunds. Use when a customer asks for money back.\nlicense: MIT\nmetadata:\n  author: acme\n  version: \"1.0\"\nallowed-tools: Read Grep\n---\n# Refunds\n\nRead [the rules](references/rules.md) first.\n";

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    parse(&mut criterion);
    judge(&mut criterion);
    criterion.final_summary();
}

/// A front matter of about so many bytes, one shape a name.
fn shapes(size: usize) -> [(&'static str, String); 7] {
    let repeat = |part: &str| part.repeat(size / part.len());
    let block = |yaml: String| format!("---\nname: a\n{yaml}\n---\nbody\n");
    [
        ("fields", block((0..size / 24).map(|n| format!("field{n}: value {n} é\n")).collect())),
        ("one line", block(format!("description: {}", repeat("word ")))),
        ("folded", block(format!("description: >\n{}", repeat("  some words\n")))),
        ("unquoted", block((0..size / 20).map(|n| format!("f{n}: use when: asked\n")).collect())),
        ("brackets", block(format!("a: [{}]", repeat("x, ")))),
        ("margin", block(format!("a: \"{}\"", repeat("at the margin\n")))),
        ("control", block(format!("a: {}\u{1}", repeat("word: ")))),
    ]
}

fn parse(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("parse");
    group.sample_size(10);
    group.bench_function("ordinary", |bencher| {
        bencher.iter(|| FrontMatter::read(black_box(ORDINARY.as_bytes())));
    });
    group.bench_function("ordinary, readers", |bencher| {
        let manifest = manifest_of(ORDINARY.as_bytes());
        bencher.iter(|| readings("refunds", &manifest, black_box(ORDINARY.as_bytes())));
    });
    for size in [16 * 1024, 32 * 1024, 64 * 1024] {
        for (name, text) in shapes(size) {
            group.throughput(Throughput::Bytes(text.len() as u64));
            group.bench_with_input(BenchmarkId::new(name, size), &text, |bencher, text| {
                bencher.iter(|| {
                    let bytes = black_box(text.as_bytes());
                    let read = FrontMatter::read(bytes);
                    let same = same_as(bytes, &Map::new());
                    (read, same, without(bytes, REQUEST_FIELDS).is_ok())
                });
            });
        }
    }
    group.finish();
}

fn manifest_of(skill_md: &[u8]) -> Manifest {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("SKILL.md"), skill_md).unwrap();
    Manifest::read(folder.path()).unwrap()
}

/// A skill with so many files of so many bytes beside its `SKILL.md`.
fn skill(files: usize, bytes: usize) -> TempDir {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("refunds");
    fs::create_dir_all(folder.join("references")).unwrap();
    fs::write(folder.join("SKILL.md"), ORDINARY).unwrap();
    let line =
        "Ask the customer for the order number, see [rules](rules.md) and run `scripts/a.py`.\n";
    let text = line.repeat(bytes / line.len() + 1);
    for number in 0..files {
        fs::write(folder.join(format!("references/{number}.md")), &text[..bytes]).unwrap();
    }
    root
}

fn judge(criterion: &mut Criterion) {
    for (size, files, bytes) in [("small", 3, 4_000), ("16 MiB", 511, 32_000)] {
        let root = skill(files, bytes);
        let folder = root.path().join("refunds");
        measure(criterion, size, &folder);
    }
}

fn measure(criterion: &mut Criterion, size: &str, folder: &Path) {
    let manifest = Manifest::read(folder).unwrap();
    let contents = read_files(folder, &manifest).unwrap();
    let skill_md = ORDINARY.as_bytes();
    let bench = |criterion: &mut Criterion, name: &str, run: &dyn Fn()| {
        let mut group = criterion.benchmark_group(name);
        group.sample_size(10).throughput(Throughput::Bytes(manifest.total_size()));
        group.bench_function(size, |bencher| bencher.iter(run));
        group.finish();
    };
    bench(criterion, "manifest", &|| drop(black_box(Manifest::read(folder))));
    bench(criterion, "check", &|| drop(black_box(check("refunds", &manifest, skill_md))));
    bench(criterion, "check a folder", &|| drop(black_box(check_folder(folder))));
    bench(criterion, "inspect", &|| drop(black_box(inspect(&contents))));
}
