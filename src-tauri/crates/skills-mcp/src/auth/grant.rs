//! What a sign-in gave, and where it is kept.

use std::fmt;

use rmcp::transport::auth::{OAuthClientConfig, StoredCredentials};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Secret;
use crate::headers::check_token;

/// The tokens of one sign-in, and what they are renewed with. Debug output has none of it.
#[derive(Clone, Serialize, Deserialize)]
pub struct Grant {
    /// The address of the server that it is for; it is sent to no other.
    server: String,
    /// Who gave it. Another is never asked to renew it.
    issuer: Option<String>,
    /// This program's own secret at the authorization server, where that gave one.
    client_secret: Option<String>,
    redirect: String,
    credentials: StoredCredentials,
}

impl fmt::Debug for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Grant").field("server", &self.server).finish_non_exhaustive()
    }
}

impl Grant {
    /// `None` where the tokens cannot be sent: another kind than bearer tokens, or no header.
    pub(super) fn new(
        server: &str,
        client: &OAuthClientConfig,
        credentials: StoredCredentials,
    ) -> Option<Self> {
        let grant = Self {
            server: server.to_owned(),
            issuer: credentials.issuer.clone(),
            client_secret: client.client_secret.clone(),
            redirect: client.redirect_uri.clone(),
            credentials,
        };
        let response = grant.response();
        let kind = response.get("token_type").and_then(Value::as_str)?;
        let sent = grant.access_token()?;
        (kind.eq_ignore_ascii_case("bearer") && check_token(&sent).is_ok()).then_some(grant)
    }

    /// Reads one that was kept, if it is for this server.
    pub(super) fn read(kept: &Secret, server: &str) -> Option<Self> {
        let grant: Self = serde_json::from_str(kept.expose()).ok()?;
        (grant.server == server).then_some(grant)
    }

    /// As it is kept.
    pub fn text(&self) -> Secret {
        serde_json::to_string(self).unwrap_or_default().into()
    }

    /// The same with renewed tokens.
    pub(super) fn renewed(&self, credentials: StoredCredentials) -> Option<Self> {
        Self::new(&self.server, &self.client(), credentials)
    }

    pub(super) fn issuer(&self) -> Option<&str> {
        self.issuer.as_deref()
    }

    pub(super) fn credentials(&self) -> StoredCredentials {
        self.credentials.clone()
    }

    /// What this program is to the authorization server.
    pub(super) fn client(&self) -> OAuthClientConfig {
        let client = OAuthClientConfig::new(&self.credentials.client_id, &self.redirect);
        match &self.client_secret {
            Some(secret) => client.with_client_secret(secret),
            None => client,
        }
    }

    pub(super) fn access_token(&self) -> Option<Secret> {
        let response = self.response();
        let token = response.get("access_token").and_then(Value::as_str)?;
        Some(token.into())
    }

    /// Whether the token is good for a while yet at this time (seconds since 1970), as far as the
    /// authorization server said how long it is good.
    pub(super) fn is_fresh(&self, now: u64) -> bool {
        let good_for = self.response().get("expires_in").and_then(Value::as_u64);
        let (Some(good_for), Some(since)) = (good_for, self.credentials.token_received_at) else {
            return true;
        };
        // A short-lived token is not renewed with every call.
        let early = (good_for / 2).min(30);
        now.saturating_sub(since) + early < good_for
    }

    fn response(&self) -> Value {
        serde_json::to_value(&self.credentials.token_response).unwrap_or_default()
    }
}

/// Where the grant of one server is kept between runs. Its calls may block.
pub trait Keep: Send + Sync + fmt::Debug {
    /// What was kept.
    ///
    /// # Errors
    /// When it cannot be read.
    fn load(&self) -> Result<Option<Secret>, KeepError>;

    /// Keeps this in place of what was kept.
    ///
    /// # Errors
    /// When it cannot be written.
    fn save(&self, grant: &Secret) -> Result<(), KeepError>;

    /// Forgets what was kept.
    ///
    /// # Errors
    /// When it cannot be removed.
    fn forget(&self) -> Result<(), KeepError>;
}

/// Why a grant is not kept, or not found again; no secret is in it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct KeepError(pub String);
