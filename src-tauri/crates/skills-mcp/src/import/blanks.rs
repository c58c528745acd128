//! Texts with places that a tool fills in from elsewhere: a variable of its environment, a question
//! to the person, a file. None of these is looked up here: each is a blank for the person to fill.

use std::fmt;
use std::path::Path;

/// Something that the person has to say before a server can be added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blank {
    /// What it is called where it stands, as `GITHUB_TOKEN` or `input:api-key`; unique in a server.
    pub name: String,
    /// What the settings say about it.
    pub about: Option<String>,
    /// Whether the settings have a value for when nothing is filled in.
    pub optional: bool,
}

/// What fills in the blanks of one server, as they are found.
#[derive(Debug, Default)]
pub(super) struct Blanks {
    found: Vec<(Blank, Option<Hidden>)>,
}

/// A default, which may be a secret.
#[derive(Clone, PartialEq, Eq)]
struct Hidden(String);

impl fmt::Debug for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

impl Blanks {
    /// Notes a blank, and the default of the first place that has one.
    pub(super) fn note(&mut self, name: &str, default: Option<&str>) {
        match self.found.iter_mut().find(|(blank, _)| blank.name == name) {
            Some((blank, known)) => {
                if known.is_none() && default.is_some() {
                    *known = default.map(|it| Hidden(it.to_owned()));
                    blank.optional = true;
                }
            }
            None => {
                let optional = default.is_some();
                let blank = Blank { name: name.to_owned(), about: None, optional };
                self.found.push((blank, default.map(|it| Hidden(it.to_owned()))));
            }
        }
    }

    /// Adds what is said about a blank elsewhere, where there is such a blank.
    pub(super) fn describe(&mut self, name: &str, about: Option<&str>, default: Option<&str>) {
        if let Some((blank, _)) = self.found.iter_mut().find(|(blank, _)| blank.name == name) {
            blank.about = about.map(str::to_owned);
            self.note(name, default);
        }
    }

    /// The blanks, and their defaults in the same order.
    pub(super) fn into_parts(self) -> (Vec<Blank>, Vec<Option<String>>) {
        self.found.into_iter().map(|(blank, default)| (blank, default.map(|it| it.0))).unzip()
    }
}

/// Which spellings of a blank a tool knows, and what it fills in that is no secret.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spelling<'a> {
    /// `$NAME`, beside the `${NAME}` of nearly all.
    pub(super) dollar: bool,
    /// `{env:NAME}` and `{file:path}`.
    pub(super) braces: bool,
    /// `${userHome}`.
    pub(super) home: &'a Path,
    /// `${workspaceFolder}`.
    pub(super) project: Option<&'a Path>,
}

/// A text with blanks. Debug output has none of it: what is fixed may be part of a secret.
#[derive(Clone, PartialEq, Eq, Default)]
pub(super) struct Template {
    pieces: Vec<Piece>,
}

#[derive(Clone, PartialEq, Eq)]
enum Piece {
    Text(String),
    Blank {
        name: String,
        /// As it stands in the settings.
        spelled: String,
    },
}

impl fmt::Debug for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Template({} pieces)", self.pieces.len())
    }
}

impl Template {
    /// Finds the blanks of a text. In the value of a header or variable, words such as `YOUR_TOKEN`
    /// count as well: nobody's token looks like that.
    pub(super) fn of(text: &str, value: bool, spelling: Spelling<'_>, blanks: &mut Blanks) -> Self {
        let mut pieces = Vec::new();
        let mut plain = String::new();
        let mut rest = text;
        let mut before = None;
        while let Some(next) = rest.chars().next() {
            let (length, found) = match blank_at(rest, before, value, spelling) {
                Some((length, found)) => (length, found),
                None => (next.len_utf8(), At::Text(&rest[..next.len_utf8()])),
            };
            match found {
                At::Text(text) => plain.push_str(text),
                At::Known(text) => plain.push_str(&text),
                At::Blank { name, default } => {
                    blanks.note(&name, default);
                    if !plain.is_empty() {
                        pieces.push(Piece::Text(std::mem::take(&mut plain)));
                    }
                    pieces.push(Piece::Blank { name, spelled: rest[..length].to_owned() });
                }
            }
            before = rest[..length].chars().next_back();
            rest = &rest[length..];
        }
        if !plain.is_empty() || pieces.is_empty() {
            pieces.push(Piece::Text(plain));
        }
        Self { pieces }
    }

    /// Exactly one blank.
    pub(super) fn blank(name: &str, blanks: &mut Blanks) -> Self {
        blanks.note(name, None);
        let spelled = format!("${{{name}}}");
        Self { pieces: vec![Piece::Blank { name: name.to_owned(), spelled }] }
    }

    /// The text, where it has no blanks.
    pub(super) fn text(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [Piece::Text(text)] => Some(text),
            _ => None,
        }
    }

    /// The text as it stands in the settings, but for what was filled in at once.
    pub(super) fn shown(&self) -> String {
        self.filled(|_, spelled| spelled.to_owned())
    }

    /// The text with each blank replaced: by its name, and how it stands in the settings.
    pub(super) fn filled(&self, fill: impl Fn(&str, &str) -> String) -> String {
        let piece = |piece: &Piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Blank { name, spelled } => fill(name, spelled),
        };
        self.pieces.iter().map(piece).collect()
    }

    /// What follows `Bearer `, in whatever case, where it begins so.
    pub(super) fn bearer(&self) -> Option<Self> {
        const SCHEME: &str = "bearer ";
        let Piece::Text(first) = self.pieces.first()? else { return None };
        let start = first.get(..SCHEME.len())?;
        if !start.eq_ignore_ascii_case(SCHEME) {
            return None;
        }
        let rest = first[SCHEME.len()..].trim_start();
        let mut pieces = self.pieces.clone();
        if rest.is_empty() && pieces.len() > 1 {
            pieces.remove(0);
        } else {
            pieces[0] = Piece::Text(rest.to_owned());
        }
        Some(Self { pieces })
    }
}

enum At<'a> {
    Text(&'a str),
    Known(String),
    Blank { name: String, default: Option<&'a str> },
}

/// What stands at the start of `rest`, and how long it is; `None` where nothing special does.
fn blank_at<'a>(
    rest: &'a str,
    before: Option<char>,
    value: bool,
    spelling: Spelling<'_>,
) -> Option<(usize, At<'a>)> {
    if let Some(inside) = between(rest, "${", '}') {
        let found = dollar_brace(inside, spelling)?;
        return Some((inside.len() + 3, found));
    }
    if spelling.braces {
        for (start, prefix) in [("{env:", ""), ("{file:", "file:")] {
            if let Some(inside) = between(rest, start, '}').filter(|it| !it.trim().is_empty()) {
                let name = format!("{prefix}{}", inside.trim());
                return Some((start.len() + inside.len() + 1, At::Blank { name, default: None }));
            }
        }
    }
    if spelling.dollar
        && let Some(after) = rest.strip_prefix('$')
        && let Some(name) = word(after, |c| c.is_ascii_alphanumeric() || c == '_')
        && !name.starts_with(|c: char| c.is_ascii_digit())
    {
        return Some((name.len() + 1, At::Blank { name: name.to_owned(), default: None }));
    }
    if let Some(inside) = between(rest, "<", '>')
        && inside.starts_with(|c: char| c.is_ascii_alphabetic())
        && inside.len() <= 64
        && inside.chars().all(|c| c.is_ascii_alphanumeric() || " _-.".contains(c))
    {
        return Some((inside.len() + 2, At::Blank { name: inside.to_owned(), default: None }));
    }
    let at_start = before.is_none_or(|c| !c.is_ascii_alphanumeric() && !"_-".contains(c));
    if value
        && at_start
        && let Some(name) = word(rest, |c| c.is_ascii_alphanumeric() || "_-".contains(c))
        && name
            .get(..5)
            .is_some_and(|it| it.eq_ignore_ascii_case("your_") || it.eq_ignore_ascii_case("your-"))
    {
        return Some((name.len(), At::Blank { name: name.to_owned(), default: None }));
    }
    None
}

/// What `${…}` stands for. `${env:NAME}` and `${NAME}` are one and the same.
fn dollar_brace<'a>(inside: &'a str, spelling: Spelling<'_>) -> Option<At<'a>> {
    let known = |path: &Path| Some(At::Known(path.to_string_lossy().into_owned()));
    match inside {
        "userHome" => return known(spelling.home),
        "pathSeparator" | "/" => return Some(At::Known(std::path::MAIN_SEPARATOR.to_string())),
        "workspaceFolder" | "workspaceRoot" | "CLAUDE_PROJECT_DIR" => {
            if let Some(project) = spelling.project {
                return known(project);
            }
        }
        _ => {}
    }
    let (name, default) = match inside.split_once(":-") {
        Some((name, default)) => (name, Some(default)),
        None => (inside, None),
    };
    let name = name.strip_prefix("env:").unwrap_or(name).trim();
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-.:/~ ".contains(c);
    (!name.is_empty() && name.chars().all(plain))
        .then(|| At::Blank { name: name.to_owned(), default })
}

fn between<'a>(text: &'a str, start: &str, end: char) -> Option<&'a str> {
    text.strip_prefix(start)?.split_once(end).map(|(inside, _)| inside)
}

fn word(text: &str, belongs: impl Fn(char) -> bool) -> Option<&str> {
    let end = text.find(|c| !belongs(c)).unwrap_or(text.len());
    (end > 0).then(|| &text[..end])
}
