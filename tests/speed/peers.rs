//! Our provider and FastMCP's, each in a process of its own.

use std::io::{BufRead as _, BufReader};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

pub(crate) use skills::provider::Mode;
use skills::provider::{DirectoryProvider, Options, SupportingFiles};
use skills_mcp::server::{ServeOptions, serve_http};
use tokio_util::sync::CancellationToken;

/// The argument by which this program serves a folder instead of measuring.
pub(crate) const SERVE: &str = "--serve-folder";

/// A server that is ended when dropped.
pub(crate) struct Server {
    child: Child,
    address: SocketAddr,
}

impl Server {
    pub(crate) fn ours(mode: Mode, root: PathBuf) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([SERVE, name(mode)])
            .arg(root)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Self { child, address: line.trim().parse().unwrap() }
    }

    /// FastMCP 4.1, in the way that is compared with ours.
    pub(crate) fn fastmcp(mode: Mode, root: PathBuf) -> Self {
        Self::python("peers-venv", name(mode), &root)
    }

    /// FastMCP 4.2, whose client verifies what it reads.
    pub(crate) fn later(root: PathBuf) -> Self {
        Self::python("peers-venv-4.2", "later", &root)
    }

    fn python(environment: &str, mode: &str, root: &Path) -> Self {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let child = Command::new(python(environment))
            .arg(script("server.py"))
            .arg(mode)
            .arg(root)
            .arg(port.to_string())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let server = Self { child, address: SocketAddr::from((Ipv4Addr::LOCALHOST, port)) };
        let opens = (0..3_000).any(|_| {
            std::thread::sleep(Duration::from_millis(20));
            TcpStream::connect(server.address).is_ok()
        });
        assert!(opens, "FastMCP did not open its port");
        server
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// How long processors have been at work for it.
    pub(crate) fn processor_time(&self) -> Duration {
        crate::fetch::processor_time(&self.child.id().to_string())
    }

    /// The most memory it has held, in MB.
    pub(crate) fn peak_memory(&self) -> f64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))
            .unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
        let kilobytes =
            line.split_whitespace().next().and_then(|number| number.parse::<f64>().ok());
        kilobytes.unwrap_or(0.0) / 1e3
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The Python of one of the environments that `cargo xtask setup` makes.
pub(crate) fn python(environment: &str) -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let python = target.join(environment).join("bin/python");
    assert!(python.exists(), "{} is not there: `cargo xtask setup` makes it", python.display());
    python
}

/// A script in tests/peers.
pub(crate) fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers").join(name)
}

/// The name of a mode for a server of either kind.
fn name(mode: Mode) -> &'static str {
    match mode {
        Mode::Strict => "strict",
        Mode::Compatible => "default",
    }
}

/// Serves a folder until the process ends; prints the address.
pub(crate) fn serve(mode: &str, root: &Path) {
    let options = Options {
        mode: if mode == name(Mode::Strict) { Mode::Strict } else { Mode::Compatible },
        supporting_files: SupportingFiles::Template,
        ..Options::default()
    };
    let provider = Arc::new(DirectoryProvider::new(vec![root.to_owned()], options));
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime
        .block_on(serve_http(
            provider,
            (Ipv4Addr::LOCALHOST, 0).into(),
            ServeOptions::default(),
            CancellationToken::new(),
            |address| println!("{address}"),
        ))
        .unwrap();
}
