//! How the files of a skill are named and listed, in both modes.

use serde_json::json;

use super::{Content, ReadError, Resource, Template, mime_type};
use crate::digest::Digest;
use crate::manifest::ManifestFile;
use crate::uri::encode_path;

/// The path of the synthetic manifest.
pub(super) const MANIFEST: &str = "_manifest";

/// Whether the URI of a file is read as that file; a backslash is in no URI.
pub(super) fn has_uri(name: &str, path: &str) -> bool {
    !name.split('/').chain(path.split('/')).any(is_bad)
}

/// A component that no URI gives.
pub(super) fn is_bad(part: &str) -> bool {
    matches!(part, "" | "." | "..") || part.contains(['\\', '\0'])
}

pub(super) fn uri(name: &str, path: &str) -> String {
    format!("skill://{}/{}", encode_path(name), encode_path(path))
}

/// The URI of a folder has no slash at its end.
pub(super) fn folder_uri(path: &str) -> String {
    format!("skill://{}", encode_path(path))
}

pub(super) fn template(name: &str) -> Template {
    Template {
        uri_template: format!("{}/{{path*}}", folder_uri(name)),
        name: format!("{name}_files"),
        description: format!("Access files within {name}"),
    }
}

/// Says that a file is not listed.
pub(super) fn without_uri(name: &str, path: &str) -> String {
    format!("the file {path:?} of the skill {name:?} is left out: no URI gives it")
}

/// How the synthetic manifest is listed.
pub(super) fn manifest_resource(name: &str) -> Resource {
    Resource {
        uri: uri(name, MANIFEST),
        name: format!("{name}/{MANIFEST}"),
        description: format!("File listing for {name}"),
        mime_type: "application/json",
        size: None,
    }
}

/// How a supporting file is listed.
pub(super) fn supporting_file(name: &str, path: &str, size: Option<u64>) -> Resource {
    Resource {
        uri: uri(name, path),
        name: format!("{name}/{path}"),
        description: format!("File from {name} skill"),
        mime_type: mime_type(path),
        size,
    }
}

/// The synthetic manifest; files in order of their components.
pub(super) fn manifest(name: &str, files: &[ManifestFile]) -> Content {
    let files: Vec<_> = files
        .iter()
        .map(|ManifestFile { path, size, digest }| json!({"path": path, "size": size, "hash": Digest::to_string(digest)}))
        .collect();
    let bytes = format!("{:#}", json!({"skill": name, "files": files})).into_bytes();
    Content { bytes, mime_type: "application/json" }
}

/// What was made, if it has no more bytes than are wanted.
pub(super) fn within(content: Content, most: u64, uri: &str) -> Result<Content, ReadError> {
    match content.bytes.len() as u64 {
        size if size > most => Err(ReadError::Larger { uri: uri.to_owned(), size }),
        _ => Ok(content),
    }
}
