//! How fast the provider and the client are beside FastMCP's: the same folders, one run.
//!
//! `cargo xtask compare` builds it optimised and runs it. It prints figures and ratios and asserts
//! nothing but that nobody answers with an error: clocks are no tests.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a measurement that prints"
)]

mod fetch;
mod folders;
mod peers;
mod raw;
mod relay;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use folders::Folders;
use peers::{Mode, Server};
use raw::Client;
use serde_json::{Value, json};

/// How often what a server does once only is measured, with a new server each time.
const STARTS: usize = 3;

/// What one request took.
struct Taken {
    /// Until its last byte was there.
    answer: Duration,
    /// What of it the client was at work itself.
    own: Duration,
    /// Until it was parsed, from then on.
    parsed: Duration,
    result: Value,
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    match args.iter().position(|arg| arg == peers::SERVE) {
        Some(at) => peers::serve(&args[at + 1], args[at + 2].as_ref()),
        None => compare(&args[1..]),
    }
}

/// Measures all, or the parts that are named: `lists`, `reads`, `many`, `fetch`.
fn compare(args: &[String]) {
    let named: Vec<&str> =
        args.iter().map(String::as_str).filter(|arg| !arg.starts_with('-')).collect();
    let wanted = |part: &str| named.is_empty() || named.contains(&part);
    println!("on {}", cores());
    if wanted("lists") || wanted("reads") {
        let folders = Folders::of(1_000);
        println!("1,000 skills of 5 files, {:.1} MB\n", folders.bytes() as f64 / 1e6);
        if wanted("lists") {
            lists(&folders);
        }
        if wanted("reads") {
            reads(&folders);
        }
    }
    if wanted("many") {
        ten_thousand();
    }
    if wanted("fetch") {
        fetch::fetch();
    }
}

/// What one server took for its first list and for the best of more.
struct Lists {
    first: Taken,
    again: Taken,
}

impl Lists {
    fn of(server: &Server, times: usize) -> Self {
        let mut client = Client::to(server.address());
        let lists = Self { first: list(&mut client), again: best(times, || list(&mut client)) };
        assert_eq!((count(&lists.first), count(&lists.again)), (1_000, 1_000));
        lists
    }
}

/// In turn, so that whatever else the machine does meets each of them.
fn lists(folders: &Folders) {
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let (mut hashed, mut stated) = (Vec::new(), Vec::new());
    for _ in 0..STARTS {
        hashed.push(folders.hashed_by_the_system());
        ours.push(Lists::of(&Server::ours(Mode::Strict, folders.root()), 20));
        stated.push(folders.stated_by_the_system());
        theirs.push(Lists::of(&Server::fastmcp(Mode::Strict, folders.root()), 1));
    }
    let (hashed, stated) = (middle(hashed), middle(stated));
    let first = |all: &[Lists]| middle(all.iter().map(|lists| lists.first.answer).collect());
    let again = |all: &[Lists]| middle(all.iter().map(|lists| lists.again.answer).collect());
    println!("skills/list, first");
    line("  ours", first(&ours));
    line("  FastMCP", first(&theirs));
    ratio("  FastMCP / ours", first(&theirs), first(&ours));
    line("  find | xargs -P2 sha256sum", hashed);
    ratio("  ours / sha256sum", first(&ours), hashed);
    println!("skills/list, again");
    line("  ours", again(&ours));
    line("  FastMCP", again(&theirs));
    ratio("  FastMCP / ours", again(&theirs), again(&ours));
    line("  find -printf", stated);
    ratio("  ours / find", again(&ours), stated);
    println!("the client's own time for such a list");
    line("  to receive it (in the times above)", ours[0].again.own);
    line("  to parse it (not in them)", ours[0].again.parsed);
}

/// One resource among a thousand skills, in the reference's two modes and ours.
fn reads(folders: &Folders) {
    for (mode, name) in [(Mode::Strict, "strict"), (Mode::Compatible, "compatible")] {
        let ours = Server::ours(mode, folders.root());
        let theirs = Server::fastmcp(mode, folders.root());
        let mut client = Client::to(theirs.address());
        let their_read = middle_of(30, || client.read(&next_uri()));
        let mut client = Client::to(ours.address());
        let our_read = middle_of(2_000, || client.read(&next_uri()));
        println!("resources/read among 1,000 skills, {name} mode");
        line("  ours", our_read.answer);
        line("  FastMCP", their_read.answer);
        ratio("  FastMCP / ours", their_read.answer, our_read.answer);
        line("  the client's own time (in these)", our_read.own);
        let our_many = together(&ours, 64, 40);
        let their_many = together(&theirs, 64, 2);
        println!("64 clients reading at once, {name} mode");
        println!("  ours                {our_many:10.0} reads a second");
        println!("  FastMCP             {their_many:10.0} reads a second");
        println!("  ours / FastMCP      {:10.1}", our_many / their_many);
    }
    println!();
}

fn ten_thousand() {
    let many = Folders::of(10_000);
    let ours = Server::ours(Mode::Strict, many.root());
    let mut client = Client::to(ours.address());
    let idle = ours.peak_memory();
    let read = middle_of(500, || client.read("skill://skill-77/docs/part-2.txt"));
    let get = middle_of(200, || client.get("skill://skill-77/SKILL.md"));
    let first = list(&mut client);
    let again = best(5, || list(&mut client));
    assert_eq!(count(&first), 10_000);
    println!("10,000 skills of 5 files");
    line("  skills/list, first", first.answer);
    line("  skills/list, again", again.answer);
    line("  the client's own time to receive it", again.own);
    line("  the client's own time to parse it", again.parsed);
    line("  skills/get of one", get.answer);
    line("  resources/read of one", read.answer);
    println!("  most memory         {:10.0} MB (idle {idle:.0} MB)", ours.peak_memory());
}

/// Another file of another skill each time.
fn next_uri() -> String {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let number = NUMBER.fetch_add(379, Ordering::Relaxed) % 1_000;
    format!("skill://skill-{number}/docs/part-2.txt")
}

fn list(client: &mut Client) -> Taken {
    client.request("skills/list", json!({}))
}

fn count(taken: &Taken) -> usize {
    taken.result["skills"].as_array().map_or(0, Vec::len)
}

fn best(times: usize, mut once: impl FnMut() -> Taken) -> Taken {
    (0..times).map(|_| once()).min_by_key(|taken| taken.answer).unwrap()
}

/// The one in the middle of many, after one that is not counted.
fn middle_of(times: usize, mut once: impl FnMut() -> Taken) -> Taken {
    once();
    let mut all: Vec<Taken> = (0..times).map(|_| once()).collect();
    all.sort_by_key(|taken| taken.answer);
    all.swap_remove(times / 2)
}

fn middle(mut all: Vec<Duration>) -> Duration {
    all.sort();
    all[all.len() / 2]
}

/// Reads a second, over so many connections that read so often each.
fn together(server: &Server, clients: usize, reads: usize) -> f64 {
    let address = server.address();
    let start = std::time::Instant::now();
    std::thread::scope(|scope| {
        for n in 0..clients {
            scope.spawn(move || {
                let mut client = Client::of_many(address);
                for m in 0..reads {
                    client.read(&format!("skill://skill-{}/SKILL.md", (n * 97 + m * 31) % 1_000));
                }
            });
        }
    });
    (clients * reads) as f64 / start.elapsed().as_secs_f64()
}

fn line(what: &str, taken: Duration) {
    println!("{what:38} {:10.2} ms", taken.as_secs_f64() * 1e3);
}

fn ratio(what: &str, more: Duration, less: Duration) {
    println!("{what:38} {:10.2}", more.as_secs_f64() / less.as_secs_f64());
}

fn cores() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{cores} processors")
}
