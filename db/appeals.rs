//! Appeals: filings and the chains of their events, only ever added to.
//!
//! Every read walks the chain: an event that somebody altered, moved or took out is [`StoreError::Corrupt`].

use capdex_model::appeal::{Appeal, AppealEvent, AppealId, Filing};
use rusqlite::Connection;

use crate::sql::{Cells, canonical, each, execute, first, id_of, insert, rows};
use crate::{Reader, StoreError, Writer};

const WHAT: &str = "read the appeals";
const KEEP: &str = "keep an appeal";

impl Writer<'_> {
    /// Adds an appeal with its events; false where it is known, and then nothing is changed.
    pub fn file_appeal(&self, appeal: &Appeal, contact: Option<&str>) -> Result<bool, StoreError> {
        let conn = self.connection();
        let (filing, name) = (appeal.filing(), appeal.id());
        if row_of(conn, &name)?.is_some() {
            return Ok(false);
        }
        let sql = "INSERT INTO appeals (name, identity, body, contact) VALUES (?1, ?2, ?3, ?4)";
        let values = (name.as_str(), &filing.subject.identity, canonical(filing)?, contact);
        let row = insert(conn, KEEP, sql, values)?;
        appeal.events().iter().try_for_each(|event| put(conn, row, event))?;
        Ok(true)
    }

    /// Adds an event to its appeal.
    ///
    /// [`StoreError::Refused`] where there is no such appeal, or the event does not follow what stands there by now.
    pub fn add_appeal_event(&self, event: &AppealEvent) -> Result<(), StoreError> {
        let conn = self.connection();
        let refused = |detail| StoreError::Refused { what: "event of an appeal", detail };
        let row = row_of(conn, &event.appeal)?.ok_or_else(|| refused(format!("there is no {}", event.appeal)))?;
        // Read again under the lock: somebody may have added to it since the event was made.
        let mut appeal = one(conn, row)?.ok_or_else(|| refused(format!("{} has no events", event.appeal)))?;
        appeal.add(event.clone()).map_err(|fault| refused(fault.to_string()))?;
        put(conn, row, event)
    }
}

fn put(conn: &Connection, row: i64, event: &AppealEvent) -> Result<(), StoreError> {
    let sql = "INSERT INTO appeal_events (appeal, seq, body, digest) VALUES (?1, ?2, ?3, ?4)";
    execute(conn, KEEP, sql, (row, event.seq, canonical(event)?, event.digest().as_bytes())).map(|_| ())
}

fn row_of(conn: &Connection, id: &AppealId) -> Result<Option<i64>, StoreError> {
    id_of(conn, WHAT, "SELECT id FROM appeals WHERE name = ?1", (id.as_str(),))
}

/// One event as it is stored, with the digest that stands beside it.
fn event_of(row: &rusqlite::Row<'_>, column: usize) -> Result<AppealEvent, StoreError> {
    let event: AppealEvent = row.json(column, "event of an appeal")?;
    if event.digest() == row.digest(column + 1)? {
        return Ok(event);
    }
    let detail = format!("event {} of {} has another digest than it should", event.seq, event.appeal);
    Err(StoreError::Corrupt { what: "event of an appeal", detail })
}

fn read(name: &str, filing: Filing, events: Vec<AppealEvent>) -> Result<Appeal, StoreError> {
    let corrupt = |detail| StoreError::Corrupt { what: "appeal", detail };
    if filing.id().as_str() != name {
        return Err(corrupt(format!("what was filed as {name} is not that")));
    }
    Appeal::read(filing, events).map_err(|fault| corrupt(fault.to_string()))
}

fn one(conn: &Connection, row: i64) -> Result<Option<Appeal>, StoreError> {
    let sql = "SELECT name, body FROM appeals WHERE id = ?1";
    let filed = first(conn, WHAT, sql, (row,), |row| Ok((row.cell::<String>(0)?, row.json::<Filing>(1, "appeal")?)))?;
    let Some((name, filing)) = filed else { return Ok(None) };
    let sql = "SELECT body, digest FROM appeal_events WHERE appeal = ?1 ORDER BY seq";
    let events = rows(conn, WHAT, sql, (row,), |row| event_of(row, 0))?;
    read(&name, filing, events).map(Some)
}

fn all_of(conn: &Connection, ids: Vec<i64>) -> Result<Vec<Appeal>, StoreError> {
    ids.into_iter().filter_map(|id| one(conn, id).transpose()).collect()
}

impl Reader {
    /// One appeal.
    pub fn appeal(&self, id: &AppealId) -> Result<Option<Appeal>, StoreError> {
        let row = row_of(self.connection(), id)?;
        row.map_or(Ok(None), |row| one(self.connection(), row))
    }

    /// Whom to write to about an appeal; published nowhere.
    pub fn appeal_contact(&self, id: &AppealId) -> Result<Option<String>, StoreError> {
        let sql = "SELECT contact FROM appeals WHERE name = ?1";
        Ok(first(self.connection(), WHAT, sql, (id.as_str(),), |row| row.cell(0))?.flatten())
    }

    /// The appeals about a package and what is in it, in the order in which they were filed.
    pub fn appeals_about(&self, identity: &str) -> Result<Vec<Appeal>, StoreError> {
        let sql = "SELECT id FROM appeals WHERE identity = ?1 ORDER BY id";
        let ids = rows(self.connection(), WHAT, sql, (identity,), |row| row.cell(0))?;
        all_of(self.connection(), ids)
    }

    /// The newest appeals, the newest first.
    pub fn newest_appeals(&self, limit: u32) -> Result<Vec<Appeal>, StoreError> {
        let sql = "SELECT id FROM appeals ORDER BY id DESC LIMIT ?1";
        let ids = rows(self.connection(), WHAT, sql, (limit,), |row| row.cell(0))?;
        all_of(self.connection(), ids)
    }

    /// The appeals to which something may still happen, in the order in which they were filed: all but those that ended as lapsed,
    /// withdrawn, or decided otherwise than that the finding is wrong.
    pub fn open_appeals(&self) -> Result<Vec<Appeal>, StoreError> {
        // By the last event alone, so that what is over costs no chain: the daemon asks every minute.
        let sql = "SELECT a.id, a.name, a.body, e.body, e.digest FROM appeals a
                   JOIN appeal_events l ON l.appeal = a.id
                     AND l.seq = (SELECT max(seq) FROM appeal_events WHERE appeal = a.id)
                     AND NOT (l.body ->> 'event' IN ('lapsed', 'withdrawn')
                              OR (l.body ->> 'event' = 'decided' AND l.body ->> 'outcome' <> 'overturned'))
                   JOIN appeal_events e ON e.appeal = a.id ORDER BY a.id, e.seq";
        let mut open = Vec::new();
        self.walk_appeals(sql, |appeal| -> Result<(), StoreError> {
            open.push(appeal);
            Ok(())
        })?;
        Ok(open)
    }

    /// The number of appeals.
    pub fn appeal_count(&self) -> Result<u64, StoreError> {
        let count = first(self.connection(), WHAT, "SELECT count(*) FROM appeals", (), |row| row.count(0))?;
        Ok(count.unwrap_or_default())
    }

    /// Hands on every appeal, in the order in which they were filed.
    pub fn each_appeal<E: From<StoreError>>(&self, visit: impl FnMut(Appeal) -> Result<(), E>) -> Result<(), E> {
        let sql = "SELECT a.id, a.name, a.body, e.body, e.digest FROM appeals a
                   JOIN appeal_events e ON e.appeal = a.id ORDER BY a.id, e.seq";
        self.walk_appeals(sql, visit)
    }

    /// The newest appeals that are wanted, the newest first. No older one is read once there are enough.
    pub fn newest_appeals_that(
        &self,
        is_wanted: impl Fn(&Appeal) -> bool,
        limit: u32,
    ) -> Result<Vec<Appeal>, StoreError> {
        let sql = "SELECT a.id, a.name, a.body, e.body, e.digest FROM appeals a
                   JOIN appeal_events e ON e.appeal = a.id ORDER BY a.id DESC, e.seq";
        let mut found = Vec::new();
        let walked = self.walk_appeals(sql, |appeal| {
            if found.len() >= limit as usize {
                return Err(Ended::Enough);
            }
            found.extend(is_wanted(&appeal).then_some(appeal));
            Ok(())
        });
        match walked {
            Err(Ended::Store(error)) => Err(error),
            Ok(()) | Err(Ended::Enough) => Ok(found),
        }
    }

    fn walk_appeals<E: From<StoreError>>(
        &self,
        sql: &'static str,
        mut visit: impl FnMut(Appeal) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut open: Option<(i64, String, Filing, Vec<AppealEvent>)> = None;
        let decode = |row: &rusqlite::Row<'_>| {
            let head = (row.cell::<i64>(0)?, row.cell::<String>(1)?, row.cell::<String>(2)?);
            Ok((head, event_of(row, 3)?))
        };
        each(self.connection(), WHAT, sql, (), decode, |((id, name, body), event)| -> Result<(), E> {
            match &mut open {
                Some((known, _, _, events)) if *known == id => events.push(event),
                _ => {
                    let filing = crate::packed::parse(&body, "appeal")?;
                    if let Some((_, name, filing, events)) = open.replace((id, name, filing, vec![event])) {
                        visit(read(&name, filing, events)?)?;
                    }
                }
            }
            Ok(())
        })?;
        match open {
            Some((_, name, filing, events)) => visit(read(&name, filing, events)?),
            None => Ok(()),
        }
    }
}

/// Why a walk ended before its end.
enum Ended {
    Enough,
    Store(StoreError),
}

impl From<StoreError> for Ended {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

#[cfg(test)]
mod tests {
    use capdex_model::appeal::{Actor, AppealDeed, ClaimKind};

    use super::*;
    use crate::fixtures::{Folder, day, digest};

    fn appeal(text: &str) -> Appeal {
        let filing = Filing {
            subject: "npm:a#skill:".parse().expect("a subject"),
            scope: "rule:pipe-to-shell".parse().expect("a scope"),
            content: digest("a"),
            rule: Some("pipe-to-shell".into()),
            rule_version: Some(1),
            claim: ClaimKind::Other,
            version: None,
            text: text.into(),
        };
        Appeal::begin(filing, day(1), Actor::Vendor, "")
    }

    fn challenge(of: &Appeal) -> AppealEvent {
        let deed = AppealDeed::Challenged { expires: day(8).0, key: "k".into() };
        of.next(day(1), Actor::Operator, "ann", deed).expect("follows")
    }

    #[test]
    fn appeals_are_kept_once_with_their_events_in_order() {
        let folder = Folder::new();
        let store = folder.store();
        for text in ["one", "two", "one"] {
            let filed = appeal(text);
            store.write(move |writer| writer.file_appeal(&filed, Some("a@b.test"))).expect("kept");
        }
        let event = challenge(&appeal("one"));
        let again = event.clone();
        store.write(move |writer| writer.add_appeal_event(&event)).expect("added");
        let refused = store.write(move |writer| writer.add_appeal_event(&again));
        assert!(matches!(refused, Err(StoreError::Refused { .. })), "the same place twice");
        let reader = store.reader().expect("opens");
        let words = |all: Vec<Appeal>| all.iter().map(|one| one.state().as_str()).collect::<Vec<_>>();
        assert_eq!(words(reader.appeals_about("npm:a").expect("reads")), ["challenged", "filed"]);
        assert_eq!(words(reader.newest_appeals(1).expect("reads")), ["filed"]);
        let mut all = Vec::new();
        reader
            .each_appeal(|one| -> Result<(), StoreError> {
                all.push(one);
                Ok(())
            })
            .expect("reads");
        assert_eq!(words(all), ["challenged", "filed"]);
        let that = |state: &str, limit| {
            words(reader.newest_appeals_that(|one| one.state().as_str() == state, limit).expect("reads"))
        };
        assert_eq!((that("filed", 5), that("challenged", 1)), (vec!["filed"], vec!["challenged"]));
        assert_eq!((that("filed", 0), that("lapsed", 5)), (vec![], vec![]));
        let over = appeal("two");
        let event =
            over.next(day(2), Actor::Vendor, "", AppealDeed::Withdrawn { reason: String::new() }).expect("follows");
        store.write(move |writer| writer.add_appeal_event(&event)).expect("added");
        assert_eq!(words(store.reader().expect("opens").open_appeals().expect("reads")), ["challenged"]);
        assert_eq!(reader.appeal_count().expect("counts"), 2);
        assert_eq!(reader.appeal_contact(&appeal("one").id()).expect("reads").as_deref(), Some("a@b.test"));
    }

    #[test]
    fn any_byte_that_is_changed_is_found() {
        let folder = Folder::new();
        let (filed, event) = (appeal("one"), challenge(&appeal("one")));
        let length = canonical(&event).expect("writes").len();
        folder
            .store()
            .write(move |writer| {
                writer.file_appeal(&filed, None)?;
                writer.add_appeal_event(&event)
            })
            .expect("kept");
        let read = |folder: &Folder| folder.store().reader().expect("opens").each_appeal(|_| Ok::<(), StoreError>(()));
        read(&folder).expect("whole");
        let body = |place: usize, with: &str| {
            format!(
                "UPDATE appeal_events SET body = substr(body, 1, {place}) || {with} || substr(body, {}) WHERE seq = 1",
                place + 2
            )
        };
        for place in 0..length {
            let conn = rusqlite::Connection::open(folder.path()).expect("opens");
            let letter = "SELECT substr(body, ?1, 1) FROM appeal_events WHERE seq = 1";
            let was: String =
                conn.query_row(letter, [i64::try_from(place + 1).expect("small")], |row| row.get(0)).expect("a letter");
            drop(conn);
            folder.sql(&body(place, "'~'"));
            assert!(read(&folder).is_err(), "letter {place}, {was:?}");
            folder.sql(&body(place, &format!("'{was}'")));
        }
        read(&folder).expect("whole again");
        folder.sql("DELETE FROM appeal_events WHERE seq = 0");
        assert!(read(&folder).is_err(), "the first is gone");
    }
}
