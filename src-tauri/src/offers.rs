//! Servers and what they offer, joined with what was decided about it.

mod asking;
mod export;

use std::collections::{BTreeSet, HashMap, HashSet};

use skills::entry::Entry;
use skills::is_nested_main;
use skills::origin::{Endpoint, ServerId};
use skills::uri::SkillUri;
use skills_mcp::{Offer, Source, Verdict};
use vault::approval::Approval;
use vault::placement::{Origin, Placement};
use vault::servers::SavedServer;

use crate::connections::{Failed, Link, LinkState};
use crate::error::Outcome;
use crate::imported::imported_view;
use crate::library::{fields, manifest_view};
use crate::remembered::{Remembered, broken, declared_entry, recall};
use crate::render::spelled_out;
use crate::shell::Shell;
use crate::view::{
    CheckView, ErrorCode, ErrorView, FileState, OfferDetail, OfferRow, OfferSource, Reached, Scope,
    ServerState, ServerView, ServersView, Severity, Standing,
};

use asking::nested_offer;
pub(crate) use asking::{file_content, file_state};

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
            let offers = link.iter().flat_map(Link::offers);
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
        for offer in listed.iter().flat_map(|listed| &listed.offers) {
            offers.push(self.offer_row(server, offer, true, joined)?);
        }
        for offer in link.iter().flat_map(|link| link.looked_up.iter()) {
            offers.push(self.offer_row(server, offer, false, joined)?);
        }
        let known: HashSet<String> = offers.iter().map(|offer| offer.uri.clone()).collect();
        let approvals = self.vault.approvals_of(server)?;
        for earlier in recall(&self.vault, &server.id)? {
            if (listed.is_some() && !earlier.gone) || known.contains(&earlier.uri) {
                continue;
            }
            let standing = self.standing_of_remembered(server, &earlier, &approvals);
            offers.push(row(server, &earlier, standing, joined));
        }
        let state = match &link {
            None => ServerState::Off,
            Some(Link { state: LinkState::Connecting, .. }) => ServerState::Connecting,
            Some(Link { state: LinkState::NeedsSignIn { error, possible: true, .. }, .. }) => {
                ServerState::NeedsSignIn { error: error.clone() }
            }
            Some(Link { state: LinkState::NeedsSignIn { error, .. }, .. }) => {
                ServerState::Refused { error: error.clone(), again: None }
            }
            Some(Link { state: LinkState::Refused(Failed { error, again }), .. }) => {
                ServerState::Refused { error: error.clone(), again: again.map(|at| at.to_string()) }
            }
            Some(Link { state: LinkState::Unreachable(Failed { error, again }), .. }) => {
                ServerState::Unreachable {
                    error: error.clone(),
                    again: again.map(|at| at.to_string()),
                }
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
                Endpoint::Imported { .. } => Reached::Imported,
            },
            imported: imported_view(server),
            state,
            enabled: server.enabled,
            never_install: self.vault.never_installs(&server.id)?,
            signed_in: self.vault.is_signed_in(&server.id)?,
            offers,
            notices: listed
                .map(|listed| listed.notices.iter().map(|notice| spelled_out(notice)).collect())
                .unwrap_or_default(),
            listed_at: listed_at.map(|at| at.to_string()),
        })
    }

    /// The row of what is offered now.
    fn offer_row(
        &self,
        server: &SavedServer,
        offer: &Offer,
        listed: bool,
        joined: &Joined,
    ) -> Outcome<OfferRow> {
        let kept = if listed { Remembered::of(offer) } else { Remembered::unlisted(offer) };
        let note = self.doubts.note(&server.id, &offer.uri, kept.fingerprint.as_deref());
        let standing = self.standing(server, offer)?;
        let same_as = match (&offer.verdict, &standing) {
            (Verdict::Verifiable(entry), Standing::Unreviewed | Standing::Changed { .. }) => {
                self.vault.same_content(server, entry)?.map(|same| same.label)
            }
            _ => None,
        };
        Ok(OfferRow { note, same_as, ..row(server, &kept, standing, joined) })
    }

    fn standing(&self, server: &SavedServer, offer: &Offer) -> Outcome<Standing> {
        Ok(match &offer.verdict {
            Verdict::Verifiable(entry) => match self.doubts.mismatch(&server.id, entry) {
                Some(reason) => Standing::Mismatched { reason: spelled_out(&reason) },
                None => standing_view(self.vault.standing(server, entry)?),
            },
            Verdict::Unverifiable(reason) => Standing::Unverifiable { reason: spelled_out(reason) },
            Verdict::Refused(reasons) => Standing::Refused {
                reasons: reasons.iter().map(|rule| spelled_out(&broken(rule))).collect(),
            },
        })
    }

    /// What can be said without the server's own word: it is shown, nothing is done on it.
    fn standing_of_remembered(
        &self,
        server: &SavedServer,
        earlier: &Remembered,
        approvals: &[Approval],
    ) -> Standing {
        if earlier.gone {
            return Standing::NoLongerOffered;
        }
        if !earlier.refused.is_empty() {
            let reasons = earlier.refused.iter().map(|reason| spelled_out(reason)).collect();
            return Standing::Refused { reasons };
        }
        let Some(fingerprint) = &earlier.fingerprint else {
            let nothing =
                "when it was listed last, the server declared nothing to check its files by";
            let reason =
                earlier.unverifiable.as_deref().map_or_else(|| nothing.into(), spelled_out);
            return Standing::Unverifiable { reason };
        };
        if let Some(reason) = self.doubts.mismatch_of(&server.id, &earlier.uri, fingerprint) {
            return Standing::Mismatched { reason: spelled_out(&reason) };
        }
        let of_it = |approval: &&Approval| {
            approval.uri == earlier.uri && approval.fingerprint.to_string() == *fingerprint
        };
        match approvals.iter().find(of_it) {
            Some(approval) => {
                Standing::Approved { at: approval.at.to_string(), granted: approval.granted }
            }
            None => Standing::Unreviewed,
        }
    }

    /// What was declared of a skill when it was listed last, where that was kept: with the list, or
    /// with an approval of the very same content.
    pub(crate) fn kept_entry(
        &self,
        server: &SavedServer,
        earlier: &Remembered,
    ) -> Outcome<Option<Entry>> {
        let Some(fingerprint) = &earlier.fingerprint else { return Ok(None) };
        let same = |entry: &Entry| entry.fingerprint().to_string() == *fingerprint;
        if let Some(entry) = declared_entry(&self.vault, &server.id, &earlier.uri)?.filter(same) {
            return Ok(Some(entry));
        }
        let approval = self.vault.last_approval(server, &earlier.uri)?;
        Ok(approval.as_ref().and_then(approved_entry).filter(same))
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
        let kept;
        let (row, entry, checks) = match offer {
            Some(offer) => {
                let checks = declared_checks(&offer.verdict);
                let entry = match &offer.verdict {
                    Verdict::Verifiable(entry) => Some(entry),
                    _ => None,
                };
                // One inside of a listed one is as good as listed.
                let looked_up = link.iter().flat_map(|link| link.looked_up.iter());
                let listed = !looked_up.into_iter().any(|found| found.uri == uri);
                (self.offer_row(&server, offer, listed, &joined)?, entry, checks)
            }
            None => {
                let earlier = recall(&self.vault, &server.id)?
                    .into_iter()
                    .find(|earlier| earlier.uri == uri)
                    .ok_or_else(|| not_offered(&server, uri))?;
                let approvals = self.vault.approvals_of(&server)?;
                let standing = self.standing_of_remembered(&server, &earlier, &approvals);
                kept = self.kept_entry(&server, &earlier)?;
                (row(&server, &earlier, standing, &joined), kept.as_ref(), Vec::new())
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
            shows_folder: entry.is_some()
                && link
                    .as_ref()
                    .and_then(|link| link.connection.as_ref())
                    .is_some_and(|connection| connection.shows_folders()),
            can_export: offer
                .is_some_and(|offer| matches!(offer.verdict, Verdict::Unverifiable(_))),
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
            Origin::Folder { .. } | Origin::Adopted => false,
        })
        .filter(|placement| placement.folder.is_dir())
        .flat_map(|placement| &placement.tools)
        // A copy where no tool reads is for none.
        .filter(|tool| !tool.is_empty())
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
        listed: !skill.unlisted,
        same_as: None,
        note: None,
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

fn declared_checks(verdict: &Verdict) -> Vec<CheckView> {
    let check = |code: &str, severity, message: &str, help: String| CheckView {
        code: code.to_owned(),
        severity,
        message: spelled_out(message),
        help: Some(spelled_out(&help)),
        file: None,
        line: None,
        column: None,
        excerpt: None,
        fixes: Vec::new(),
    };
    match verdict {
        Verdict::Refused(rules) => rules
            .iter()
            .map(|rule| {
                let help = format!("expected {}; found {}", rule.expected, rule.actual);
                check(rule.code, Severity::Error, &rule.message, help)
            })
            .collect(),
        Verdict::Unverifiable(reason) => {
            let help = "without sizes and digests nothing can be checked, so it cannot be approved";
            vec![check("no-manifest", Severity::Warning, reason, help.to_owned())]
        }
        Verdict::Verifiable(_) => Vec::new(),
    }
}

/// URIs of the skills inside a skill.
fn nested_uris(entry: &Entry) -> Vec<String> {
    let nested = entry.files().iter().filter(|file| is_nested_main(&file.path));
    nested.map(|file| file.uri.clone()).collect()
}

/// The entry that an approval was given for, for when the server is away.
pub(crate) fn approved_entry(approval: &Approval) -> Option<Entry> {
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
