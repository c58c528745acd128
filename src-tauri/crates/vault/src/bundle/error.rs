//! Why a bundle was not read or not written.

/// Nothing was imported, or nothing exported.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct BundleError {
    /// Lower case, no full stop, names the file or folder.
    pub message: String,
    /// What to do next, where there is something.
    pub hint: Option<&'static str>,
    /// The reasons, one a skill, where there are several.
    pub causes: Vec<String>,
}

impl BundleError {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None, causes: Vec::new() }
    }

    pub(super) fn with_hint(self, hint: &'static str) -> Self {
        Self { hint: Some(hint), ..self }
    }
}
