//! What the provider gives, as the protocol writes it.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use rmcp::model::{ErrorData, Resource, ResourceContents, ResourceTemplate};
use skills::provider::{Content, ReadError, Template};

use crate::limits::{URI_BYTES, quoted};

pub(super) fn to_resource(resource: skills::provider::Resource) -> Resource {
    let mut listed = Resource::new(resource.uri, resource.name).with_mime_type(resource.mime_type);
    if !resource.description.is_empty() {
        listed = listed.with_description(resource.description);
    }
    match resource.size {
        Some(size) => listed.with_size(size),
        None => listed,
    }
}

pub(super) fn to_template(template: Template) -> ResourceTemplate {
    ResourceTemplate::new(template.uri_template, template.name)
        .with_description(template.description)
}

/// Text as text where that keeps every byte, all else as a blob. Manifests are JSON that peers look
/// for as text; other JSON is a blob, as the reference has it.
pub(super) fn to_contents(content: Content, uri: String) -> ResourceContents {
    let Content { bytes, mime_type } = content;
    let as_text = mime_type.starts_with("text/") || uri.ends_with("/_manifest");
    let contents = if as_text {
        match String::from_utf8(bytes) {
            Ok(text) => ResourceContents::text(text, uri),
            Err(error) => ResourceContents::blob(BASE64_STANDARD.encode(error.as_bytes()), uri),
        }
    } else {
        ResourceContents::blob(BASE64_STANDARD.encode(&bytes), uri)
    };
    contents.with_mime_type(mime_type)
}

/// Why a resource was not read, without what the system said: that may name what is not served.
pub(super) fn unread(error: &ReadError) -> ErrorData {
    match error {
        ReadError::NotFound(uri) => no_resource(uri),
        ReadError::Larger { uri, size } => {
            tracing::warn!(uri = quoted(uri), size, "a resource grew while it was read");
            ErrorData::internal_error(format!("cannot read {}", quoted(uri)), named(uri))
        }
        ReadError::Unreadable { uri, source } => {
            tracing::warn!(uri = quoted(uri), error = %source.kind(), "a resource cannot be read");
            ErrorData::internal_error(format!("cannot read {}", quoted(uri)), named(uri))
        }
    }
}

/// rmcp turns the code into -32602 for clients of 2026-07-28.
pub(super) fn no_resource(uri: &str) -> ErrorData {
    ErrorData::resource_not_found(format!("there is no resource {}", quoted(uri)), named(uri))
}

pub(super) fn no_skill(uri: &str) -> ErrorData {
    ErrorData::invalid_params(format!("there is no skill {}", quoted(uri)), named(uri))
}

pub(super) fn no_directory(uri: &str) -> ErrorData {
    ErrorData::invalid_params(format!("{} is not a directory here", quoted(uri)), named(uri))
}

/// The URI for programs, unless it is one that nothing can have.
fn named(uri: &str) -> Option<serde_json::Value> {
    (uri.len() <= URI_BYTES).then(|| serde_json::json!({ "uri": uri }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_the_uri_and_nothing_that_the_system_said() {
        let source = std::io::Error::other("/home/someone/secret: no");
        let error = unread(&ReadError::Unreadable { uri: "skill://a/b".to_owned(), source });
        assert_eq!(error.code.0, -32603);
        assert_eq!(error.message, "cannot read skill://a/b");
        assert_eq!(error.data, Some(serde_json::json!({ "uri": "skill://a/b" })));
    }

    #[test]
    fn a_huge_uri_is_not_sent_back() {
        let error = no_resource(&format!("skill://{}\n", "a".repeat(100_000)));
        assert!(error.message.len() < 400, "{}", error.message);
        assert_eq!(error.data, None);
    }
}
