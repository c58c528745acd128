//! What is published of the places that are shared, and what to say of it.

use std::path::Path;
use std::sync::Arc;

use skills::MAIN_FILE;
use skills::paths::Paths;
use skills::provider::policy::WithoutDiscovery;
use skills::provider::{DirectoryProvider, Mode, Options, Place, Provider, SupportingFiles};
use skills_mcp::server::ServeError;
use vault::settings::Sharing as Settings;

use crate::render::{in_one_line, spelled_out};
use crate::view::{ErrorCode, ErrorView};

/// Sentences about what is left out before the rest is only counted.
const MAX_WARNINGS: usize = 100;

/// What a provider gives now.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Look {
    /// The paths of the skills, in order.
    pub(crate) skills: Vec<String>,
    /// What is left out and why, a sentence each.
    pub(crate) warnings: Vec<String>,
}

/// Looks at all that a provider gives.
pub(crate) fn look(provider: &dyn Provider) -> Look {
    let listing = provider.list();
    let mut warnings = listing.warnings;
    let skills = match provider.entries() {
        Some(entries) => {
            for warning in entries.warnings {
                if !warnings.contains(&warning) {
                    warnings.push(warning);
                }
            }
            entries.entries.iter().map(|entry| path(entry.uri().as_str(), MAIN_FILE)).collect()
        }
        // Every skill has one.
        None => listing
            .resources
            .iter()
            .filter(|one| one.uri.ends_with("/_manifest"))
            .map(|one| path(&one.uri, "_manifest"))
            .collect(),
    };
    Look { skills, warnings }
}

/// The path of a skill of which this is the URI of a file.
fn path(uri: &str, file: &str) -> String {
    let uri = uri.strip_prefix("skill://").unwrap_or(uri);
    spelled_out(uri.strip_suffix(file).unwrap_or(uri).trim_end_matches('/'))
}

/// What these settings publish.
pub(super) fn provider(settings: &Settings, places: Vec<Place>) -> Arc<dyn Provider> {
    let options = Options {
        mode: if settings.strict { Mode::Strict } else { Mode::Compatible },
        supporting_files: match settings.list_files {
            true => SupportingFiles::Resources,
            false => SupportingFiles::Template,
        },
        // Tools read each other's folders, and what one has is copied to others.
        merge_identical: true,
        ..Options::default()
    };
    let provider: Arc<dyn Provider> = Arc::new(DirectoryProvider::of(places, options));
    if settings.discovery { provider } else { Arc::new(WithoutDiscovery(provider)) }
}

/// A sentence about what is left out, with the folders in it as a person writes them.
pub(crate) fn in_short(warning: &str, paths: &Paths, places: &[Place]) -> String {
    let root = |place: &Place| match place {
        Place::Root(root) => Some(root.clone()),
        Place::Skill(folder) => folder.parent().map(Path::to_owned),
    };
    places.iter().filter_map(root).fold(warning.to_owned(), |warning, root| {
        warning.replace(&format!("{root:?}"), &paths.display(&root))
    })
}

/// Sentences for the page, not more than can be read.
pub(super) fn shown_warnings(warnings: &[String], paths: &Paths, places: &[Place]) -> Vec<String> {
    let warnings_shown = warnings.iter().take(MAX_WARNINGS);
    let mut shown: Vec<String> =
        warnings_shown.map(|warning| in_one_line(&in_short(warning, paths, places))).collect();
    if let more @ 1.. = warnings.len().saturating_sub(MAX_WARNINGS) {
        shown.push(format!("{more} more are left out"));
    }
    shown
}

/// Why the server did not start, for a person.
pub(super) fn refused(error: &ServeError, port: u16) -> ErrorView {
    let source = match error {
        ServeError::Bind { source, .. } => Some(source.kind()),
        _ => None,
    };
    match source {
        Some(std::io::ErrorKind::AddrInUse) => {
            ErrorView::new(ErrorCode::BadInput, format!("port {port} is taken by another program"))
                .with_hint("choose another port, or 0 for any that is free")
        }
        Some(std::io::ErrorKind::PermissionDenied) => {
            ErrorView::new(ErrorCode::BadInput, format!("port {port} may not be used"))
                .with_hint("choose one above 1023, or 0 for any that is free")
        }
        _ => {
            let cause = std::error::Error::source(error).map(|cause| format!(": {cause}"));
            ErrorView::new(
                ErrorCode::Internal,
                spelled_out(&format!("{error}{}", cause.unwrap_or_default())),
            )
        }
    }
}
