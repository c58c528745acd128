//! The token of one connection: read once, sent with each request, renewed when it is old or
//! refused.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use rmcp::transport::auth::{
    AuthError, AuthorizationMetadataSource, CredentialStore as _, InMemoryCredentialStore,
};
use tokio::sync::Mutex;
use tokio::task::spawn_blocking;
use url::Url;

use super::grant::{Grant, Keep};
use super::wire::{Wire, check_address, manager};
use crate::Secret;
use crate::limits::Timeouts;
use crate::secret::Handed;

/// A token that is due could not be renewed now; it may be possible later.
#[derive(Debug, thiserror::Error)]
#[error("the sign-in cannot be renewed: {0}")]
pub(crate) struct NotRenewed(String);

/// What a connection is signed in with.
#[derive(Debug)]
pub(crate) struct Tokens {
    server: Url,
    keep: Arc<dyn Keep>,
    timeouts: Timeouts,
    handed: Handed,
    held: Mutex<Held>,
}

#[derive(Debug, Default)]
struct Held {
    loaded: bool,
    grant: Option<Grant>,
}

impl Tokens {
    /// Tells `handed` of each token that it gives out.
    pub(crate) fn new(
        server: &Url,
        keep: Arc<dyn Keep>,
        timeouts: Timeouts,
        handed: &Handed,
    ) -> Arc<Self> {
        let (server, handed) = (server.clone(), handed.clone());
        Arc::new(Self { server, keep, timeouts, handed, held: Mutex::default() })
    }

    /// The token to send; `None` where nobody is signed in.
    pub(crate) async fn current(self: &Arc<Self>) -> Result<Option<Secret>, NotRenewed> {
        let token = {
            let mut held = self.held.lock().await;
            self.load(&mut held).await?;
            match &held.grant {
                Some(grant) if grant.is_fresh(now()) => return Ok(self.hand(grant)),
                Some(grant) => grant.access_token(),
                None => return Ok(None),
            }
        };
        match token {
            Some(token) => self.instead_of(&token).await,
            None => Ok(None),
        }
    }

    /// Another token in place of this one, which is old or was refused; `None` where the person has
    /// to sign in again.
    pub(crate) async fn instead_of(
        self: &Arc<Self>,
        sent: &Secret,
    ) -> Result<Option<Secret>, NotRenewed> {
        let (this, sent) = (Arc::clone(self), sent.clone());
        // A task of its own: who gives up on a call would lose a token that was given just then.
        let renewing = tokio::spawn(async move { this.renew(&sent).await });
        renewing.await.unwrap_or_else(|_| Err(NotRenewed("it was stopped".to_owned())))
    }

    async fn renew(&self, sent: &Secret) -> Result<Option<Secret>, NotRenewed> {
        let mut held = self.held.lock().await;
        self.load(&mut held).await?;
        let Some(grant) = &held.grant else { return Ok(None) };
        match grant.access_token() {
            // Somebody else was faster.
            Some(token) if token != *sent && grant.is_fresh(now()) => return Ok(self.hand(grant)),
            _ => {}
        }
        let within = self.timeouts.connect * 2;
        let slow = || NotRenewed("the authorization server does not answer in time".to_owned());
        let asked = tokio::time::timeout(within, self.ask(grant)).await.map_err(|_| slow())??;
        let (keep, text) = (Arc::clone(&self.keep), asked.as_ref().map(Grant::text));
        let kept = spawn_blocking(move || match text {
            Some(text) => keep.save(&text),
            None => keep.forget(),
        });
        if let Ok(Err(error)) = kept.await {
            // It is good for this run all the same.
            tracing::warn!(%error, "a renewed sign-in is not kept");
        }
        held.grant = asked;
        Ok(held.grant.as_ref().and_then(|grant| self.hand(grant)))
    }

    fn hand(&self, grant: &Grant) -> Option<Secret> {
        let token = grant.access_token()?;
        self.handed.add(&token);
        Some(token)
    }

    async fn load(&self, held: &mut Held) -> Result<(), NotRenewed> {
        if held.loaded {
            return Ok(());
        }
        let keep = Arc::clone(&self.keep);
        let kept = spawn_blocking(move || keep.load()).await;
        let kept = kept.map_err(|_| NotRenewed("it could not be read".to_owned()))?;
        let kept = kept.map_err(|error| NotRenewed(error.to_string()))?;
        held.grant = kept.and_then(|kept| Grant::read(&kept, self.server.as_str()));
        held.loaded = true;
        Ok(())
    }

    /// Asks the authorization server for another token; `None` where it says no for good, or is not
    /// the one that gave the first.
    async fn ask(&self, grant: &Grant) -> Result<Option<Grant>, NotRenewed> {
        let failed =
            |_: AuthError| NotRenewed("the authorization server cannot be asked".to_owned());
        let wire = Wire::new(&self.server, self.timeouts)
            .map_err(|_| NotRenewed("HTTP cannot be set up here".to_owned()))?;
        let mut manager = manager(&self.server, &wire).await.map_err(failed)?;
        let found = manager.resolve_metadata().await.map_err(failed)?;
        let address = Url::parse(&found.metadata.token_endpoint);
        let good = address.is_ok_and(|it| check_address(&it, &self.server).is_ok());
        if found.source == AuthorizationMetadataSource::LegacyEndpointFallback
            || found.metadata.issuer.as_deref() != grant.issuer()
            || !grant.issuer().is_some_and(|issuer| wire.found_at(issuer))
            || !good
        {
            return Ok(None);
        }
        manager.set_metadata(found.metadata);
        manager.configure_client(grant.client()).map_err(failed)?;
        let store = InMemoryCredentialStore::new();
        store.save(grant.credentials()).await.map_err(failed)?;
        manager.set_credential_store(store.clone());
        match manager.refresh_token().await {
            Ok(_) => {
                let renewed = store.load().await.map_err(failed)?;
                Ok(renewed.and_then(|credentials| grant.renewed(credentials)))
            }
            Err(AuthError::AuthorizationRequired | AuthError::TokenRefreshRejected(_)) => Ok(None),
            Err(_) => Err(NotRenewed(match wire.said() {
                Some(said) => format!("the authorization server gives no token ({said})"),
                None => "the authorization server gives no token".to_owned(),
            })),
        }
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}
