//! The life of one connection.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use skills::origin::Endpoint;
use skills_mcp::limits::{LOOKED_UP, list_again};
use skills_mcp::{ClientContext, ClientError, Connection, ErrorKind, Offer, Offers, Verdict};
use tauri::async_runtime::spawn_blocking;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use vault::Vault;
use vault::servers::SavedServer;

use super::retry::{pause, share};
use super::{Failed, Link, LinkState, Links};
use crate::error::Outcome;
use crate::events::Events;
use crate::given::Given;
use crate::remembered;
use crate::secrets::Secrets;
use crate::sign_in::KeptSignIn;
use crate::view::{ErrorCode, ErrorView, Scope};

/// A server that says again and again that its list changed is asked at most this often.
const BETWEEN_LISTS: Duration = Duration::from_millis(500);

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
                Endpoint::Samples => None,
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
                error: view,
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
        loop {
            changes.mark_unchanged();
            let offers = connection.list().await?;
            *failures = 0;
            let again = list_again(offers.good_for_ms);
            let looked_up = self.look_up_again(&offers, &connection).await?;
            let verifiable = |offer: &&Offer| matches!(offer.verdict, Verdict::Verifiable(_));
            let known = offers.offers.iter().chain(&looked_up).filter(verifiable);
            connection.watch(known.map(|offer| offer.uri.as_str()));
            self.take_in(offers, looked_up, &connection).await;
            tokio::time::sleep(BETWEEN_LISTS).await;
            tokio::select! {
                () = self.refresh.notified() => {}
                () = tokio::time::sleep(again) => {}
                changed = changes.changed() => {
                    if changed.is_err() || connection.is_closed() {
                        self.update(|link| {
                            link.state = LinkState::Connecting;
                            link.connection = None;
                        });
                        return Ok(());
                    }
                }
            }
        }
    }

    /// What was looked up earlier and is not in the list, as it is offered now. What the server
    /// does not give any more is left out.
    async fn look_up_again(
        &self,
        offers: &Offers,
        connection: &Connection,
    ) -> Result<Vec<Offer>, ClientError> {
        let (vault, id) = (Arc::clone(&self.vault), self.server.id.clone());
        let recalled = spawn_blocking(move || remembered::recall(&vault, &id)).await;
        let known = recalled.ok().and_then(Result::ok).unwrap_or_default();
        let mut found = Vec::new();
        let unlisted = known.into_iter().filter(|skill| {
            skill.unlisted && !offers.offers.iter().any(|offer| offer.uri == skill.uri)
        });
        for skill in unlisted.take(LOOKED_UP) {
            match connection.look_up(&skill.uri).await {
                Ok(offer) => found.push(offer),
                Err(error) if matches!(error.kind(), ErrorKind::Refused | ErrorKind::Protocol) => {
                    tracing::info!(%error, "a skill that was looked up is not given any more");
                }
                Err(error) => return Err(error),
            }
        }
        Ok(found)
    }

    /// Takes note of a list: approvals of what changed end before the page can see it.
    async fn take_in(&self, offers: Offers, looked_up: Vec<Offer>, connection: &Arc<Connection>) {
        let (offers, looked_up) = (Arc::new(offers), Arc::new(looked_up));
        let (vault, server) = (Arc::clone(&self.vault), self.server.clone());
        let (seen, seen_too) = (Arc::clone(&offers), Arc::clone(&looked_up));
        let noted = spawn_blocking(move || {
            let mut revoked = false;
            for offer in seen.offers.iter().chain(seen_too.iter()) {
                if let Verdict::Verifiable(entry) = &offer.verdict {
                    revoked |= vault.notice(&server, entry)?;
                }
            }
            remembered::remember(&vault, &server.id, &seen.offers, &seen_too)?;
            Ok::<bool, vault::VaultError>(revoked)
        })
        .await;
        let failure = match noted {
            Ok(Ok(revoked)) => {
                if revoked {
                    self.events.changed(Scope::Activity);
                }
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
            match failure {
                // Without the record nothing can be said about approvals, so nothing is shown.
                Some(error) => {
                    link.state = LinkState::Unreachable(Failed { error, again: None });
                }
                None => {
                    link.state = LinkState::Connected;
                    link.listed = Some(offers);
                    link.looked_up = looked_up;
                    link.listed_at = Some(Timestamp::now());
                }
            }
        });
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
