//! A random walk: what a person, other programs and crashes do to three tools, beside a small model
//! in memory of what the person has and what is recorded.
//!
//! After each step: whatever was in a tool's folder or in the trash is still in one of them, unless
//! somebody else or the person removed it; what the vault says it did is what it did; the record and
//! the disk agree; every skill is whole.

mod found;
mod planning;
mod steps;
mod walk;
mod world;

use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use self::steps::sequence;
use self::walk::walk;

/// Each test takes this many walks of its own; more of them with `PROOFS_WALKS`.
const WALKS: u32 = 250;

/// The same walks each time: another seed for each test.
fn walks(seed: u8) {
    let cases = std::env::var("PROOFS_WALKS").map_or(WALKS, |walks| walks.parse().unwrap());
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[seed; 32]);
    let mut runner = TestRunner::new_with_rng(config, rng);
    if let Err(failed) = runner.run(&sequence(), walk) {
        panic!("{failed}");
    }
}

macro_rules! walks {
    ($($name:ident $seed:literal)*) => {
        $(#[test]
        fn $name() {
            walks($seed);
        })*
    };
}

// Several tests, so that they run beside each other.
walks! {
    nothing_is_lost_in_the_first_walks 1
    nothing_is_lost_in_the_second_walks 2
    nothing_is_lost_in_the_third_walks 3
    nothing_is_lost_in_the_fourth_walks 4
    nothing_is_lost_in_the_fifth_walks 5
    nothing_is_lost_in_the_sixth_walks 6
    nothing_is_lost_in_the_seventh_walks 7
    nothing_is_lost_in_the_eighth_walks 8
}
