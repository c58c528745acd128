//! Signing in to a server in the person's browser, and out again. What they are given is with the
//! secrets; the ledger knows only that somebody is signed in.

use std::fmt;
use std::sync::Arc;

use skills::origin::{Endpoint, ServerId};
use skills_mcp::auth::{Keep, KeepError, SignIn};
use skills_mcp::limits::Timeouts;
use skills_mcp::{ErrorKind, Secret};
use tokio_util::sync::CancellationToken;
use vault::Vault;
use vault::servers::SavedServer;

use crate::connections::LinkState;
use crate::error::Outcome;
use crate::jobs::new_id;
use crate::offers::blocking;
use crate::secrets::Secrets;
use crate::shell::Shell;
use crate::view::{ErrorCode, ErrorView, Scope, SignInPreview};

/// Opens an address that the person has seen in their browser.
pub struct Browser(Box<Open>);

type Open = dyn Fn(&str) -> Result<(), String> + Send + Sync;

impl Browser {
    /// A browser that is opened with `open`, which says why it cannot be.
    pub fn new(open: impl Fn(&str) -> Result<(), String> + Send + Sync + 'static) -> Self {
        Self(Box::new(open))
    }

    fn open(&self, address: &str) -> Result<(), String> {
        (self.0)(address)
    }
}

impl fmt::Debug for Browser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Browser").finish_non_exhaustive()
    }
}

/// Where the sign-in of one server is kept. A connection that was ended keeps nothing any more.
#[derive(Debug)]
pub(crate) struct KeptSignIn {
    id: ServerId,
    vault: Arc<Vault>,
    secrets: Arc<Secrets>,
    ended: CancellationToken,
}

impl KeptSignIn {
    pub(crate) fn new(
        id: &ServerId,
        vault: &Arc<Vault>,
        secrets: &Arc<Secrets>,
        ended: &CancellationToken,
    ) -> Self {
        let (vault, secrets) = (Arc::clone(vault), Arc::clone(secrets));
        Self { id: id.clone(), vault, secrets, ended: ended.clone() }
    }
}

impl Keep for KeptSignIn {
    fn load(&self) -> Result<Option<Secret>, KeepError> {
        // No keychain is asked about a server that nobody is signed in to.
        if !self.vault.is_signed_in(&self.id).map_err(|error| KeepError(error.to_string()))? {
            return Ok(None);
        }
        let kept = self.secrets.get(&secret_of(&self.id));
        Ok(kept.map_err(|error| KeepError(error.to_string()))?.map(Secret::from))
    }

    fn save(&self, grant: &Secret) -> Result<(), KeepError> {
        if self.ended.is_cancelled() {
            return Err(KeepError("the connection was ended".to_owned()));
        }
        let kept = self.secrets.set(&secret_of(&self.id), grant.expose());
        kept.map_err(|error| KeepError(error.to_string()))?;
        self.vault.set_signed_in(&self.id, true).map_err(|error| KeepError(error.to_string()))
    }

    fn forget(&self) -> Result<(), KeepError> {
        if self.ended.is_cancelled() {
            return Ok(());
        }
        forget(&self.id, &self.vault, &self.secrets).map_err(|error| KeepError(error.message))
    }
}

/// A sign-in that was shown and waits for a yes.
#[derive(Debug)]
pub struct SignInDraft {
    server: SavedServer,
    sign_in: SignIn,
}

impl Shell {
    /// Asks a server where one signs in, and keeps that under a token for when the person says yes.
    /// Nothing is opened, and nobody but the servers of the sign-in is asked.
    ///
    /// # Errors
    /// When the server does not ask to sign in, or says of it what is not to be trusted.
    pub async fn preview_sign_in(&self, id: &str) -> Outcome<SignInPreview> {
        let server = self.server(id)?;
        let Endpoint::Http { url } = &server.endpoint else {
            return Err(ErrorView::bad_input("only a server with an address can ask to sign in"));
        };
        let state = self.connections.link(&server.id).map(|link| link.state);
        let Some(LinkState::NeedsSignIn { challenge, possible: true, .. }) = state else {
            return Err(ErrorView::gone(format!("{} does not ask to sign in now", server.label)));
        };
        let sign_in = SignIn::discover(url, challenge.as_deref(), Timeouts::default()).await?;
        let token = new_id();
        let preview = SignInPreview {
            token: token.clone(),
            label: server.label.clone(),
            address: server.endpoint.shown(),
            issuer: sign_in.issuer(),
            opens: sign_in.opens(),
            scopes: sign_in.scopes().to_vec(),
            kept: self.secrets.place(),
        };
        self.sign_ins.keep(token, SignInDraft { server, sign_in });
        Ok(preview)
    }

    /// Opens the browser where the person was shown, waits until they have signed in there, and
    /// reaches the server anew. `job` is how it is cancelled. The page is told to `told` first: where
    /// no browser opens, which no system tells for certain, the person opens it by hand.
    ///
    /// # Errors
    /// When the token was used before, somebody says no, or it takes too long.
    pub async fn sign_in(
        &self,
        token: &str,
        job: String,
        browser: &Browser,
        told: impl FnOnce(&str),
    ) -> Outcome<()> {
        let SignInDraft { server, sign_in } = self.sign_ins.take(token)?;
        let job = self.jobs.begin(job)?;
        let grant = tokio::select! {
            () = job.stop().cancelled() => {
                return Err(ErrorView::new(ErrorCode::Cancelled, "the sign-in was stopped"));
            }
            grant = sign_in.run(|address| {
                told(address);
                if let Err(why) = browser.open(address) {
                    tracing::warn!(server = %server.id, %why, "the page to sign in at");
                }
                Ok(())
            }) => grant.map_err(|error| {
                if error.kind() == ErrorKind::Timeout {
                    tracing::info!(server = %server.id, "nobody signed in");
                }
                ErrorView::from(error)
            })?,
        };
        // It may have been removed, or be another one by now.
        let now = self.server(&server.id.0)?;
        if now.endpoint != server.endpoint {
            return Err(ErrorView::changed(format!("{} has another address now", now.label)));
        }
        let keep =
            KeptSignIn::new(&server.id, &self.vault, &self.secrets, &CancellationToken::new());
        blocking(move || {
            keep.save(&grant.text()).map_err(|error| ErrorView::new(ErrorCode::Disk, error.0))
        })
        .await??;
        if now.enabled {
            self.connections.start(now);
        }
        self.events.changed(Scope::Servers);
        Ok(())
    }

    /// Forgets what the person was given when they signed in, and reaches the server without it.
    ///
    /// # Errors
    /// When there is no such server, or it cannot be forgotten.
    pub fn sign_out(&self, id: &str) -> Outcome<()> {
        let server = self.server(id)?;
        self.connections.stop(&server.id);
        forget(&server.id, &self.vault, &self.secrets)?;
        if server.enabled {
            self.connections.start(server);
        }
        self.events.changed(Scope::Servers);
        Ok(())
    }
}

/// Forgets the sign-in of a server, if there is one.
///
/// # Errors
/// When it cannot be removed from where it is kept.
pub(crate) fn forget(id: &ServerId, vault: &Vault, secrets: &Secrets) -> Outcome<()> {
    if vault.is_signed_in(id)? {
        secrets.remove(&secret_of(id))?;
        vault.set_signed_in(id, false)?;
    }
    Ok(())
}

fn secret_of(id: &ServerId) -> String {
    format!("sign-in-{id}")
}
