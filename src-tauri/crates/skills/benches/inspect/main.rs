//! How long it takes to inspect large skills, ordinary ones and such as are made to be slow:
//! `cargo bench -p skills --bench inspect`. Some are as large as a skill can be; most are a quarter
//! of that, for the time is linear in the size.

#![allow(clippy::unwrap_used, reason = "benchmarks of constants")]

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, SamplingMode, Throughput};
use skills::inspect::inspect;

mod shapes;

/// Ordinary shapes, and those that take longest.
const WHOLE: &[&str] = &[
    "markdown",
    "512 files",
    "512 files, samples",
    "words of rules",
    "words of rules, lines",
    "samples",
    "near-misses",
    "near-misses, lines",
    "base64, of rules",
    "base64, of words",
    "utf-16",
    "noise",
];

fn main() {
    let mut criterion =
        Criterion::default().without_plots().nresamples(1_000).configure_from_args();
    for (name, size, whole) in
        [("inspect 16 MiB", shapes::SIZE, true), ("inspect 4 MiB", shapes::SIZE / 4, false)]
    {
        let mut group = criterion.benchmark_group(name);
        group.sample_size(10).sampling_mode(SamplingMode::Flat);
        // Each sample is one inspection: they take long enough.
        group.warm_up_time(Duration::from_millis(1)).measurement_time(Duration::from_millis(100));
        let chosen = |shape: &(&str, shapes::Files)| WHOLE.contains(&shape.0) == whole;
        for (name, files) in shapes::shapes(size).into_iter().filter(chosen) {
            group.throughput(Throughput::Bytes(files.values().map(|file| file.len() as u64).sum()));
            group.bench_function(name, |bencher| bencher.iter(|| inspect(black_box(&files))));
        }
        group.finish();
    }
    criterion.final_summary();
}
