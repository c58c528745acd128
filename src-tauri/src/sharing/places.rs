//! Where what is shared lies.

use std::path::{Path, PathBuf};

use skills::folder::{FolderKind, kind_of};
use skills::provider::Place;
use skills::tool::{Detection, project_folders};
use vault::settings::Sharing as Settings;

use super::Parts;
use crate::view::{self, SharedFolder, SharedTool};

impl Parts {
    /// Every tool that is here or shared, and its folders.
    pub(super) fn tools(&self, settings: &Settings) -> Vec<SharedTool> {
        let snapshot = self.library.snapshot();
        let tools = snapshot.tools.iter().filter(|state| {
            state.detection != Detection::NotFound || settings.tools.contains(&state.tool.id)
        });
        tools
            .map(|state| SharedTool {
                id: state.tool.id.clone(),
                name: state.tool.name.clone(),
                monogram: state.tool.monogram.clone(),
                shared: settings.tools.contains(&state.tool.id),
                roots: self
                    .roots(&state.tool.id)
                    .iter()
                    .map(|root| self.paths.display(root))
                    .collect(),
            })
            .filter(|tool| !tool.roots.is_empty())
            .collect()
    }

    /// The folders that a tool reads, but caches of plug-ins, in which versions lie side by side.
    pub(super) fn roots(&self, tool: &str) -> Vec<PathBuf> {
        let snapshot = self.library.snapshot();
        let Some(state) = snapshot.tools.iter().find(|state| state.tool.id == tool) else {
            return Vec::new();
        };
        let known = state.tool.roots(&self.paths);
        let is_cache = |path: &&PathBuf| known.iter().any(|root| root.cache && root.path == **path);
        state.roots.iter().filter(|path| !is_cache(path)).cloned().collect()
    }

    pub(super) fn folder(&self, path: &Path) -> SharedFolder {
        SharedFolder {
            path: self.paths.display(path),
            kind: match kind_of(path) {
                Ok(FolderKind::Skill) => view::FolderKind::Skill,
                Ok(FolderKind::Skills) => view::FolderKind::Skills,
                Ok(FolderKind::Project { .. }) => view::FolderKind::Project,
                Ok(FolderKind::Empty) | Err(_) => view::FolderKind::Empty,
            },
        }
    }

    /// Where what is shared lies, each place once.
    pub(super) fn places(&self, settings: &Settings) -> Vec<Place> {
        let tools = settings.tools.iter().flat_map(|tool| self.roots(tool)).map(Place::Root);
        let folders = settings.folders.iter().flat_map(|folder| match kind_of(folder) {
            Ok(FolderKind::Skill) => vec![Place::Skill(folder.clone())],
            Ok(FolderKind::Project { roots }) => {
                roots.into_iter().map(|(root, _)| Place::Root(folder.join(root))).collect()
            }
            _ => vec![Place::Root(folder.clone())],
        });
        let mut places: Vec<Place> = Vec::new();
        for place in tools.chain(folders) {
            if !places.contains(&place) {
                places.push(place);
            }
        }
        places
    }

    /// What is watched: the places, and what would make others of the shared projects.
    pub(super) fn watched(&self, settings: &Settings, places: &[Place]) -> Vec<PathBuf> {
        let projects = settings
            .folders
            .iter()
            .filter(|folder| matches!(kind_of(folder), Ok(FolderKind::Project { .. })));
        let may_come = projects.flat_map(|project| project_folders(project));
        places.iter().map(|place| place.path().to_owned()).chain(may_come).collect()
    }
}
