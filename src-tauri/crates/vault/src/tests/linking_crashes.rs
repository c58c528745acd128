//! After a crash at any step of a change with links, each skill is whole, the old one or the new one,
//! every link leads somewhere, and the record agrees.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::linking::{URI, V1, V2, assert_agrees, at, link, link_for};
use super::*;

/// Ends the work at the step of this number, the first being 1; says how many steps were reached.
fn end_at(home: &Home, number: usize) -> Arc<AtomicUsize> {
    let reached = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&reached);
    home.vault.at_each_step(move |_| counter.fetch_add(1, Ordering::SeqCst) + 1 == number);
    reached
}

/// What a tool reads at its folder of `pdf`, and whether through a link.
fn seen(home: &Home, tool: &str) -> (bool, BTreeMap<String, String>) {
    let folder = at(home, tool);
    (folder.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink()), home.tree(&folder))
}

fn all_seen(home: &Home) -> Vec<(bool, BTreeMap<String, String>)> {
    ["a", "b"].iter().map(|tool| seen(home, tool)).collect()
}

/// Makes the change of `act` after what `before` did, ended at each of its steps in turn. Each tool
/// then has all that it had before, or all that it has after.
fn at_every_step(before: impl Fn(&Home), act: impl Fn(&Home) -> Result<(), crate::VaultError>) {
    let whole = Home::new();
    before(&whole);
    let old = all_seen(&whole);
    let steps = end_at(&whole, usize::MAX);
    act(&whole).unwrap();
    let steps = steps.load(Ordering::SeqCst);
    let new = all_seen(&whole);
    assert!(steps > 4, "{steps}");
    assert_ne!(old, new);
    for step in 1..=steps {
        let home = Home::new();
        before(&home);
        let reached = end_at(&home, step);
        act(&home).unwrap_err();
        assert_eq!(reached.load(Ordering::SeqCst), step);
        let (home, _) = home.reopen();
        for (tool, now) in all_seen(&home).into_iter().enumerate() {
            assert!(now == old[tool] || now == new[tool], "step {step}: {now:?}");
        }
        assert_agrees(&home);
        // Nothing is in the way of trying it again, or of taking back what was done.
        let change = home.vault.last_change().unwrap();
        if all_seen(&home) == new
            && let Some(change) = change
        {
            home.vault.undo(&change).unwrap();
            assert_agrees(&home);
        }
    }
}

fn place(
    home: &Home,
    files: &[(&str, &str)],
    tools: &[(&str, Mode)],
) -> Result<(), crate::VaultError> {
    let server = home.vault.servers().unwrap().pop().unwrap_or_else(|| home.server());
    let source = home.approved(&server, URI, files, false);
    let targets = tools
        .iter()
        .map(|(tool, mode)| Target { mode: *mode, ..link(home, tool, OnConflict::Replace) })
        .collect();
    let plan = home.plan(source, targets);
    home.vault.apply(&plan, &mut |_| ControlFlow::Continue(())).map(|_| ())
}

fn linked(home: &Home) {
    let server = home.server();
    link_for(home, home.approved(&server, URI, &V1, false), &["a", "b"]);
}

fn undo_last(home: &Home) -> Result<(), crate::VaultError> {
    let change = home.vault.last_change().unwrap().unwrap();
    home.vault.undo(&change).map(|_| ())
}

#[test]
fn an_install_as_links_that_crashes_is_there_or_not() {
    at_every_step(|_| {}, |home| place(home, &V1, &[("a", Mode::Link), ("b", Mode::Link)]));
}

#[test]
fn a_copy_that_becomes_a_link_is_one_of_the_two_after_a_crash() {
    at_every_step(
        |home| place(home, &V1, &[("a", Mode::Copy)]).unwrap(),
        |home| place(home, &V2, &[("a", Mode::Link)]),
    );
}

#[test]
fn the_last_link_that_becomes_a_copy_is_one_of_the_two_after_a_crash() {
    at_every_step(
        |home| place(home, &V1, &[("a", Mode::Link)]).unwrap(),
        |home| place(home, &V1, &[("a", Mode::Copy)]),
    );
}

#[test]
fn a_link_that_gets_another_copy_leads_to_one_of_the_two_after_a_crash() {
    at_every_step(linked, |home| place(home, &V2, &[("a", Mode::Link)]));
}

#[test]
fn an_update_behind_links_that_crashes_is_done_for_all_tools_or_for_none() {
    at_every_step(linked, |home| {
        let server = home.vault.servers().unwrap().remove(0);
        let source = home.approved(&server, URI, &V2, false);
        let plan = home
            .vault
            .plan_update(&at(home, "b"), source, OnConflict::Keep, &home.scanned())
            .unwrap();
        home.vault.apply(&plan, &mut |_| ControlFlow::Continue(())).map(|_| ())
    });
}

#[test]
fn links_that_are_taken_back_are_gone_or_lead_to_their_copy_after_a_crash() {
    at_every_step(linked, undo_last);
    // And with what they had replaced.
    at_every_step(
        |home| {
            place(home, &V1, &[("a", Mode::Copy)]).unwrap();
            place(home, &V2, &[("a", Mode::Link)]).unwrap();
        },
        undo_last,
    );
}

#[test]
fn a_link_that_comes_back_with_its_copy_leads_to_it_after_a_crash() {
    at_every_step(
        |home| {
            place(home, &V1, &[("a", Mode::Link)]).unwrap();
            place(home, &V2, &[("a", Mode::Copy)]).unwrap();
        },
        undo_last,
    );
}
