//! How long it takes to inspect skills of 16 MiB, ordinary ones and such as are made to be slow:
//! `cargo bench -p skills --bench inspect`.

#![allow(clippy::unwrap_used, reason = "benchmarks of constants")]

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, SamplingMode, Throughput};
use skills::inspect::inspect;

mod shapes;

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("inspect 16 MiB");
    group.sample_size(10).sampling_mode(SamplingMode::Flat);
    group.warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(4));
    for (name, files) in shapes::shapes(shapes::SIZE) {
        group.throughput(Throughput::Bytes(files.values().map(|file| file.len() as u64).sum()));
        group.bench_function(name, |bencher| bencher.iter(|| inspect(black_box(&files))));
    }
    group.finish();
    criterion.final_summary();
}
