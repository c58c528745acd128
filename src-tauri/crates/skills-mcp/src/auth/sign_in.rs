//! One sign-in, from where it would be to the tokens.

use std::sync::Arc;

use rmcp::transport::auth::{
    AuthorizationManager, AuthorizationMetadataSource, CredentialStore as _,
    InMemoryCredentialStore,
};
use url::Url;

use super::faults::{DOING, fault, not_its_own, nothing_published, refused};
use super::grant::Grant;
use super::redirect::{Came, Redirect};
use super::wire::{Wire, check_address, known, manager};
use crate::Secret;
use crate::error::{ClientError, ErrorKind};
use crate::limits::{SCOPE_CHARS, SCOPES, Timeouts, quoted};
use crate::transport::shown;

/// What this program is called where it registers.
const NAME: &str = "Skillhold";

/// A sign-in that can begin: where it would be is known, and nobody was told anything yet.
pub struct SignIn {
    url: String,
    server: String,
    manager: AuthorizationManager,
    wire: Arc<Wire>,
    issuer: String,
    opens: Url,
    scopes: Vec<String>,
    timeouts: Timeouts,
}

impl std::fmt::Debug for SignIn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SignIn").field("server", &self.server).finish_non_exhaustive()
    }
}

impl SignIn {
    /// Finds out where a person signs in for the server at this address. `challenge` is what the
    /// server said when it refused, see [`ClientError::challenge`].
    ///
    /// # Errors
    /// When the server does not say where, or says something that is not to be trusted: another
    /// resource, another issuer, an address that is not HTTPS.
    pub async fn discover(
        url: &str,
        challenge: Option<&str>,
        timeouts: Timeouts,
    ) -> Result<Self, ClientError> {
        let server = shown(url);
        let parsed = Url::parse(url.trim()).map_err(|_| {
            ClientError::new(ErrorKind::Unreachable, DOING, &server, "it has no address")
        })?;
        check_address(&parsed, &parsed).map_err(|why| {
            refused(&server, format!("its own address is not one to sign in at: {why}"))
                .with_hint("a token would be sent to it for everybody on the way to read")
        })?;
        let wire = Wire::new(&parsed, timeouts).map_err(|error| {
            let reason = "HTTP cannot be set up here";
            ClientError::new(ErrorKind::Unreachable, DOING, &server, reason).with_source(error)
        })?;
        let finding = Self::find(parsed, server.clone(), wire, challenge, timeouts);
        match tokio::time::timeout(timeouts.connect * 2, finding).await {
            Ok(found) => found,
            Err(_) => Err(ClientError::timeout(DOING, &server, timeouts.connect * 2)),
        }
    }

    async fn find(
        url: Url,
        server: String,
        wire: Arc<Wire>,
        challenge: Option<&str>,
        timeouts: Timeouts,
    ) -> Result<Self, ClientError> {
        let failed = |error| fault(&server, error, &wire);
        let mut manager = manager(&url, &wire).await.map_err(failed)?;
        let found = manager.resolve_metadata_from_challenge(challenge).await.map_err(failed)?;
        // A guess at an address is nothing to send a person to.
        if found.source == AuthorizationMetadataSource::LegacyEndpointFallback {
            return Err(nothing_published(&server));
        }
        let metadata = found.metadata;
        let check = |what: &str, address: &str| {
            let parsed = Url::parse(address).map_err(|_| "it is no address".to_owned());
            parsed
                .and_then(|it| check_address(&it, &url).map(|()| it).map_err(|why| why.to_string()))
                .map_err(|why| {
                    let address = quoted(address);
                    refused(&server, format!("{what} {address} is not used: {why}"))
                })
        };
        let opens = check("the page to sign in at", &metadata.authorization_endpoint)?;
        check("the address for tokens", &metadata.token_endpoint)?;
        if let Some(registration) = &metadata.registration_endpoint {
            check("the address for registering", registration)?;
        }
        let Some(issuer) = metadata.issuer.clone() else {
            return Err(refused(&server, "its authorization server does not say who it is"));
        };
        if !wire.found_at(&issuer) {
            return Err(not_its_own(&server, &issuer));
        }
        manager.set_metadata(metadata);
        let scopes = manager.select_initial_scopes(&[]).await;
        if scopes.len() > SCOPES || !scopes.iter().all(|scope| is_scope(scope)) {
            return Err(refused(&server, "it asks for scopes that cannot be shown"));
        }
        let url = url.as_str().to_owned();
        Ok(Self { url, server, manager, wire, issuer, opens, scopes, timeouts })
    }

    /// Who lets the person in, as it calls itself; it was asked under this address.
    pub fn issuer(&self) -> String {
        quoted(&self.issuer)
    }

    /// The page that the browser is sent to.
    pub fn opens(&self) -> String {
        shown(self.opens.as_str())
    }

    /// What this program would be allowed to do, in the words of the authorization server.
    pub fn scopes(&self) -> &[String] {
        &self.scopes
    }

    /// Registers this program, hands the address of the page to `open`, and waits until the person
    /// has signed in there. Dropping the future ends it.
    ///
    /// # Errors
    /// When the person or the authorization server says no, `open` fails, or it takes too long.
    pub async fn run(
        self,
        open: impl FnOnce(&str) -> Result<(), String>,
    ) -> Result<Grant, ClientError> {
        let Self { url, server, mut manager, wire, opens, scopes, timeouts, .. } = self;
        let listening = |error: std::io::Error| {
            let reason =
                "the browser cannot come back: this machine does not let the program listen";
            ClientError::new(ErrorKind::Unreachable, DOING, &server, reason).with_source(error)
        };
        let redirect = Redirect::bind().await.map_err(listening)?;
        let store = InMemoryCredentialStore::new();
        manager.set_credential_store(store.clone());
        let names: Vec<&str> = scopes.iter().map(String::as_str).collect();
        let failed = |error| fault(&server, error, &wire);
        let client =
            manager.register_client(NAME, &redirect.address(), &names).await.map_err(failed)?;
        let page = manager.get_authorization_url(&names).await.map_err(failed)?;
        let page = Url::parse(&page).ok().filter(|page| {
            (page.scheme(), page.host(), page.port(), page.path())
                == (opens.scheme(), opens.host(), opens.port(), opens.path())
        });
        let state = page.as_ref().and_then(|page| {
            let state = page.query_pairs().find(|(name, _)| name == "state")?;
            Some(Secret::from(state.1.into_owned()))
        });
        let (Some(page), Some(state)) = (page, state) else {
            return Err(refused(&server, "the page to sign in at cannot be used"));
        };
        open(page.as_str()).map_err(|why| {
            ClientError::new(ErrorKind::Unreachable, DOING, &server, why)
                .with_hint("set a browser in the settings of the system")
        })?;
        let came = match tokio::time::timeout(timeouts.sign_in, redirect.wait(&state)).await {
            Ok(came) => came.map_err(listening)?,
            Err(_) => {
                let reason = "nobody came back from the browser";
                return Err(ClientError::new(ErrorKind::Timeout, DOING, &server, reason)
                    .with_hint("try again"));
            }
        };
        let (code, issuer) = match came {
            Came::Code { code, issuer } => (code, issuer),
            Came::Refused(word) => {
                let reason = match known(&word) {
                    Some("access_denied") => "access was denied there".to_owned(),
                    Some(word) => format!("its authorization server says no ({word})"),
                    None => "its authorization server says no".to_owned(),
                };
                return Err(ClientError::new(ErrorKind::Refused, DOING, &server, reason));
            }
        };
        manager
            .exchange_code_for_token_with_issuer(code.expose(), state.expose(), issuer.as_deref())
            .await
            .map_err(failed)?;
        let credentials = store.load().await.ok().flatten();
        credentials
            .and_then(|credentials| Grant::new(&url, &client, credentials))
            .ok_or_else(|| refused(&server, "its authorization server gives no token of use"))
    }
}

/// Whether this may be a scope, by the characters that the standard allows.
fn is_scope(text: &str) -> bool {
    let allowed = |byte: u8| matches!(byte, b'!' | b'#'..=b'[' | b']'..=b'~');
    !text.is_empty() && text.len() <= SCOPE_CHARS && text.bytes().all(allowed)
}
