//! What the person decided once for all that comes, as the page sees it. The rules are the vault's.

use std::sync::Arc;

use skills::origin::ServerId;
use skills_mcp::Settled;
use tokio_util::sync::CancellationToken;
use vault::policy::Reviews;

use crate::error::Outcome;
use crate::offers::blocking;
use crate::shell::Shell;
use crate::view::{Approvals, ErrorCode, ErrorView, Progress, Scope};

impl Shell {
    /// When an offered skill has to be reviewed.
    ///
    /// # Errors
    /// When the ledger fails.
    pub fn approvals_policy(&self) -> Outcome<Approvals> {
        Ok(match self.vault.reviews()? {
            Reviews::Always => Approvals::Always,
            Reviews::NotOfSameContent => Approvals::SameContent,
        })
    }

    /// Sets when an offered skill has to be reviewed.
    ///
    /// # Errors
    /// When the ledger fails.
    pub fn set_approvals(&self, approvals: Approvals) -> Outcome<()> {
        self.vault.set_reviews(match approvals {
            Approvals::Always => Reviews::Always,
            Approvals::SameContent => Reviews::NotOfSameContent,
        })?;
        self.events.changed(Scope::Servers);
        Ok(())
    }

    /// Lets nothing of a server be installed, or lets it again.
    ///
    /// # Errors
    /// When there is no such server, or the ledger fails.
    pub fn set_never_install(&self, server: &str, on: bool) -> Outcome<()> {
        self.vault.set_never_installs(&ServerId(server.to_owned()), on)?;
        self.events.changed(Scope::Servers);
        Ok(())
    }

    /// Approves an offered skill because exactly its content is approved from another server. Every
    /// file is fetched and checked as for a review.
    ///
    /// # Errors
    /// When the settings ask for a review, no other approval of this content holds, the server does
    /// not give what it declares, or the ledger fails.
    pub async fn accept_same(self: &Arc<Self>, server: &str, uri: &str) -> Outcome<()> {
        let server = self.server(server)?;
        let entry = self.entry_now(&server, uri).await?;
        self.notice(&server, &entry).await?;
        let (shell, of, what) = (Arc::clone(self), server.clone(), entry.clone());
        let same = blocking(move || shell.vault.same_content(&of, &what)).await??;
        if same.is_none() {
            let message = format!("{} from {} has to be reviewed", entry.name(), server.label);
            return Err(ErrorView::new(ErrorCode::NotApproved, message)
                .with_hint("open its review: no approval of the same content stands for it"));
        }
        let progress: Arc<dyn Fn(Progress) + Send + Sync> = Arc::new(|_| {});
        let stop = CancellationToken::new();
        match self.fetch_for_review(&server, &entry, &stop, &progress).await? {
            Settled::Verified(_) => self.doubts.settled(&server.id, &entry),
            Settled::Mismatched(_) | Settled::Changed(_) => {
                self.connections.refresh(&server.id);
                let message =
                    format!("{} does not give what it declares of {}", server.label, entry.name());
                return Err(ErrorView::changed(message).with_hint("open its review to see it"));
            }
        }
        let shell = Arc::clone(self);
        blocking(move || shell.vault.accept_same(&server, &entry)).await??;
        self.events.changed(Scope::Servers);
        self.events.changed(Scope::Activity);
        Ok(())
    }
}
