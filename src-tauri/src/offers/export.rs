//! A copy of a skill that nothing vouches for, written where no tool reads, after a plain warning.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use skills::digest::Digest;
use skills::manifest::{Manifest, ManifestFile};
use skills_mcp::{Unverified, Verdict};
use vault::placement::Origin;
use vault::plan::{Action, OnConflict, Source, Target};
use vault::servers::SavedServer;

use super::{blocking, not_offered};
use crate::error::Outcome;
use crate::reach::{brings, reach};
use crate::render::spelled_out;
use crate::shell::Shell;
use crate::view::{ErrorCode, ErrorView, OutcomeView};

/// What the folder of such a copy is called at its end.
const MARK: &str = "-unverified";

/// The longest name of a folder, in bytes.
const LONGEST: usize = skills::path::MAX_COMPONENT;

impl Shell {
    /// Exports what can be read of an unverifiable skill into a new folder, marked as unverified, in
    /// the one that `ask` gives; `None` when it gives none. `understood` says that the person saw
    /// the warning. Nothing is overwritten, and nothing is written where a tool reads.
    ///
    /// # Errors
    /// When the skill is not an unverifiable one, cannot be read whole, or cannot be written there.
    pub async fn export_offer(
        self: &Arc<Self>,
        id: &str,
        uri: &str,
        understood: bool,
        ask: impl FnOnce(&str) -> Option<PathBuf> + Send + 'static,
    ) -> Outcome<Option<OutcomeView>> {
        if !understood {
            return Err(ErrorView::bad_input("an export of what was not checked needs a yes"));
        }
        let server = self.server(id)?;
        let link = self.connections.link(&server.id).unwrap_or_default();
        let offer = link.offer(uri).ok_or_else(|| not_offered(&server, uri))?;
        if !matches!(offer.verdict, Verdict::Unverifiable(_)) {
            return Err(ErrorView::bad_input(format!(
                "{} is no skill that cannot be verified; review it instead",
                spelled_out(&offer.name)
            )));
        }
        let connection = self.connection(&server)?;
        let title = format!("Export an unchecked copy of {}", spelled_out(&offer.name));
        let Some(root) = blocking(move || ask(&title)).await? else { return Ok(None) };
        let choices = self.library.choices();
        let reach = reach(&root, &self.paths, &choices);
        if reach.read {
            return Err(ErrorView::bad_input(format!(
                "{} is a folder in which skills are looked for, or has one inside",
                self.paths.display(&root)
            ))
            .with_hint("choose a folder that no tool reads"));
        }
        let read = connection.unverified(uri).await?;
        let files = read.files.keys().map(String::as_str);
        if let Some(folder) = brings(&root, &marked(&read.name), files) {
            return Err(ErrorView::bad_input(format!(
                "{} is a folder in which skills are looked for, and a copy would bring it",
                spelled_out(&self.paths.display(&folder))
            )));
        }
        let (shell, uri) = (Arc::clone(self), uri.to_owned());
        let outcome = blocking(move || {
            let source = unapproved(&server, &uri, read)?;
            let scanned = [reach.scanned, shell.scanned_folders()].concat();
            shell.write_export(source, &root, &scanned)
        })
        .await??;
        self.disk_changed();
        Ok(Some(outcome))
    }

    fn write_export(
        &self,
        source: Source,
        root: &Path,
        scanned: &[PathBuf],
    ) -> Outcome<OutcomeView> {
        let target = Target {
            tool: String::new(),
            root: root.to_owned(),
            name: None,
            on_conflict: OnConflict::Keep,
            mode: vault::link::Mode::Copy,
        };
        let plan = self.vault.plan(source, vec![target], scanned)?;
        if let Some(blocker) = plan.blockers.first() {
            return Err(ErrorView::new(ErrorCode::Protocol, blocker.clone()));
        }
        for item in &plan.items {
            let folder = self.paths.display(&item.folder);
            match item.action {
                Action::Write => {}
                Action::Refuse => {
                    let why = item.message.clone().unwrap_or_default();
                    return Err(ErrorView::bad_input(why).with_hint("choose another folder"));
                }
                Action::Keep | Action::Replace => {
                    let message = format!("{folder} is there already and is not overwritten");
                    return Err(ErrorView::bad_input(message).with_hint("choose another folder"));
                }
            }
        }
        let change = self.vault.apply(&plan, &mut |_| ControlFlow::Continue(()))?;
        Ok(self.outcome_view(change))
    }
}

fn unapproved(server: &SavedServer, uri: &str, read: Unverified) -> Outcome<Source> {
    let listed = read.files.iter().map(|(path, bytes)| ManifestFile {
        path: path.clone(),
        size: bytes.len() as u64,
        digest: Digest::of(bytes),
    });
    let files = Manifest::new(listed.collect())
        .map_err(|error| ErrorView::new(ErrorCode::Protocol, error.to_string()))?;
    Ok(Source::Unapproved {
        origin: Origin::Server {
            server: server.id.clone(),
            label: format!("{} (not verified)", server.label),
            address: server.endpoint.identity(),
            uri: uri.to_owned(),
        },
        name: marked(&read.name),
        files,
        contents: read.files,
    })
}

/// A name that says what the copy is, however long the skill's own is.
fn marked(name: &str) -> String {
    let mut end = name.len().min(LONGEST - MARK.len());
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}{MARK}", &name[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_says_that_it_is_unverified_however_long_it_is() {
        assert_eq!(marked("pdf"), "pdf-unverified");
        let long = marked(&"ä".repeat(127));
        assert!(long.ends_with("ä-unverified"));
        assert!(long.len() <= 255);
    }
}
