//! Any [`Provider`](skills::provider::Provider) behind MCP: resources, templates, and the skills
//! extension where the provider publishes entries. It knows nothing of disks.

mod answers;
mod apart;
mod batch;
mod connections;
mod gate;
mod handler;
mod http;
mod lines;
mod observe;
mod pages;
mod publish;
mod refusing;
mod replies;
mod room;
mod shared;
mod site;
mod stream;
mod subscriptions;
mod views;

use std::fmt;
use std::sync::Arc;

use rmcp::service::ServerInitializeError;
use skills::provider::policy::Policy;
use tokio::sync::watch;

/// Whether this can stand in [`ServeOptions::hosts`]: the name of a machine, without a port.
pub fn is_host_name(name: &str) -> bool {
    gate::named(name).is_some()
}

pub use http::serve_http;
pub use observe::{ClientEvent, Observer, Refused, Served, Transport};
pub use stream::{serve_stdio, serve_stream};

/// How a provider is served.
#[derive(Clone, Default)]
pub struct ServeOptions {
    /// The most items on a page of a list; one page holds all where it is not set.
    pub page_size: Option<usize>,
    /// The bearer tokens of which HTTP requests must carry one; any request is answered where
    /// there are none. One with an empty secret opens nothing.
    pub tokens: Vec<Token>,
    /// Who may see what; everybody sees all where it is not set.
    pub policy: Option<Arc<dyn Policy>>,
    /// Grows when something that the provider serves changes; clients are told then. Without it
    /// the server does not say that it tells.
    pub changes: Option<watch::Receiver<u64>>,
    /// Whether other machines may connect. That needs a token as well.
    pub allow_remote: bool,
    /// The names under which other machines reach this one, without a port: what their requests
    /// may have as `Host` and `Origin`. Only looked at with `allow_remote`; the address itself is
    /// accepted then too.
    pub hosts: Vec<String>,
    /// Is told of clients and requests.
    pub observer: Option<Arc<dyn Observer>>,
    /// Is told what the provider leaves out, each sentence once; it is logged where this is not set.
    pub left_out: Option<LeftOut>,
}

/// Takes a sentence about something that is not served.
pub type LeftOut = Arc<dyn Fn(&str) + Send + Sync>;

/// Without what a token is.
impl fmt::Debug for ServeOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServeOptions")
            .field("page_size", &self.page_size)
            .field("tokens", &self.tokens)
            .field("policy", &self.policy.is_some())
            .field("changes", &self.changes.is_some())
            .field("allow_remote", &self.allow_remote)
            .field("hosts", &self.hosts)
            .field("observer", &self.observer.is_some())
            .field("left_out", &self.left_out.is_some())
            .finish()
    }
}

/// What a request shows to be answered.
#[derive(Clone, PartialEq, Eq)]
pub struct Token {
    /// Its name, which policies and observers see.
    pub identity: String,
    /// What is sent as `Authorization: Bearer`.
    pub secret: String,
    /// What it is for; only policies look at it.
    pub scopes: Vec<String>,
}

/// Without the secret.
impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Token")
            .field("identity", &self.identity)
            .field("scopes", &self.scopes)
            .finish_non_exhaustive()
    }
}

/// Why serving did not start or ended.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// Only this machine may reach the server.
    #[error("cannot serve on {0}: it is not an address of this machine only, like 127.0.0.1:8000")]
    NotLoopback(std::net::SocketAddr),
    /// Other machines may reach the server, and anybody there could read everything.
    #[error("cannot serve on {0} without a token: other machines can reach it")]
    NoToken(std::net::SocketAddr),
    /// The address is taken or may not be used.
    #[error("cannot serve on {addr}")]
    Bind {
        /// The address.
        addr: std::net::SocketAddr,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// The system ended it.
    #[error("serving ended")]
    Io(#[source] std::io::Error),
    /// The other side did not shake hands.
    #[error("the client does not speak MCP")]
    Handshake(#[source] Box<ServerInitializeError>),
    /// A task of the server ended in a way it should not.
    #[error("serving ended unexpectedly")]
    Ended(#[source] tokio::task::JoinError),
}
