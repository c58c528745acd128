use super::*;
use crate::provider::policy::{
    Action, Caller, Guarded, Pattern, Patterns, Policy, Transport, WithoutDiscovery,
};

pub(super) fn counted(provider: &DirectoryProvider) -> (usize, usize) {
    use std::sync::atomic::Ordering::Relaxed;
    let count = provider.count();
    (count.listed.swap(0, Relaxed), count.opened.swap(0, Relaxed))
}

#[test]
fn one_entry_hashes_one_skill_and_a_read_lists_nothing() {
    let roots = Roots::new();
    for name in ["a", "b", "c"] {
        roots.skill(&format!("r/{name}"));
        roots.write(&format!("r/{name}/docs/x.md"), "x");
        roots.write(&format!("r/{name}/docs/y.md"), "y");
    }
    let provider = roots.provider(&["r"], strict());
    assert_eq!(provider.entry("skill://b/SKILL.md").unwrap().files().len(), 3);
    // Two folders before and after, three files.
    assert_eq!(counted(&provider), (4, 3));
    provider.read("skill://c/docs/x.md").unwrap();
    assert_eq!(counted(&provider), (0, 1));
    assert!(provider.read("skill://c/docs/none.md").is_err());
    assert!(provider.read("skill://none/SKILL.md").is_err());
    assert_eq!(counted(&provider), (0, 0));
}

fn uris_of(entries: &Entries) -> Vec<&str> {
    entries.entries.iter().map(|entry| entry.uri().as_str()).collect()
}

#[test]
fn a_part_looks_at_no_skill_beyond_it() {
    let roots = Roots::new();
    for n in 100..200 {
        roots.skill(&format!("r/s{n}"));
        roots.write(&format!("r/s{n}/docs/x.md"), "x");
    }
    let provider = roots.provider(&["r"], strict());
    let part = |after: Option<&str>| provider.entries_after(after, 3, &|_| true).unwrap();
    let first = part(None);
    assert_eq!(uris_of(&first), [100, 101, 102].map(|n| format!("skill://s{n}/SKILL.md")));
    assert!(first.more);
    // The root; of three skills and the one that tells that there are more, the folder once to see
    // what lies in it, then it and `docs` before and after their two files were hashed. And the
    // folders `docs` of the first three on the way to the next.
    assert_eq!(counted(&provider), (1 + 4 * (1 + 4) + 3, 4 * 2));
    let last = part(Some("skill://s196/SKILL.md"));
    assert_eq!(uris_of(&last), [197, 198, 199].map(|n| format!("skill://s{n}/SKILL.md")));
    assert!(!last.more);
    assert_eq!(counted(&provider).1, 3 * 2);
    assert_eq!(uris_of(&part(Some("skill://s199/SKILL.md"))), [] as [&str; 0]);
}

/// Folders whose URIs have another order than their names, skills inside of others and above them,
/// and skills in two roots.
#[test]
fn parts_are_together_what_all_entries_are() {
    let roots = Roots::new();
    for skill in [
        "one/a",
        "one/a-b",
        "one/a/b",
        "one/a/b/c",
        "one/z/a/b",
        "one/z/a",
        "one/z/a-c",
        "one/A/x",
        "one/SKILL.md/x",
        "one/both",
        "two/both",
        "two/only",
        "two/a/inner",
        "two/z/q",
        "one/z/SKILL",
    ] {
        roots.skill(skill);
    }
    roots.write("one/no name/SKILL.md", "---\nname: other\ndescription: d\n---\n");
    roots.write("one/empty/deep/x.txt", "x");
    roots.write("two/a/b/x.txt", "in the way");
    #[cfg(unix)]
    {
        roots.skill("one/b\\c");
        roots.skill("one/é");
        roots.skill("one/é/in");
        link(&roots.path("one/a"), &roots.path("one/linked"));
        link(&roots.path("one/a/SKILL.md"), &roots.path("one/link-inside/SKILL.md"));
    }
    let merged = Options { merge_identical: true, ..strict() };
    for (options, places) in [
        (strict(), vec!["one"]),
        (strict(), vec!["one", "two"]),
        (merged, vec!["one", "two", "gone"]),
    ] {
        let provider = roots.provider(&places, options);
        let all = provider.entries().unwrap();
        assert!(all.entries.len() > 7, "{:?}", uris_of(&all));
        for size in [1, 2, 3, 1000] {
            let (mut entries, mut warnings) = (Vec::new(), Vec::new());
            loop {
                let after: Option<String> =
                    entries.last().map(|entry: &Arc<Entry>| entry.uri().to_string());
                let part = provider.entries_after(after.as_deref(), size, &|_| true).unwrap();
                assert!(part.entries.len() <= size);
                assert!(!part.more || part.entries.len() == size);
                entries.extend(part.entries);
                warnings.extend(part.warnings);
                if !part.more {
                    break;
                }
            }
            assert_eq!(entries, all.entries, "{size}");
            let sorted = |mut warnings: Vec<String>| {
                warnings.sort();
                warnings.dedup();
                warnings
            };
            assert_eq!(sorted(warnings), sorted(all.warnings.clone()), "{size}");
        }
        let wanted = |entry: &Entry| entry.uri().as_str().contains("z/");
        let part = provider.entries_after(None, 2, &wanted).unwrap();
        assert_eq!(part.entries.len(), 2);
        assert!(part.entries.iter().all(|entry| wanted(entry)));
    }
}

#[test]
fn what_is_proven_unchanged_is_not_hashed_again() {
    fn in_an_hour() -> std::time::SystemTime {
        std::time::SystemTime::now() + std::time::Duration::from_secs(3600)
    }
    let roots = Roots::new();
    roots.skill("r/a");
    roots.skill("r/a/inner");
    roots.skill("r/b");
    let provider = roots.provider(&["r"], strict()).at(in_an_hour);
    let first = provider.entries().unwrap();
    // The inner one once for the outer and once for its own front matter.
    assert_eq!(counted(&provider).1, 4);
    assert_eq!(provider.entries().unwrap().entries, first.entries);
    assert!(provider.entry("skill://a/SKILL.md").is_some());
    assert_eq!(counted(&provider).1, 0);
    // The same size, and no way to tell but the times.
    roots.write("r/b/SKILL.md", "---\nname: b\ndescription: OF r/b\n---\nx\n");
    let changed = provider.entries().unwrap();
    assert_eq!(counted(&provider).1, 1);
    assert_ne!(changed.entries[2].fingerprint(), first.entries[2].fingerprint());
}

/// The clock is asked before files are hashed and after; here somebody writes when it is.
#[test]
fn what_changes_while_files_are_hashed_is_looked_at_again() {
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
    use std::time::{Duration, SystemTime};
    static SKILL: OnceLock<PathBuf> = OnceLock::new();
    static ASKED: AtomicUsize = AtomicUsize::new(0);
    /// Far from now, so that all is old to it.
    fn clock() -> SystemTime {
        let skill = SKILL.get().unwrap();
        match ASKED.fetch_add(1, SeqCst) {
            1 => fs::write(skill.join("docs/new.txt"), "new").unwrap(),
            2 => fs::write(skill.join("docs/x.txt"), "other").unwrap(),
            _ => {}
        }
        SystemTime::now() + Duration::from_secs(3600)
    }
    let roots = Roots::new();
    roots.skill("r/a");
    roots.write("r/a/docs/x.txt", "first");
    SKILL.set(roots.path("r/a")).unwrap();
    let provider = roots.provider(&["r"], strict()).at(clock);
    let entries = provider.entries().unwrap();
    assert_eq!(entries.warnings, [] as [&str; 0]);
    let files: Vec<(&str, crate::digest::Digest)> =
        entries.entries[0].files().iter().map(|file| (file.path.as_str(), file.digest)).collect();
    let skill_md = fs::read(roots.path("r/a/SKILL.md")).unwrap();
    assert_eq!(
        files,
        [
            ("SKILL.md", crate::digest::Digest::of(&skill_md)),
            ("docs/new.txt", crate::digest::Digest::of(b"new")),
            ("docs/x.txt", crate::digest::Digest::of(b"other")),
        ]
    );
    // Before the first time and after each of three.
    assert_eq!(ASKED.load(SeqCst), 4);
}

#[test]
fn what_was_touched_within_the_clocks_grain_is_hashed_again() {
    let roots = Roots::new();
    roots.skill("r/a");
    let provider = roots.provider(&["r"], strict());
    provider.entries().unwrap();
    counted(&provider);
    provider.entries().unwrap();
    assert_eq!(counted(&provider).1, 1);
}

#[test]
fn a_skill_that_several_roots_hold_alike_can_be_published_once() {
    let roots = Roots::new();
    for root in ["one", "two"] {
        roots.write(&format!("{root}/a/SKILL.md"), "---\nname: a\ndescription: d\n---\n");
        roots.write(&format!("{root}/a/in/SKILL.md"), "---\nname: in\ndescription: d\n---\n");
        roots.skill(&format!("{root}/b"));
    }
    let merged = Options { merge_identical: true, ..strict() };
    let provider = roots.provider(&["one", "two"], merged);
    let entries = provider.entries().unwrap();
    let uris = |entries: &Entries| -> Vec<String> {
        entries.entries.iter().map(|entry| entry.uri().to_string()).collect()
    };
    assert_eq!(uris(&entries), ["skill://a/SKILL.md", "skill://a/in/SKILL.md"]);
    assert_eq!(
        entries.warnings,
        [format!(
            "the skill \"b\" is left out: it is in more than one folder, and they differ: {:?}, {:?}",
            roots.path("one"),
            roots.path("two"),
        )]
    );
    assert_eq!(provider.entry("skill://a/SKILL.md").as_ref(), Some(&entries.entries[0]));
    assert!(provider.read("skill://a/in/SKILL.md").is_ok());
    assert!(provider.read("skill://b/SKILL.md").is_err());
    assert_eq!(self::uris(&provider).len(), 4);

    roots.write("two/a/more.txt", "x");
    assert_eq!(uris(&provider.entries().unwrap()), ["skill://a/in/SKILL.md"]);
    assert!(provider.entry("skill://a/SKILL.md").is_none());
    assert!(provider.read("skill://a/SKILL.md").is_err());
}

#[test]
fn a_skill_inside_of_another_in_a_second_root_takes_its_files_away() {
    let roots = Roots::new();
    roots.skill("one/a");
    roots.write("one/a/in/x.txt", "x");
    roots.skill("two/a/in");
    let provider = roots.provider(&["one", "two"], strict());
    let entries = provider.entries().unwrap();
    assert_eq!(entries.entries.len(), 1);
    assert_eq!(
        entries.warnings,
        [
            "the skill \"a\" is not listed as a skill: the URI of \"in/x.txt\" would give something else; \
          its files can still be read as resources"
        ]
    );
    assert!(provider.entry("skill://a/SKILL.md").is_none());
    assert!(provider.entry("skill://a/in/SKILL.md").is_some());
}

#[test]
fn one_skill_is_served_by_itself_in_both_modes() {
    let roots = Roots::new();
    roots.skill("r/a");
    roots.skill("r/a/in");
    roots.skill("r/b");
    let place = || vec![Place::Skill(roots.path("r/a"))];
    let provider = DirectoryProvider::of(place(), strict());
    assert_eq!(uris(&provider).len(), 4);
    assert!(provider.entry("skill://a/in/SKILL.md").is_some());
    assert!(provider.read("skill://b/SKILL.md").is_err());
    assert!(provider.entry("skill://b/SKILL.md").is_none());
    let provider = DirectoryProvider::of(place(), Options::default());
    assert_eq!(uris(&provider), ["skill://a/SKILL.md", "skill://a/_manifest"]);
    assert!(provider.read("skill://b/SKILL.md").is_err());
}

#[test]
fn folders_show_their_direct_children() {
    let roots = Roots::new();
    roots.skill("r/team/review");
    roots.write("r/team/review/docs/a b.md", "12");
    roots.write("r/team/notes.txt", "no skill's");
    roots.write("r/team/empty/x.txt", "no skill's");
    fs::create_dir(roots.path("r/team/review/none")).unwrap();
    let provider = roots.provider(&["r"], strict());
    type Child = (String, String, &'static str, Option<u64>);
    let children = |uri: &str| -> Option<Vec<Child>> {
        let children = provider.directory(uri)?;
        Some(children.into_iter().map(|r| (r.uri, r.name, r.mime_type, r.size)).collect())
    };
    let folder = |uri: &str, name: &str| (uri.to_owned(), name.to_owned(), "inode/directory", None);
    assert_eq!(children("skill://team").unwrap(), [folder("skill://team/review", "review")]);
    assert_eq!(
        children("skill://team/review").unwrap(),
        [
            ("skill://team/review/SKILL.md".into(), "review".into(), "text/markdown", Some(53)),
            folder("skill://team/review/docs", "docs"),
            folder("skill://team/review/none", "none"),
        ]
    );
    assert_eq!(
        children("skill://team/review/docs").unwrap(),
        [("skill://team/review/docs/a%20b.md".into(), "a b.md".into(), "text/markdown", Some(2))]
    );
    assert_eq!(children("skill://team/review/none").unwrap(), []);
    for uri in [
        "skill://team/review/SKILL.md",
        "skill://team/empty",
        "skill://none",
        "skill://team/",
        "skill://team/review/..",
        "skill://",
        "skill://team%2freview",
    ] {
        assert_eq!(children(uri), None, "{uri}");
    }
}

#[test]
fn every_spelling_has_one_canonical_uri() {
    let roots = Roots::new();
    roots.skill("r/a b");
    roots.write("r/a b/50%.txt", "x");
    for options in [strict(), Options::default(), Options { reload: false, ..Options::default() }] {
        let provider = roots.provider(&["r"], options);
        for uri in ["skill://a b/50%.txt", "skill://a%20b/50%25.txt", "skill://%61%20b/50%.txt"] {
            assert_eq!(
                provider.canonical(uri).as_deref(),
                Some("skill://a%20b/50%25.txt"),
                "{uri}"
            );
        }
        assert_eq!(
            provider.canonical("skill://a b/_manifest").as_deref(),
            Some("skill://a%20b/_manifest")
        );
        assert_eq!(provider.canonical("skill://a b/none"), None);
        assert_eq!(provider.canonical("skill://a%2fb"), None);
    }
    let strict = roots.provider(&["r"], strict());
    assert_eq!(strict.canonical("skill://a b").as_deref(), Some("skill://a%20b"));
}

#[test]
fn a_mark_changes_with_the_file() {
    let roots = Roots::new();
    roots.skill("r/a");
    roots.write("r/a/x.txt", "1");
    for options in [strict(), Options::default()] {
        let provider = roots.provider(&["r"], options);
        let mark = |uri: &str| provider.mark(uri);
        let (file, manifest) = (mark("skill://a/x.txt"), mark("skill://a/_manifest"));
        assert!(file.is_some() && manifest.is_some());
        assert_eq!(mark("skill://a/x.txt"), file);
        roots.write("r/a/x.txt", "12");
        assert_ne!(mark("skill://a/x.txt"), file);
        assert_ne!(mark("skill://a/_manifest"), manifest);
        assert_eq!(mark("skill://a/none"), None);
        roots.write("r/a/x.txt", "1");
    }
}

struct ByIdentity;

impl Policy for ByIdentity {
    fn allows(&self, caller: &Caller, action: Action, uri: &str, _: Option<usize>) -> bool {
        let patterns = |allow: &[&str], deny: &[&str]| {
            let parse = |all: &[&str]| all.iter().map(|p| Pattern::parse(p).unwrap()).collect();
            Patterns { allow: parse(allow), deny: parse(deny) }
        };
        match caller.identity.as_deref() {
            Some("all") => true,
            Some("docs") => patterns(&["skill://pub"], &["skill://pub/secret"]).allow(action, uri),
            _ => false,
        }
    }
}

#[test]
fn what_a_policy_refuses_is_not_there_however_it_is_asked_for() {
    let roots = Roots::new();
    roots.skill("r/pub");
    roots.write("r/pub/secret/key.txt", "k");
    roots.skill("r/private");
    let seen_by = |name: &str| {
        let provider = roots
            .provider(&["r"], Options { supporting_files: SupportingFiles::Resources, ..strict() });
        let caller =
            Caller { identity: Some(name.into()), scopes: Vec::new(), transport: Transport::Http };
        Guarded::new(Arc::new(provider), Arc::new(ByIdentity), caller)
    };
    let uris = |provider: &Guarded| -> Vec<String> {
        provider.list().resources.into_iter().map(|resource| resource.uri).collect()
    };
    let all = seen_by("all");
    assert_eq!(uris(&all).len(), 5);
    assert_eq!(all.entries().unwrap().entries.len(), 2);
    let docs = seen_by("docs");
    assert_eq!(uris(&docs), ["skill://pub/SKILL.md", "skill://pub/_manifest"]);
    // A file of it may not be read, so there is no entry.
    assert_eq!(docs.entries().unwrap().entries, []);
    assert!(docs.entry("skill://pub/SKILL.md").is_none());
    assert!(docs.read("skill://pub/SKILL.md").is_ok());
    for uri in [
        "skill://pub/secret/key.txt",
        "skill://pub/%73ecret/key.txt",
        "skill://%70ub/secret/key.txt",
        "skill://private/SKILL.md",
        "skill://priv%61te/SKILL.md",
    ] {
        let refused = docs.read(uri).unwrap_err().to_string();
        assert_eq!(refused, format!("there is no resource {uri}"));
        assert!(all.read(uri).is_ok(), "{uri}");
        assert_eq!(docs.mark(uri), None);
        assert_eq!(docs.canonical(uri), None);
    }
    let names: Vec<String> =
        docs.directory("skill://pub").unwrap().into_iter().map(|child| child.name).collect();
    assert_eq!(names, ["pub"]);
    assert_eq!(docs.directory("skill://pub/secret"), None);
    assert_eq!(docs.directory("skill://private"), None);
    let manifest = |provider: &Guarded| {
        String::from_utf8(provider.read("skill://pub/_manifest").unwrap().bytes).unwrap()
    };
    assert!(manifest(&all).contains("secret/key.txt"));
    assert!(manifest(&docs).contains("SKILL.md"));
    assert!(!manifest(&docs).contains("secret"));
    assert_eq!(uris(&seen_by("none")), [] as [&str; 0]);
}

#[test]
fn without_discovery_resources_are_served_all_the_same() {
    let roots = Roots::new();
    roots.skill("r/a");
    let provider = WithoutDiscovery(Arc::new(roots.provider(&["r"], strict())));
    assert!(!provider.publishes());
    assert!(provider.entries().is_none());
    assert_eq!(provider.list().resources.len(), 2);
    assert!(provider.read("skill://a/SKILL.md").is_ok());
}

/// Somebody swaps a folder of the skill for a link to outside, again and again, while it is read.
#[cfg(unix)]
#[test]
fn a_link_that_is_swapped_in_is_never_followed_outside() {
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
    let roots = Roots::new();
    roots.skill("r/a");
    roots.write("r/a/docs/x.txt", "inside");
    roots.write("outside/x.txt", "outside");
    link(&roots.path("outside"), &roots.path("spare"));
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let (docs, spare, held) =
                (roots.path("r/a/docs"), roots.path("spare"), roots.path("held"));
            while !done.load(Relaxed) {
                let _ = fs::rename(&docs, &held);
                let _ = fs::rename(&spare, &docs);
                let _ = fs::rename(&docs, &spare);
                let _ = fs::rename(&held, &docs);
            }
        });
        for options in [strict(), Options::default()] {
            let provider = roots.provider(&["r"], options);
            for _ in 0..2000 {
                if let Ok(content) = provider.read("skill://a/docs/x.txt") {
                    assert_eq!(content.bytes, b"inside");
                }
            }
        }
        done.store(true, Relaxed);
    });
}
