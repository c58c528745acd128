//! The life of one connection.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use jiff::Timestamp;
use skills::origin::Endpoint;
use skills_mcp::limits::list_again;
use skills_mcp::{ClientContext, ClientError, Connection, ErrorKind, Offer, Offers, Verdict};
use tauri::async_runtime::spawn_blocking;
use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;
use vault::Vault;
use vault::placement::Origin;
use vault::servers::SavedServer;

use super::calm::Calm;
use super::retry::{pause, share};
use super::{Failed, Link, LinkState, Links};
use crate::error::Outcome;
use crate::events::Events;
use crate::given::Given;
use crate::remembered::{self, LookedUp};
use crate::secrets::Secrets;
use crate::sign_in::KeptSignIn;
use crate::view::{ErrorCode, ErrorView, Scope};

/// What one server's task holds.
pub(super) struct Task {
    pub(super) server: SavedServer,
    pub(super) vault: Arc<Vault>,
    pub(super) events: Arc<Events>,
    pub(super) context: ClientContext,
    pub(super) secrets: Arc<Secrets>,
    pub(super) links: Arc<Mutex<Links>>,
    pub(super) refresh: Arc<Notify>,
    pub(super) stop: CancellationToken,
}

impl Task {
    pub(super) async fn run(self) {
        let mut failures = 0;
        loop {
            let ended = match self.context().await {
                Ok((context, signs)) => {
                    let ended = self.connect_and_list(&context, &mut failures).await;
                    ended.map_err(|error| self.told(&error, signs))
                }
                Err(error) => Err(LinkState::Unreachable(Failed { error, again: None })),
            };
            let mut wait = match self.server.endpoint {
                // They are in process: what fails there does not mend itself.
                Endpoint::Samples | Endpoint::Imported { .. } => None,
                _ => Some(pause(failures, share())),
            };
            match ended {
                Ok(()) => tracing::info!(server = %self.server.id, "the connection ended"),
                Err(mut state) => {
                    tracing::info!(
                        server = %self.server.id,
                        code = ?state.error().map(|error| error.code),
                        "not reached"
                    );
                    match &mut state {
                        LinkState::Refused(failed) | LinkState::Unreachable(failed) => {
                            failed.again =
                                wait.and_then(|wait| Timestamp::now().checked_add(wait).ok());
                        }
                        // Nobody signs in by waiting.
                        _ => wait = None,
                    }
                    self.update(|link| {
                        link.state = state;
                        link.connection = None;
                    });
                }
            }
            failures += 1;
            let later = async {
                match wait {
                    Some(wait) => tokio::time::sleep(wait).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = self.refresh.notified() => {
                    failures = 0;
                    self.update(|link| link.state = LinkState::Connecting);
                }
                () = later => {}
            }
        }
    }

    /// What the page is told of a failure. `signs`: whether a sign-in would be sent.
    fn told(&self, error: &ClientError, signs: bool) -> LinkState {
        let view = ErrorView::from(error);
        let failed = |error| Failed { error, again: None };
        match error.kind() {
            ErrorKind::SignIn => LinkState::NeedsSignIn {
                error: if signs { view } else { not_accepted(view, error.reason()) },
                challenge: error.challenge().map(str::to_owned),
                possible: signs && matches!(self.server.endpoint, Endpoint::Http { .. }),
            },
            ErrorKind::NotMcp | ErrorKind::Protocol | ErrorKind::Refused => {
                LinkState::Refused(failed(view))
            }
            ErrorKind::Unreachable
            | ErrorKind::Timeout
            | ErrorKind::Closed
            | ErrorKind::Cancelled => LinkState::Unreachable(failed(view)),
        }
    }

    /// What the connection needs, with what this server is given; and whether it is sent a sign-in.
    async fn context(&self) -> Outcome<(ClientContext, bool)> {
        let (id, vault, secrets) =
            (self.server.id.clone(), Arc::clone(&self.vault), Arc::clone(&self.secrets));
        let given = spawn_blocking(move || Given::of(&id, &vault, &secrets)).await;
        let given = given.map_err(|error| {
            tracing::error!(%error, "what a server is given could not be read");
            ErrorView::new(ErrorCode::Internal, "what the server is given could not be read")
        })??;
        let mut context = self.context.clone();
        given.apply(&mut context);
        let kept = KeptSignIn::new(&self.server.id, &self.vault, &self.secrets, &self.stop);
        context.sign_in = Some(Arc::new(kept));
        Ok((context, !given.identifies()))
    }

    /// Ends well when a connection that had been there is gone.
    async fn connect_and_list(
        &self,
        context: &ClientContext,
        failures: &mut u32,
    ) -> Result<(), ClientError> {
        let connection = Arc::new(Connection::open(&self.server.endpoint, context).await?);
        let mut changes = connection.changes();
        let mut calm = Calm::default();
        loop {
            changes.mark_unchanged();
            let began = Instant::now();
            let offers = connection.list().await?;
            *failures = 0;
            let again = list_again(offers.good_for_ms);
            let looked_up = self.look_up_again(&offers, &connection).await?;
            let verifiable = |offer: &&Offer| matches!(offer.verdict, Verdict::Verifiable(_));
            let known = offers.offers.iter().chain(&looked_up.found).filter(verifiable);
            connection.watch(known.map(|offer| offer.uri.as_str()));
            self.take_in(offers, looked_up, &connection).await;
            let done = Instant::now();
            let pause = calm.after(done - began);
            let news = async {
                if changes.changed().await.is_err() || connection.is_closed() {
                    return;
                }
                calm.told(done.elapsed());
                // News has to wait, the end of the connection has not.
                tokio::select! {
                    () = tokio::time::sleep(pause.saturating_sub(done.elapsed())) => {}
                    () = ended(&mut changes, &connection) => {}
                }
            };
            tokio::select! {
                () = self.refresh.notified() => {}
                () = tokio::time::sleep(again.max(pause)) => {}
                () = news => {}
            }
            if connection.is_closed() || changes.has_changed().is_err() {
                self.update(|link| {
                    link.state = LinkState::Connecting;
                    link.connection = None;
                });
                return Ok(());
            }
        }
    }

    /// What was looked up earlier and is not in the list, as it is offered now. What the server
    /// does not give any more is left out.
    async fn look_up_again(
        &self,
        offers: &Offers,
        connection: &Connection,
    ) -> Result<LookedUp, ClientError> {
        let (vault, id) = (Arc::clone(&self.vault), self.server.id.clone());
        let recalled = spawn_blocking(move || remembered::recall(&vault, &id)).await;
        let known = recalled.ok().and_then(Result::ok).unwrap_or_default();
        let mut again = LookedUp::default();
        let unlisted = remembered::looked_up(&known)
            .filter(|skill| !offers.offers.iter().any(|offer| offer.uri == skill.uri));
        for skill in unlisted {
            again.asked.push(skill.uri.clone());
            match connection.look_up(&skill.uri).await {
                Ok(offer) => again.found.push(offer),
                Err(error) if matches!(error.kind(), ErrorKind::Refused | ErrorKind::Protocol) => {
                    tracing::info!(%error, "a skill that was looked up is not given any more");
                }
                Err(error) => return Err(error),
            }
        }
        Ok(again)
    }

    /// Takes note of a list: approvals of what changed end before the page can see it.
    async fn take_in(&self, offers: Offers, again: LookedUp, connection: &Arc<Connection>) {
        let (offers, again) = (Arc::new(offers), Arc::new(again));
        let (vault, server) = (Arc::clone(&self.vault), self.server.clone());
        let (seen, seen_too) = (Arc::clone(&offers), Arc::clone(&again));
        let noted = spawn_blocking(move || {
            let mut revoked = false;
            for offer in seen.offers.iter().chain(&seen_too.found) {
                if let Verdict::Verifiable(entry) = &offer.verdict {
                    revoked |= vault.notice(&server, entry)?;
                }
            }
            let changed = remembered::remember(&vault, &server.id, &seen.offers, &seen_too)?;
            let installed = vault.placements()?.iter().any(|placement| {
                matches!(&placement.origin, Origin::Server { server: from, .. } if *from == server.id)
            });
            Ok::<_, vault::VaultError>((revoked, installed, changed))
        })
        .await;
        let (mut installed, mut changed) = (false, false);
        let failure = match noted {
            Ok(Ok((revoked, any, other))) => {
                if revoked {
                    self.events.changed(Scope::Activity);
                }
                (installed, changed) = (any, other);
                None
            }
            Ok(Err(error)) => Some(ErrorView::from(error)),
            Err(error) => {
                tracing::error!(%error, "a list could not be taken in");
                Some(ErrorView::new(
                    ErrorCode::Internal,
                    "the list of the server could not be taken in",
                ))
            }
        };
        tracing::info!(server = %self.server.id, offers = offers.offers.len(), "listed");
        self.update(|link| {
            link.connection = Some(Arc::clone(connection));
            changed |= link.listed.is_none();
            match failure {
                // Without the record nothing can be said about approvals, so nothing is shown.
                Some(error) => {
                    link.state = LinkState::Unreachable(Failed { error, again: None });
                }
                None => {
                    link.state = LinkState::Connected;
                    // What was looked up while the list came stays.
                    let newer = link.looked_up.iter().filter(|known| {
                        !again.asked.contains(&known.uri)
                            && !offers.offers.iter().any(|offer| offer.uri == known.uri)
                    });
                    link.looked_up = Arc::new(again.found.iter().chain(newer).cloned().collect());
                    link.listed = Some(offers);
                    link.listed_at = Some(Timestamp::now());
                }
            }
        });
        // Whether there is an update for what was installed is said in the library.
        if installed && changed {
            self.events.changed(Scope::Library);
        }
    }

    /// Changes the link and tells of it, unless this task was ended meanwhile.
    fn update(&self, change: impl FnOnce(&mut Link)) {
        {
            let mut links = self.links.lock().unwrap_or_else(PoisonError::into_inner);
            if self.stop.is_cancelled() {
                return;
            }
            if let Some(running) = links.get_mut(&self.server.id) {
                change(&mut running.link);
            }
        }
        self.events.changed(Scope::Servers);
    }
}

/// Waits until a connection is no more.
async fn ended(changes: &mut watch::Receiver<u64>, connection: &Connection) {
    while changes.changed().await.is_ok() && !connection.is_closed() {}
}

/// That a server asks who is there although the person gave it something that says so.
fn not_accepted(view: ErrorView, reason: &str) -> ErrorView {
    let place = view.message.strip_suffix(reason).unwrap_or_default();
    let message =
        format!("{place}the server does not accept the token or headers that it is given");
    ErrorView { message, ..view }.with_hint("check them in the settings of the server")
}
