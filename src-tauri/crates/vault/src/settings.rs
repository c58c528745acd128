//! What the person can set.

use rusqlite::{OptionalExtension, params};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::error::VaultError;
use crate::vault::Vault;

/// Which theme the window has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Theme {
    /// As the system.
    #[default]
    System,
    /// Always light.
    Light,
    /// Always dark.
    Dark,
}

/// All settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The window's theme.
    pub theme: Theme,
    /// Whether the built-in samples are offered.
    pub samples: bool,
    /// Whether the sample that changes once has changed.
    pub samples_changed: bool,
    /// Whether the person has finished the first screen.
    pub welcomed: bool,
}

impl Vault {
    /// The settings; what was never set has its default, and so has what cannot be read.
    ///
    /// # Errors
    /// When the ledger fails.
    pub fn settings(&self) -> Result<Settings, VaultError> {
        Ok(Settings {
            theme: self.setting("theme")?.unwrap_or_default(),
            samples: self.setting("samples")?.unwrap_or(true),
            samples_changed: self.setting("samples-changed")?.unwrap_or(false),
            welcomed: self.setting("welcomed")?.unwrap_or(false),
        })
    }

    /// Sets the theme.
    ///
    /// # Errors
    /// When the ledger fails.
    pub fn set_theme(&self, theme: Theme) -> Result<(), VaultError> {
        self.set("theme", &theme)
    }

    /// Sets whether the built-in samples are offered.
    ///
    /// # Errors
    /// When the ledger fails.
    pub fn set_samples(&self, offered: bool) -> Result<(), VaultError> {
        self.set("samples", &offered)
    }

    /// Remembers that the sample that changes once has changed, or starts it over.
    ///
    /// # Errors
    /// When the ledger fails.
    pub fn set_samples_changed(&self, changed: bool) -> Result<(), VaultError> {
        self.set("samples-changed", &changed)
    }

    /// Remembers that the first screen is finished.
    ///
    /// # Errors
    /// When the ledger fails.
    pub fn set_welcomed(&self, welcomed: bool) -> Result<(), VaultError> {
        self.set("welcomed", &welcomed)
    }

    fn setting<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>, VaultError> {
        let text: Option<String> = self
            .ledger()
            .query_row("SELECT value FROM settings WHERE key = ?1", params![key], |row| row.get(0))
            .optional()?;
        Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
    }

    fn set<T: Serialize>(&self, key: &str, value: &T) -> Result<(), VaultError> {
        self.ledger().execute(
            "INSERT OR REPLACE INTO settings VALUES (?1, ?2)",
            params![key, serde_json::to_string(value)?],
        )?;
        Ok(())
    }
}
