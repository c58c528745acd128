//! The one place where errors become what the page is told.

use std::error::Error;
use std::fmt;

use skills::blobs::BlobsError;
use skills::manifest::ReadManifestError;
use skills_mcp::ClientError;
use vault::VaultError;

use crate::secrets::SecretsError;
use crate::view::{ErrorCode, ErrorView};

/// What every command gives.
pub type Outcome<T> = Result<T, ErrorView>;

impl ErrorView {
    /// An error with nothing behind it; the message is lower case and has no full stop.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: None, causes: Vec::new() }
    }

    /// The same with what to do next.
    pub fn with_hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// What was asked for is no longer there.
    pub fn gone(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::Gone, message)
    }

    /// What the person typed cannot be used.
    pub fn bad_input(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::BadInput, message)
    }

    /// The content changed since it was looked at.
    pub fn changed(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::Changed, message)
    }

    /// An error of another part, with all that led to it.
    fn of(code: ErrorCode, hint: Option<String>, error: &dyn Error) -> Self {
        let message = error.to_string();
        let mut causes = Vec::new();
        let mut next = error.source();
        while let Some(cause) = next {
            let text = cause.to_string();
            if text != message && causes.last() != Some(&text) {
                causes.push(text);
            }
            next = cause.source();
        }
        Self { code, message, hint, causes }
    }
}

impl fmt::Display for ErrorView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        self.hint.iter().try_for_each(|hint| write!(f, "; {hint}"))
    }
}

impl Error for ErrorView {}

impl From<&ClientError> for ErrorView {
    fn from(error: &ClientError) -> Self {
        use skills_mcp::ErrorKind as Kind;
        let code = match error.kind() {
            Kind::Unreachable | Kind::Timeout | Kind::Closed => ErrorCode::Unreachable,
            Kind::NotMcp | Kind::Protocol | Kind::Refused | Kind::SignIn => ErrorCode::Protocol,
            Kind::Cancelled => ErrorCode::Cancelled,
        };
        Self::of(code, error.hint(), error)
    }
}

impl From<ClientError> for ErrorView {
    fn from(error: ClientError) -> Self {
        Self::from(&error)
    }
}

impl From<&VaultError> for ErrorView {
    fn from(error: &VaultError) -> Self {
        use vault::ErrorKind as Kind;
        let code = match error.kind() {
            Kind::Gone => ErrorCode::Gone,
            Kind::BadInput => ErrorCode::BadInput,
            Kind::Changed => ErrorCode::Changed,
            Kind::NotApproved => ErrorCode::NotApproved,
            // Another change holds the lock on the disk.
            Kind::Disk | Kind::Busy => ErrorCode::Disk,
            Kind::Cancelled => ErrorCode::Cancelled,
            Kind::Internal => ErrorCode::Internal,
        };
        Self::of(code, error.hint().map(str::to_owned), error)
    }
}

impl From<VaultError> for ErrorView {
    fn from(error: VaultError) -> Self {
        Self::from(&error)
    }
}

impl From<ReadManifestError> for ErrorView {
    fn from(error: ReadManifestError) -> Self {
        let code = match error {
            ReadManifestError::NotAFolder(_) => ErrorCode::Gone,
            ReadManifestError::Changed(_) => ErrorCode::Changed,
            _ => ErrorCode::Disk,
        };
        Self::of(code, None, &error)
    }
}

impl From<BlobsError> for ErrorView {
    fn from(error: BlobsError) -> Self {
        Self::of(ErrorCode::Disk, None, &error)
    }
}

impl From<SecretsError> for ErrorView {
    fn from(error: SecretsError) -> Self {
        Self::of(ErrorCode::Disk, Some("check who may use that folder".to_owned()), &error)
    }
}

impl From<tokio::task::JoinError> for ErrorView {
    fn from(error: tokio::task::JoinError) -> Self {
        tracing::error!(%error, "a task ended early");
        Self::new(ErrorCode::Internal, "something went wrong inside Skillhold")
            .with_hint("the log in the data folder says more")
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn a_refusal_of_the_disk_names_path_cause_and_what_to_do() {
        let error = VaultError::Disk {
            doing: "write",
            path: PathBuf::from("/x/skills"),
            source: io::Error::new(io::ErrorKind::PermissionDenied, "permission denied"),
        };
        assert_eq!(
            ErrorView::from(error),
            ErrorView {
                code: ErrorCode::Disk,
                message: "cannot write /x/skills".to_owned(),
                hint: Some("check who may write there".to_owned()),
                causes: vec!["permission denied".to_owned()],
            }
        );
    }

    #[test]
    fn a_folder_that_is_gone_is_told_as_gone() {
        let view = ErrorView::from(ReadManifestError::NotAFolder(PathBuf::from("/x")));
        assert_eq!((view.code, view.message.as_str()), (ErrorCode::Gone, "/x is not a folder"));
    }
}
