//! A corpus of small skills, each made for one question about reading and judging: what a person's
//! folder may hold, right or wrong. It is described here and written to a folder when a test runs.

mod delimiters;
mod fields;
mod folders;
mod scalars;
pub(crate) mod served;
mod structure;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// The folder of most skills, and the name that they give themselves.
pub(crate) const SAMPLE: &str = "sample";

/// What stands below most front matters.
const BODY: &str = "\n# Sample\n\nWhat the sample does.\n";

/// One question: some roots with skills in them.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    /// What it is about.
    pub(crate) name: String,
    /// Folders of skills, relative to the case's own folder; one may come twice.
    pub(crate) roots: Vec<String>,
    /// The case's own folder, once it is one of many.
    pub(crate) folder: String,
    /// What lies in the case's own folder, in the order in which it is made.
    items: Vec<(OsString, Item)>,
}

/// A file, or what stands in its place.
#[derive(Debug, Clone)]
enum Item {
    File(Vec<u8>),
    /// This many zero bytes.
    Zeros(u64),
    Folder,
    /// A link to this path, relative to where the link lies.
    Link(&'static str),
    /// A named pipe.
    Pipe,
}

impl Case {
    /// With one root that does not exist yet.
    fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            roots: vec!["root".to_owned()],
            folder: String::new(),
            items: Vec::new(),
        }
    }

    /// One skill, `sample`, whose `SKILL.md` is exactly this.
    fn of(name: impl Into<String>, skill_md: impl AsRef<[u8]>) -> Self {
        Self::new(name).file("root/sample/SKILL.md", skill_md)
    }

    /// One skill, `sample`, with a right name and description and these further lines.
    fn with_fields(name: impl Into<String>, lines: &str) -> Self {
        Self::of(name, front(&format!("name: {SAMPLE}\ndescription: What it does.\n{lines}")))
    }

    /// With a file at a path in the case's own folder.
    fn file(self, path: &str, bytes: impl AsRef<[u8]>) -> Self {
        self.item(path, Item::File(bytes.as_ref().to_vec()))
    }

    /// With a right skill in this folder, named after it.
    fn skill(self, folder: &str) -> Self {
        let name = folder.rsplit('/').next().unwrap();
        let text = front(&format!("name: {name}\ndescription: What {name} does.\n"));
        self.file(&format!("{folder}/SKILL.md"), text)
    }

    fn item(mut self, path: impl Into<OsString>, item: Item) -> Self {
        self.items.push((path.into(), item));
        self
    }

    fn link(self, path: &str, target: &'static str) -> Self {
        self.item(path, Item::Link(target))
    }

    /// With these roots instead of the one.
    fn roots(mut self, roots: &[&str]) -> Self {
        self.roots = roots.iter().map(|&root| root.to_owned()).collect();
        self
    }

    fn write(&self, top: &Path) {
        let folder = top.join(&self.folder);
        fs::create_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        for (path, item) in &self.items {
            let at = folder.join(path);
            fs::create_dir_all(at.parent().unwrap()).unwrap();
            item.write(&at);
        }
    }
}

impl Item {
    fn write(&self, at: &Path) {
        match self {
            Self::File(bytes) => fs::write(at, bytes),
            Self::Zeros(size) => fs::File::create(at).and_then(|file| file.set_len(*size)),
            Self::Folder => fs::create_dir_all(at),
            Self::Link(target) => std::os::unix::fs::symlink(target, at),
            Self::Pipe => {
                use rustix::fs::{CWD, FileType, Mode, mknodat};
                mknodat(CWD, at, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).map_err(Into::into)
            }
        }
        .unwrap_or_else(|error| panic!("{}: {error}", at.display()));
    }
}

/// A `SKILL.md` with these lines as its front matter.
fn front(lines: &str) -> String {
    format!("---\n{lines}---\n{BODY}")
}

/// Every case.
pub(crate) fn cases() -> Vec<Case> {
    let mut cases = [
        delimiters::cases(),
        scalars::cases(),
        structure::cases(),
        fields::cases(),
        folders::cases(),
    ]
    .concat();
    let mut names = BTreeSet::new();
    for (number, case) in cases.iter_mut().enumerate() {
        assert!(names.insert(case.name.clone()), "two cases are called {:?}", case.name);
        let words = case.name.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
        case.folder = format!("{number:03}-{words}").chars().take(80).collect();
    }
    cases
}

/// A corpus that was written to a folder of its own; gone when dropped.
pub(crate) struct Corpus {
    dir: tempfile::TempDir,
    pub(crate) cases: Vec<Case>,
}

impl Corpus {
    /// Writes these cases.
    pub(crate) fn write(cases: Vec<Case>) -> Self {
        let dir = tempfile::Builder::new().prefix("skillhold-corpus-").tempdir().unwrap();
        for case in &cases {
            case.write(dir.path());
        }
        Self { dir, cases }
    }

    /// Where it was written.
    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    /// The roots of a case.
    pub(crate) fn roots(&self, case: &Case) -> Vec<PathBuf> {
        case.roots.iter().map(|root| self.path().join(&case.folder).join(root)).collect()
    }

    /// The folders that lie directly in a case's roots, relative to the corpus, each with its name.
    pub(crate) fn skills(&self, case: &Case) -> Vec<(String, String)> {
        let mut found = BTreeSet::new();
        for root in &case.roots {
            let root = format!("{}/{root}", case.folder);
            for child in fs::read_dir(self.path().join(&root)).into_iter().flatten() {
                let child = child.unwrap();
                if let (true, Ok(name)) = (child.path().is_dir(), child.file_name().into_string()) {
                    found.insert((format!("{root}/{name}"), name));
                }
            }
        }
        found.into_iter().collect()
    }
}
