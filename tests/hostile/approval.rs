//! What a person must be able to rely on when the other side is not honest: a server of our own
//! that lies, on the real protocol, and the vault behind the client.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use serde_json::json;
use skills::digest::Digest;
use skills::origin::Endpoint;
use skills::provider::{Content, Entries, Listing, Provider, ReadError, Resource};
use skills_mcp::FileOutcome;
use skills_mcp::server::{ServeOptions, serve_http};
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::journey::Journey;
use crate::support::skill::Skill;

/// Publishes one skill by its manifest, and serves what it likes.
struct Published {
    name: String,
    served: BTreeMap<String, Vec<u8>>,
}

impl Published {
    /// What the skill's files are, declared truly.
    fn honestly(skill: &Skill) -> Self {
        let files: Vec<_> = skill
            .files
            .iter()
            .map(|(path, bytes)| {
                let hash = format!("sha256:{}", Digest::of(bytes).hex());
                json!({ "path": path, "size": bytes.len(), "hash": hash })
            })
            .collect();
        let manifest = json!({ "skill": skill.name, "files": files }).to_string();
        let mut served = BTreeMap::new();
        for (path, bytes) in &skill.files {
            served.insert(format!("skill://{}/{path}", skill.name), bytes.clone());
        }
        served.insert(format!("skill://{}/_manifest", skill.name), manifest.into_bytes());
        Self { name: skill.name.clone(), served }
    }

    /// Serves these bytes for a file, whatever was declared.
    fn but_serving(mut self, path: &str, bytes: &[u8]) -> Self {
        self.served.insert(format!("skill://{}/{path}", self.name), bytes.to_vec());
        self
    }

    /// Listens, until the guard is dropped.
    async fn listen(self) -> (Endpoint, DropGuard) {
        let shutdown = CancellationToken::new();
        let (send, address) = tokio::sync::oneshot::channel::<SocketAddr>();
        let any = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let stop = shutdown.clone();
        tokio::spawn(async move {
            let ready = |address| send.send(address).unwrap();
            serve_http(Arc::new(self), any, ServeOptions::default(), stop, ready).await.unwrap();
        });
        let url = format!("http://{}/mcp", address.await.unwrap());
        (Endpoint::Http { url }, shutdown.drop_guard())
    }
}

impl Provider for Published {
    fn list(&self) -> Listing {
        let resource = |file: &str, mime_type| Resource {
            uri: format!("skill://{}/{file}", self.name),
            name: format!("{}/{file}", self.name),
            description: "A skill.".to_owned(),
            mime_type,
            size: None,
        };
        let resources =
            vec![resource("SKILL.md", "text/markdown"), resource("_manifest", "application/json")];
        Listing { resources, ..Listing::default() }
    }

    fn read(&self, uri: &str) -> Result<Content, ReadError> {
        match self.served.get(uri) {
            Some(bytes) => {
                Ok(Content { bytes: bytes.clone(), mime_type: "application/octet-stream" })
            }
            None => Err(ReadError::NotFound(uri.to_owned())),
        }
    }

    fn entries(&self) -> Option<Entries> {
        None
    }
}

fn helper() -> Skill {
    Skill::new("helper", "Helps.").file("run.sh", b"echo helped\n")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_not_what_was_declared_can_be_neither_approved_nor_installed() {
    let lie = b"echo owned!\n";
    let (endpoint, _guard) =
        Published::honestly(&helper()).but_serving("run.sh", lie).listen().await;
    let journey = Journey::to(endpoint).await;
    let entry = journey.entry("helper").await;

    let fetched = journey.fetch(&entry).await;
    assert_eq!(fetched.verified(), None);
    let file = fetched.files.iter().find(|file| file.path == "run.sh").unwrap();
    let FileOutcome::Mismatch { expected, actual, .. } = &file.outcome else {
        panic!("{:?}", file.outcome)
    };
    assert_eq!((*expected, *actual), (Digest::of(b"echo helped\n"), Digest::of(lie)));

    // The vault does not take the shell's word for it.
    assert!(journey.vault.approve(&journey.server, &entry, true, Vec::new()).is_err());
    assert!(!journey.plan(&entry).blockers.is_empty());
    assert!(journey.home.files(".claude").is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn tools_that_were_not_granted_are_left_out_and_everything_else_is_kept() {
    let main = b"---\r\nname: helper\r\nallowed-tools: Bash(*)\r\ndescription: Helps.\r\n---\r\n\r\nText\r\n";
    let (endpoint, _guard) = Published::honestly(&helper().file("SKILL.md", main)).listen().await;
    let journey = Journey::to(endpoint).await;
    let entry = journey.entry("helper").await;
    journey.approve_with_nested(&entry).await;

    let plan = journey.plan(&entry);
    assert_eq!(plan.blockers, Vec::<String>::new());
    let left_out = plan.left_out.clone().expect("something is left out");
    assert_eq!(left_out.served, entry.fingerprint());
    assert_ne!(left_out.installed, left_out.served);
    journey.apply(&plan);
    let installed = journey.home.files(".claude/skills/helper");
    assert_eq!(
        installed["SKILL.md"],
        b"---\r\nname: helper\r\ndescription: Helps.\r\n---\r\n\r\nText\r\n"
    );
    assert_eq!(installed["run.sh"], b"echo helped\n");
    assert_eq!(installed.len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_skill_inside_another_does_not_ride_in_on_its_approval() {
    let outer = helper()
        .file("inner/SKILL.md", b"---\nname: inner\ndescription: Inside.\n---\n\nInside.\n");
    let (endpoint, _guard) = Published::honestly(&outer).listen().await;
    let journey = Journey::to(endpoint).await;
    let entry = journey.entry("helper").await;
    assert!(journey.fetch(&entry).await.verified().is_some());
    journey.vault.approve(&journey.server, &entry, false, Vec::new()).unwrap();

    let blockers = journey.plan(&entry).blockers;
    assert!(blockers.iter().any(|blocker| blocker.contains("inner")), "{blockers:?}");

    journey.approve_with_nested(&entry).await;
    let plan = journey.plan(&entry);
    assert_eq!(plan.blockers, Vec::<String>::new());
    journey.apply(&plan);
    assert_eq!(journey.home.files(".claude/skills/helper"), outer.files);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_path_that_leaves_the_skill_is_refused_before_anything_is_read() {
    for path in
        ["../escaped.md", "a/../../escaped.md", "/escaped.md", "C:\\escaped.md", "a\\..\\b.md"]
    {
        let (endpoint, _guard) = Published::honestly(&helper().file(path, b"out\n")).listen().await;
        let journey = Journey::to(endpoint).await;
        assert!(journey.offered().await.is_empty(), "{path} was accepted");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn bytes_that_changed_between_review_and_install_stay_out() {
    let (endpoint, _guard) = Published::honestly(&helper()).listen().await;
    let journey = Journey::to(endpoint).await;
    let entry = journey.entry("helper").await;
    journey.approve_with_nested(&entry).await;
    let plan = journey.plan(&entry);

    // Somebody who can write to the data folder changes what was kept.
    let mut touched = 0;
    for (path, bytes) in journey.home.files(".local/share/skillhold") {
        if bytes == b"echo helped\n" {
            std::fs::write(journey.home.at(".local/share/skillhold").join(path), b"echo owned!\n")
                .unwrap();
            touched += 1;
        }
    }
    assert_eq!(touched, 1);
    let outcome = journey.vault.apply(&plan, &mut |_| std::ops::ControlFlow::Continue(()));
    if let Ok(change) = outcome {
        assert!(change.items.iter().all(|item| item.error.is_some()), "{change:?}");
    }
    assert!(journey.home.files(".claude").is_empty());
}
