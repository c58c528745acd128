//! The real program in a real window on a display of its own, worked as a person works it: things
//! are found by what they are and what they say.

use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Condvar, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::home::Home;
use crate::support::python::{free_port, target};
use crate::webdriver::{Element, Session, key};

mod gestures;

/// How long anything on the screen may take.
const WAIT: Duration = Duration::from_secs(20);

/// Windows open at once within one test program; each has a display and a web process.
const AT_ONCE: usize = 2;
static OPEN: (Mutex<usize>, Condvar) = (Mutex::new(0), Condvar::new());

/// A child that is ended with its test.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// One place among the windows that may be open.
struct Turn;

impl Turn {
    fn wait() -> Self {
        let mut open = OPEN.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        while *open >= AT_ONCE {
            open = OPEN.1.wait(open).unwrap_or_else(|poisoned| poisoned.into_inner());
        }
        *open += 1;
        Self
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        *OPEN.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) -= 1;
        OPEN.1.notify_one();
    }
}

/// The program, running on a home.
pub(crate) struct Window {
    session: Session,
    home: PathBuf,
    /// As `DISPLAY` says it.
    display: String,
    _driver: Ended,
    _display: Ended,
    _turn: Turn,
}

/// The elements of a role, the names they have, and which of them a person can see and reach.
const FIND: &str = r#"
const { role, name, part, within } = arguments[0];
const implied = {
  button: "button, summary", link: "a[href]", heading: "h1, h2, h3, h4, h5, h6", textbox: "input:not([type]), input[type=text], input[type=url], input[type=password], textarea",
  searchbox: "input[type=search]", checkbox: "input[type=checkbox]", radio: "input[type=radio]", dialog: "dialog[open]",
  combobox: "select", option: "option", row: "tr", table: "table", list: "ul, ol", listitem: "li", region: "section", main: "main",
  navigation: "nav", switch: "input[type=checkbox][role=switch]", text: "*",
};
const squeeze = (text) => (text ?? "").replace(/\s+/g, " ").trim();
const nameOf = (element) => {
  if (role === "text") {
    return [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim()) ? squeeze(element.textContent) : "";
  }
  const by = element.getAttribute("aria-labelledby");
  if (by) return squeeze(by.split(/\s+/).map((id) => document.getElementById(id)?.textContent).join(" "));
  const label = element.getAttribute("aria-label");
  if (label) return squeeze(label);
  if (element.labels?.length) return squeeze([...element.labels].map((label) => label.textContent).join(" "));
  return squeeze(element.textContent) || squeeze(element.getAttribute("placeholder") || element.title || "");
};
const seen = (element) =>
  element.checkVisibility({ checkVisibilityCSS: true }) && !element.closest("[inert], [aria-hidden=true]") &&
  // a modal dialog makes all else unreachable
  (() => { const top = [...document.querySelectorAll("dialog:modal")].pop(); return !top || top.contains(element); })();
// A row is known by its first line; the others describe it.
const line = (element) => (role === "option" ? squeeze(element.innerText.split("\n")[0]) : null);
const fits = (element) => {
  const own = nameOf(element);
  return part ? own.includes(name) : own === name || line(element) === name;
};
const scope = within ? [...document.querySelectorAll(within)].filter(seen) : [document];
const selector = [`[role=${role}]`, implied[role]].filter(Boolean).join(", ");
for (const top of scope) {
  const found = [...top.querySelectorAll(selector)]
    .filter((element) => role === "text" || !element.getAttribute("role") || element.getAttribute("role") === role)
    .filter((element) => seen(element) && fits(element));
  if (found.length) return found[0];
}
return null;
"#;

impl Window {
    /// Opens the program's window on a home.
    pub(crate) fn open(home: &Home) -> Self {
        Self::open_with(home, &[])
    }

    /// Opens it with folders on the command line.
    pub(crate) fn open_with(home: &Home, folders: &[&Path]) -> Self {
        let turn = Turn::wait();
        let (display, name) = start_display();
        let (driver, port) = start_driver(&name, home.path());
        let program = env!("CARGO_BIN_EXE_skillhold");
        let folders: Vec<String> =
            folders.iter().map(|folder| folder.to_str().unwrap().to_owned()).collect();
        let session = Session::open(port, program, &folders).expect("the window opens");
        let window = Self {
            session,
            home: home.path().to_owned(),
            display: name,
            _driver: driver,
            _display: display,
            _turn: turn,
        };
        window.session.resize(1240, 800).expect("a size");
        window
    }

    /// Waits for an element of a role that says exactly `name`.
    pub(crate) fn find(&self, role: &str, name: &str) -> Element {
        self.wait_for(role, name, false, None)
    }

    /// The same, with `name` being a part of what it says.
    pub(crate) fn find_part(&self, role: &str, name: &str) -> Element {
        self.wait_for(role, name, true, None)
    }

    /// Waits until some text on the screen has this in it.
    pub(crate) fn sees(&self, text: &str) {
        self.wait_for("text", text, true, None);
    }

    /// Waits until no text on the screen has this in it.
    pub(crate) fn sees_no(&self, text: &str) {
        let gone = self.until(|| match self.look("text", text, true, None) {
            Ok(None) => Some(()),
            _ => None,
        });
        assert!(gone.is_some(), "{text:?} is still on the screen");
    }

    /// Whether such an element is there right now.
    pub(crate) fn has(&self, role: &str, name: &str) -> bool {
        matches!(self.look(role, name, false, None), Ok(Some(_)))
    }

    /// Clicks what is found by role and name.
    pub(crate) fn click(&self, role: &str, name: &str) {
        self.clicked(role, name, false, None);
    }

    /// Clicks what has `name` in it.
    pub(crate) fn click_part(&self, role: &str, name: &str) {
        self.clicked(role, name, true, None);
    }

    /// Clicks inside the part of the page that a CSS selector names.
    pub(crate) fn click_in(&self, within: &str, role: &str, name: &str) {
        self.clicked(role, name, true, Some(within));
    }

    /// Ticks a box, once it can be used.
    pub(crate) fn tick(&self, name: &str) {
        self.clicked("checkbox", name, false, None);
        let script = "return arguments[0].checked";
        let ticked = self.until(|| {
            let field = self.look("checkbox", name, false, None).ok()??;
            let answer = self.session.script(script, &field.argument()).ok()?;
            (answer == Value::Bool(true)).then_some(())
        });
        assert!(ticked.is_some(), "{name} is not ticked");
    }

    /// Waits until the page's text has this in it, and returns all of it.
    pub(crate) fn wait_text(&self, part: &str) -> String {
        let found = self.until(|| Some(self.text()).filter(|text| text.contains(part)));
        found.unwrap_or_else(|| panic!("{part:?} is not on the screen"))
    }

    /// Replaces what is in a field.
    pub(crate) fn fill(&self, role: &str, name: &str, text: &str) {
        let script = "return arguments[0].value";
        let mut last = Value::Null;
        let filled = self.until(|| {
            let field = self.look(role, name, true, None).ok()??;
            last = self.session.script(script, &field.argument()).ok()?;
            if last == text {
                return Some(());
            }
            // WebDriver's own "clear" tells the page nothing.
            let emptied = format!("{}a{}{}", key::CONTROL, key::NULL, key::BACKSPACE);
            let keys = if last == "" { String::new() } else { emptied };
            self.session.type_into(&field, &format!("{keys}{text}")).ok()?;
            None
        });
        assert!(filled.is_some(), "{role} {name:?} says {last} instead of {text:?}");
    }

    /// Waits until the row of that name has the word of a state, as `changed`.
    pub(crate) fn row_says(&self, name: &str, word: &str) {
        let mut last = String::new();
        let said = self.until(|| {
            let row = self.look("option", name, false, None).ok()??;
            let text =
                self.session.script("return arguments[0].innerText", &row.argument()).ok()?;
            last = text.as_str()?.to_owned();
            last.lines().any(|line| line.trim() == word).then_some(())
        });
        assert!(said.is_some(), "the row {name} does not say {word:?} but {last:?}");
    }

    /// Presses keys together, with the focus where it is.
    pub(crate) fn press(&self, keys: &[char]) {
        self.session.press(keys).expect("keys");
    }

    /// What a script in the page returns.
    pub(crate) fn script(&self, script: &str) -> Value {
        self.session.script(script, &Value::Null).expect("a script")
    }

    /// Waits until an element of this role and name can be used.
    pub(crate) fn enabled(&self, role: &str, name: &str) -> bool {
        let element = self.find(role, name);
        self.is_enabled(&element)
    }

    fn is_enabled(&self, element: &Element) -> bool {
        let script = "return !arguments[0].disabled && arguments[0].getAttribute('aria-disabled') !== 'true'";
        self.session
            .script(script, &element.argument())
            .is_ok_and(|answer| answer == Value::Bool(true))
    }

    /// All that is written on the screen.
    pub(crate) fn text(&self) -> String {
        self.script("return document.body.innerText").as_str().unwrap_or_default().to_owned()
    }

    /// Keeps a picture of the page as `NAME.png` in `target/screenshots/window`.
    pub(crate) fn picture(&self, name: &str) {
        let png = self.session.screenshot().expect("a screenshot");
        assert_eq!(&png[..4], b"\x89PNG");
        let folder = screenshots();
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(format!("{name}.png")), png).unwrap();
    }

    fn look(
        &self,
        role: &str,
        name: &str,
        part: bool,
        within: Option<&str>,
    ) -> Result<Option<Element>, String> {
        let wanted = json!({ "role": role, "name": name, "part": part, "within": within });
        self.session.element(FIND, &wanted)
    }

    fn wait_for(&self, role: &str, name: &str, part: bool, within: Option<&str>) -> Element {
        let mut last = String::new();
        let found = self.until(|| match self.look(role, name, part, within) {
            Ok(found) => found,
            Err(error) => {
                last = error;
                None
            }
        });
        found.unwrap_or_else(|| panic!("no {role} {name:?} on the screen {last}"))
    }

    /// A click may meet an element that is replaced at that moment, or not enabled yet: then the
    /// screen is looked at again.
    fn clicked(&self, role: &str, name: &str, part: bool, within: Option<&str>) {
        let mut last = String::new();
        let done = self.until(|| {
            let element = self.wait_for(role, name, part, within);
            if !self.is_enabled(&element) {
                last = "it cannot be used".to_owned();
                return None;
            }
            self.session.click(&element).map_err(|error| last = error).ok()
        });
        assert!(done.is_some(), "cannot click {role} {name:?}: {last}");
    }

    fn until<T>(&self, mut look: impl FnMut() -> Option<T>) -> Option<T> {
        let started = Instant::now();
        loop {
            if let Some(found) = look() {
                return Some(found);
            }
            if started.elapsed() > WAIT {
                return None;
            }
            std::thread::sleep(Duration::from_millis(25));
        }
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // What a person would want to see who reads the failure.
            let test = std::thread::current().name().unwrap_or("test").replace("::", "-");
            if let Ok(png) = self.session.screenshot() {
                let folder = screenshots();
                let _ = std::fs::create_dir_all(&folder);
                let file = folder.join(format!("failed-{test}.png"));
                let _ = std::fs::write(&file, png);
                eprintln!("the screen at that moment: {}", file.display());
            }
            if let Ok(text) = self.session.script("return document.body.innerText", &Value::Null) {
                eprintln!("it said:\n{}", text.as_str().unwrap_or_default());
            }
            let logs =
                crate::support::home::files_in(&self.home.join(".local/share/skillhold/logs"));
            let errors = std::fs::read(self.home.join("driver.log")).unwrap_or_default();
            for text in logs.into_values().chain([errors]) {
                eprintln!("{}", String::from_utf8_lossy(&text));
            }
        }
        self.session.close();
    }
}

/// Where the pictures of the window go.
fn screenshots() -> PathBuf {
    target().join("screenshots/window")
}

/// Waits until something outside the window is so, as a file that appears.
pub(crate) fn eventually(what: &str, mut so: impl FnMut() -> bool) {
    let started = Instant::now();
    while !so() {
        assert!(started.elapsed() < WAIT, "not so after {WAIT:?}: {what}");
        std::thread::sleep(Duration::from_millis(25));
    }
}

/// A display that nobody else has: Xvfb chooses a free number and tells it.
fn start_display() -> (Ended, String) {
    let mut display = Command::new("Xvfb")
        .args(["-displayfd", "1", "-screen", "0", "1400x900x24", "-nolisten", "tcp"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("Xvfb starts (`cargo xtask setup` installs it)");
    let mut number = String::new();
    let out = display.stdout.take().unwrap();
    BufReader::new(out).read_line(&mut number).unwrap();
    (Ended(display), format!(":{}", number.trim()))
}

fn start_driver(display: &str, home: &Path) -> (Ended, u16) {
    let port = free_port();
    let driver = Command::new("WebKitWebDriver")
        .arg(format!("--port={port}"))
        .env("DISPLAY", display)
        .env("GDK_BACKEND", "x11")
        .env("GSETTINGS_BACKEND", "memory")
        .env("DBUS_SESSION_BUS_ADDRESS", "disabled:")
        .env("HOME", home)
        .env("SKILLHOLD_HOME", home)
        // Without it the software renderer compiles its shaders anew in each fresh home.
        .env("MESA_SHADER_CACHE_DIR", target().join("mesa"))
        // Without it opening a session waits for ever.
        .env("TAURI_WEBVIEW_AUTOMATION", "true")
        .env_remove("WAYLAND_DISPLAY")
        .env_remove("XDG_CONFIG_HOME")
        .env_remove("XDG_DATA_HOME")
        .env_remove("XDG_CACHE_HOME")
        // With one of these a screenshot never comes.
        .env_remove("WEBKIT_DISABLE_DMABUF_RENDERER")
        .env_remove("WEBKIT_DISABLE_COMPOSITING_MODE")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(std::fs::File::create(home.join("driver.log")).unwrap())
        .spawn()
        .expect("WebKitWebDriver starts (`cargo xtask setup` installs it)");
    let driver = Ended(driver);
    let started = Instant::now();
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(started.elapsed() < WAIT, "WebKitWebDriver did not open its port");
        std::thread::sleep(Duration::from_millis(20));
    }
    (driver, port)
}
