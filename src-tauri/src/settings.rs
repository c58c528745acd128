//! Settings as the page sees them.

use vault::settings::Theme as Kept;

use crate::error::Outcome;
use crate::shell::Shell;
use crate::view::{SettingsView, Theme};

impl Shell {
    /// What the person can set, and where things are.
    ///
    /// # Errors
    /// When the ledger fails.
    pub fn settings_view(&self) -> Outcome<SettingsView> {
        let settings = self.vault.settings()?;
        Ok(SettingsView {
            theme: match settings.theme {
                Kept::System => Theme::System,
                Kept::Light => Theme::Light,
                Kept::Dark => Theme::Dark,
            },
            samples: settings.samples,
            welcomed: settings.welcomed,
            data_folder: self.paths.display(self.paths.data()),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            folders: self.added_folders(),
            approvals: self.approvals_policy()?,
        })
    }

    /// Sets the theme.
    ///
    /// # Errors
    /// When the ledger fails.
    pub fn set_theme(&self, theme: Theme) -> Outcome<()> {
        Ok(self.vault.set_theme(match theme {
            Theme::System => Kept::System,
            Theme::Light => Kept::Light,
            Theme::Dark => Kept::Dark,
        })?)
    }
}
