//! How the copies of skills stand: to the record, to the disk as it was read last, and to what is
//! offered where they came from.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

use skills::check::{Diagnostic, Severity};
use skills::library::{LocalSkill, Snapshot};
use skills::origin::ServerId;
use skills_mcp::{Offer, Verdict};
use vault::drift::State;
use vault::placement::{Origin, PlacedAs, Placement};
use vault::servers::SavedServer;
use vault::upkeep::Offered;
use vault::{Vault, VaultError};

use crate::connections::Link;
use crate::remembered::recall;
use crate::shell::Shell;
use crate::view::{CopyState, PlaceMode, RowState};

/// The record, joined with what the servers that things came from offer now.
pub(crate) struct Copies<'a> {
    vault: &'a Vault,
    snapshot: &'a Snapshot,
    placements: Vec<Placement>,
    /// Places in `placements` by the id of the skill that is there.
    by_id: HashMap<String, Vec<usize>>,
    /// Skills of the snapshot, for those that were copied from one.
    skills: HashMap<&'a str, &'a LocalSkill>,
    servers: HashMap<ServerId, Listing>,
    /// Roots that hold the person's own work.
    user_owned: HashSet<&'a PathBuf>,
}

/// What one server offers, by URI.
struct Listing {
    server: SavedServer,
    link: Option<Link>,
    by_uri: HashMap<String, usize>,
    /// Was offered, and was missing from the last list.
    gone: HashSet<String>,
}

impl Listing {
    fn new(vault: &Vault, server: SavedServer, link: Option<Link>) -> Result<Self, VaultError> {
        let offers = link.iter().flat_map(Link::offers);
        // The first wins: the list before what was looked up.
        let mut by_uri = HashMap::new();
        for (at, offer) in offers.enumerate() {
            by_uri.entry(offer.uri.clone()).or_insert(at);
        }
        let gone = recall(vault, &server.id)?.into_iter().filter(|skill| skill.gone);
        let gone = gone.map(|skill| skill.uri).collect();
        Ok(Self { server, link, by_uri, gone })
    }

    fn offer(&self, uri: &str) -> Option<&Offer> {
        let link = self.link.as_ref()?;
        let at = *self.by_uri.get(uri)?;
        let listed = link.listed.as_ref().map_or(&[][..], |listed| &listed.offers);
        listed.get(at).or_else(|| link.looked_up.get(at - listed.len()))
    }

    fn now(&self, uri: &str) -> Offered<'_> {
        match self.offer(uri).map(|offer| &offer.verdict) {
            Some(Verdict::Verifiable(entry)) => Offered::Entry(entry),
            // It is there, and cannot be compared.
            Some(_) => Offered::Unknown,
            None if self.gone.contains(uri) => Offered::Absent,
            None => Offered::Unknown,
        }
    }
}

impl Shell {
    /// The record, joined with what is offered now.
    ///
    /// # Errors
    /// When the ledger fails.
    pub(crate) fn copies<'a>(&'a self, snapshot: &'a Snapshot) -> Result<Copies<'a>, VaultError> {
        let placements = self.vault.placements()?;
        let mut by_id: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, placement) in placements.iter().enumerate() {
            by_id.entry(LocalSkill::id_of(&placement.folder)).or_default().push(at);
            if let PlacedAs::Link { canonical } = &placement.mode {
                by_id.entry(LocalSkill::id_of(canonical)).or_default().push(at);
            }
        }
        let from: BTreeSet<&ServerId> = placements
            .iter()
            .filter_map(|placement| match &placement.origin {
                Origin::Server { server, .. } => Some(server),
                _ => None,
            })
            .collect();
        let mut servers = HashMap::new();
        for server in self.vault.servers()? {
            if from.contains(&server.id) {
                let (id, link) = (server.id.clone(), self.connections.link(&server.id));
                servers.insert(id, Listing::new(&self.vault, server, link)?);
            }
        }
        let skills = snapshot.skills.iter().map(|skill| (skill.id.as_str(), skill)).collect();
        let user_owned = snapshot.roots.iter().filter(|root| root.user_owned);
        Ok(Copies {
            vault: &self.vault,
            snapshot,
            placements,
            by_id,
            skills,
            servers,
            user_owned: user_owned.map(|root| &root.path).collect(),
        })
    }
}

impl Copies<'_> {
    /// Every record of the folder of this id, links to it before itself.
    pub(crate) fn all_of(&self, id: &str) -> Vec<&Placement> {
        let places = self.by_id.get(id).into_iter().flatten();
        let mut all: Vec<&Placement> = places.map(|at| &self.placements[*at]).collect();
        all.sort_by_key(|placement| mode(placement) == PlaceMode::Copy);
        all
    }

    /// The record of a skill that is there. One that links of ours lead to has that of the links.
    pub(crate) fn placement(&self, skill: &LocalSkill) -> Option<&Placement> {
        self.all_of(&skill.id).into_iter().next()
    }

    /// What is offered now where something came from.
    pub(crate) fn offered(&self, placement: &Placement) -> Offered<'_> {
        match &placement.origin {
            // With another address it is another server.
            Origin::Server { uri, .. } => match self.server(placement) {
                Some(server) => self.servers[&server.id].now(uri),
                None => Offered::Unknown,
            },
            // A folder that is gone says nothing of what was copied from it.
            Origin::Folder { path } => {
                let source = self.skills.get(LocalSkill::id_of(path).as_str());
                let files = source.and_then(|skill| skill.manifest.as_ref().ok());
                files.map_or(Offered::Unknown, Offered::Folder)
            }
            Origin::Adopted => Offered::Unknown,
        }
    }

    /// The server that something came from, as it is reached now.
    pub(crate) fn server(&self, placement: &Placement) -> Option<&SavedServer> {
        let Origin::Server { server, address, .. } = &placement.origin else { return None };
        let known = &self.servers.get(server)?.server;
        (known.endpoint.identity() == *address).then_some(known)
    }

    /// Whether a skill lies among the person's own work, where nothing is removed with others: in a
    /// folder that a root says so of, or in one that was added itself.
    pub(crate) fn is_user_owned(&self, skill: &LocalSkill) -> bool {
        skill.through.is_empty()
            || skill.through.iter().any(|through| self.user_owned.contains(&through.root))
    }

    /// How a recorded skill that is there stands.
    pub(crate) fn state(&self, placement: &Placement, skill: &LocalSkill) -> State {
        let on_disk = skill.manifest.as_ref().ok();
        self.vault.state(placement, on_disk, self.offered(placement))
    }

    /// What there is to say of a copy by itself.
    pub(crate) fn copy_state(&self, skill: &LocalSkill) -> CopyState {
        let drifted = self.placement(skill).map(|placement| self.state(placement, skill));
        let drifted = drifted.map_or(CopyState::Fine, |state| copy_state(&state));
        let error = |found: &Diagnostic| matches!(found.severity, Severity::Error);
        let invalid = skill.manifest.is_err() || skill.diagnostics.iter().any(error);
        match drifted {
            CopyState::Missing | CopyState::Replaced => drifted,
            _ if invalid => CopyState::Invalid,
            _ => drifted,
        }
    }

    /// What was placed for a tool and is not there any more, or is no skill any more, in order of
    /// names.
    pub(crate) fn gone(&self) -> Vec<(&Placement, CopyState)> {
        let roots: HashSet<PathBuf> =
            self.snapshot.roots.iter().filter_map(|root| root.path.canonicalize().ok()).collect();
        let scanned = |folder: &Path| folder.parent().is_some_and(|root| roots.contains(root));
        let mut gone: Vec<(&Placement, CopyState)> = self
            .placements
            .iter()
            // A copy where no tool looks is nobody's loss.
            .filter(|placement| placement.tools.iter().any(|tool| !tool.is_empty()))
            .filter_map(|placement| {
                let folder = &placement.folder;
                let there = folder.symlink_metadata().is_ok();
                if there && mode(placement) == PlaceMode::Link {
                    return None;
                }
                // What the first scan has not come to yet is not looked for here.
                let unread = self.snapshot.revision == 0;
                if there
                    && (unread
                        || !scanned(folder)
                        || self.skills.contains_key(LocalSkill::id_of(folder).as_str()))
                {
                    return None;
                }
                match self.vault.state(placement, None, Offered::Unknown) {
                    State::Missing => Some((placement, CopyState::Missing)),
                    State::Replaced => Some((placement, CopyState::Replaced)),
                    _ => None,
                }
            })
            .collect();
        gone.sort_by(|(one, _), (other, _)| {
            (&one.name, &one.folder).cmp(&(&other.name, &other.folder))
        });
        gone
    }

    /// How the last skill was placed for each tool; those without have none.
    pub(crate) fn last_modes(&self) -> BTreeMap<&str, PlaceMode> {
        let mut newest: BTreeMap<&str, &Placement> = BTreeMap::new();
        for placement in &self.placements {
            for tool in &placement.tools {
                let known = newest.entry(tool.as_str()).or_insert(placement);
                if known.at < placement.at {
                    *known = placement;
                }
            }
        }
        newest.into_iter().map(|(tool, placement)| (tool, mode(placement))).collect()
    }
}

/// How something was placed.
pub(crate) fn mode(placement: &Placement) -> PlaceMode {
    match placement.mode {
        PlacedAs::Copy => PlaceMode::Copy,
        PlacedAs::Link { .. } => PlaceMode::Link,
    }
}

/// A state for the page; one that cannot be told is shown as nothing to say.
pub(crate) fn copy_state(state: &State) -> CopyState {
    match state {
        State::InSync | State::Unreadable(_) => CopyState::Fine,
        State::Edited { only_line_endings: true } => CopyState::LineEndings,
        State::Edited { only_line_endings: false } => CopyState::Edited,
        State::UpdateAvailable { .. } => CopyState::Update,
        State::Diverged => CopyState::Diverged,
        State::Missing => CopyState::Missing,
        State::Replaced => CopyState::Replaced,
        State::NoLongerOffered => CopyState::NoLongerOffered,
    }
}

/// What a row says of one copy, beside others that have other content or not.
pub(crate) fn row_state(state: CopyState, differ: bool) -> RowState {
    match state {
        CopyState::Invalid => RowState::Invalid,
        CopyState::Missing => RowState::Missing,
        CopyState::Replaced => RowState::Replaced,
        CopyState::Edited | CopyState::LineEndings => RowState::Edited,
        CopyState::Diverged => RowState::Diverged,
        _ if differ => RowState::Diverged,
        CopyState::Update => RowState::Update,
        CopyState::NoLongerOffered => RowState::NoLongerOffered,
        CopyState::Fine => RowState::Fine,
    }
}

/// The worst of what can be said of the copies of one name, some of which may be gone; `None` where
/// there is none.
pub(crate) fn worst(states: impl IntoIterator<Item = RowState>) -> Option<RowState> {
    let worst = [
        RowState::Invalid,
        RowState::Missing,
        RowState::Replaced,
        RowState::Edited,
        RowState::Diverged,
        RowState::Update,
        RowState::NoLongerOffered,
        RowState::Fine,
    ];
    let place = |state: &RowState| worst.iter().position(|one| one == state);
    states.into_iter().min_by_key(|state| place(state).unwrap_or(worst.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_says_the_worst_that_can_be_said_of_a_copy() {
        let said = |states: &[CopyState], differ| {
            worst(states.iter().map(|state| row_state(*state, differ)))
        };
        assert_eq!(said(&[], false), None);
        assert_eq!(said(&[CopyState::Fine, CopyState::Fine], false), Some(RowState::Fine));
        assert_eq!(said(&[CopyState::Fine, CopyState::Fine], true), Some(RowState::Diverged));
        assert_eq!(said(&[CopyState::Fine, CopyState::Update], false), Some(RowState::Update));
        assert_eq!(said(&[CopyState::Fine, CopyState::Update], true), Some(RowState::Diverged));
        assert_eq!(said(&[CopyState::Fine, CopyState::Edited], true), Some(RowState::Edited));
        assert_eq!(said(&[CopyState::Edited, CopyState::Invalid], true), Some(RowState::Invalid));
        assert_eq!(said(&[CopyState::Fine, CopyState::Missing], false), Some(RowState::Missing));
        let gone = [CopyState::NoLongerOffered, CopyState::Fine];
        assert_eq!(said(&gone, false), Some(RowState::NoLongerOffered));
    }
}
