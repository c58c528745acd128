//! How many skills that no list shows are kept and asked for again.

use super::*;

/// Gives every skill that it is asked for, and lists none.
#[derive(Default)]
struct Unlisted {
    asked: AtomicUsize,
    /// Tells the answers to one list from those to the next.
    round: AtomicUsize,
}

impl Provider for Unlisted {
    fn list(&self) -> Listing {
        Listing::default()
    }

    fn read(&self, uri: &str) -> Result<Content, ReadError> {
        Err(ReadError::NotFound(uri.to_owned()))
    }

    fn entries(&self) -> Option<Entries> {
        Some(Entries::default())
    }

    fn entry(&self, uri: &str) -> Option<Arc<Entry>> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let uri = SkillUri::parse(uri).ok()?;
        let round = self.round.load(Ordering::SeqCst);
        let bytes = format!("---\nname: {}\ndescription: Round {round}.\n---\n", uri.name());
        let bytes = bytes.into_bytes();
        let file = EntryFile {
            path: "SKILL.md".to_owned(),
            uri: uri.as_str().to_owned(),
            size: bytes.len() as u64,
            digest: Digest::of(&bytes),
        };
        let front = FrontMatter::strict(&bytes).unwrap();
        Some(Arc::new(Entry::new(uri, Some(front), None, vec![file]).unwrap()))
    }
}

#[test]
fn sixty_four_skills_are_kept_and_asked_for_again_and_with_one_more_the_oldest_goes() {
    let unlisted = Arc::new(Unlisted::default());
    let played = Played::new(&unlisted);
    let look_up = |number: usize| {
        let uri = format!("skill://n-{number}/SKILL.md");
        block_on(played.shell.look_up(&played.server, &uri)).unwrap();
    };
    let offers = || played.shell.servers_view().unwrap().servers[0].offers.clone();
    // Asks for the list anew, and gives how many skills were asked for with it.
    let asked_again = |round: usize| {
        unlisted.round.store(round, Ordering::SeqCst);
        unlisted.asked.store(0, Ordering::SeqCst);
        played.shell.refresh_server(&played.server).unwrap();
        let told = format!("Round {round}.");
        played.until(|_| offers().iter().any(|row| row.description == told).then_some(()));
        unlisted.asked.load(Ordering::SeqCst)
    };
    (0..64).for_each(look_up);
    assert_eq!(offers().len(), 64);
    assert_eq!(asked_again(1), 64);
    assert!(offers().iter().all(|row| row.standing == Standing::Unreviewed));

    look_up(64);
    let rows = offers();
    assert_eq!(rows.len(), 64);
    assert!(rows.iter().any(|row| row.uri == "skill://n-64/SKILL.md"));
    assert!(!rows.iter().any(|row| row.uri == "skill://n-0/SKILL.md"));
    assert_eq!(asked_again(2), 64); // It is forgotten with its row, and not called "no longer offered".
    let uris = |rows: Vec<OfferRow>| rows.into_iter().map(|row| row.uri).collect::<Vec<_>>();
    let newest: Vec<String> =
        (1..65).map(|number| format!("skill://n-{number}/SKILL.md")).collect();
    assert!(offers().iter().all(|row| row.standing == Standing::Unreviewed));
    assert_eq!(uris(offers()), newest);
    assert_eq!(asked_again(3), 64);
    assert_eq!(uris(offers()), newest);
}
