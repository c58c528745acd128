//! Changing what is there, in the window: what goes comes back to the last bit.

mod bundles;
mod deeds;
mod interrupted;
mod links;
mod rules;
mod updates;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use crate::serve::Served;
use crate::support::home::Home;
use crate::support::skill::Skill;
use crate::window::Window;

/// What a folder holds: bits and time of each entry, and the bytes of each file.
type Whole = BTreeMap<String, (u32, i64, i64, Option<Vec<u8>>)>;

/// All that can be told of a folder; empty where there is none.
fn whole(folder: &Path) -> Whole {
    fn walk(at: &Path, path: String, into: &mut Whole) {
        let Ok(found) = fs::symlink_metadata(at) else { return };
        let bytes = found.is_file().then(|| fs::read(at).unwrap());
        if found.is_dir() {
            for entry in fs::read_dir(at).unwrap().map(Result::unwrap) {
                let name = entry.file_name().into_string().unwrap();
                walk(&entry.path(), format!("{path}/{name}"), into);
            }
        }
        into.insert(path, (found.mode(), found.mtime(), found.mtime_nsec(), bytes));
    }
    let mut found = Whole::new();
    walk(folder, String::new(), &mut found);
    found
}

/// The window past the welcome.
fn library(home: &Home) -> Window {
    let window = Window::open(home);
    window.click("button", "Go to the library");
    window
}

/// A skill of two files.
fn skill(name: &str, steps: &str) -> Skill {
    Skill::new(name, &format!("Does {name}. Use when asked for {name}."))
        .file("steps.txt", steps.as_bytes())
}

/// A Skillhold on a home of its own, which shares the folder `published` of it.
struct Publisher {
    home: Home,
    served: Served,
}

impl Publisher {
    fn of(skills: &[Skill]) -> Self {
        let home = Home::empty();
        for skill in skills {
            skill.write_under(&home.at("published"));
        }
        let served = Served::start_with(&home, &home.at("published"), &["--no-token"]);
        Self { home, served }
    }

    fn publish(&self, skill: &Skill) {
        skill.write_under(&self.home.at("published"));
    }

    /// Adds it in the window, and shows it.
    fn add_to(&self, window: &Window, label: &str) {
        window.click_part("button", "Add server…");
        window.fill("textbox", "Label", label);
        window.fill("textbox", "Address", &self.served.address);
        window.click("button", "Add");
        window.click_in("nav", "button", label);
    }
}

/// Reviews and approves a skill of the server that is shown.
fn approve(window: &Window, name: &str) {
    window.show(name);
    window.click("button", "Review…");
    window.find("heading", &format!("Review “{name}”"));
    window.click("button", "Approve");
    window.row_says(name, "approved");
}

/// Installs a skill of the server that is shown, which is approved.
fn install(window: &Window, name: &str, tools: &[&str], linked: bool) {
    window.show(name);
    window.click("button", "Install…");
    for tool in tools {
        window.tick(tool);
        if linked {
            window.choose(&format!("How {tool} gets it"), "Link");
        }
    }
    let many = if tools.len() == 1 { "1 tool" } else { "2 tools" };
    window.click("button", &format!("Install into {many}"));
    window.sees(if tools.len() == 1 { "1 tool has it now" } else { "2 tools have it now" });
    window.close_dialog();
}
