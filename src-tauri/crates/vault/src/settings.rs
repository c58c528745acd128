//! What the person can set.

use std::collections::BTreeSet;
use std::path::PathBuf;

use rusqlite::{OptionalExtension, params};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use skills::library::Choices;

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

/// What is shared with other programs, and how. The token is a secret and kept elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct Sharing {
    /// Whether the person switched it on.
    pub on: bool,
    /// Strict mode, else compatible.
    pub strict: bool,
    /// Whether every file is listed.
    pub list_files: bool,
    /// Whether skills are published through the extension, in strict mode.
    pub discovery: bool,
    /// Ids of the tools whose folders are shared.
    pub tools: BTreeSet<String>,
    /// Folders beside those of tools, in the order they were added; real paths.
    pub folders: Vec<PathBuf>,
    /// The port on this machine; 0 takes a free one at each start.
    pub port: u16,
}

impl Default for Sharing {
    fn default() -> Self {
        Self {
            on: false,
            strict: true,
            list_files: false,
            discovery: true,
            tools: BTreeSet::new(),
            folders: Vec::new(),
            port: 7341,
        }
    }
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

    /// Which tools are scanned, from which folders, and which folders were added; the default where
    /// nothing was chosen or what is kept cannot be read.
    ///
    /// # Errors
    /// When the ledger fails.
    pub fn choices(&self) -> Result<Choices, VaultError> {
        Ok(self.setting("choices")?.unwrap_or_default())
    }

    /// Remembers which tools are scanned, from which folders, and which folders were added.
    ///
    /// # Errors
    /// When the ledger fails.
    pub fn set_choices(&self, choices: &Choices) -> Result<(), VaultError> {
        self.set("choices", choices)
    }

    /// What is shared, and how; the default where nothing was set or what is kept cannot be read.
    ///
    /// # Errors
    /// When the ledger fails.
    pub fn sharing(&self) -> Result<Sharing, VaultError> {
        Ok(self.setting("sharing")?.unwrap_or_default())
    }

    /// Remembers what is shared, and how.
    ///
    /// # Errors
    /// When the ledger fails.
    pub fn set_sharing(&self, sharing: &Sharing) -> Result<(), VaultError> {
        self.set("sharing", sharing)
    }

    pub(crate) fn setting<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>, VaultError> {
        let text: Option<String> = self
            .ledger()
            .query_row("SELECT value FROM settings WHERE key = ?1", params![key], |row| row.get(0))
            .optional()?;
        Ok(text.and_then(|text| match serde_json::from_str(&text) {
            Ok(value) => Some(value),
            Err(error) => {
                tracing::warn!(key, %error, "a setting cannot be read and has its default");
                None
            }
        }))
    }

    pub(crate) fn set<T: Serialize>(&self, key: &str, value: &T) -> Result<(), VaultError> {
        self.ledger().execute(
            "INSERT OR REPLACE INTO settings VALUES (?1, ?2)",
            params![key, serde_json::to_string(value)?],
        )?;
        Ok(())
    }
}
