//! What other processes of this person do to the same ledger while the window is open: a verb of the
//! command line that fixes or installs, a second window.

use std::sync::{Arc, Weak};
use std::time::Duration;

use vault::VaultError;

use crate::offers::blocking;
use crate::shell::Shell;

/// How often it is looked at; a look is one statement, which reads no row.
const EVERY: Duration = Duration::from_secs(1);

impl Shell {
    /// Tells the page when another process wrote to the ledger, as long as the shell is there.
    pub(crate) fn watch_others(self: &Arc<Self>) {
        let shell = Arc::downgrade(self);
        tauri::async_runtime::spawn(async move {
            let mut every = tokio::time::interval(EVERY);
            every.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
            loop {
                every.tick().await;
                let shell = Weak::clone(&shell);
                let there = blocking(move || {
                    let Some(shell) = shell.upgrade() else { return false };
                    if let Err(error) = shell.notice_others() {
                        tracing::warn!(%error, "what other processes did is not known");
                    }
                    true
                });
                if !matches!(there.await, Ok(true)) {
                    return;
                }
            }
        });
    }

    /// Tells the page, where another process wrote to the ledger since the last look. What such a
    /// process was ended in the middle of is put right first.
    ///
    /// # Errors
    /// When the ledger fails.
    pub(crate) fn notice_others(&self) -> Result<(), VaultError> {
        let recovered = self.vault.recover_late()?;
        if self.vault.changed_by_others()? || !recovered.is_empty() {
            self.follow_placements()?;
            self.disk_changed();
        }
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)]
mod tests {
    use std::sync::mpsc;

    use skills::origin::Endpoint;
    use skills::paths::Paths;
    use vault::Vault;

    use super::*;
    use crate::view::Scope;

    #[test]
    fn what_another_process_writes_is_told_once_and_what_this_one_writes_is_not() {
        let home = tempfile::tempdir().unwrap();
        let paths = Paths::under(home.path());
        let (shell, _) = Shell::open(paths.clone()).unwrap();
        let (send, told) = mpsc::channel();
        shell.events.tell_with(move |changed| send.send(changed.what).unwrap());
        let endpoint = || Endpoint::Http { url: "https://example.org/mcp".to_owned() };
        shell.vault.add_server("mine", endpoint()).unwrap();
        shell.notice_others().unwrap();
        assert_eq!(told.try_iter().count(), 0);

        let (other, _) = Vault::open(&paths).unwrap();
        shell.notice_others().unwrap();
        told.try_iter().for_each(drop);
        other.add_server("theirs", endpoint()).unwrap();
        shell.notice_others().unwrap();
        let scopes: Vec<Scope> = told.try_iter().collect();
        assert_eq!(scopes, [Scope::Library, Scope::Servers, Scope::Activity]);
        shell.notice_others().unwrap();
        assert_eq!(told.try_iter().count(), 0);
    }
}
