//! What can go wrong while a person signs in, in words of our own.

use rmcp::transport::auth::{AuthError, ProtectedResourceMetadataInvalidReason};

use super::wire::{Wire, WireError};
use crate::error::{ClientError, ErrorKind};
use crate::limits::quoted;

pub(super) const DOING: &str = "sign in to";
const TOKEN_HINT: &str = "if you have a token for it, enter it in the settings of the server";

pub(super) fn refused(server: &str, reason: impl Into<String>) -> ClientError {
    ClientError::new(ErrorKind::Protocol, DOING, server, reason)
}

/// What rmcp reports. Its texts may repeat what a server wrote, and with that a token: they are not
/// used, and it is not kept as a cause.
pub(super) fn fault(server: &str, error: AuthError, wire: &Wire) -> ClientError {
    let said = |reason: &str| match wire.said() {
        Some(said) => format!("{reason} ({said})"),
        None => reason.to_owned(),
    };
    match error {
        AuthError::DiscoveryRequestFailed { url, source } => {
            let host = quoted(url.host_str().unwrap_or_default());
            let (kind, why) = match source.downcast_ref::<WireError>() {
                Some(error @ WireError::Slow) => (ErrorKind::Timeout, error.to_string()),
                Some(error @ (WireError::Unreachable(_) | WireError::Request)) => {
                    (ErrorKind::Unreachable, error.to_string())
                }
                Some(error) => (ErrorKind::Protocol, error.to_string()),
                None => (ErrorKind::Unreachable, said("it does not say how")),
            };
            ClientError::new(kind, DOING, server, format!("{host} was asked how: {why}"))
                .with_hint("try again later")
        }
        AuthError::ProtectedResourceMetadataInvalid { reason, .. } => match *reason {
            ProtectedResourceMetadataInvalidReason::ResourceMismatch { permitted, .. } => refused(
                server,
                format!(
                    "what it says about signing in is about another server, {}",
                    quoted(permitted.as_str())
                ),
            ),
            _ => refused(server, "what it says about signing in cannot be used"),
        },
        AuthError::AuthorizationServersUnavailable { .. } => {
            refused(server, "no authorization server that it names says how to sign in there")
        }
        AuthError::PkceUnsupported => refused(
            server,
            "its authorization server does not know PKCE with S256, without which a code can be \
             stolen",
        ),
        AuthError::AuthorizationServerMismatch { expected_issuer, received_issuer } => refused(
            server,
            format!(
                "the authorization server {} says that it is {}",
                quoted(&expected_issuer),
                quoted(&received_issuer)
            ),
        ),
        AuthError::AuthorizationServerMissingIssuer { .. } => {
            refused(server, "the authorization server does not say who it is")
        }
        AuthError::RegistrationFailed(_) => {
            refused(server, said("its authorization server does not let this program register"))
                .with_hint(TOKEN_HINT)
        }
        AuthError::TokenExchangeFailed(_) => {
            refused(server, said("its authorization server gives no token"))
                .with_hint("sign in again")
        }
        AuthError::NoAuthorizationSupport => nothing_published(server),
        _ => refused(server, "its authorization server cannot be used"),
    }
}

/// The server asks who is there and does not say where to find out.
pub(super) fn nothing_published(server: &str) -> ClientError {
    refused(server, "it does not say where to sign in").with_hint(TOKEN_HINT)
}

/// Metadata names an issuer that has not published it.
pub(super) fn not_its_own(server: &str, issuer: &str) -> ClientError {
    let issuer = quoted(issuer);
    refused(server, format!("what it says about {issuer} does not come from there"))
        .with_hint("somebody else may want what you would be given there")
}
