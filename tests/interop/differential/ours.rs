//! What ours answers, and what is asked.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use skills::provider::{DirectoryProvider, Mode, Options, SupportingFiles};
use skills::uri::encode_path;

use super::Way;
use crate::corpus::served::After;
use crate::corpus::{Case, Corpus};
use crate::served::Line;

/// The most files of a case that are read, of its first and of its last.
const READ: usize = 24;

/// Larger files are listed, and not read in every way.
const READ_BYTES: u64 = 3 << 20;

/// Spellings of paths that no listing has, and the cases in which they are read.
const PROBES: [&str; 11] = [
    "skill://unknown/SKILL.md",
    "skill://sample/../sample/SKILL.md",
    "skill://sample/%2e%2e/sample/SKILL.md",
    "skill://sample/..%2Fsample/SKILL.md",
    "skill://sample/docs/%2E%2E/SKILL.md",
    "skill://sample//SKILL.md",
    "skill://sample/./SKILL.md",
    "skill://sample/SKILL.md/",
    "skill://sample/%53KILL.md",
    "skill://sample/",
    "other://sample/SKILL.md",
];
const PROBED: [&str; 4] =
    ["two roots", "served: a BOM", "served: JSON", "served: a file in three folders"];

/// The URIs that are read, and those that `skills/get` is asked for.
pub(crate) fn asked(
    corpus: &Corpus,
    case: &Case,
    after: Option<&After>,
) -> (Vec<String>, Vec<String>) {
    let mut paths = BTreeSet::new();
    for root in corpus.roots(case) {
        names(&root, "", 0, &mut paths);
    }
    for (path, _) in after.iter().flat_map(|after| &after.write) {
        paths.extend(path.split_once('/').map(|(_, path)| (path.to_owned(), false)));
    }
    let paths: Vec<(String, bool)> = paths.into_iter().collect();
    let few = |at: usize| at < READ || at + 4 >= paths.len();
    let mut uris = BTreeSet::new();
    let mut skills = BTreeSet::from(["skill://unknown/SKILL.md".to_owned()]);
    for (path, folder) in paths.iter().enumerate().filter(|(at, _)| few(*at)).map(|(_, path)| path)
    {
        let uri = format!("skill://{}", encode_path(path));
        if *folder {
            skills.insert(format!("{uri}/SKILL.md"));
            uris.insert(format!("{uri}/_manifest"));
            uris.insert(format!("{uri}/SKILL.md"));
            uris.insert(format!("{uri}/unknown.txt"));
        } else if path.ends_with(".md") {
            skills.insert(uri.clone());
        }
        uris.insert(uri);
    }
    if PROBED.contains(&case.name.as_str()) {
        uris.extend(PROBES.map(str::to_owned));
    }
    (uris.into_iter().collect(), skills.into_iter().collect())
}

/// Every path below a root and whether it is a folder; those behind links too, for they may be
/// served.
fn names(folder: &Path, under: &str, depth: usize, into: &mut BTreeSet<(String, bool)>) {
    for child in fs::read_dir(folder).into_iter().flatten() {
        let child = child.unwrap();
        let Ok(name) = child.file_name().into_string() else { continue };
        let (path, is_folder) = (format!("{under}{name}"), child.path().is_dir());
        let linked = child.file_type().unwrap().is_symlink();
        if fs::metadata(child.path()).is_ok_and(|seen| seen.len() > READ_BYTES) {
            continue;
        }
        into.insert((path.clone(), is_folder));
        if is_folder && (depth == 0 || !linked) && depth < 80 {
            names(&child.path(), &format!("{path}/"), depth + 1, into);
        }
        // A skill behind a link is served by the name of what the link leads to.
        if let (true, 0, Ok(real)) = (linked, depth, child.path().canonicalize())
            && let Some(name) = real.file_name().and_then(|name| name.to_str())
            && is_folder
        {
            into.insert((name.to_owned(), true));
        }
    }
}

/// The looks in each way, in the order of [`Way::all`].
pub(crate) async fn looks(corpus: &Corpus, case: &Case, after: Option<&After>) -> Vec<Vec<Value>> {
    let (uris, skills) = asked(corpus, case, after);
    let mut lines: Vec<(Way, Line)> = Way::all()
        .map(|way| {
            let mode = if way.strict { Mode::Strict } else { Mode::Compatible };
            let supporting_files =
                if way.listed { SupportingFiles::Resources } else { SupportingFiles::Template };
            let options =
                Options { mode, supporting_files, reload: way.live, ..Options::default() };
            (way, Line::to(Arc::new(DirectoryProvider::new(corpus.roots(case), options))))
        })
        .collect();
    let mut looks = vec![Vec::new(); lines.len()];
    for number in 0..=usize::from(after.is_some()) {
        if let (1, Some(after)) = (number, after) {
            happen(&corpus.path().join(&case.folder), after);
        }
        for ((way, line), looks) in lines.iter_mut().zip(&mut looks) {
            looks.push(look(line, *way, &uris, &skills).await);
        }
    }
    looks
}

fn happen(folder: &Path, after: &After) {
    for path in &after.remove {
        let at = folder.join(path);
        if at.is_dir() { fs::remove_dir_all(at) } else { fs::remove_file(at) }.unwrap();
    }
    for (path, text) in &after.write {
        let at = folder.join(path);
        fs::create_dir_all(at.parent().unwrap()).unwrap();
        fs::write(at, text).unwrap();
    }
}

async fn look(line: &mut Line, way: Way, uris: &[String], skills: &[String]) -> Value {
    let mut seen = json!({
        "resources": line.ask("resources/list", json!({})).await,
        "templates": line.ask("resources/templates/list", json!({})).await,
        "reads": each(line, "resources/read", uris).await,
    });
    if way.strict {
        seen["skills"] = line.ask("skills/list", json!({})).await;
        seen["gets"] = each(line, "skills/get", skills).await;
    }
    seen
}

async fn each(line: &mut Line, method: &str, uris: &[String]) -> Value {
    let mut answers = Map::new();
    for uri in uris {
        answers.insert(uri.clone(), line.ask(method, json!({ "uri": uri })).await);
    }
    answers.into()
}
