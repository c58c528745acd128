//! The little of WebDriver that the tests need, over plain HTTP.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

/// Keys without a character of their own.
pub(crate) mod key {
    pub(crate) const NULL: char = '\u{E000}';
    pub(crate) const BACKSPACE: char = '\u{E003}';
    pub(crate) const CONTROL: char = '\u{E009}';
    pub(crate) const ESCAPE: char = '\u{E00C}';
}

/// How an element is named in answers and arguments.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// One session with a driver: one window.
pub(crate) struct Session {
    port: u16,
    id: String,
}

/// An element of the page.
#[derive(Debug, Clone)]
pub(crate) struct Element(String);

impl Element {
    /// As an argument of a script.
    pub(crate) fn argument(&self) -> Value {
        json!({ ELEMENT: self.0 })
    }
}

impl Session {
    /// Has the driver start the program.
    pub(crate) fn open(port: u16, program: &str, args: &[String]) -> Result<Self, String> {
        let options = json!({ "binary": program, "args": args });
        let wanted =
            json!({ "capabilities": { "alwaysMatch": { "webkitgtk:browserOptions": options } } });
        let answer = call(port, "POST", "/session", Some(&wanted))?;
        let id = answer["sessionId"].as_str().ok_or("an answer without a session")?.to_owned();
        Ok(Self { port, id })
    }

    /// Closes the window, and with it the program.
    pub(crate) fn close(&self) {
        let _ = call(self.port, "DELETE", &format!("/session/{}", self.id), None);
    }

    fn post(&self, path: &str, body: &Value) -> Result<Value, String> {
        call(self.port, "POST", &format!("/session/{}{path}", self.id), Some(body))
    }

    fn get(&self, path: &str) -> Result<Value, String> {
        call(self.port, "GET", &format!("/session/{}{path}", self.id), None)
    }

    /// Runs a script in the page; `arguments[0]` is `argument`.
    pub(crate) fn script(&self, script: &str, argument: &Value) -> Result<Value, String> {
        self.post("/execute/sync", &json!({ "script": script, "args": [argument] }))
    }

    /// Runs a script in the page; `arguments[0]` is the element, `arguments[1]` is `argument`.
    pub(crate) fn script_on(
        &self,
        script: &str,
        element: &Element,
        argument: &str,
    ) -> Result<Value, String> {
        self.post(
            "/execute/sync",
            &json!({ "script": script, "args": [element.argument(), argument] }),
        )
    }

    /// Runs a script that answers by calling `done`.
    pub(crate) fn script_later(&self, script: &str) -> Result<Value, String> {
        let script = format!("const done = arguments[arguments.length - 1]; {script}");
        self.post("/execute/async", &json!({ "script": script, "args": [] }))
    }

    /// The element that a script returns, if it returns one.
    pub(crate) fn element(
        &self,
        script: &str,
        argument: &Value,
    ) -> Result<Option<Element>, String> {
        let answer = self.script(script, argument)?;
        Ok(answer.get(ELEMENT).and_then(Value::as_str).map(|id| Element(id.to_owned())))
    }

    pub(crate) fn click(&self, element: &Element) -> Result<(), String> {
        self.post(&format!("/element/{}/click", element.0), &json!({})).map(drop)
    }

    pub(crate) fn type_into(&self, element: &Element, text: &str) -> Result<(), String> {
        self.post(&format!("/element/{}/value", element.0), &json!({ "text": text })).map(drop)
    }

    /// Presses keys with the focus where it is, all down and then all up.
    pub(crate) fn press(&self, keys: &[char]) -> Result<(), String> {
        let step = |kind: &str, key: &char| json!({ "type": kind, "value": key.to_string() });
        let down = keys.iter().map(|key| step("keyDown", key));
        let up = keys.iter().rev().map(|key| step("keyUp", key));
        let steps: Vec<Value> = down.chain(up).collect();
        let keyboard = json!({ "type": "key", "id": "keyboard", "actions": steps });
        self.post("/actions", &json!({ "actions": [keyboard] })).map(drop)
    }

    /// Clicks with a key held down.
    pub(crate) fn click_with(&self, key: char, element: &Element) -> Result<(), String> {
        let pause = json!({ "type": "pause" });
        let key = |kind: &str| json!({ "type": kind, "value": key.to_string() });
        let keyboard = json!({
            "type": "key", "id": "keyboard",
            "actions": [key("keyDown"), pause, pause, pause, key("keyUp")],
        });
        let there = json!({
            "type": "pointerMove", "x": 0, "y": 0, "duration": 0, "origin": element.argument(),
        });
        let button = |kind: &str| json!({ "type": kind, "button": 0 });
        let mouse = json!({
            "type": "pointer", "id": "mouse", "parameters": { "pointerType": "mouse" },
            "actions": [pause, there, button("pointerDown"), button("pointerUp"), pause],
        });
        self.post("/actions", &json!({ "actions": [keyboard, mouse] })).map(drop)
    }

    /// A PNG of the page.
    pub(crate) fn screenshot(&self) -> Result<Vec<u8>, String> {
        // Before two frames have passed the picture can be one frame old.
        self.script_later("requestAnimationFrame(() => requestAnimationFrame(() => done()))")?;
        let answer = self.get("/screenshot")?;
        Ok(from_base64(answer.as_str().ok_or("a screenshot that is no text")?))
    }

    pub(crate) fn resize(&self, width: u32, height: u32) -> Result<(), String> {
        self.post("/window/rect", &json!({ "width": width, "height": height })).map(drop)
    }
}

fn call(port: u16, method: &str, path: &str, body: Option<&Value>) -> Result<Value, String> {
    let failed = |error: std::io::Error| format!("{method} {path}: {error}");
    let body = body.map(Value::to_string).unwrap_or_default();
    let mut stream = TcpStream::connect(("127.0.0.1", port)).map_err(failed)?;
    stream.set_read_timeout(Some(Duration::from_secs(60))).map_err(failed)?;
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
    .map_err(failed)?;
    let mut raw = Vec::new();
    stream.read_to_end(&mut raw).map_err(failed)?;
    let head = raw.windows(4).position(|window| window == b"\r\n\r\n").ok_or("no HTTP answer")?;
    let mut answer: Value =
        serde_json::from_slice(&raw[head + 4..]).map_err(|error| error.to_string())?;
    let value = answer["value"].take();
    match value.get("error").and_then(Value::as_str) {
        Some(error) => Err(format!("{error}: {}", value["message"])),
        None => Ok(value),
    }
}

fn from_base64(text: &str) -> Vec<u8> {
    let (mut bytes, mut bits, mut held) = (Vec::new(), 0, 0_u32);
    for char in text.bytes() {
        let value = match char {
            b'A'..=b'Z' => char - b'A',
            b'a'..=b'z' => char - b'a' + 26,
            b'0'..=b'9' => char - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => continue,
        };
        held = (held << 6) | u32::from(value);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((held >> bits & 0xff) as u8);
        }
    }
    bytes
}
