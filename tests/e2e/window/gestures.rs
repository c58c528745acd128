//! What takes more than a click: selecting rows, lists, menus, dialogs of the system, both themes, and ending
//! the program as a power cut would.

use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{Window, eventually};
use crate::webdriver::key;

impl Window {
    /// Chooses a row, and waits until it is that skill which is shown.
    pub(crate) fn show(&self, name: &str) {
        self.click("option", name);
        self.find("heading", name);
    }

    /// Adds rows to the selection, or takes them out, as a click with Ctrl does.
    pub(crate) fn select_too(&self, names: &[&str]) {
        for name in names {
            let row = self.find("option", name);
            let chosen = || {
                let row = self.find("option", name);
                self.session.script("return arguments[0].ariaSelected", &row.argument()).ok()
            };
            let before = chosen();
            self.session.click_with(key::CONTROL, &row).expect("a click with Ctrl");
            eventually("the row is selected or let go", || chosen() != before);
        }
    }

    /// Ticks the next box of that name that is not ticked; false when there is none left.
    pub(crate) fn tick_next(&self, name: &str) -> bool {
        let script = "return [...document.querySelectorAll('input[type=checkbox]:not(:checked)')].find((one) => \
                      [...one.labels].some((label) => label.textContent.includes(arguments[0]))) ?? null";
        match self.session.element(script, &Value::from(name)).expect("a script") {
            Some(field) => {
                self.session.click(&field).expect("a click");
                true
            }
            None => false,
        }
    }

    /// Chooses an entry of a drop-down list by what it says.
    pub(crate) fn choose(&self, list: &str, entry: &str) {
        // A list opens in a window of its own, which WebDriver does not reach.
        let script = "const [list, entry] = arguments; \
                      const option = [...list.options].find((one) => one.label === entry); \
                      if (!option) return false; \
                      list.value = option.value; \
                      list.dispatchEvent(new Event('change', { bubbles: true })); \
                      return true";
        let field = self.find_part("combobox", list);
        let chosen = self.session.script_on(script, &field, entry).expect("a script");
        assert_eq!(chosen, Value::Bool(true), "{list} has no entry {entry:?}");
    }

    /// Takes an entry of the menu "More actions".
    pub(crate) fn menu(&self, entry: &str) {
        self.click("button", "More actions");
        self.click("menuitem", entry);
    }

    /// Presses the button of a dialog that begins with these words, and waits until these are read.
    pub(crate) fn do_it(&self, button: &str, done: &str) {
        self.click_in("dialog footer", "button", button);
        self.sees(done);
    }

    /// Closes the dialog by its button.
    pub(crate) fn close_dialog(&self) {
        self.click_in("dialog footer", "button", "Close");
        eventually("the dialog is closed", || {
            self.script("return document.querySelector('dialog[open]') === null") == true
        });
    }

    /// Keeps a picture in the light theme as `NAME.png` and one in the dark theme as `NAME-dark.png`.
    pub(crate) fn pictures(&self, name: &str) {
        self.settle();
        self.picture(name);
        self.script("document.documentElement.dataset.theme = 'dark'");
        self.settle();
        self.picture(&format!("{name}-dark"));
        self.script("delete document.documentElement.dataset.theme");
    }

    /// Waits until what comes in or fades has done so; what turns for ever is not waited for.
    fn settle(&self) {
        let moving = "return document.getAnimations().some((one) => one.playState === 'running')";
        let started = Instant::now();
        while started.elapsed() < Duration::from_secs(1) && self.script(moving) == true {
            std::thread::sleep(Duration::from_millis(25));
        }
    }

    /// The process of the program.
    pub(crate) fn process(&self) -> u32 {
        let home = [b"SKILLHOLD_HOME=", self.home.as_os_str().as_bytes()].concat();
        let program = Path::new(env!("CARGO_BIN_EXE_skillhold")).canonicalize().unwrap();
        let is_ours = |process: &Path| {
            let set = fs::read(process.join("environ")).unwrap_or_default();
            fs::read_link(process.join("exe")).is_ok_and(|exe| exe == program)
                && set.split(|byte| *byte == 0).any(|one| one == home)
        };
        fs::read_dir("/proc")
            .unwrap()
            .filter_map(|entry| entry.unwrap().file_name().to_str()?.parse().ok())
            .find(|id: &u32| is_ours(&Path::new("/proc").join(id.to_string())))
            .expect("the program runs")
    }

    /// Answers the system's dialog of this title with a path.
    pub(crate) fn answer_dialog(&self, title: &str, path: &Path) {
        let xdotool = |words: &[&str]| {
            Command::new("timeout")
                .args(["20", "xdotool"])
                .args(words)
                .env("DISPLAY", &self.display)
                .output()
                .expect("xdotool (`cargo xtask setup` installs it)")
        };
        let told = |words: &[&str]| assert!(xdotool(words).status.success(), "{words:?}");
        let is_open = || xdotool(&["search", "--onlyvisible", "--name", title]).status.success();
        told(&["search", "--sync", "--onlyvisible", "--name", title, "windowfocus", "--sync"]);
        // A dialog that is still reading its folder loses keys: then once more. The first Return may
        // be taken by the names that the field offers.
        for at in 0..8 {
            if at % 2 == 0 {
                // What is in the field goes; a slash opens it where there is none yet.
                told(&["key", "ctrl+a"]);
                told(&["type", "--delay", "10", path.to_str().unwrap()]);
            }
            told(&["key", "Return"]);
            let asked = Instant::now();
            while asked.elapsed() < Duration::from_secs(1) {
                if !is_open() {
                    return;
                }
                std::thread::sleep(Duration::from_millis(25));
            }
        }
        panic!("the dialog {title:?} stays open");
    }
}
