//! Asking a server: for an entry, a file, what lies in a folder, a skill that no list shows.

use std::sync::Arc;

use skills::MAIN_FILE;
use skills::blobs::Blobs as _;
use skills::digest::Digest;
use skills::entry::Entry;
use skills::is_nested_main;
use skills_mcp::{Connection, FetchedFile, FileOutcome, Offer, Verdict, nested_entry};
use vault::servers::SavedServer;

use super::{blocking, not_offered};
use crate::connections::Link;
use crate::error::Outcome;
use crate::remembered;
use crate::render::{self, spelled_out};
use crate::shell::Shell;
use crate::view::{ErrorCode, ErrorView, FileContent, FileState, OfferFolder, OfferRow, ShownFile};

impl Shell {
    /// The connection to a server.
    ///
    /// # Errors
    /// When it does not stand, with the reason.
    pub(crate) fn connection(&self, server: &SavedServer) -> Outcome<Arc<Connection>> {
        let label = &server.label;
        match self.connections.link(&server.id) {
            Some(Link { connection: Some(connection), .. }) => Ok(connection),
            Some(Link { state, .. }) => Err(state.error().cloned().unwrap_or_else(|| {
                ErrorView::new(ErrorCode::Unreachable, format!("{label} is not connected yet"))
                    .with_hint("try again in a moment")
            })),
            None => Err(ErrorView::new(ErrorCode::Unreachable, format!("{label} is switched off"))
                .with_hint("switch the server on")),
        }
    }

    /// The entry of a skill as the server gives it now. A skill inside another that the server
    /// does not give by itself is cut out of the outer one.
    ///
    /// # Errors
    /// When the server does not give it, or it cannot be verified.
    pub(crate) async fn entry_now(&self, server: &SavedServer, uri: &str) -> Outcome<Entry> {
        let connection = self.connection(server)?;
        let listed =
            self.connections.link(&server.id).is_some_and(|link| link.offer(uri).is_some());
        let refused = match connection.get_verifiable(uri).await {
            Ok(entry) => return Ok(entry),
            Err(error) => error,
        };
        if !listed && let Some(outer) = self.outer_of(server, uri) {
            let outer = connection.get_verifiable(&outer).await?;
            if let Some(entry) =
                outer_path(&outer, uri).and_then(|path| nested_entry(&outer, &path))
            {
                return Ok(entry);
            }
        }
        Err(refused.into())
    }

    /// The URI of a listed skill that has this one inside.
    fn outer_of(&self, server: &SavedServer, uri: &str) -> Option<String> {
        let link = self.connections.link(&server.id)?;
        link.offers().find_map(|offer| match &offer.verdict {
            Verdict::Verifiable(entry) => outer_path(entry, uri).map(|_| offer.uri.clone()),
            _ => None,
        })
    }

    /// One file of an offered skill, checked against what is listed: from the store where it was
    /// verified before, else read now. Of a skill that declares nothing, its `SKILL.md` as it comes.
    /// While the server is away, what was verified before can still be looked at.
    ///
    /// # Errors
    /// When it is not offered or cannot be read.
    pub async fn offer_file(
        self: &Arc<Self>,
        id: &str,
        uri: &str,
        path: &str,
    ) -> Outcome<FileContent> {
        let server = self.server(id)?;
        let connection = match self.connection(&server) {
            Ok(connection) => connection,
            Err(away) => {
                let (shell, uri, path) = (Arc::clone(self), uri.to_owned(), path.to_owned());
                let kept = blocking(move || shell.kept_file(&server, &uri, &path)).await??;
                return kept.ok_or(away);
            }
        };
        let link = self.connections.link(&server.id).unwrap_or_default();
        let nested = nested_offer(&link, uri);
        let entry = match link.offer(uri).or(nested.as_ref()).map(|offer| &offer.verdict) {
            Some(Verdict::Verifiable(entry)) => entry,
            Some(Verdict::Unverifiable(_)) if path == MAIN_FILE => {
                let bytes = connection.unverified_main(uri).await?;
                return blocking(move || unverified_content(&bytes)).await;
            }
            Some(_) => return Err(undeclared(&server, uri)),
            None => return Err(not_offered(&server, uri)),
        };
        let fetched = connection.open_file(entry, path, &server.id, self.vault.as_ref()).await?;
        let declared = entry.manifest().get(path).map_or(0, |file| file.size);
        blocking(move || file_content(&fetched, declared)).await
    }

    /// A file that was verified before, as it was declared last; `None` where none is kept.
    fn kept_file(
        &self,
        server: &SavedServer,
        uri: &str,
        path: &str,
    ) -> Outcome<Option<FileContent>> {
        let link = self.connections.link(&server.id).unwrap_or_default();
        let nested = nested_offer(&link, uri);
        let entry = match link.offer(uri).or(nested.as_ref()).map(|offer| &offer.verdict) {
            Some(Verdict::Verifiable(entry)) => Some(entry.clone()),
            Some(_) => None,
            None => match remembered::recall(&self.vault, &server.id)?
                .into_iter()
                .find(|earlier| earlier.uri == uri)
            {
                Some(earlier) => self.kept_entry(server, &earlier)?,
                None => None,
            },
        };
        let files = entry.iter().flat_map(Entry::files);
        let Some(file) = files.into_iter().find(|file| file.path == path) else { return Ok(None) };
        let kept = self.vault.get(&server.id, &file.digest).map_err(|error| {
            ErrorView::new(ErrorCode::Disk, format!("a kept file cannot be read: {error}"))
        })?;
        Ok(kept.filter(|bytes| bytes.len() as u64 == file.size).map(|bytes| {
            let outcome = FileOutcome::Verified { bytes, line_endings_restored: false };
            file_content(&FetchedFile { path: path.to_owned(), outcome }, file.size)
        }))
    }

    /// One skill by a URI that the person pastes, whether a list shows it or not. It stays among
    /// the offers, and is asked for again with each list.
    ///
    /// # Errors
    /// When the URI is none, or the server does not serve it.
    pub async fn look_up(&self, id: &str, uri: &str) -> Outcome<OfferRow> {
        let uri = checked_uri(uri)?;
        let server = self.server(id)?;
        let connection = self.connection(&server)?;
        let offer = connection.look_up(&uri).await?;
        if let Verdict::Verifiable(entry) = &offer.verdict {
            self.notice(&server, entry).await?;
        }
        let listed = self.connections.link(&server.id).is_some_and(|link| link.is_listed(&uri));
        if listed {
            // It may have changed since.
            self.connections.refresh(&server.id);
        } else {
            let (vault, of, kept) = (Arc::clone(&self.vault), server.id.clone(), offer.clone());
            blocking(move || remembered::remember_one(&vault, &of, &kept)).await??;
            self.connections.keep_looked_up(&server.id, offer);
        }
        Ok(self.offer_detail(id, &uri)?.row)
    }

    /// What the server shows in the folder of an offered skill. A file that the entry does not list
    /// means that the skill has changed, and the row then says so.
    ///
    /// # Errors
    /// When the server cannot show folders, or declares no files of the skill.
    pub async fn offer_folder(&self, id: &str, uri: &str) -> Outcome<OfferFolder> {
        let server = self.server(id)?;
        let connection = self.connection(&server)?;
        let link = self.connections.link(&server.id).unwrap_or_default();
        let nested = nested_offer(&link, uri);
        let offer = link.offer(uri).or(nested.as_ref()).ok_or_else(|| not_offered(&server, uri))?;
        let Verdict::Verifiable(entry) = &offer.verdict else {
            return Err(undeclared(&server, uri));
        };
        let folder = connection.folder(entry).await?;
        let unlisted: Vec<String> = folder.unlisted().map(spelled_out).collect();
        if let Some(first) = unlisted.first() {
            self.unlisted_file(&server, entry, first).await?;
        }
        Ok(OfferFolder {
            files: folder
                .files
                .iter()
                .map(|file| ShownFile { path: spelled_out(&file.path), listed: file.listed })
                .collect(),
            changed: !unlisted.is_empty(),
            notices: folder.notices.iter().map(|notice| spelled_out(notice)).collect(),
        })
    }

    /// The server shows a file that its entry does not list: it is asked for the entry once more.
    async fn unlisted_file(&self, server: &SavedServer, entry: &Entry, path: &str) -> Outcome<()> {
        let now = self.entry_now(server, entry.uri().as_str()).await;
        match now {
            Ok(now) if now.files() != entry.files() => {
                self.notice(server, &now).await?;
                let what = format!("it changed on {}: it shows {path} by now", server.label);
                self.doubts.changed(&server.id, &now, what);
                self.connections.refresh(&server.id);
            }
            _ => {
                let why = format!("the server shows {path} in its folder and does not list it");
                self.doubts.mismatched(&server.id, entry, why);
            }
        }
        self.events.changed(crate::view::Scope::Servers);
        Ok(())
    }
}

/// A URI as a person pastes it.
fn checked_uri(text: &str) -> Outcome<String> {
    let text = text.trim();
    let bad = |why: &str| {
        Err(ErrorView::bad_input(format!(
            "{:?} is not the URI of a skill: {why}",
            spelled_out(text)
        ))
        .with_hint("it looks like skill://name/SKILL.md"))
    };
    if spelled_out(text) != text {
        return bad("it holds characters that cannot be seen");
    }
    if skills::uri::SkillUri::parse(text).is_err() {
        return bad("it names no SKILL.md on the server");
    }
    Ok(text.to_owned())
}

fn undeclared(server: &SavedServer, uri: &str) -> ErrorView {
    ErrorView::new(
        ErrorCode::Protocol,
        format!("{} declares no files of {uri} that could be checked", server.label),
    )
}

/// The path of a nested skill's `SKILL.md` in an outer skill, by its URI.
fn outer_path(outer: &Entry, uri: &str) -> Option<String> {
    let path = match outer.files().iter().find(|file| file.uri == uri) {
        Some(file) => file.path.clone(),
        None => outer.uri().path_of(uri).ok()?,
    };
    (is_nested_main(&path) && outer.manifest().get(&path).is_some()).then_some(path)
}

/// A skill inside a listed one, as if it were listed itself.
pub(super) fn nested_offer(link: &Link, uri: &str) -> Option<Offer> {
    link.offers().find_map(|offer| {
        let Verdict::Verifiable(outer) = &offer.verdict else { return None };
        let entry = nested_entry(outer, &outer_path(outer, uri)?)?;
        Some(Offer {
            uri: uri.to_owned(),
            name: entry.name().to_owned(),
            description: entry.description().to_owned(),
            verdict: Verdict::Verifiable(entry),
        })
    })
}

/// What is known of a fetched file's bytes.
pub(crate) fn file_state(outcome: &FileOutcome) -> FileState {
    match outcome {
        FileOutcome::Verified { line_endings_restored, .. } => {
            FileState::Verified { line_endings_restored: *line_endings_restored }
        }
        FileOutcome::Mismatch { expected_size, expected, actual_size, actual, .. } => {
            FileState::Mismatch {
                expected: size_and_digest(*expected_size, expected),
                actual: size_and_digest(*actual_size, actual),
            }
        }
        FileOutcome::Failed(message) => FileState::Failed { message: spelled_out(message) },
        FileOutcome::NotRead => FileState::Declared,
    }
}

fn size_and_digest(size: u64, digest: &Digest) -> String {
    format!("{size} bytes, {digest}")
}

/// A fetched file ready to show; one that could not be fetched has no content.
pub(crate) fn file_content(file: &FetchedFile, declared_size: u64) -> FileContent {
    let (size, bytes) = match &file.outcome {
        FileOutcome::Verified { bytes, .. } | FileOutcome::Mismatch { bytes, .. } => {
            (bytes.len() as u64, bytes.as_slice())
        }
        FileOutcome::Failed(_) | FileOutcome::NotRead => (declared_size, [].as_slice()),
    };
    FileContent {
        path: file.path.clone(),
        size,
        state: file_state(&file.outcome),
        body: render::file_body(&file.path, bytes),
    }
}

/// A `SKILL.md` that nothing vouches for.
fn unverified_content(bytes: &[u8]) -> FileContent {
    FileContent {
        path: MAIN_FILE.to_owned(),
        size: bytes.len() as u64,
        state: FileState::Unverified,
        body: render::file_body(MAIN_FILE, bytes),
    }
}
