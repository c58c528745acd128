//! One skill of several roots that hold one path, or none.

use std::collections::HashSet;

use super::reach::Resolved;
use super::words::{NO_URI, left_out};
use super::{Scan, Spot, Strict};
use crate::MAIN_FILE;
use crate::provider::build::Memo;
use crate::provider::shown::has_uri;

impl Strict {
    /// The skills that are published, one spot each, and why others are not.
    pub(super) fn published(&self, scan: &Scan, warnings: &mut Vec<String>) -> Vec<(String, Spot)> {
        let mut published = Vec::new();
        for (name, spots) in &scan.candidates {
            if !has_uri(name, MAIN_FILE) {
                warnings.push(left_out(name, NO_URI));
                continue;
            }
            match spots.as_slice() {
                [spot] => published.push((name.clone(), spot.clone())),
                [spot, ..] if self.merge_identical && self.are_identical(name, spots) => {
                    published.push((name.clone(), spot.clone()));
                }
                _ => {
                    let places: Vec<usize> = spots.iter().map(|spot| spot.place).collect();
                    warnings.push(left_out(name, &self.in_more_roots(&places)));
                }
            }
        }
        published
    }

    pub(super) fn are_identical(&self, name: &str, spots: &[Spot]) -> bool {
        let fingerprints: Option<HashSet<_>> = spots
            .iter()
            .map(|spot| {
                let folder = || self.folder(spot.place, name);
                let built = self.built(name, spot, &mut Memo::default(), folder);
                Some(built.manifest()?.fingerprint())
            })
            .collect();
        fingerprints.is_some_and(|fingerprints| fingerprints.len() == 1)
    }

    /// Why a skill that several roots hold is left out.
    pub(super) fn in_more_roots(&self, places: &[usize]) -> String {
        let roots: Vec<String> =
            places.iter().map(|place| format!("{:?}", self.places[*place].root)).collect();
        let differ = if self.merge_identical { ", and they differ" } else { "" };
        format!("it is in more than one folder{differ}: {}", roots.join(", "))
    }

    /// Whether the skill at this path, in more than one root, is published once.
    pub(super) fn is_merged(&self, path: &str) -> bool {
        let mut parts: Vec<String> = path.split('/').map(str::to_owned).collect();
        parts.push(MAIN_FILE.to_owned());
        let resolved = self.resolve_parts(&parts).filter(|resolved| resolved.name == path);
        resolved.is_some_and(|Resolved { spots, .. }| {
            spots.len() > 1 && self.the_one(path, &spots).is_some()
        })
    }
}
