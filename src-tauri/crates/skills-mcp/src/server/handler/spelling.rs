//! The handler on a pair of streams: a skill is asked for by any spelling of its URI.

use std::borrow::Cow;
use std::sync::Arc;

use rmcp::model::{
    ClientNotification, ClientRequest, ErrorData, ProtocolVersion, ServerConfig, ServerResult,
};
use rmcp::service::{NotificationContext, RequestContext, RoleServer, Service};

use super::SkillServer;
use crate::server::shared::Shared;

/// Asks for the listed URI of a skill where another spelling of it was sent.
pub(in crate::server) struct AnySpelling(SkillServer);

impl AnySpelling {
    pub(in crate::server) fn stream(shared: Arc<Shared>) -> Self {
        Self(SkillServer::stream(shared))
    }
}

impl Service<RoleServer> for AnySpelling {
    async fn handle_request(
        &self,
        mut request: ClientRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<ServerResult, ErrorData> {
        if let ClientRequest::GetSkillRequest(get) = &mut request {
            let uri = std::mem::take(&mut get.params.uri);
            let caller = self.0.caller(&context.extensions);
            get.params.uri = self.0.shared.listed(&caller, uri).await?;
        }
        self.0.handle_request(request, context).await
    }

    async fn handle_notification(
        &self,
        notification: ClientNotification,
        context: NotificationContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.0.handle_notification(notification, context).await
    }

    fn get_info(&self) -> ServerConfig {
        Service::get_info(&self.0)
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Service::supported_protocol_versions(&self.0)
    }
}
