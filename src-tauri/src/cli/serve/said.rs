//! What `serve` says on standard error: a line each, a warning once.

use std::collections::HashSet;
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::sync::{Mutex, PoisonError};

use skills::folder::{FolderKind, kind_of};
use skills::paths::Paths;
use skills::provider::{Place, Provider};

use crate::render::in_one_line;
use crate::sharing::{in_short, look};

/// What was said so far: the same is left out again at every look.
#[derive(Debug, Default)]
pub(super) struct Said(Mutex<HashSet<String>>);

impl Said {
    /// Whether this line was not said yet.
    fn is_new(&self, line: &str) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(line.to_owned())
    }

    /// Writes a line, unless it was written before.
    pub(super) fn say(&self, line: &str) {
        if self.is_new(line) {
            say(line);
        }
    }
}

/// A line on standard error. The first one of `--http` is the address, for whoever started this;
/// standard output belongs to the protocol.
pub(super) fn say(line: &str) {
    crate::cli::tell(&format!("{}\n", in_one_line(line)));
}

/// A line about something that is left out.
pub(super) fn warning(why: &str, paths: &Paths, places: &[Place]) -> String {
    format!("warning: {}", in_short(why, paths, places))
}

/// What is served from where, and what is not, a line each.
pub(super) fn summary(paths: &Paths, places: &[Place], provider: &dyn Provider) -> Vec<String> {
    let shown = |place: &Place| paths.display(place.path());
    let (there, missing): (Vec<&Place>, Vec<&Place>) =
        places.iter().partition(|place| place.path().is_dir());
    let seen = look(provider);
    let skills = match seen.skills.len() {
        1 => "1 skill".to_owned(),
        skills => format!("{skills} skills"),
    };
    let mut lines = Vec::new();
    if !there.is_empty() {
        let there: Vec<String> = there.into_iter().map(shown).collect();
        lines.push(format!("serving {skills} from {}", there.join(", ")));
    }
    lines.extend(
        missing.into_iter().map(|place| {
            format!("warning: {} is not there; it is served once it is", shown(place))
        }),
    );
    lines.extend(there_is_a_project(paths, places));
    lines.extend(seen.warnings.iter().map(|why| warning(why, paths, places)));
    lines
}

/// What to do where something is left out because several roots have it.
pub(super) fn hint(provider: &dyn Provider) -> Option<String> {
    let twice = |warning: &String| warning.contains("it is in more than one folder");
    provider
        .list()
        .warnings
        .iter()
        .any(twice)
        .then(|| "hint: --merge-identical serves once what is the same in each".to_owned())
}

/// That skills get long addresses where a root is a project, a line each.
fn there_is_a_project(paths: &Paths, places: &[Place]) -> Vec<String> {
    let project = |place: &Place| {
        let Place::Root(root) = place else { return None };
        let Ok(FolderKind::Project { roots }) = kind_of(root) else { return None };
        let (first, _) = roots.first()?;
        let inner: Vec<String> = roots
            .iter()
            .map(|(inner, _)| format!("--root {}", paths.display(&root.join(inner))))
            .collect();
        Some(format!(
            "hint: {} is a project, so its skills have addresses as skill://{}/NAME/SKILL.md; for \
             skill://NAME/SKILL.md give {}",
            paths.display(root),
            root.join(first).strip_prefix(root).unwrap_or(first).display(),
            inner.join(" "),
        ))
    };
    places.iter().filter_map(project).collect()
}

/// Where others reach an address that stands for every one of this machine.
pub(super) fn reached_at(
    bound: SocketAddr,
    names: &[String],
    own: Option<IpAddr>,
) -> Option<String> {
    if !bound.ip().is_unspecified() {
        return None;
    }
    let port = bound.port();
    let own = own.map(|ip| SocketAddr::new(ip, port).to_string());
    let names = names.iter().map(|name| format!("{name}:{port}"));
    let urls: Vec<String> =
        own.into_iter().chain(names).map(|at| format!("http://{at}/mcp")).collect();
    let others = match urls.as_slice() {
        [] => "other machines use an address of this one".to_owned(),
        urls => format!("other machines use {}", urls.join(" or ")),
    };
    Some(format!(
        "{} stands for every address of this machine: {others}, programs here \
         http://localhost:{port}/mcp",
        bound.ip()
    ))
}

/// The address of this machine that it shows to others. Nothing is sent to find it out.
pub(super) fn own_address(bound: IpAddr) -> Option<IpAddr> {
    // Addresses that are kept for documentation.
    let (any, other) = match bound {
        IpAddr::V4(_) => ("0.0.0.0:0", "192.0.2.1:9"),
        IpAddr::V6(_) => ("[::]:0", "[2001:db8::1]:9"),
    };
    let socket = UdpSocket::bind(any).ok()?;
    socket.connect(other).ok()?;
    let own = socket.local_addr().ok()?.ip();
    (!own.is_unspecified() && !own.is_loopback()).then_some(own)
}
