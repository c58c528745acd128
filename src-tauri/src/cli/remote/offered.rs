//! `list` and `manifest`: what is declared. No file is read.

use skills_mcp::{Connection, Offer, Offers, Source, Verdict};

use super::shown::{Declared, Listing, Skill, told};
use super::{Ended, List, Manifest, Said, view_of};
use crate::render::in_one_line;
use crate::view::ErrorView;

impl List {
    pub(super) async fn go(self) -> Result<Said, Ended> {
        let connection = self.server.connect().await?;
        let mut offers = listed(&connection).await?;
        // As the window has them.
        offers.offers.sort_by_cached_key(|offer| offer.name.to_lowercase());
        let listing = Listing {
            server: self.server.url.trim().to_owned(),
            protocol: connection.protocol().to_owned(),
            source: match connection.source() {
                Source::Extension => "extension",
                Source::Manifests => "manifests",
                Source::None => "none",
            },
            skills: offers.offers.iter().map(Skill::from).collect(),
            notices: offers.notices,
        };
        connection.close().await;
        let refused = listing.skills.iter().any(Skill::is_refused);
        Ok(Said { text: told(self.server.json, &listing, Listing::text)?, refused, lost: None })
    }
}

impl Manifest {
    pub(super) async fn go(self) -> Result<Said, Ended> {
        let connection = self.server.connect().await?;
        let offer = find(&connection, &self.skill).await?;
        connection.close().await;
        let declared = Declared::new(self.server.url.trim().to_owned(), &offer);
        let refused = !matches!(offer.verdict, Verdict::Verifiable(_));
        Ok(Said { text: told(self.server.json, &declared, Declared::text)?, refused, lost: None })
    }
}

/// One skill by its name, where only one has it, or by its URI, which no list need show.
pub(super) async fn find(connection: &Connection, skill: &str) -> Result<Offer, Ended> {
    if skill.contains("://") {
        return Ok(connection.look_up(skill).await?);
    }
    let offers = listed(connection).await?.offers;
    let mut named = offers.into_iter().filter(|offer| offer.name == skill);
    let Some(first) = named.next() else {
        let message = format!("no skill is called {}", in_one_line(&format!("{skill:?}")));
        return Err(Ended::Misused(
            ErrorView::bad_input(message).with_hint("`remote list` says what there is"),
        ));
    };
    let others: Vec<Offer> = named.collect();
    if others.is_empty() {
        return Ok(first);
    }
    let uris: Vec<String> =
        std::iter::once(&first).chain(&others).map(|offer| in_one_line(&offer.uri)).collect();
    let message = format!("{} skills are called {skill:?}: {}", uris.len(), uris.join(", "));
    Err(Ended::Misused(ErrorView::bad_input(message).with_hint("give the URI of one of them")))
}

/// What a server offers. One that cannot be listed is as good as none.
pub(super) async fn listed(connection: &Connection) -> Result<Offers, Ended> {
    connection.list().await.map_err(|error| Ended::Unreachable(view_of(&error)))
}
