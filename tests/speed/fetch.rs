//! One skill of 500 files, each verified: our client beside FastMCP's `read_skill`, and beside what
//! the same reads take when nothing is made of them.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;
use skills::entry::Entry;
use skills::origin::{Endpoint, ServerId};
use skills::paths::Paths;
use skills_mcp::{ClientContext, Connection};
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;
use vault::Vault;

use crate::peers::{Mode, Server, python, script};
use crate::raw::Client;
use crate::relay::Relay;

const FILES: usize = 500;
const AT_ONCE: usize = 16;
const SKILL: &str = "skill://big/SKILL.md";

/// How often each is measured. In turn, so that whatever else the machine does meets each of them.
const ROUNDS: usize = 5;

/// A home for each fetch. They go at the end: some disks are slow to make files where others were
/// removed seconds ago.
#[derive(Default)]
struct Homes(Vec<tempfile::TempDir>);

impl Homes {
    fn next(&mut self) -> &Path {
        self.0.push(tempfile::tempdir().unwrap());
        self.0[self.0.len() - 1].path()
    }
}

/// What a distant server's answers are late by.
const LATE: Duration = Duration::from_millis(50);

/// How long something took, and how long processors were at work for it.
#[derive(Clone, Copy)]
struct Took {
    all: Duration,
    client: Duration,
    server: Duration,
}

pub(crate) fn fetch() {
    let runtime = Runtime::new().unwrap();
    let folder = tempfile::tempdir().unwrap();
    publish(folder.path());
    // Nothing that was written within the grain of the clock is taken as unchanged.
    std::thread::sleep(Duration::from_secs(3));
    let root = || folder.path().to_owned();
    let theirs = Server::later(root());
    let ours = Server::ours(Mode::Strict, root());
    println!("one skill of {FILES} files of about 1 kB, each verified");

    let (mut raw, mut reads, mut fetched, mut read) = (vec![], vec![], vec![], vec![]);
    let mut own = Vec::new();
    let mut homes = Homes::default();
    for _ in 0..ROUNDS {
        raw.push(read_raw(&theirs));
        let ours_of_theirs = fetch_once(&runtime, &theirs, theirs.address(), homes.next());
        reads.push(ours_of_theirs.0);
        fetched.push(ours_of_theirs.1);
        read.extend(read_skill(&theirs, theirs.address(), 1));
        own.push(fetch_once(&runtime, &ours, ours.address(), homes.next()).1);
    }
    let (raw, reads, fetched) = (middle(raw), middle(reads), middle(fetched));
    let (read, own) = (middle(read), middle(own));
    println!("from FastMCP 4.2");
    line("  ours, reads alone", reads);
    line("  16 raw reads at once", raw);
    ratio("  ours / raw", reads, raw);
    line("  ours, entry and reads", fetched);
    line("  FastMCP's read_skill", read);
    ratio("  read_skill / ours", read, fetched);
    println!("from our own server");
    line("  ours", own);
    ratio("  read_skill on FastMCP / ours on ours", read, own);

    let late = runtime.block_on(Relay::start(theirs.address(), LATE));
    let fetched =
        (0..3).map(|_| fetch_once(&runtime, &theirs, late.address(), homes.next()).1).collect();
    let fetched = middle(fetched);
    let read = middle(read_skill(&theirs, late.address(), 1));
    println!("from FastMCP 4.2, each answer {} ms late", LATE.as_millis());
    line("  ours", fetched);
    line("  FastMCP's read_skill", read);
    ratio("  read_skill / ours", read, fetched);
    println!();
}

fn publish(root: &Path) {
    let docs = root.join("big/docs");
    fs::create_dir_all(&docs).unwrap();
    let main = "---\nname: big\ndescription: Has many files.\n---\n\n".to_owned();
    fs::write(root.join("big/SKILL.md"), main + &"A line of the main file.\n".repeat(38)).unwrap();
    for n in 1..FILES {
        let text = format!("Line of part {n:03}.\n").repeat(1_000 / 18);
        fs::write(docs.join(format!("part-{n}.txt")), text).unwrap();
    }
}

/// Our client with the store that the program has, connected and listed before: what every file
/// takes, and what the entry and every file take.
fn fetch_once(
    runtime: &Runtime,
    server: &Server,
    address: SocketAddr,
    home: &Path,
) -> (Took, Took) {
    let (vault, _) = Vault::open(&Paths::under(home)).unwrap();
    let id = ServerId("measured".to_owned());
    let endpoint = Endpoint::Http { url: format!("http://{address}/mcp") };
    let context = ClientContext::default();
    runtime.block_on(async {
        let connection = Connection::open(&endpoint, &context).await.unwrap();
        assert_eq!(connection.list().await.unwrap().offers.len(), 1);
        let start = Busy::now(server);
        let entry: Entry = connection.get_verifiable(SKILL).await.unwrap();
        let held = Busy::now(server);
        let cancel = CancellationToken::new();
        let fetched = connection.fetch(&entry, &id, vault.blobs(), &|_| {}, &cancel).await.unwrap();
        let took = (held.since(server), start.since(server));
        assert!(fetched.is_verified());
        assert_eq!(fetched.files.len(), FILES);
        connection.close().await;
        took
    })
}

/// So many connections that read one file after the other, and look at nothing.
fn read_raw(server: &Server) -> Took {
    let mut clients: Vec<Client> =
        (0..AT_ONCE).map(|_| Client::of_many(server.address())).collect();
    let next = AtomicUsize::new(0);
    let start = Busy::now(server);
    std::thread::scope(|scope| {
        for client in &mut clients {
            scope.spawn(|| {
                loop {
                    match next.fetch_add(1, Ordering::Relaxed) {
                        0 => drop(client.read(SKILL)),
                        n if n < FILES => {
                            drop(client.read(&format!("skill://big/docs/part-{n}.txt")))
                        }
                        _ => return,
                    }
                }
            });
        }
    });
    start.since(server)
}

fn read_skill(server: &Server, address: SocketAddr, times: usize) -> Vec<Took> {
    let start = Busy::now(server);
    let output = Command::new(python("peers-venv-4.2"))
        .arg(script("read_skill.py"))
        .args([&format!("http://{address}/mcp"), SKILL, &times.to_string()])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let server = start.since(server).server / u32::try_from(times).unwrap();
    let said: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(said["files"], FILES);
    let seconds = |value: &Value| Duration::from_secs_f64(value.as_f64().unwrap());
    let taken = said["taken"].as_array().unwrap().iter();
    taken.map(|one| Took { all: seconds(&one[0]), client: seconds(&one[1]), server }).collect()
}

/// A moment, and what processors had done for this process and a server by then.
struct Busy {
    at: Instant,
    own: Duration,
    server: Duration,
}

impl Busy {
    fn now(server: &Server) -> Self {
        Self { own: processor_time("self"), server: server.processor_time(), at: Instant::now() }
    }

    fn since(&self, server: &Server) -> Took {
        Took {
            all: self.at.elapsed(),
            client: processor_time("self") - self.own,
            server: server.processor_time() - self.server,
        }
    }
}

/// How long processors were at work for a process, in hundredths of a second.
pub(crate) fn processor_time(process: &str) -> Duration {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // The name, in parentheses, may hold anything.
    let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
    let ticks = |at: usize| -> u64 {
        fields.split_whitespace().nth(at).and_then(|field| field.parse().ok()).unwrap_or_default()
    };
    Duration::from_millis(10 * (ticks(11) + ticks(12)))
}

fn middle(mut all: Vec<Took>) -> Took {
    all.sort_by_key(|took| took.all);
    all[all.len() / 2]
}

fn line(what: &str, took: Took) {
    println!(
        "{what:38} {:10.0} ms, at work: client {:.0} ms, server {:.0} ms",
        took.all.as_secs_f64() * 1e3,
        took.client.as_secs_f64() * 1e3,
        took.server.as_secs_f64() * 1e3
    );
}

fn ratio(what: &str, more: Took, less: Took) {
    println!("{what:38} {:10.2}", more.all.as_secs_f64() / less.all.as_secs_f64());
}
