//! How fast the provider is beside FastMCP's: the same folders, the same raw client, one run.
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

mod folders;
mod peers;
mod raw;

use std::time::Duration;

use folders::Folders;
use peers::Server;
use raw::Client;
use serde_json::{Value, json};

/// What one request took: until its last byte was there, and until it was parsed.
struct Taken {
    answer: Duration,
    parsed: Duration,
    result: Value,
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    match args.iter().position(|arg| arg == peers::SERVE) {
        Some(at) => peers::serve(args[at + 1].as_ref()),
        None => compare(),
    }
}

fn compare() {
    let thousand = Folders::of(1_000);
    println!("1,000 skills of 5 files, {:.1} MB, {}\n", thousand.bytes() as f64 / 1e6, cores());
    let hashed = thousand.hashed_by_the_system();
    let stated = thousand.stated_by_the_system();

    let ours = Server::ours(thousand.root());
    let theirs = Server::fastmcp(thousand.root());
    let (mut our_client, mut their_client) =
        (Client::to(ours.address()), Client::to(theirs.address()));

    let our_first = list(&mut our_client);
    let our_next = best(20, || list(&mut our_client));
    let stated = stated.min(thousand.stated_by_the_system());
    let their_first = list(&mut their_client);
    let their_next = list(&mut their_client);
    assert_eq!(count(&our_first), 1_000);
    assert_eq!(count(&their_first), 1_000);
    println!("skills/list, first");
    line("  ours", our_first.answer);
    line("  FastMCP", their_first.answer);
    ratio("  FastMCP / ours", their_first.answer, our_first.answer);
    line("  find | xargs -P2 sha256sum", hashed);
    ratio("  ours / sha256sum", our_first.answer, hashed);
    println!("skills/list, again");
    line("  ours", our_next.answer);
    line("  FastMCP", their_next.answer);
    ratio("  FastMCP / ours", their_next.answer, our_next.answer);
    line("  find -printf", stated);
    ratio("  ours / find", our_next.answer, stated);
    line("  the client's own time to parse it", our_next.parsed);

    // Both servers close connections that were quiet for long.
    let (mut our_client, mut their_client) =
        (Client::to(ours.address()), Client::to(theirs.address()));
    let mut number = 0;
    let mut next = move || {
        number = (number + 379) % 1_000;
        format!("skill://skill-{number}/docs/part-2.txt")
    };
    let our_read = mean(500, || our_client.read(&next()));
    let their_read = mean(20, || their_client.read(&next()));
    println!("resources/read among 1,000 skills");
    line("  ours", our_read);
    line("  FastMCP", their_read);
    ratio("  FastMCP / ours", their_read, our_read);

    let our_many = together(&ours, 64, 40);
    let their_many = together(&theirs, 64, 2);
    println!("64 clients reading at once");
    println!("  ours                {our_many:10.0} reads a second");
    println!("  FastMCP             {their_many:10.0} reads a second");
    println!("  ours / FastMCP      {:10.1}\n", our_many / their_many);
    drop((theirs, ours, thousand));

    let many = Folders::of(10_000);
    let ours = Server::ours(many.root());
    let mut client = Client::to(ours.address());
    let idle = ours.peak_memory();
    let read = mean(500, || client.read("skill://skill-77/docs/part-2.txt"));
    let get = mean(200, || client.get("skill://skill-77/SKILL.md"));
    let first = list(&mut client);
    let again = best(5, || list(&mut client));
    assert_eq!(count(&first), 10_000);
    println!("10,000 skills of 5 files");
    line("  skills/list, first", first.answer);
    line("  skills/list, again", again.answer);
    line("  skills/get of one", get);
    line("  resources/read of one", read);
    println!("  most memory         {:10.0} MB (idle {idle:.0} MB)", ours.peak_memory());
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

fn mean(times: u32, mut once: impl FnMut() -> Duration) -> Duration {
    once();
    (0..times).map(|_| once()).sum::<Duration>() / times
}

/// Reads a second, over so many connections that read so often each.
fn together(server: &Server, clients: usize, reads: usize) -> f64 {
    let address = server.address();
    let start = std::time::Instant::now();
    std::thread::scope(|scope| {
        for n in 0..clients {
            scope.spawn(move || {
                let mut client = Client::to(address);
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
