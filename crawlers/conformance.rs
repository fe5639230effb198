//! What every source must do, checked against an origin on loopback that a test describes: rows, cursors, resumption,
//! what is unchanged, and what becomes of faults in every place of a walk.
//!
//! Must not know any source. An origin answers for a [`World`]; the checks change the world and break the answers.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use capdex_model::digest::Digest;
use capdex_model::ids::ListingKey;
use capdex_model::listing::Validators;

use crate::http::testing::{Asked, Sent, Server, client, request, settings};
use crate::{CrawlError, ListRequest, ListedEntry, NextPage, Source, SourceSettings, WalkCursor};

/// What an origin holds: the revision of each entry, by the name under which the source lists it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct World {
    /// The entries.
    pub(crate) entries: BTreeMap<String, u32>,
    /// Entries that have another name now: old name to new. Their new names are among the entries.
    pub(crate) renamed: BTreeMap<String, String>,
}

/// An origin as a test describes it.
#[derive(Clone, Copy)]
pub(crate) struct Origin {
    /// The source under test.
    pub(crate) source: &'static dyn Source,
    /// The name of entry number so and so, in the order of numbers.
    pub(crate) name: fn(usize) -> String,
    /// What the schedule would say to list such a world from this base address.
    pub(crate) settings: fn(&World, &str) -> SourceSettings,
    /// The answer to one request; `base_url` is the origin's own address.
    pub(crate) answer: fn(&World, &Asked, &str) -> Sent,
    /// How many entries a world should have to make several steps.
    pub(crate) entries: usize,
}

/// One listing as a walk gave it.
type Rows = BTreeMap<ListingKey, Row>;

#[derive(Clone, Debug, PartialEq, Eq)]
enum Row {
    Unchanged,
    Changed(Validators),
    Gone,
    Moved(String),
    Failed { is_transient: bool },
}

/// What a fault replaces one answer with.
type Fault = fn() -> Sent;

/// What garbage servers were seen to send instead of an answer, all with a status that promises the answer.
const GARBAGE: [Fault; 6] = [
    || Sent::ok("<!doctype html><title>Just a moment...</title>"),
    || Sent::ok(""),
    || Sent::ok("{\"servers\":[{\"na"),
    || Sent::ok("[]"),
    || Sent::ok("{}"),
    || Sent::ok("null"),
];

impl Origin {
    fn id(&self) -> &'static str {
        self.source.meta().id
    }

    fn key(&self, number: usize) -> ListingKey {
        ListingKey::new(self.id(), (self.name)(number))
    }

    fn world(&self) -> World {
        let entries = (0..self.entries).map(|number| ((self.name)(number), 1)).collect();
        World { entries, renamed: BTreeMap::new() }
    }

    /// A server for a world. Request number `at` is answered by `fault` instead, and so is every later one where
    /// `is_lasting`.
    fn serve(&self, world: &World, fault: Option<(usize, bool, Fault)>) -> Server {
        let (answer, world) = (self.answer, world.clone());
        let base = Arc::new(std::sync::OnceLock::<String>::new());
        let (own, count) = (Arc::clone(&base), AtomicUsize::new(0));
        let server = Server::start(move |asked, _| {
            let number = count.fetch_add(1, Ordering::SeqCst);
            match fault {
                Some((at, is_lasting, fault)) if number == at || (is_lasting && number > at) => fault(),
                _ => answer(&world, asked, own.get().map_or("", String::as_str)),
            }
        });
        base.set(server.base_url.clone()).expect("set once");
        server
    }

    /// Walks from a cursor to the end, or to an error: rows, the cursors that were given, and how it ended.
    async fn walk(
        &self,
        server: &Server,
        world: &World,
        from: Option<WalkCursor>,
        known: &BTreeMap<ListingKey, Validators>,
    ) -> (Rows, Vec<WalkCursor>, Result<(), CrawlError>) {
        let (http, _) = client(settings(&[&server.base_url]));
        let of_source = (self.settings)(world, &server.base_url);
        let (mut rows, mut cursors, mut cursor) = (Rows::new(), Vec::new(), from);
        loop {
            let request = ListRequest { cursor: cursor.as_ref(), ..request(self.id(), &http, &of_source, known) };
            let page = match self.source.list(request).await {
                Ok(page) => page,
                Err(error) => return (rows, cursors, Err(error)),
            };
            for listed in page.listed {
                let (key, row) = row(listed);
                let before = rows.insert(key.clone(), row);
                assert_eq!(before, None, "{key} is listed once in a walk");
            }
            match page.next {
                NextPage::Complete { .. } => return (rows, cursors, Ok(())),
                NextPage::More(next) => {
                    assert!(!cursors.contains(&next), "{next:?} leads on");
                    assert!(next.0.len() <= WalkCursor::MAX_BYTES, "{next:?} leads on");
                    cursors.push(next.clone());
                    cursor = Some(next);
                }
            }
        }
    }

    /// A whole walk without faults.
    async fn whole(&self, world: &World, known: &BTreeMap<ListingKey, Validators>) -> (Rows, Vec<WalkCursor>, usize) {
        let server = self.serve(world, None);
        let (rows, cursors, ended) = self.walk(&server, world, None, known).await;
        assert_eq!(ended, Ok(()));
        (rows, cursors, server.asked().len())
    }
}

fn row(listed: ListedEntry) -> (ListingKey, Row) {
    match listed {
        ListedEntry::Unchanged(key) => (key, Row::Unchanged),
        ListedEntry::Changed { listing, validators } => (listing.key.clone(), Row::Changed(validators)),
        ListedEntry::Gone(key) | ListedEntry::TakenDown { key, .. } => (key, Row::Gone),
        ListedEntry::Moved { key, to } => (key, Row::Moved(to)),
        ListedEntry::Failed { key, transient, .. } => (key, Row::Failed { is_transient: transient }),
    }
}

fn digest(row: &Row) -> Option<Digest> {
    match row {
        Row::Changed(validators) => validators.digest,
        _ => None,
    }
}

fn validators(rows: &Rows) -> BTreeMap<ListingKey, Validators> {
    let known = |row: &Row| match row {
        Row::Changed(validators) => Some(validators.clone()),
        _ => None,
    };
    rows.iter().filter_map(|(key, row)| Some((key.clone(), known(row)?))).collect()
}

/// Checks everything.
pub(crate) async fn check(origin: Origin) {
    let world = origin.world();
    let (rows, cursors, requests) = origin.whole(&world, &BTreeMap::new()).await;
    rows_are_the_world(&origin, &world, &rows);
    repeats_itself(&origin, &world, &rows, requests).await;
    goes_on_from_every_cursor(&origin, &world, &rows, &cursors).await;
    tells_what_changed(&origin, &world, &rows).await;
    notices_what_left(&origin, &world, &rows).await;
    survives_passing_faults(&origin, &world, &rows, requests).await;
    stops_at_lasting_faults(&origin, &world, &rows, requests).await;
    takes_no_garbage(&origin, &world, &rows, requests).await;
}

fn rows_are_the_world(origin: &Origin, world: &World, rows: &Rows) {
    let expected: BTreeSet<_> = (0..world.entries.len()).map(|number| origin.key(number)).collect();
    assert_eq!(rows.keys().cloned().collect::<BTreeSet<_>>(), expected, "all rows and no others");
    assert!(rows.values().all(|row| digest(row).is_some()), "every row has a digest to compare with");
}

async fn repeats_itself(origin: &Origin, world: &World, rows: &Rows, requests: usize) {
    let (again, _, count) = origin.whole(world, &BTreeMap::new()).await;
    // Addresses of the two servers differ, so rows are compared by what must not depend on an address.
    assert_eq!(again.len(), rows.len());
    for (key, row) in &again {
        assert_eq!(digest(row), rows.get(key).and_then(digest), "{key} has one digest wherever it is served");
    }
    assert_eq!(count, requests, "the same walk sends as many requests");
}

async fn goes_on_from_every_cursor(origin: &Origin, world: &World, rows: &Rows, cursors: &[WalkCursor]) {
    for (number, cursor) in cursors.iter().enumerate() {
        let server = origin.serve(world, None);
        let (rest, later, ended) = origin.walk(&server, world, Some(cursor.clone()), &BTreeMap::new()).await;
        assert_eq!(ended, Ok(()), "from cursor {number}");
        assert_eq!(later.len(), cursors.len() - number - 1, "as many steps are left as there were");
        assert!(rest.keys().all(|key| rows.contains_key(key)));
        assert!(rest.len() < rows.len());
    }
}

async fn tells_what_changed(origin: &Origin, world: &World, rows: &Rows) {
    let known = validators(rows);
    let differing = |now: &Rows| -> Vec<ListingKey> {
        let is_new = |key: &ListingKey, row: &Row| match row {
            Row::Unchanged => false,
            row => digest(row) != known.get(key).and_then(|validators| validators.digest),
        };
        now.iter().filter(|(key, row)| is_new(key, row)).map(|(key, _)| key.clone()).collect()
    };
    let (now, _, _) = origin.whole(world, &known).await;
    assert_eq!(differing(&now), [], "nothing changed");
    let mut later = world.clone();
    later.entries.insert((origin.name)(1), 2);
    let (now, _, _) = origin.whole(&later, &known).await;
    assert_eq!(differing(&now), [origin.key(1)], "one entry changed");
}

async fn notices_what_left(origin: &Origin, world: &World, rows: &Rows) {
    let known = validators(rows);
    let (vanished, renamed, new) = ((origin.name)(0), (origin.name)(1), (origin.name)(origin.entries + 7));
    let mut later = world.clone();
    later.entries.remove(&vanished);
    later.entries.remove(&renamed);
    later.entries.insert(new.clone(), 1);
    later.renamed.insert(renamed, new.clone());
    let server = origin.serve(&later, None);
    // A source of names is still asked for those that it knew.
    let mut asked_for = later.clone();
    asked_for.entries.extend(world.entries.clone());
    let (now, _, ended) = origin.walk(&server, &asked_for, None, &known).await;
    assert_eq!(ended, Ok(()));
    let is_there = |key: &ListingKey| matches!(now.get(key), Some(Row::Changed(_) | Row::Unchanged));
    assert!(!is_there(&origin.key(0)), "vanished");
    assert!(!matches!(now.get(&origin.key(0)), Some(Row::Failed { .. })), "vanished");
    assert!(!is_there(&origin.key(1)), "renamed");
    assert!(!matches!(now.get(&origin.key(1)), Some(Row::Failed { .. })), "renamed");
    assert!(is_there(&ListingKey::new(origin.id(), new)), "the new name is listed");
}

async fn survives_passing_faults(origin: &Origin, world: &World, rows: &Rows, requests: usize) {
    let faults: [Fault; 4] = [
        || Sent::answer(429, &[("retry-after", "1")], "<html>slow down</html>"),
        || Sent::answer(429, &[("retry-after", "0")], ""),
        || Sent::answer(503, &[], ""),
        || Sent::bytes(b""),
    ];
    for fault in faults {
        for at in places(requests) {
            let server = origin.serve(world, Some((at, false, fault)));
            let (now, _, ended) = origin.walk(&server, world, None, &BTreeMap::new()).await;
            assert_eq!(ended, Ok(()), "a fault at request {at} passes");
            assert_eq!(now.keys().collect::<Vec<_>>(), rows.keys().collect::<Vec<_>>());
            assert!(now.values().all(|row| digest(row).is_some()), "nothing was lost at request {at}");
        }
    }
}

async fn stops_at_lasting_faults(origin: &Origin, world: &World, rows: &Rows, requests: usize) {
    let faults: [Fault; 3] = [
        || Sent::answer(500, &[], ""),
        || Sent::answer(429, &[("retry-after", "86400")], ""),
        || Sent::answer(403, &[("x-ratelimit-remaining", "0"), ("retry-after", "3600")], "{}"),
    ];
    for fault in faults {
        for at in places(requests) {
            let server = origin.serve(world, Some((at, true, fault)));
            let (now, cursors, ended) = origin.walk(&server, world, None, &BTreeMap::new()).await;
            assert_no_false_end(&now, rows, &ended, at);
            if let Err(error) = ended {
                assert!(error.is_transient(), "{error} may pass");
                let server = origin.serve(world, None);
                let (rest, _, ended) = origin.walk(&server, world, cursors.last().cloned(), &now_known(&now)).await;
                assert_eq!(ended, Ok(()), "the walk goes on where it stopped");
                let all: BTreeSet<_> = now.keys().chain(rest.keys()).collect();
                assert_eq!(all, rows.keys().collect::<BTreeSet<_>>(), "nothing is lost by a stop at request {at}");
            }
        }
    }
}

fn now_known(rows: &Rows) -> BTreeMap<ListingKey, Validators> {
    validators(rows)
}

async fn takes_no_garbage(origin: &Origin, world: &World, rows: &Rows, requests: usize) {
    for (number, fault) in GARBAGE.into_iter().enumerate() {
        for at in places(requests) {
            let server = origin.serve(world, Some((at, false, fault)));
            let (now, _, ended) = origin.walk(&server, world, None, &BTreeMap::new()).await;
            assert_no_false_end(&now, rows, &ended, at);
            assert!(now.values().all(|row| *row != Row::Gone), "garbage {number} at request {at} is no deletion");
        }
    }
}

/// A walk that met a fault either says so, or has a row for every entry, those that failed among them.
fn assert_no_false_end(now: &Rows, rows: &Rows, ended: &Result<(), CrawlError>, at: usize) {
    if ended.is_ok() {
        assert_eq!(
            now.keys().collect::<Vec<_>>(),
            rows.keys().collect::<Vec<_>>(),
            "a walk with a fault at request {at} ended as if nothing had been"
        );
    }
}

/// The first request, one in the middle and the last one.
fn places(requests: usize) -> BTreeSet<usize> {
    BTreeSet::from([0, requests / 2, requests.saturating_sub(1)])
}
