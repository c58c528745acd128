//! Servers and what they offer, joined with what was decided about it.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use skills::digest::Digest;
use skills::entry::Entry;
use skills::is_nested_main;
use skills::origin::{Endpoint, ServerId};
use skills::uri::SkillUri;
use skills_mcp::{Connection, FetchedFile, FileOutcome, Offer, Source, Verdict, nested_entry};
use vault::placement::{Origin, Placement};
use vault::servers::SavedServer;

use crate::connections::{Link, LinkState};
use crate::error::Outcome;
use crate::library::{fields, manifest_view};
use crate::remembered::{Remembered, recall};
use crate::render::{self, spelled_out};
use crate::shell::Shell;
use crate::view::{
    CheckView, ErrorCode, ErrorView, FileContent, FileState, OfferDetail, OfferRow, OfferSource,
    Reached, Scope, ServerState, ServerView, ServersView, Severity, Standing,
};

/// What rows of one server are joined with.
struct Joined {
    placements: Vec<Placement>,
    local_names: HashSet<String>,
    /// Which servers offer a name: label by id.
    offered: HashMap<String, Vec<(ServerId, String)>>,
}

impl Shell {
    /// All servers and their offers.
    ///
    /// # Errors
    /// When the ledger fails.
    pub fn servers_view(&self) -> Outcome<ServersView> {
        let revision = self.events.revision(Scope::Servers);
        let mut servers = self.shown_servers()?;
        servers.sort_by_key(|server| server.endpoint == Endpoint::Samples);
        let links: Vec<Option<Link>> =
            servers.iter().map(|server| self.connections.link(&server.id)).collect();
        let joined = self.joined(&servers, &links)?;
        let servers = servers
            .iter()
            .zip(links)
            .map(|(server, link)| self.server_view(server, link, &joined))
            .collect::<Outcome<_>>()?;
        Ok(ServersView { revision, servers })
    }

    /// The servers without the samples where those are switched off.
    pub(crate) fn shown_servers(&self) -> Outcome<Vec<SavedServer>> {
        let samples = self.vault.settings()?.samples;
        let mut servers = self.vault.servers()?;
        servers.retain(|server| samples || server.endpoint != Endpoint::Samples);
        Ok(servers)
    }

    fn joined(&self, servers: &[SavedServer], links: &[Option<Link>]) -> Outcome<Joined> {
        let mut offered: HashMap<String, Vec<(ServerId, String)>> = HashMap::new();
        for (server, link) in servers.iter().zip(links) {
            let offers = link
                .iter()
                .filter_map(|link| link.listed.as_ref())
                .flat_map(|listed| &listed.offers);
            for name in offers.map(|offer| offer.name.as_str()).collect::<BTreeSet<_>>() {
                offered
                    .entry(name.to_owned())
                    .or_default()
                    .push((server.id.clone(), server.label.clone()));
            }
        }
        let snapshot = self.library.snapshot();
        Ok(Joined {
            placements: self.vault.placements()?,
            local_names: snapshot.skills.iter().map(|skill| skill.name.clone()).collect(),
            offered,
        })
    }

    fn server_view(
        &self,
        server: &SavedServer,
        link: Option<Link>,
        joined: &Joined,
    ) -> Outcome<ServerView> {
        let listed = link.as_ref().and_then(|link| link.listed.clone());
        let mut offers = Vec::new();
        if let Some(listed) = &listed {
            for offer in &listed.offers {
                let standing = self.standing(server, offer)?;
                offers.push(row(server, &Remembered::of(offer), standing, joined));
            }
        }
        for earlier in recall(&self.vault, &server.id)? {
            if listed.is_some() && !earlier.gone {
                continue;
            }
            let standing = self.standing_of_remembered(server, &earlier)?;
            offers.push(row(server, &earlier, standing, joined));
        }
        let state = match &link {
            None => ServerState::Off,
            Some(Link { state: LinkState::Connecting, .. }) => ServerState::Connecting,
            Some(Link { state: LinkState::Unreachable(error), .. }) => {
                ServerState::Unreachable { error: error.clone() }
            }
            Some(Link { connection: None, .. }) => ServerState::Connecting,
            Some(Link { connection: Some(connection), .. }) => ServerState::Connected {
                protocol: connection.protocol().to_owned(),
                source: match connection.source() {
                    Source::Extension => OfferSource::Extension,
                    Source::Manifests => OfferSource::Manifests,
                    Source::None => OfferSource::None,
                },
            },
        };
        let listed_at = match link.as_ref().and_then(|link| link.listed_at) {
            Some(at) => Some(at),
            None => self.vault.last_offers(&server.id)?.map(|last| last.at),
        };
        Ok(ServerView {
            id: server.id.0.clone(),
            label: server.label.clone(),
            address: server.endpoint.shown(),
            reached: match server.endpoint {
                Endpoint::Http { .. } => Reached::Http,
                Endpoint::Command { .. } => Reached::Command,
                Endpoint::Samples => Reached::Samples,
            },
            state,
            enabled: server.enabled,
            offers,
            notices: listed
                .map(|listed| listed.notices.iter().map(|notice| spelled_out(notice)).collect())
                .unwrap_or_default(),
            listed_at: listed_at.map(|at| at.to_string()),
        })
    }

    fn standing(&self, server: &SavedServer, offer: &Offer) -> Outcome<Standing> {
        Ok(match &offer.verdict {
            Verdict::Verifiable(entry) => standing_view(self.vault.standing(server, entry)?),
            Verdict::Unverifiable(reason) => Standing::Unverifiable { reason: spelled_out(reason) },
            Verdict::Refused(reasons) => Standing::Refused {
                reasons: reasons.iter().map(|reason| spelled_out(reason)).collect(),
            },
        })
    }

    /// What can be said without the server's own word: it is shown, nothing is done on it.
    fn standing_of_remembered(
        &self,
        server: &SavedServer,
        earlier: &Remembered,
    ) -> Outcome<Standing> {
        if earlier.gone {
            return Ok(Standing::NoLongerOffered);
        }
        let approval = self.vault.approvals_of(server)?.into_iter().find(|approval| {
            approval.uri == earlier.uri
                && Some(approval.fingerprint.to_string()) == earlier.fingerprint
        });
        Ok(match (approval, &earlier.fingerprint) {
            (Some(approval), _) => {
                Standing::Approved { at: approval.at.to_string(), granted: approval.granted }
            }
            (None, Some(_)) => Standing::Unreviewed,
            (None, None) => Standing::Unverifiable {
                reason: "the server is away and declared no manifest that could be checked"
                    .to_owned(),
            },
        })
    }

    /// One offered skill from what was declared.
    ///
    /// # Errors
    /// When the server or the skill is not known.
    pub fn offer_detail(&self, id: &str, uri: &str) -> Outcome<OfferDetail> {
        let servers = self.shown_servers()?;
        let server = find(&servers, id)?.clone();
        let links: Vec<Option<Link>> =
            servers.iter().map(|server| self.connections.link(&server.id)).collect();
        let joined = self.joined(&servers, &links)?;
        let link = self.connections.link(&server.id);
        let offer = link.as_ref().and_then(|link| link.offer(uri));
        let nested;
        let offer = match (offer, &link) {
            (None, Some(link)) => {
                nested = nested_offer(link, uri);
                nested.as_ref()
            }
            (offer, _) => offer,
        };
        let (row, entry, checks) = match offer {
            Some(offer) => {
                let standing = self.standing(&server, offer)?;
                let checks = declared_checks(&standing);
                let entry = match &offer.verdict {
                    Verdict::Verifiable(entry) => Some(entry),
                    _ => None,
                };
                (row(&server, &Remembered::of(offer), standing, &joined), entry, checks)
            }
            None => {
                let earlier = recall(&self.vault, &server.id)?
                    .into_iter()
                    .find(|earlier| earlier.uri == uri)
                    .ok_or_else(|| not_offered(&server, uri))?;
                let standing = self.standing_of_remembered(&server, &earlier)?;
                (row(&server, &earlier, standing, &joined), None, Vec::new())
            }
        };
        Ok(OfferDetail {
            server: server.id.0.clone(),
            label: server.label.clone(),
            address: server.endpoint.shown(),
            row,
            front_matter: entry
                .and_then(|entry| entry.front_matter())
                .map(fields)
                .unwrap_or_default(),
            manifest: entry.map(|entry| manifest_view(entry.manifest(), |_| FileState::Declared)),
            checks,
            nested: entry.map(nested_uris).unwrap_or_default(),
            history: self.history_of_offer(&server.id.0, uri)?,
        })
    }

    /// A saved server by its id.
    ///
    /// # Errors
    /// When there is none.
    pub(crate) fn server(&self, id: &str) -> Outcome<SavedServer> {
        Ok(self.vault.server(&ServerId(id.to_owned()))?)
    }

    /// The connection to a server.
    ///
    /// # Errors
    /// When it does not stand, with the reason.
    pub(crate) fn connection(&self, server: &SavedServer) -> Outcome<Arc<Connection>> {
        let label = &server.label;
        match self.connections.link(&server.id) {
            Some(Link { connection: Some(connection), .. }) => Ok(connection),
            Some(Link { state: LinkState::Unreachable(error), .. }) => Err(error),
            Some(_) => {
                Err(ErrorView::new(ErrorCode::Unreachable, format!("{label} is not connected yet"))
                    .with_hint("try again in a moment"))
            }
            None => Err(ErrorView::new(ErrorCode::Unreachable, format!("{label} is switched off"))
                .with_hint("switch the server on")),
        }
    }

    /// The entry of a skill as the server gives it now. A skill inside another that the server
    /// does not give by itself is cut out of the outer one.
    ///
    /// # Errors
    /// When the server does not give it, or it cannot be verified.
    pub(crate) async fn entry_now(&self, server: &SavedServer, uri: &str) -> Outcome<Entry> {
        let connection = self.connection(server)?;
        let listed =
            self.connections.link(&server.id).is_some_and(|link| link.offer(uri).is_some());
        let refused = match connection.get_verifiable(uri).await {
            Ok(entry) => return Ok(entry),
            Err(error) => error,
        };
        if !listed && let Some(outer) = self.outer_of(server, uri) {
            let outer = connection.get_verifiable(&outer).await?;
            if let Some(entry) =
                outer_path(&outer, uri).and_then(|path| nested_entry(&outer, &path))
            {
                return Ok(entry);
            }
        }
        Err(refused.into())
    }

    /// The URI of a listed skill that has this one inside.
    fn outer_of(&self, server: &SavedServer, uri: &str) -> Option<String> {
        let link = self.connections.link(&server.id)?;
        let listed = link.listed?;
        listed.offers.iter().find_map(|offer| match &offer.verdict {
            Verdict::Verifiable(entry) => outer_path(entry, uri).map(|_| offer.uri.clone()),
            _ => None,
        })
    }

    /// One file of an offered skill, read now and checked against what is listed.
    ///
    /// # Errors
    /// When it is not offered or cannot be read.
    pub async fn offer_file(&self, id: &str, uri: &str, path: &str) -> Outcome<FileContent> {
        let server = self.server(id)?;
        let connection = self.connection(&server)?;
        let link = self.connections.link(&server.id).unwrap_or_default();
        let nested = nested_offer(&link, uri);
        let entry = match link.offer(uri).or(nested.as_ref()).map(|offer| &offer.verdict) {
            Some(Verdict::Verifiable(entry)) => entry,
            Some(_) => {
                return Err(ErrorView::new(
                    ErrorCode::Protocol,
                    format!("{} declares no files of {uri} that could be checked", server.label),
                ));
            }
            None => return Err(not_offered(&server, uri)),
        };
        let fetched = connection.read_file(entry, path).await?;
        let declared = entry.manifest().get(path).map_or(0, |file| file.size);
        blocking(move || file_content(&fetched, declared)).await
    }
}

/// Runs what takes a while on a thread that may take a while.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Outcome<T> {
    tauri::async_runtime::spawn_blocking(work).await.map_err(|error| {
        tracing::error!(%error, "a task ended early");
        ErrorView::new(ErrorCode::Internal, "something went wrong inside Skillhold")
            .with_hint("the log in the data folder says more")
    })
}

fn row(server: &SavedServer, skill: &Remembered, standing: Standing, joined: &Joined) -> OfferRow {
    let also = joined.offered.get(&skill.name).into_iter().flatten();
    let installed: BTreeSet<&String> = joined
        .placements
        .iter()
        .filter(|placement| match &placement.origin {
            Origin::Server { server: from, uri, .. } => *from == server.id && *uri == skill.uri,
            Origin::Folder { .. } => false,
        })
        .filter(|placement| placement.folder.is_dir())
        .flat_map(|placement| &placement.tools)
        .collect();
    OfferRow {
        uri: skill.uri.clone(),
        name: spelled_out(&skill.name),
        description: spelled_out(&skill.description),
        standing,
        files: skill.files,
        total: skill.total,
        fingerprint: skill.fingerprint.clone(),
        also_offered_by: also
            .filter(|(id, _)| *id != server.id)
            .map(|(_, label)| label.clone())
            .collect(),
        exists_locally: joined.local_names.contains(&skill.name),
        installed_in: installed.into_iter().cloned().collect(),
    }
}

/// How a skill stands, for the page.
pub(crate) fn standing_view(standing: vault::approval::Standing) -> Standing {
    use vault::approval::Standing as Known;
    match standing {
        Known::Unreviewed => Standing::Unreviewed,
        Known::Approved(approval) => {
            Standing::Approved { at: approval.at.to_string(), granted: approval.granted }
        }
        Known::Changed { revoked_at, .. } => Standing::Changed { at: revoked_at.to_string() },
        Known::Rejected { at } => Standing::Rejected { at: at.to_string() },
    }
}

fn declared_checks(standing: &Standing) -> Vec<CheckView> {
    let check = |code: &str, severity, message: &String, help: &str| CheckView {
        code: code.to_owned(),
        severity,
        message: message.clone(),
        help: Some(help.to_owned()),
        file: None,
        line: None,
        column: None,
        excerpt: None,
        fixes: Vec::new(),
    };
    match standing {
        Standing::Refused { reasons } => reasons
            .iter()
            .map(|reason| {
                check(
                    "entry-rule",
                    Severity::Error,
                    reason,
                    "tell whoever runs the server; it cannot be reviewed like this",
                )
            })
            .collect(),
        Standing::Unverifiable { reason } => vec![check(
            "no-manifest",
            Severity::Warning,
            reason,
            "without sizes and digests nothing can be checked, so it cannot be approved",
        )],
        _ => Vec::new(),
    }
}

/// URIs of the skills inside a skill.
fn nested_uris(entry: &Entry) -> Vec<String> {
    let nested = entry.files().iter().filter(|file| is_nested_main(&file.path));
    nested.map(|file| file.uri.clone()).collect()
}

/// The path of a nested skill's `SKILL.md` in an outer skill, by its URI.
fn outer_path(outer: &Entry, uri: &str) -> Option<String> {
    let path = match outer.files().iter().find(|file| file.uri == uri) {
        Some(file) => file.path.clone(),
        None => outer.uri().path_of(uri).ok()?,
    };
    (is_nested_main(&path) && outer.manifest().get(&path).is_some()).then_some(path)
}

/// A skill inside a listed one, as if it were listed itself.
fn nested_offer(link: &Link, uri: &str) -> Option<Offer> {
    link.listed.as_ref()?.offers.iter().find_map(|offer| {
        let Verdict::Verifiable(outer) = &offer.verdict else { return None };
        let entry = nested_entry(outer, &outer_path(outer, uri)?)?;
        Some(Offer {
            uri: uri.to_owned(),
            name: entry.name().to_owned(),
            description: entry.description().to_owned(),
            verdict: Verdict::Verifiable(entry),
        })
    })
}

/// The entry that an approval was given for, for when the server is away.
pub(crate) fn approved_entry(approval: &vault::approval::Approval) -> Option<Entry> {
    let uri = SkillUri::parse(&approval.uri).ok()?;
    Entry::new(uri, approval.front_matter.clone(), None, approval.files.clone()).ok()
}

fn find<'a>(servers: &'a [SavedServer], id: &str) -> Outcome<&'a SavedServer> {
    servers
        .iter()
        .find(|server| server.id.0 == id)
        .ok_or_else(|| ErrorView::gone("this server was removed"))
}

fn not_offered(server: &SavedServer, uri: &str) -> ErrorView {
    ErrorView::gone(format!("{} does not offer {}", server.label, spelled_out(uri)))
}

/// What is known of a fetched file's bytes.
pub(crate) fn file_state(outcome: &FileOutcome) -> FileState {
    match outcome {
        FileOutcome::Verified { line_endings_restored, .. } => {
            FileState::Verified { line_endings_restored: *line_endings_restored }
        }
        FileOutcome::Mismatch { expected_size, expected, actual_size, actual, .. } => {
            FileState::Mismatch {
                expected: size_and_digest(*expected_size, expected),
                actual: size_and_digest(*actual_size, actual),
            }
        }
        FileOutcome::Failed(message) => FileState::Failed { message: spelled_out(message) },
    }
}

fn size_and_digest(size: u64, digest: &Digest) -> String {
    format!("{size} bytes, {digest}")
}

/// A fetched file ready to show; one that could not be fetched has no content.
pub(crate) fn file_content(file: &FetchedFile, declared_size: u64) -> FileContent {
    let (size, bytes) = match &file.outcome {
        FileOutcome::Verified { bytes, .. } | FileOutcome::Mismatch { bytes, .. } => {
            (bytes.len() as u64, bytes.as_slice())
        }
        FileOutcome::Failed(_) => (declared_size, [].as_slice()),
    };
    FileContent {
        path: file.path.clone(),
        size,
        state: file_state(&file.outcome),
        body: render::file_body(&file.path, bytes),
    }
}
