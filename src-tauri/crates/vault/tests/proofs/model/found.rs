//! Walks that once found a fault, as they were shrunk.

use super::steps::{Deed, Edit, Meanwhile, Place, Step};
use super::walk::walk;

const PLACE: Place = Place { tool: 0, name: 0 };

fn done(deed: Deed) -> Step {
    Step::Vault(deed, Meanwhile::Nothing)
}

fn linked() -> Step {
    done(Deed::Install {
        skill: 0,
        version: 0,
        tools: vec![0, 1],
        name: None,
        replace: false,
        link: true,
    })
}

#[test]
fn a_folder_in_the_place_of_a_link_is_not_removed() {
    walk(vec![
        linked(),
        Step::Outside(PLACE, Edit::Replace),
        done(Deed::Remove { at: vec![PLACE] }),
    ])
    .unwrap();
}

#[test]
fn a_folder_in_the_place_of_a_link_is_moved_aside_without_the_record_of_the_link() {
    let disable = done(Deed::Disable { at: vec![PLACE] });
    walk(vec![
        linked(),
        Step::Outside(PLACE, Edit::Replace),
        disable,
        done(Deed::Enable { back: 0 }),
    ])
    .unwrap();
}

#[test]
fn a_fix_of_a_folder_in_the_place_of_a_link_is_undone() {
    let fix = done(Deed::Fix { at: PLACE, edit: true, name: None });
    walk(vec![linked(), Step::Outside(PLACE, Edit::Replace), fix, done(Deed::Undo { back: 0 })])
        .unwrap();
}
