//! What a policy refuses, whichever name, place or link it is asked for by.

use super::looks::counted;
use super::*;
use crate::provider::policy::{Action, Caller, Guarded, Pattern, Patterns, Policy, Transport};

/// Denies some URIs, and all that places but one give.
struct Only {
    place: Option<usize>,
    patterns: Patterns,
}

impl Policy for Only {
    fn allows(&self, _: &Caller, action: Action, uri: &str, place: Option<usize>) -> bool {
        (self.place.is_none() || self.place == place) && self.patterns.allow(action, uri)
    }
}

fn seen_by(provider: Arc<dyn Provider>, place: Option<usize>, deny: &[&str]) -> Guarded {
    let deny = deny.iter().map(|pattern| Pattern::parse(pattern).unwrap()).collect();
    let patterns = Patterns { allow: Vec::new(), deny };
    let caller = Caller { identity: None, scopes: Vec::new(), transport: Transport::Http };
    Guarded::new(provider, Arc::new(Only { place, patterns }), caller)
}

fn manifest(provider: &dyn Provider, uri: &str) -> Vec<String> {
    let listed: serde_json::Value =
        serde_json::from_slice(&provider.read(uri).unwrap().bytes).unwrap();
    let files = listed["files"].as_array().unwrap();
    files.iter().map(|file| file["path"].as_str().unwrap().to_owned()).collect()
}

fn listed(provider: &dyn Provider) -> Vec<String> {
    let listing = provider.list();
    let templates = listing.templates.into_iter().map(|template| template.uri_template);
    listing.resources.into_iter().map(|one| one.uri).chain(templates).collect()
}

/// Every answer about a skill that says something of it.
fn answers(provider: &dyn Provider, name: &str) -> Vec<String> {
    let mut answers = Vec::new();
    for file in ["SKILL.md", "x.txt", "_manifest", "in/y.txt"] {
        let uri = format!("skill://{name}/{file}");
        if provider.read(&uri).is_ok() {
            answers.push(format!("read {file}"));
        }
        if provider.canonical(&uri).is_some() {
            answers.push(format!("canonical {file}"));
        }
        if provider.mark(&uri).is_some() {
            answers.push(format!("mark {file}"));
        }
    }
    let of_it = listed(provider).into_iter().filter(|uri| uri.contains(&format!("/{name}/")));
    answers.extend(of_it.map(|uri| format!("list {uri}")));
    let main = format!("skill://{name}/SKILL.md");
    let all = provider.entries().into_iter();
    let part = provider.entries_after(None, 10, &|_| true).into_iter();
    for entry in all.chain(part).flat_map(|all| all.entries).chain(provider.entry(&main)) {
        if entry.uri().as_str() == main {
            answers.push("entry".to_owned());
        }
    }
    for folder in [format!("skill://{name}"), format!("skill://{name}/in")] {
        let children = provider.directory(&folder).unwrap_or_default();
        answers.extend(children.into_iter().map(|child| format!("child {}", child.uri)));
    }
    answers
}

#[test]
fn what_another_place_gives_is_not_there_in_any_answer() {
    let roots = Roots::new();
    for root in ["one", "two"] {
        roots.skill(&format!("{root}/both"));
        roots.write(&format!("{root}/both/x.txt"), root);
        roots.write(&format!("{root}/both/in/y.txt"), root);
    }
    roots.skill("one/first");
    roots.write("one/first/x.txt", "1");
    roots.write("one/first/in/y.txt", "1");
    let merged = Options { merge_identical: true, ..strict() };
    let once = Options { reload: false, ..Options::default() };
    for options in [Options::default(), once, resources_mode(), strict(), merged] {
        let mode = options.mode;
        let of_two: Arc<dyn Provider> = Arc::new(roots.provider(&["one", "two"], options));
        let (first, second) = (
            seen_by(Arc::clone(&of_two), Some(0), &[]),
            seen_by(Arc::clone(&of_two), Some(1), &[]),
        );
        assert_eq!(answers(&second, "first"), [] as [&str; 0], "{mode:?}");
        // The first place wins, or both lose: never does this caller see what the other one gives.
        assert_eq!(answers(&second, "both"), [] as [&str; 0], "{mode:?}");
        assert!(answers(&first, "first").contains(&"read x.txt".to_owned()), "{mode:?}");
    }
    // The name is free for the second place as soon as the first one no longer has it.
    let provider: Arc<dyn Provider> = Arc::new(roots.provider(&["one", "two"], Options::default()));
    let second = seen_by(provider, Some(1), &[]);
    fs::rename(roots.path("one/both"), roots.path("away")).unwrap();
    assert_eq!(second.read("skill://both/x.txt").unwrap().bytes, b"two");
    fs::rename(roots.path("away"), roots.path("one/both")).unwrap();
    assert!(second.read("skill://both/x.txt").is_err());
}

#[test]
fn places_count_as_they_were_given() {
    let roots = Roots::new();
    roots.skill("one/a");
    roots.skill("two/b");
    for options in [Options::default(), strict()] {
        // The second is the first once more.
        let provider: Arc<dyn Provider> = Arc::new(roots.provider(&["one", "one", "two"], options));
        let third = seen_by(Arc::clone(&provider), Some(2), &[]);
        assert!(third.read("skill://b/SKILL.md").is_ok());
        assert!(third.read("skill://a/SKILL.md").is_err());
        assert!(seen_by(provider, Some(0), &[]).read("skill://a/SKILL.md").is_ok());
    }
}

#[cfg(unix)]
#[test]
fn a_link_inside_of_a_skill_leads_to_nothing_that_is_refused() {
    let roots = Roots::new();
    roots.skill("r/a");
    roots.write("r/a/v2/secret.txt", "s");
    roots.write("r/a/v2/deep/key.txt", "k");
    roots.write("r/a/open.txt", "o");
    for (target, at) in [
        ("v2", "latest"),
        (".", "self"),
        ("latest", "newest"),
        ("v2/secret.txt", "file.txt"),
        ("file.txt", "again.txt"),
        ("open.txt", "fine.txt"),
    ] {
        link(Path::new(target), &roots.path("r/a").join(at));
    }
    let once = Options { reload: false, ..resources_mode() };
    for options in [resources_mode(), once] {
        let provider: Arc<dyn Provider> = Arc::new(roots.provider(&["r"], options));
        let guarded = seen_by(Arc::clone(&provider), None, &["skill://a/v2"]);
        for path in [
            "v2/secret.txt",
            "latest/secret.txt",
            "latest/deep/key.txt",
            "newest/secret.txt",
            "self/v2/secret.txt",
            "self/self/latest/secret.txt",
            "file.txt",
            "again.txt",
            "self/again.txt",
        ] {
            let uri = format!("skill://a/{path}");
            assert!(provider.read(&uri).is_ok(), "{uri}");
            let refused = guarded.read(&uri).unwrap_err().to_string();
            assert_eq!(refused, format!("there is no resource {uri}"));
            assert_eq!(guarded.canonical(&uri), None, "{uri}");
            assert_eq!(guarded.mark(&uri), None, "{uri}");
        }
        assert_eq!(guarded.read("skill://a/self/open.txt").unwrap().bytes, b"o");
        assert_eq!(manifest(&guarded, "skill://a/_manifest"), ["SKILL.md", "fine.txt", "open.txt"]);
        assert_eq!(
            listed(&guarded),
            [
                "skill://a/SKILL.md",
                "skill://a/_manifest",
                "skill://a/fine.txt",
                "skill://a/open.txt"
            ]
        );
    }
}

#[test]
fn a_real_file_named_as_the_manifest_is_given_as_it_is() {
    let roots = Roots::new();
    let real = r#"{"skill":"a","files":[{"path":"hidden"},{"path":"b"}]}"#;
    roots.skill("r/a");
    roots.write("r/a/data/_manifest", real);
    roots.write("r/a/hidden", "h");
    for options in [Options::default(), strict()] {
        let provider = Arc::new(roots.provider(&["r"], options));
        let deny = ["skill://a/hidden", "skill://a/data/hidden"];
        let guarded = seen_by(provider, None, &deny);
        let given = guarded.read("skill://a/data/_manifest").unwrap().bytes;
        assert_eq!(String::from_utf8(given).unwrap(), real);
        assert_eq!(manifest(&guarded, "skill://a/_manifest"), ["SKILL.md", "data/_manifest"]);
    }
}

#[test]
fn the_mark_of_a_manifest_stays_when_what_is_refused_changes() {
    let roots = Roots::new();
    roots.skill("r/a");
    roots.write("r/a/hidden.txt", "1");
    roots.write("r/a/open.txt", "1");
    for options in [Options::default(), strict()] {
        let provider = Arc::new(roots.provider(&["r"], options));
        let guarded = seen_by(provider, None, &["skill://a/hidden.txt"]);
        let mark = || guarded.mark("skill://a/_manifest").unwrap();
        let before = mark();
        roots.write("r/a/hidden.txt", "12");
        assert_eq!(mark(), before);
        roots.write("r/a/open.txt", "12");
        assert_ne!(mark(), before);
        roots.write("r/a/open.txt", "1");
        roots.write("r/a/hidden.txt", "1");
    }
}

/// A provider that knows no places, and how often it was read.
struct InMemory;

impl Provider for InMemory {
    fn list(&self) -> Listing {
        Listing::default()
    }

    fn read(&self, uri: &str) -> Result<Content, ReadError> {
        let bytes = match uri {
            "skill://a/SKILL.md" => "x",
            "skill://a/_manifest" | "skill://a/data/_manifest" => {
                r#"{"files":[{"path":"hidden"},{"path":"b"}]}"#
            }
            _ => return Err(ReadError::NotFound(uri.to_owned())),
        };
        Ok(Content { bytes: bytes.into(), mime_type: "text/plain" })
    }

    fn entries(&self) -> Option<Entries> {
        None
    }
}

#[test]
fn a_provider_without_places_is_seen_by_its_uris() {
    let deny = ["skill://a/hidden", "skill://a/data/hidden", "skill://a/SKILL.md"];
    let guarded = seen_by(Arc::new(InMemory), None, &deny);
    assert!(guarded.read("skill://a/SKILL.md").is_err());
    assert_eq!(manifest(&guarded, "skill://a/_manifest"), ["b"]);
    assert_eq!(manifest(&guarded, "skill://a/data/_manifest"), ["hidden", "b"]);
    assert!(seen_by(Arc::new(InMemory), Some(0), &[]).read("skill://a/_manifest").is_err());
}

#[test]
fn more_than_is_wanted_is_not_read() {
    let roots = Roots::new();
    roots.skill("r/a");
    roots.write("r/a/x.txt", "12345");
    let providers: [Arc<dyn Provider>; 3] = [
        Arc::new(roots.provider(&["r"], Options::default())),
        Arc::new(roots.provider(&["r"], strict())),
        Arc::new(seen_by(Arc::new(roots.provider(&["r"], strict())), None, &[])),
    ];
    for provider in providers {
        for uri in ["skill://a/x.txt", "skill://a/_manifest"] {
            let size = provider.read(uri).unwrap().bytes.len() as u64;
            assert!(provider.read_within(uri, size).is_ok());
            let larger = provider.read_within(uri, size - 1).unwrap_err();
            assert_eq!(
                larger.to_string(),
                format!("{uri} has {size} bytes, which is more than is read at once")
            );
        }
    }
    let memory = InMemory.read_within("skill://a/SKILL.md", 0).unwrap_err();
    assert!(matches!(memory, ReadError::Larger { size: 1, .. }));
}

#[test]
fn compatible_listings_hash_nothing_and_a_manifest_only_what_may_be_read() {
    let roots = Roots::new();
    roots.skill("r/a");
    roots.write("r/a/x.bin", "x");
    roots.write("r/a/secret/1.bin", "1");
    roots.write("r/a/secret/2.bin", "2");
    for options in [Options::default(), resources_mode()] {
        let provider = Arc::new(roots.provider(&["r"], options));
        provider.list();
        // The main file, for its description.
        assert_eq!(counted(&provider).1, 1);
        let all: Arc<dyn Provider> = Arc::clone(&provider) as Arc<dyn Provider>;
        let guarded = seen_by(Arc::clone(&all), None, &["skill://a/secret"]);
        assert_eq!(manifest(&guarded, "skill://a/_manifest"), ["SKILL.md", "x.bin"]);
        assert_eq!(counted(&provider).1, 1 + 2);
        assert_eq!(manifest(all.as_ref(), "skill://a/_manifest").len(), 4);
        assert_eq!(counted(&provider).1, 1 + 4);
    }
}

/// How much there is to read takes time, so nothing is read before the policy was asked.
#[test]
fn a_refused_skill_is_not_opened() {
    let roots = Roots::new();
    roots.skill("r/hidden");
    roots.write("r/hidden/x.txt", "x");
    for options in [Options::default(), strict()] {
        let provider = Arc::new(roots.provider(&["r", "gone"], options));
        let all: Arc<dyn Provider> = Arc::clone(&provider) as Arc<dyn Provider>;
        for guarded in
            [seen_by(Arc::clone(&all), None, &["skill://hidden"]), seen_by(all, Some(1), &[])]
        {
            for path in ["SKILL.md", "x.txt", "_manifest", "none"] {
                let uri = format!("skill://hidden/{path}");
                assert!(guarded.read(&uri).is_err());
                assert_eq!(guarded.canonical(&uri), None);
                assert_eq!(guarded.mark(&uri), None);
                assert!(guarded.entry(&uri).is_none());
                assert_eq!(counted(&provider), (0, 0), "{uri}");
            }
        }
    }
}
