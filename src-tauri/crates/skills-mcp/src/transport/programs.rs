//! All programs that were started, for when nobody is left to wait for each.

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// The programs of all connections that have a [`ClientContext`](crate::ClientContext) in common.
#[derive(Debug, Clone, Default)]
pub struct Programs {
    running: TaskTracker,
    stop: CancellationToken,
}

impl Programs {
    /// Ends them all, whatever still holds their connections, and waits until they are gone: at once
    /// where they end when asked to, a few seconds where that takes force. None is started after.
    pub async fn end(&self) {
        self.stop.cancel();
        self.running.close();
        self.running.wait().await;
    }

    /// What ends one of them; `None` where all were ended.
    pub(super) fn stop(&self) -> Option<CancellationToken> {
        (!self.stop.is_cancelled()).then(|| self.stop.child_token())
    }

    /// Sees one of them out.
    pub(super) fn see_out(&self, ending: impl Future<Output = ()> + Send + 'static) {
        self.running.spawn(ending);
    }
}
