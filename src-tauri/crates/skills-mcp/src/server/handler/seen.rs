//! What the observer is told of clients and requests.

use std::borrow::Cow;
use std::time::{Instant, SystemTime};

use http::request::Parts;
use rmcp::model::{ErrorCode, ErrorData, Extensions};
use rmcp::service::{RequestContext, RoleServer};
use skills::provider::policy::Caller;

use super::super::gate::Address;
use super::super::observe::{Served, Visitor, client_name};
use super::super::refusing::Noted;
use super::{Serving, SkillServer, is_modern};
use crate::limits::quoted;

/// One request, for the observer.
pub(super) struct Asked {
    pub(super) at: SystemTime,
    pub(super) caller: Caller,
    pub(super) client: Option<String>,
    pub(super) method: Cow<'static, str>,
    pub(super) uri: Option<String>,
    pub(super) modern: bool,
}

impl SkillServer {
    /// A request came.
    pub(super) fn asked(
        &self,
        method: impl Into<Cow<'static, str>>,
        uri: Option<&str>,
        context: &RequestContext<RoleServer>,
    ) -> Asked {
        let caller = self.caller(&context.extensions);
        let method = method.into();
        // Whatever version it names, a handshake is of an older client.
        let modern = method != "initialize" && is_modern(context);
        let mut client = None;
        if self.shared.clients.observed() {
            // rmcp makes a name up for older clients without a session.
            let info = (self.serving != Serving::Alone || context.meta.client_info().is_some())
                .then(|| context.client_info())
                .flatten();
            client = info.map(|info| client_name(&info.name));
            self.came(&caller, client.clone(), modern, &context.extensions);
            let parts = context.extensions.get::<Parts>();
            if let Some(noted) = parts.and_then(|parts| parts.extensions.get::<Noted>()) {
                noted.note();
            }
        }
        Asked {
            at: SystemTime::now(),
            caller,
            client,
            method,
            uri: uri.map(quoted).filter(|_| self.shared.clients.observed()),
            modern,
        }
    }

    /// Tells that a client is there.
    pub(super) fn came(
        &self,
        caller: &Caller,
        client: Option<String>,
        modern: bool,
        extensions: &Extensions,
    ) {
        let clients = &self.shared.clients;
        let identity = caller.identity.clone();
        let stays = match self.serving {
            Serving::Stream => true,
            Serving::Http => !modern,
            Serving::Alone => false,
        };
        if stays {
            self.presence.get_or_init(|| clients.connected(identity, client, caller.transport));
        } else {
            let address = extensions
                .get::<Parts>()
                .and_then(|parts| parts.extensions.get::<Address>())
                .map(|address| address.0);
            clients.visited(Visitor { identity, client, address }, Instant::now());
        }
    }

    /// Tells how a request was answered.
    pub(super) fn answered<T>(
        &self,
        asked: Asked,
        answer: Result<T, ErrorData>,
    ) -> Result<T, ErrorData> {
        if self.shared.clients.observed() {
            let Asked { at, caller, client, method, uri, modern } = asked;
            let outcome = answer.as_ref().map(drop).map_err(|error| match error.code {
                ErrorCode::RESOURCE_NOT_FOUND if modern => ErrorCode::INVALID_PARAMS.0,
                code => code.0,
            });
            self.shared.clients.served(Served {
                at,
                identity: caller.identity,
                client,
                transport: caller.transport,
                method: method.into_owned(),
                uri,
                outcome,
            });
        }
        answer
    }
}
