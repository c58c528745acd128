//! What may happen, and how it is chosen.

use proptest::collection::vec;
use proptest::prelude::*;

use crate::support::TOOLS;

/// Names that a skill's folder has.
pub(super) const NAMES: [&str; 3] = ["pdf", "csv", "doc"];

/// A folder of a skill: a tool and a name, by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) tool: usize,
    pub(super) name: usize,
}

/// One thing that happens.
#[derive(Debug, Clone)]
pub(super) enum Step {
    /// Somebody other than the vault does something to a folder.
    Outside(Place, Edit),
    /// The vault does something, and something may come in between.
    Vault(Deed, Meanwhile),
    /// The program ends and starts again.
    Restart,
    /// What went to the trash longest ago goes for good.
    Prune { how_many: usize },
}

/// What the vault does.
#[derive(Debug, Clone)]
pub(super) enum Deed {
    /// Installs the skill with this name, in one of its versions.
    Install {
        skill: usize,
        version: usize,
        tools: Vec<usize>,
        name: Option<usize>,
        replace: bool,
        link: bool,
    },
    /// Copies a skill to tools.
    Copy {
        from: Place,
        tools: Vec<usize>,
        replace: bool,
    },
    /// Makes a fix: an edit of `SKILL.md`, a new name, or both.
    Fix {
        at: Place,
        edit: bool,
        name: Option<usize>,
    },
    /// Gives a skill another name.
    Name {
        at: Place,
        name: usize,
    },
    /// Brings what is recorded at a place up to a version.
    Update {
        at: Place,
        version: usize,
        replace: bool,
    },
    Remove {
        at: Vec<Place>,
    },
    Disable {
        at: Vec<Place>,
    },
    /// Puts back what is aside, counted from the newest.
    Enable {
        back: usize,
    },
    Adopt {
        at: Vec<Place>,
    },
    /// Several as one.
    Batch(Vec<Deed>),
    /// Takes a change back, counted from the newest.
    Undo {
        back: usize,
    },
}

/// What happens while the vault does something.
#[derive(Debug, Clone)]
pub(super) enum Meanwhile {
    Nothing,
    /// It crashes after this many steps, and the program starts again.
    Crash(usize),
    /// Somebody writes between the preview and the change.
    Before(Place, Edit),
    /// Somebody writes after this many steps.
    During(usize, Place, Edit),
}

/// What other programs and the person do to the folder of a skill.
#[derive(Debug, Clone, Copy)]
pub(super) enum Edit {
    /// Makes a skill by hand, where there is none.
    Make,
    ChangeFile,
    AddFile,
    RemoveFile,
    /// Line endings as another system has them.
    LineEndings,
    /// Only its times.
    Touch,
    Executable,
    Delete,
    /// Another installer puts another folder there.
    Replace,
    ReplaceByLink,
}

fn place() -> impl Strategy<Value = Place> {
    // Most things happen to the same few folders, so that they meet.
    let tool = prop_oneof![4 => Just(0), 2 => Just(1), 1 => Just(2)];
    let name = prop_oneof![6 => Just(0), 1 => Just(1), 1 => Just(2)];
    (tool, name).prop_map(|(tool, name)| Place { tool, name })
}

fn tools() -> impl Strategy<Value = Vec<usize>> {
    proptest::sample::subsequence((0..TOOLS.len()).collect::<Vec<_>>(), 1..=TOOLS.len())
}

fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        6 => Just(Edit::ChangeFile),
        6 => Just(Edit::Make),
        2 => Just(Edit::AddFile),
        2 => Just(Edit::RemoveFile),
        1 => Just(Edit::LineEndings),
        1 => Just(Edit::Touch),
        1 => Just(Edit::Executable),
        2 => Just(Edit::Delete),
        2 => Just(Edit::Replace),
        1 => Just(Edit::ReplaceByLink),
    ]
}

/// All but taking back.
fn plain_deed() -> impl Strategy<Value = Deed> {
    let name = || proptest::option::weighted(0.2, 0..NAMES.len());
    let replace = || prop::bool::weighted(0.8);
    let install = (0..2_usize, 0..3_usize, tools(), name(), replace(), prop::bool::weighted(0.25))
        .prop_map(|(skill, version, tools, name, replace, link)| Deed::Install {
            skill,
            version,
            tools,
            name,
            replace,
            link,
        });
    let copy = (place(), tools(), replace()).prop_map(|(from, tools, replace)| Deed::Copy {
        from,
        tools,
        replace,
    });
    let fix = (place(), any::<bool>(), proptest::option::of(0..NAMES.len()))
        .prop_map(|(at, edit, name)| Deed::Fix { at, edit, name });
    let update = (place(), 0..3_usize, replace()).prop_map(|(at, version, replace)| Deed::Update {
        at,
        version,
        replace,
    });
    let places = || vec(place(), 1..3);
    prop_oneof![
        4 => install,
        2 => copy,
        2 => fix,
        1 => (place(), 0..NAMES.len()).prop_map(|(at, name)| Deed::Name { at, name }),
        2 => update,
        2 => places().prop_map(|at| Deed::Remove { at }),
        2 => places().prop_map(|at| Deed::Disable { at }),
        2 => (0..3_usize).prop_map(|back| Deed::Enable { back }),
        2 => places().prop_map(|at| Deed::Adopt { at }),
    ]
}

fn deed() -> impl Strategy<Value = Deed> {
    let undo =
        prop_oneof![4 => Just(0_usize), 2 => 1..4_usize].prop_map(|back| Deed::Undo { back });
    prop_oneof![
        12 => plain_deed(),
        2 => vec(plain_deed(), 2..4).prop_map(Deed::Batch),
        6 => undo,
    ]
}

fn meanwhile() -> impl Strategy<Value = Meanwhile> {
    prop_oneof![
        6 => Just(Meanwhile::Nothing),
        4 => (0..30_usize).prop_map(Meanwhile::Crash),
        1 => (place(), edit()).prop_map(|(place, edit)| Meanwhile::Before(place, edit)),
        2 => (0..20_usize, place(), edit())
            .prop_map(|(step, place, edit)| Meanwhile::During(step, place, edit)),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (place(), edit()).prop_map(|(place, edit)| Step::Outside(place, edit)),
        10 => (deed(), meanwhile()).prop_map(|(deed, meanwhile)| Step::Vault(deed, meanwhile)),
        1 => Just(Step::Restart),
        1 => (0..3_usize).prop_map(|how_many| Step::Prune { how_many }),
    ]
}

/// Up to twenty things in a row.
pub(super) fn sequence() -> impl Strategy<Value = Vec<Step>> {
    vec(step(), 1..20)
}
