//! Signing in to a server that asks who is there: OAuth 2.1 with PKCE, through rmcp.
//!
//! [`SignIn::discover`] finds out where a person would sign in, and nothing else. After they have
//! seen that, [`SignIn::run`] registers this program there, opens their browser, and waits on this
//! machine for it to come back. What is got, a [`Grant`], is kept by whoever calls, and renews
//! itself while a connection uses it. Every address is HTTPS, or on this machine where the server
//! itself is; no redirect is followed; what a server writes is in no message, as it may repeat a
//! token.

mod faults;
mod grant;
mod redirect;
mod sign_in;
mod tokens;
mod wire;

pub use grant::{Grant, Keep, KeepError};
pub use sign_in::SignIn;
pub(crate) use tokens::{NotRenewed, Tokens};
