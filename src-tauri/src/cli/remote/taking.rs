//! `download` and `sync`: skills are brought here whole, every byte checked, through the vault.
//! Where a tool reads, only what was approved by its whole fingerprint.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use skills::blobs::Blobs as _;
use skills::check::check_folder;
use skills::digest::Fingerprint;
use skills::entry::Entry;
use skills::is_nested_main;
use skills::origin::{Endpoint, ServerId};
use skills_mcp::limits::SERVER_BYTES;
use skills_mcp::{Connection, Fetched, Offer, Verdict, nested_entry};
use vault::Vault;
use vault::approval::Standing;
use vault::change::ItemResult;
use vault::placement::Origin;
use vault::plan::{Action, OnConflict, Source, Target};
use vault::servers::SavedServer;

use super::fetching::{fetch, findings, restored};
use super::offered::{find, listed};
use super::shown::{Became, Found, Taken, TakenSkill, told};
use super::{Download, Ended, FindPaths, Said, Server, SyncAll};
use crate::cli::tell;
use crate::reach::{Reach, brings, reach};
use crate::remembered::broken;
use crate::render::in_one_line;
use crate::view::{ErrorCode, ErrorView};

impl Download {
    pub(super) async fn go(self, paths: &FindPaths) -> Result<Said, Ended> {
        let mut place = Place::of(&self.into, self.overwrite, &self.server, paths)?;
        let connection = self.server.connect().await?;
        let offer = find(&connection, &self.skill).await?;
        let skills = vec![place.take(&connection, &offer).await?];
        connection.close().await;
        place.told(&self.server, skills, None)
    }
}

impl SyncAll {
    pub(super) async fn go(self, paths: &FindPaths) -> Result<Said, Ended> {
        let place = self.place(paths)?;
        self.bring(place).await
    }

    pub(super) fn place(&self, paths: &FindPaths) -> Result<Place, Ended> {
        Place::of(&self.into, self.overwrite, &self.server, paths)
    }

    pub(super) async fn bring(self, mut place: Place) -> Result<Said, Ended> {
        let connection = self.server.connect().await?;
        let offers = listed(&connection).await?.offers;
        let mut called: HashMap<String, usize> = HashMap::new();
        for offer in &offers {
            *called.entry(folder_name(offer)).or_default() += 1;
        }
        let mut skills = Vec::new();
        for (at, offer) in offers.iter().enumerate() {
            let name = folder_name(offer);
            if called.get(&name).is_some_and(|count| *count > 1) {
                skills
                    .push(refused(offer, format!("several skills would have the folder {name:?}")));
                continue;
            }
            match place.take(&connection, offer).await {
                Ok(skill) => skills.push(skill),
                // What is done is done, and has to be told.
                Err(Ended::Unreachable(error)) if !skills.is_empty() => {
                    skills.push(refused(offer, error.to_string()));
                    let why = "it was not asked for: the server had gone away";
                    skills
                        .extend(offers[at + 1..].iter().map(|left| refused(left, why.to_owned())));
                    return place.told(&self.server, skills, Some(error));
                }
                Err(ended) => return Err(ended),
            }
        }
        connection.close().await;
        place.told(&self.server, skills, None)
    }
}

/// The folder that a skill gets.
fn folder_name(offer: &Offer) -> String {
    match &offer.verdict {
        Verdict::Verifiable(entry) => entry.uri().name().to_owned(),
        _ => offer.uri.clone(),
    }
}

/// Where skills go, and what is known of it.
pub(super) struct Place {
    vault: Vault,
    root: PathBuf,
    reach: Reach,
    endpoint: Endpoint,
    approved: Vec<Fingerprint>,
    accepted: Vec<String>,
    on_conflict: OnConflict,
    /// The bytes that may still come.
    pub(super) room: u64,
}

impl Place {
    fn of(
        into: &super::Target,
        overwrite: bool,
        server: &Server,
        paths: &FindPaths,
    ) -> Result<Self, Ended> {
        let failed = |error: &dyn std::error::Error| {
            Ended::Failed(ErrorView::new(ErrorCode::Disk, error.to_string()))
        };
        let root = std::path::absolute(&into.to).map_err(|error| {
            Ended::Misused(ErrorView::bad_input(format!("{}: {error}", into.to.display())))
        })?;
        let paths = paths().map_err(|error| failed(&error))?;
        let (vault, _) = Vault::open(&paths).map_err(|error| Ended::Failed(error.into()))?;
        let choices = vault.choices().map_err(|error| Ended::Failed(error.into()))?;
        Ok(Self {
            reach: reach(&root, &paths, &choices),
            vault,
            root,
            endpoint: server.endpoint(),
            approved: into.approve.clone(),
            accepted: into.accept.clone(),
            on_conflict: if overwrite { OnConflict::Replace } else { OnConflict::Keep },
            room: SERVER_BYTES,
        })
    }

    fn told(
        &self,
        server: &Server,
        skills: Vec<TakenSkill>,
        lost: Option<ErrorView>,
    ) -> Result<Said, Ended> {
        let taken = Taken {
            server: server.url.trim().to_owned(),
            to: self.root.display().to_string(),
            skills,
        };
        let refused = taken.any_refused();
        Ok(Said { text: told(server.json, &taken, Taken::text)?, refused, lost })
    }

    /// Brings one skill here, or says why not.
    async fn take(&mut self, connection: &Connection, offer: &Offer) -> Result<TakenSkill, Ended> {
        let entry = match &offer.verdict {
            Verdict::Verifiable(entry) => entry,
            Verdict::Unverifiable(reason) => return Ok(refused(offer, reason.clone())),
            Verdict::Refused(rules) => {
                let rules: Vec<String> = rules.iter().map(broken).collect();
                return Ok(refused(offer, rules.join("; ")));
            }
        };
        let folder = self.root.join(entry.uri().name());
        if self.on_conflict == OnConflict::Keep && folder.symlink_metadata().is_ok() {
            return Ok(TakenSkill {
                result: Became::Skipped,
                path: Some(folder.display().to_string()),
                reason: Some(already(&folder, entry)),
                ..refused(offer, String::new())
            });
        }
        match self.room.checked_sub(entry.manifest().total_size()) {
            Some(room) => self.room = room,
            None => {
                let why = format!(
                    "all skills together may have {SERVER_BYTES} bytes, and with it they had more; \
                     download it by itself"
                );
                return Ok(refused(offer, why));
            }
        }
        let fetched = match fetch(connection, entry).await? {
            Ok(fetched) => fetched,
            Err(why) => return Ok(refused(offer, why)),
        };
        let Some(read) = self.is_read(entry) else {
            return self.copy(offer, entry, &fetched);
        };
        // Whoever is asked to approve is told first what there is.
        match self.not_approved(entry, &read).or_else(|| self.not_accepted(&fetched)) {
            Some(missing) => {
                Ok(TakenSkill { findings: findings(&fetched), ..refused(offer, missing) })
            }
            None => self.install(offer, entry, &fetched),
        }
    }

    /// The folder in which a tool would find something of the skill, if there is one.
    fn is_read(&self, entry: &Entry) -> Option<PathBuf> {
        if self.reach.read {
            return Some(self.root.clone());
        }
        let files = entry.files().iter().map(|file| file.path.as_str());
        brings(&self.root, entry.uri().name(), files)
    }

    /// The first content in a skill whose fingerprint was not given.
    fn not_approved(&self, entry: &Entry, read: &Path) -> Option<String> {
        let wants = |what: &str, fingerprint: Fingerprint| {
            (!self.approved.contains(&fingerprint)).then(|| {
                format!(
                    "{} is a folder in which skills are looked for, so {what} comes only with \
                     --approve {fingerprint}",
                    read.display()
                )
            })
        };
        wants("it", entry.fingerprint()).or_else(|| {
            nested(entry).find_map(|(path, inner)| {
                wants(&format!("the skill inside it, {path},"), inner.fingerprint())
            })
        })
    }

    /// That something grave was found and nobody accepted it.
    fn not_accepted(&self, fetched: &Fetched) -> Option<String> {
        let mut missing: Vec<&str> = Vec::new();
        let found = findings(fetched);
        for code in found.iter().filter(|found| found.is_grave()).map(Found::code) {
            if !self.accepted.iter().any(|accepted| accepted == code) && !missing.contains(&code) {
                missing.push(code);
            }
        }
        (!missing.is_empty()).then(|| {
            let flags: Vec<String> =
                missing.iter().map(|code| format!("--accept {code}")).collect();
            format!(
                "something grave was found in it; look at it, and if it is meant to be there, add \
                 {}",
                flags.join(" ")
            )
        })
    }

    /// Where a tool reads: approved, planned and applied as the window does it.
    fn install(
        &self,
        offer: &Offer,
        entry: &Entry,
        fetched: &Fetched,
    ) -> Result<TakenSkill, Ended> {
        let server = self.saved().map_err(Ended::Failed)?;
        for bytes in fetched.verified().unwrap_or_default().values() {
            let kept = self.vault.put(&server.id, bytes);
            kept.map_err(|error| {
                Ended::Failed(ErrorView::new(ErrorCode::Disk, error.to_string()))
            })?;
        }
        let inner: Vec<Entry> = nested(entry).map(|(_, inner)| inner).collect();
        for skill in inner.iter().chain(std::iter::once(entry)) {
            let findings = findings(fetched).iter().map(Found::text).collect();
            if let Some(why) = self.approve(&server, skill, findings).map_err(Ended::Failed)? {
                return Ok(refused(offer, why));
            }
        }
        let source = Source::Approved {
            server,
            entry: Box::new(entry.clone()),
            executable: Default::default(),
        };
        self.place(offer, source, fetched)
    }

    /// Where no tool reads: the same staging and swap, without an approval.
    fn copy(&self, offer: &Offer, entry: &Entry, fetched: &Fetched) -> Result<TakenSkill, Ended> {
        let contents = fetched.verified().unwrap_or_default();
        let source = Source::Unapproved {
            origin: Origin::Server {
                server: ServerId(String::new()),
                label: self.endpoint.shown(),
                address: self.endpoint.identity(),
                uri: offer.uri.clone(),
            },
            name: entry.uri().name().to_owned(),
            files: entry.manifest().clone(),
            contents,
        };
        self.place(offer, source, fetched)
    }

    /// The server with this address that the window knows, or a new one, which stays switched off
    /// until the person switches it on; that is said.
    fn saved(&self) -> Result<SavedServer, ErrorView> {
        let known = self.vault.servers()?;
        if let Some(server) = known.into_iter().find(|server| server.endpoint == self.endpoint) {
            return Ok(server);
        }
        let server = self.vault.add_server(&self.endpoint.shown(), self.endpoint.clone())?;
        self.vault.set_server_enabled(&server.id, false)?;
        let line = format!(
            "note: {} is kept among the servers of the window now, switched off: what you approve is \
             bound to it",
            in_one_line(&self.endpoint.shown())
        );
        tell(&format!("{line}\n"));
        Ok(SavedServer { enabled: false, ..server })
    }

    /// Approves exactly this content, unless it stands approved already. Nothing that it asks for is
    /// granted. Says why not where the person rejected it.
    fn approve(
        &self,
        server: &SavedServer,
        entry: &Entry,
        findings: Vec<String>,
    ) -> Result<Option<String>, ErrorView> {
        match self.vault.standing(server, entry)? {
            Standing::Approved(_) => return Ok(None),
            Standing::Rejected { .. } => {
                return Ok(Some(format!("{} was rejected in the window", entry.name())));
            }
            Standing::Unreviewed | Standing::Changed { .. } => {}
        }
        self.vault.approve(server, entry, false, findings)?;
        Ok(None)
    }

    fn place(&self, offer: &Offer, source: Source, fetched: &Fetched) -> Result<TakenSkill, Ended> {
        let failed = |error: vault::VaultError| Ended::Failed(ErrorView::from(error));
        let tools = match self.reach.here.as_slice() {
            [] => vec![String::new()],
            tools => tools.to_vec(),
        };
        let target = |tool: String| Target {
            tool,
            root: self.root.clone(),
            name: None,
            on_conflict: self.on_conflict,
            mode: vault::link::Mode::Copy,
        };
        let targets = tools.into_iter().map(target).collect();
        let plan = self.vault.plan(source, targets, &self.reach.scanned).map_err(failed)?;
        if !plan.blockers.is_empty() {
            return Ok(refused(offer, plan.blockers.join("; ")));
        }
        let Some(item) = plan.items.first() else {
            return Ok(refused(offer, "there is nowhere to put it".to_owned()));
        };
        let message = item.message.clone();
        let folder = item.folder.display().to_string();
        if item.action == Action::Refuse {
            return Ok(refused(offer, message.unwrap_or_default()));
        }
        let change = self.vault.apply(&plan, &mut |_| ControlFlow::Continue(())).map_err(failed)?;
        let Some(outcome) = change.items.into_iter().next() else {
            return Ok(refused(offer, "nothing was done".to_owned()));
        };
        let result = match outcome.result {
            ItemResult::Written => Became::Written,
            ItemResult::Replaced | ItemResult::Renamed => Became::Replaced,
            ItemResult::Kept => Became::Skipped,
            _ => Became::Refused,
        };
        let left_out = plan.left_out.iter().flat_map(|left_out| &left_out.files);
        Ok(TakenSkill {
            result,
            path: Some(folder),
            reason: outcome.error.map(|error| error.to_string()).or(message),
            left_out: left_out.flat_map(|file| file.fields.clone()).collect(),
            restored: restored(fetched),
            findings: findings(fetched),
            ..refused(offer, String::new())
        })
    }
}

/// What to say of a folder where a skill would go.
fn already(folder: &Path, entry: &Entry) -> String {
    let same =
        check_folder(folder).manifest.is_ok_and(|there| there.fingerprint() == entry.fingerprint());
    match same {
        true => "it is there already, byte for byte".to_owned(),
        false => {
            "something else is there already; --overwrite replaces it, and the window can undo that"
                .to_owned()
        }
    }
}

/// The skills inside of one, each as an entry of its own.
fn nested(entry: &Entry) -> impl Iterator<Item = (&str, Entry)> {
    let mains = entry.files().iter().filter(|file| is_nested_main(&file.path));
    mains.filter_map(|file| Some((file.path.as_str(), nested_entry(entry, &file.path)?)))
}

fn refused(offer: &Offer, reason: String) -> TakenSkill {
    let fingerprint = match &offer.verdict {
        Verdict::Verifiable(entry) => Some(entry.fingerprint().to_string()),
        _ => None,
    };
    TakenSkill {
        name: offer.name.clone(),
        uri: offer.uri.clone(),
        fingerprint,
        result: Became::Refused,
        path: None,
        reason: Some(reason),
        left_out: Vec::new(),
        restored: Vec::new(),
        findings: Vec::new(),
    }
}
