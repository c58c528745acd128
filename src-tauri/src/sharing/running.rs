//! The server of what is shared, from its start to its end.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Weak};

use skills::provider::Provider;
use skills_mcp::server::{ServeOptions, Token, serve_http};
use tauri::async_runtime::{spawn, spawn_blocking};
use tokio_util::sync::CancellationToken;
use vault::settings::Sharing as Settings;

use super::following::Following;
use super::publishing::{look, refused};
use super::{Now, Parts, Run, TOKEN, clients};
use crate::view::{ErrorCode, ErrorView, Scope, SharingState};

impl Parts {
    /// Ends what runs and, when it is on, begins with these settings.
    pub(super) fn begin(self: &Arc<Self>, settings: Settings) {
        {
            let mut now = self.now();
            let before = now.run.take();
            if let Some(run) = &before {
                run.stop.cancel();
            }
            now.look = None;
            now.state = if settings.on { SharingState::Starting } else { SharingState::Off };
            let stop = CancellationToken::new();
            let (parts, stopped) = (Arc::clone(self), stop.clone());
            let task = spawn(async move {
                if let Some(run) = before {
                    // It gives the port back.
                    let _ = run.task.await;
                }
                if settings.on && !stopped.is_cancelled() {
                    parts.run(settings, stopped).await;
                }
            });
            now.run = Some(Run { stop, task, following: Weak::new() });
        }
        self.events.changed(Scope::Sharing);
    }

    async fn run(self: Arc<Self>, settings: Settings, stop: CancellationToken) {
        let (parts, ended) = (Arc::clone(&self), stop.clone());
        let prepared = spawn_blocking(move || {
            if parts.library.snapshot().tools.is_empty() {
                parts.library.rescan();
            }
            let token = parts.token()?;
            Ok::<_, ErrorView>((Following::begin(&parts, settings, ended), token))
        })
        .await;
        let ((following, changes), token) = match prepared {
            Ok(Ok(prepared)) => prepared,
            Ok(Err(error)) => return self.fail(&stop, error),
            Err(error) => {
                tracing::error!(%error, "sharing could not start");
                let why = ErrorView::new(ErrorCode::Internal, "sharing could not start");
                return self.fail(&stop, why);
            }
        };
        let port = following.settings.port;
        let provider = following.provider();
        self.update(&stop, |now| {
            if let Some(run) = &mut now.run {
                run.following = Arc::downgrade(&following);
            }
        });
        self.clients.begin();
        let options = ServeOptions {
            tokens: vec![Token { identity: TOKEN.to_owned(), secret: token, scopes: Vec::new() }],
            changes,
            observer: Some(Arc::new(clients::Seer(Arc::downgrade(&self)))),
            ..ServeOptions::default()
        };
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let (parts, seen, current) = (Arc::clone(&self), Arc::clone(&following), stop.clone());
        let ready = move |address: SocketAddr| {
            tracing::info!(%address, "sharing");
            parts.update(&current, |now| {
                now.state = SharingState::On { url: format!("http://{address}/mcp") };
            });
            spawn_blocking(move || {
                // What happened before anybody could ask this to follow.
                seen.look();
                parts.look(&current, seen.provider().as_ref());
            });
        };
        match serve_http(provider, address, options, stop.clone(), ready).await {
            Ok(()) if stop.is_cancelled() => {}
            Ok(()) => {
                self.fail(&stop, ErrorView::new(ErrorCode::Internal, "sharing ended by itself"));
            }
            Err(error) => self.fail(&stop, refused(&error, port)),
        }
        self.clients.end();
    }

    /// Takes note of what is shared now.
    pub(super) fn look(&self, stop: &CancellationToken, provider: &dyn Provider) {
        if !stop.is_cancelled() {
            let look = look(provider);
            self.update(stop, |now| now.look = Some(look));
        }
    }

    fn fail(&self, stop: &CancellationToken, why: ErrorView) {
        tracing::warn!(%why, "sharing failed");
        self.update(stop, |now| {
            now.look = None;
            now.state = SharingState::Failed { message: why.message, hint: why.hint };
        });
    }

    /// Changes how it stands, unless this run was ended meanwhile.
    fn update(&self, stop: &CancellationToken, change: impl FnOnce(&mut Now)) {
        {
            let mut now = self.now();
            if stop.is_cancelled() {
                return;
            }
            change(&mut now);
        }
        self.events.changed(Scope::Sharing);
    }
}
