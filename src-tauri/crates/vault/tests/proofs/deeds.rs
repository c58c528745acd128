//! What a person does, each in a home of its own: made ready, then done by a process that may end
//! at any moment.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use std::ops::ControlFlow;

use skills::fix::{Fix, TextEdit};
use skills::manifest::Manifest;
use vault::VaultError;
use vault::batch::Part;
use vault::deed::{Deed as Kind, Subject};
use vault::link::Mode;
use vault::plan::OnConflict;

use crate::support::{Home, PDF, PDF_2, URI, write};

/// One thing that a person does.
pub(crate) struct Deed {
    pub(crate) name: &'static str,
    /// Before it.
    pub(crate) ready: fn(&Home),
    /// It itself, which works out all it needs from the home.
    pub(crate) act: fn(&Home) -> Result<(), VaultError>,
}

const FIRST: [(&str, &str); 3] = [("SKILL.md", PDF), ("a.txt", "a"), ("b/c.txt", "c")];
const SECOND: [(&str, &str); 3] = [("SKILL.md", PDF_2), ("b/c.txt", "c"), ("b/d.txt", "d")];
const MINE: [(&str, &str); 2] = [("SKILL.md", "mine"), ("notes.txt", "mine too")];
/// The name is not the folder's, and the description has an unquoted colon.
const WRONG: &str = "---\nname: PDF\ndescription: Reads: files\n---\nRead it.\n";

pub(crate) const DEEDS: &[Deed] = &[
    Deed { name: "install", ready: |_| {}, act: |home| install(home, &["c"]) },
    Deed { name: "install for several", ready: mine, act: |home| install(home, &["a", "b", "c"]) },
    Deed { name: "replace", ready: mine, act: |home| install(home, &["a"]) },
    Deed { name: "update", ready: installed, act: update },
    Deed { name: "update what was edited", ready: edited, act: update },
    Deed { name: "copy", ready: mine, act: copy },
    Deed { name: "fix", ready: wrong, act: |home| fix(home, true, false) },
    Deed { name: "fix and rename", ready: wrong, act: |home| fix(home, true, true) },
    Deed { name: "rename", ready: wrong, act: |home| fix(home, false, true) },
    Deed { name: "give another name", ready: installed, act: |home| name(home, "csv") },
    Deed { name: "remove", ready: installed, act: |home| deed(home, Kind::Remove, &["a", "c"]) },
    Deed {
        name: "remove what was edited",
        ready: edited,
        act: |home| deed(home, Kind::Remove, &["a"]),
    },
    Deed { name: "disable", ready: installed, act: |home| deed(home, Kind::Disable, &["a", "c"]) },
    Deed { name: "disable by hand", ready: mine, act: |home| deed(home, Kind::Disable, &["a"]) },
    Deed {
        name: "enable",
        ready: |home| {
            installed(home);
            deed(home, Kind::Disable, &["a", "c"]).unwrap();
        },
        act: |home| deed(home, Kind::Enable, &["a", "c"]),
    },
    Deed { name: "adopt", ready: mine, act: |home| deed(home, Kind::Adopt, &["a"]) },
    Deed { name: "install links", ready: |_| {}, act: |home| link(home, &["a", "b"], &FIRST) },
    Deed { name: "replace by a link", ready: mine, act: |home| link(home, &["a"], &FIRST) },
    Deed { name: "update links", ready: linked, act: |home| renew(home, &SECOND) },
    Deed { name: "remove a link", ready: linked, act: |home| deed(home, Kind::Remove, &["a"]) },
    Deed {
        name: "remove all links",
        ready: linked,
        act: |home| deed(home, Kind::Remove, &["a", "b"]),
    },
    Deed {
        name: "disable links",
        ready: linked,
        act: |home| deed(home, Kind::Disable, &["a", "b"]),
    },
    Deed { name: "batch", ready: for_batch, act: batch },
    Deed { name: "undo an install", ready: installed, act: undo },
    Deed {
        name: "undo a replacement",
        ready: |home| {
            mine(home);
            install(home, &["a", "b"]).unwrap();
        },
        act: undo,
    },
    Deed {
        name: "undo an update",
        ready: |home| {
            installed(home);
            update(home).unwrap();
        },
        act: undo,
    },
    Deed {
        name: "undo a fix",
        ready: |home| {
            wrong(home);
            fix(home, true, true).unwrap();
        },
        act: undo,
    },
    Deed {
        name: "undo a removal",
        ready: |home| {
            edited(home);
            deed(home, Kind::Remove, &["a", "c"]).unwrap();
        },
        act: undo,
    },
    Deed {
        name: "undo disabling",
        ready: |home| {
            installed(home);
            deed(home, Kind::Disable, &["a", "c"]).unwrap();
        },
        act: undo,
    },
    Deed {
        name: "undo enabling",
        ready: |home| {
            mine(home);
            deed(home, Kind::Disable, &["a"]).unwrap();
            deed(home, Kind::Enable, &["a"]).unwrap();
        },
        act: undo,
    },
    Deed {
        name: "undo adopting",
        ready: |home| {
            mine(home);
            deed(home, Kind::Adopt, &["a"]).unwrap();
        },
        act: undo,
    },
    Deed { name: "undo links", ready: linked, act: undo },
    Deed {
        name: "undo the removal of all links",
        ready: |home| {
            linked(home);
            deed(home, Kind::Remove, &["a", "b"]).unwrap();
        },
        act: undo,
    },
    Deed {
        name: "undo an update of links",
        ready: |home| {
            linked(home);
            renew(home, &SECOND).unwrap();
        },
        act: undo,
    },
    Deed {
        name: "undo a batch",
        ready: |home| {
            for_batch(home);
            batch(home).unwrap();
        },
        act: undo,
    },
];

/// A skill made by hand, with a program in it and an empty folder.
fn mine(home: &Home) {
    let folder = home.skill("a", "pdf");
    write(&folder, &MINE);
    fs::set_permissions(folder.join("notes.txt"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::create_dir(folder.join("empty")).unwrap();
}

fn installed(home: &Home) {
    home.place(home.approved(URI, &FIRST), &["a", "c"], OnConflict::Keep);
}

fn edited(home: &Home) {
    installed(home);
    fs::write(home.skill("a", "pdf").join("a.txt"), "edited").unwrap();
}

fn wrong(home: &Home) {
    write(&home.skill("a", "documents"), &[("SKILL.md", WRONG), ("b/c.txt", "c")]);
}

fn install(home: &Home, tools: &[&str]) -> Result<(), VaultError> {
    let plan = home.plan(home.approved(URI, &FIRST), tools, OnConflict::Replace);
    home.apply(&plan).map(drop)
}

fn update(home: &Home) -> Result<(), VaultError> {
    let plan = home.plan(home.approved(URI, &SECOND), &["a", "c"], OnConflict::Replace);
    home.apply(&plan).map(drop)
}

fn copy(home: &Home) -> Result<(), VaultError> {
    let plan = home.plan(home.local(&home.skill("a", "pdf")), &["b", "c"], OnConflict::Keep);
    home.apply(&plan).map(drop)
}

fn fix(home: &Home, quote: bool, rename: bool) -> Result<(), VaultError> {
    let folder = home.skill("a", "documents");
    let quoted = Fix::Edits {
        title: "quote the value".to_owned(),
        file: "SKILL.md".to_owned(),
        edits: vec![TextEdit { range: 27..39, replacement: "\"Reads: files\"".to_owned() }],
    };
    let renamed = Fix::RenameFolder { title: "rename the folder".to_owned(), to: "pdf".to_owned() };
    let fixes: Vec<Fix> =
        quote.then_some(quoted).into_iter().chain(rename.then_some(renamed)).collect();
    let seen = Manifest::read(&folder).unwrap();
    let plan = home.vault.plan_fixes(&folder, &seen, &fixes, &home.scanned())?;
    home.vault.apply_fixes(&plan).map(drop)
}

fn undo(home: &Home) -> Result<(), VaultError> {
    let change = home.vault.last_change()?.unwrap();
    home.vault.undo(&change).map(drop)
}

fn name(home: &Home, to: &str) -> Result<(), VaultError> {
    let folder = home.skill("a", "pdf");
    let seen = Manifest::read(&folder).unwrap();
    let plan = home.vault.plan_rename(&folder, &seen, to, &home.scanned())?;
    home.vault.apply_fixes(&plan).map(drop)
}

fn subjects(home: &Home, tools: &[&str], name: &str) -> Vec<Subject> {
    let subject = |tool: &&str| Subject {
        folder: home.skill(tool, name),
        tools: vec![(*tool).to_owned()],
        user_owned: false,
    };
    tools.iter().map(subject).collect()
}

fn deed(home: &Home, kind: Kind, tools: &[&str]) -> Result<(), VaultError> {
    let plan = home.vault.plan_deed(kind, subjects(home, tools, "pdf"), &home.scanned())?;
    make(home, vec![Part::Deed(plan)])
}

fn make(home: &Home, parts: Vec<Part>) -> Result<(), VaultError> {
    let batch = home.vault.plan_batch(parts)?;
    home.vault.apply_batch(&batch, &mut |_| ControlFlow::Continue(())).map(drop)
}

fn link(home: &Home, tools: &[&str], files: &[(&str, &str)]) -> Result<(), VaultError> {
    let mut plan = home.plan(home.approved(URI, files), tools, OnConflict::Replace);
    plan.targets.iter_mut().for_each(|target| target.mode = Mode::Link);
    let plan = home.vault.plan(plan.source, plan.targets, &home.scanned())?;
    home.apply(&plan).map(drop)
}

fn linked(home: &Home) {
    link(home, &["a", "b"], &FIRST).unwrap();
}

fn renew(home: &Home, files: &[(&str, &str)]) -> Result<(), VaultError> {
    let source = home.approved(URI, files);
    let folder = home.skill("a", "pdf");
    let plan = home.vault.plan_update(&folder, source, OnConflict::Replace, &home.scanned())?;
    home.apply(&plan).map(drop)
}

/// Skills for a batch that does one of each.
fn for_batch(home: &Home) {
    mine(home);
    wrong(home);
    home.place(home.approved(URI, &FIRST), &["c"], OnConflict::Keep);
    write(&home.skill("b", "csv"), &[("SKILL.md", "by hand")]);
}

/// An install, a removal, a skill moved aside, one taken into the record, and a fix.
fn batch(home: &Home) -> Result<(), VaultError> {
    let plan = |kind, tool, name| {
        home.vault.plan_deed(kind, subjects(home, &[tool], name), &home.scanned())
    };
    let documents = home.skill("a", "documents");
    let seen = Manifest::read(&documents).unwrap();
    let parts = vec![
        Part::Place(home.plan(home.approved(URI, &SECOND), &["b"], OnConflict::Keep)),
        Part::Deed(plan(Kind::Remove, "c", "pdf")?),
        Part::Deed(plan(Kind::Disable, "b", "csv")?),
        Part::Deed(plan(Kind::Adopt, "a", "pdf")?),
        Part::Fix(home.vault.plan_rename(&documents, &seen, "papers", &home.scanned())?),
    ];
    make(home, parts)
}
