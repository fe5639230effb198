//! Appeals: filings and the chains of their events, only ever added to.
//!
//! Every read walks the chain: an event that somebody altered, moved or took out is [`StoreError::Corrupt`]. Where an appeal stands is
//! kept beside its chain, so that lists are found without reading all; a chain that comes to something else is corrupt as well.

use capdex_model::appeal::{Appeal, AppealEvent, AppealId, AppealStanding, AppealState, Filing};
use capdex_model::time::Timestamp;
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
        stand(conn, row, &appeal.standing())?;
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
        put(conn, row, event)?;
        stand(conn, row, &appeal.standing())
    }
}

/// Keeps where an appeal stands now.
fn stand(conn: &Connection, row: i64, standing: &AppealStanding) -> Result<(), StoreError> {
    let sql =
        "INSERT INTO appeal_standing (appeal, name, state, since, rule, rule_version) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
               ON CONFLICT (appeal) DO UPDATE SET state = excluded.state, since = excluded.since";
    let AppealStanding { id, state, since, rule, rule_version } = standing;
    execute(conn, KEEP, sql, (row, id.as_str(), state.as_str(), since.unix_seconds(), rule, rule_version)).map(drop)
}

/// The columns of a standing behind the name of its appeal, from a place on.
fn standing_of(row: &rusqlite::Row<'_>, column: usize) -> Result<AppealStanding, StoreError> {
    let corrupt = |fault: capdex_model::appeal::AppealFault| StoreError::Corrupt {
        what: "standing of an appeal",
        detail: fault.to_string(),
    };
    Ok(AppealStanding {
        id: row.cell::<String>(column)?.parse().map_err(corrupt)?,
        state: row.cell::<String>(column + 1)?.parse().map_err(corrupt)?,
        since: Timestamp::from_unix_seconds(row.cell(column + 2)?),
        rule: row.cell(column + 3)?,
        rule_version: row.cell(column + 4)?,
    })
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
    let appeal = read(&name, filing, events)?;
    let sql = "SELECT name, state, since, rule, rule_version FROM appeal_standing WHERE appeal = ?1";
    let standing = first(conn, WHAT, sql, (row,), |row| standing_of(row, 0));
    expect_standing(&appeal, standing?.as_ref()).map(|()| Some(appeal))
}

/// A chain that comes to something else than what is kept beside it was altered, or that was.
fn expect_standing(appeal: &Appeal, standing: Option<&AppealStanding>) -> Result<(), StoreError> {
    if standing == Some(&appeal.standing()) {
        return Ok(());
    }
    let detail = format!("{} stands elsewhere than its events say", appeal.id());
    Err(StoreError::Corrupt { what: "standing of an appeal", detail })
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
        // What is over costs no chain: the daemon asks every minute.
        let sql = "SELECT appeal FROM appeal_standing
                   WHERE state NOT IN ('lapsed', 'withdrawn', 'upheld', 'rule_changed', 'not_mine') ORDER BY appeal";
        let ids = rows(self.connection(), WHAT, sql, (), |row| row.cell(0))?;
        all_of(self.connection(), ids)
    }

    /// The number of appeals.
    pub fn appeal_count(&self) -> Result<u64, StoreError> {
        let count = first(self.connection(), WHAT, "SELECT count(*) FROM appeals", (), |row| row.count(0))?;
        Ok(count.unwrap_or_default())
    }

    /// Hands on every appeal, in the order in which they were filed.
    pub fn each_appeal<E: From<StoreError>>(&self, mut visit: impl FnMut(Appeal) -> Result<(), E>) -> Result<(), E> {
        let sql =
            "SELECT a.id, s.name, s.state, s.since, s.rule, s.rule_version, a.body, e.body, e.digest FROM appeals a
                   LEFT JOIN appeal_standing s ON s.appeal = a.id AND s.name = a.name
                   JOIN appeal_events e ON e.appeal = a.id ORDER BY a.id, e.seq";
        let mut open: Option<(i64, AppealStanding, Filing, Vec<AppealEvent>)> = None;
        let decode = |row: &rusqlite::Row<'_>| {
            let head = (row.cell::<i64>(0)?, standing_of(row, 1)?, row.cell::<String>(6)?);
            Ok((head, event_of(row, 7)?))
        };
        let mut whole = |(_, standing, filing, events): (i64, AppealStanding, Filing, Vec<AppealEvent>)| {
            let appeal = read(standing.id.as_str(), filing, events)?;
            expect_standing(&appeal, Some(&standing))?;
            visit(appeal)
        };
        each(self.connection(), WHAT, sql, (), decode, |((id, standing, body), event)| -> Result<(), E> {
            match &mut open {
                Some((known, _, _, events)) if *known == id => events.push(event),
                _ => {
                    let filing = crate::packed::parse(&body, "appeal")?;
                    if let Some(before) = open.replace((id, standing, filing, vec![event])) {
                        whole(before)?;
                    }
                }
            }
            Ok(())
        })?;
        open.map_or(Ok(()), whole)
    }

    /// Hands on where every appeal stands, in the order in which they were filed. No chain is read.
    pub fn each_standing(&self, mut visit: impl FnMut(AppealStanding)) -> Result<(), StoreError> {
        let sql = "SELECT name, state, since, rule, rule_version FROM appeal_standing ORDER BY appeal";
        each(
            self.connection(),
            WHAT,
            sql,
            (),
            |row| standing_of(row, 0),
            |standing| {
                visit(standing);
                Ok(())
            },
        )
    }

    /// The newest appeals in a state, or in any, whose clock runs since an instant or longer and whose standing is wanted, the newest first.
    /// Chains are read of these alone.
    pub fn newest_appeals_that(
        &self,
        state: Option<AppealState>,
        since: Timestamp,
        is_wanted: impl Fn(&AppealStanding) -> bool,
        limit: u32,
    ) -> Result<Vec<Appeal>, StoreError> {
        let (mut wanted, since) = (Vec::new(), since.unix_seconds());
        let decode = |row: &rusqlite::Row<'_>| Ok((row.cell::<i64>(0)?, standing_of(row, 1)?));
        let visit = |(id, standing): (i64, AppealStanding)| {
            if wanted.len() >= limit as usize {
                return Err(Ended::Enough);
            }
            wanted.extend(is_wanted(&standing).then_some(id));
            Ok(())
        };
        let conn = self.connection();
        let walked = match state {
            Some(state) => {
                let sql = "SELECT appeal, name, state, since, rule, rule_version FROM appeal_standing
                           WHERE state = ?1 AND since <= ?2 ORDER BY appeal DESC";
                each(conn, WHAT, sql, (state.as_str(), since), decode, visit)
            }
            None => {
                let sql = "SELECT appeal, name, state, since, rule, rule_version FROM appeal_standing
                           WHERE since <= ?1 ORDER BY appeal DESC";
                each(conn, WHAT, sql, (since,), decode, visit)
            }
        };
        match walked {
            Err(Ended::Store(error)) => Err(error),
            Ok(()) | Err(Ended::Enough) => all_of(conn, wanted),
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
        let that = |state: AppealState, limit| {
            let in_state = reader.newest_appeals_that(Some(state), day(9).0, |_| true, limit).expect("reads");
            let wanted = reader.newest_appeals_that(None, day(9).0, |one| one.state == state, limit).expect("reads");
            assert_eq!(in_state, wanted);
            words(in_state)
        };
        assert_eq!(
            (that(AppealState::Filed, 5), that(AppealState::Challenged, 1)),
            (vec!["filed"], vec!["challenged"])
        );
        assert_eq!((that(AppealState::Filed, 0), that(AppealState::Lapsed, 5)), (vec![], vec![]));
        let over = appeal("two");
        let event =
            over.next(day(2), Actor::Vendor, "", AppealDeed::Withdrawn { reason: String::new() }).expect("follows");
        store.write(move |writer| writer.add_appeal_event(&event)).expect("added");
        assert_eq!(words(store.reader().expect("opens").open_appeals().expect("reads")), ["challenged"]);
        assert_eq!(reader.appeal_count().expect("counts"), 2);
        assert_eq!(reader.appeal_contact(&appeal("one").id()).expect("reads").as_deref(), Some("a@b.test"));
    }

    #[test]
    fn a_store_of_before_learns_where_its_appeals_stand() {
        use capdex_model::appeal::{Outcome, ProofMethod};
        let folder = Folder::new();
        let lost = || AppealDeed::Lost { reason: "gone".into() };
        let refused = || AppealDeed::Refused { method: ProofMethod::Dns, reason: "no record".into() };
        let proven = AppealDeed::Proven {
            method: ProofMethod::Package,
            locator: "x".into(),
            content: digest("t"),
            subject: None,
        };
        let decided = |outcome| AppealDeed::Decided { outcome, reason: "it is so".into() };
        let deeds = [
            AppealDeed::Challenged { expires: day(20).0, key: "k".into() },
            refused(),
            proven,
            AppealDeed::Answered { answer: serde_json::json!({}) },
            AppealDeed::Taken,
            lost(),
            decided(Outcome::Upheld),
            AppealDeed::Reopened { text: "It is a test.".into() },
            decided(Outcome::Overturned),
            lost(),
        ];
        // One appeal of each length, so that each event is the last of one.
        let appeals: Vec<Appeal> = (0..=deeds.len())
            .map(|length| {
                let mut appeal = appeal(&format!("number {length}"));
                for (at, deed) in (2..).zip(deeds.iter().take(length)) {
                    let event = appeal.next(day(at), Actor::Operator, "ann", deed.clone()).expect("follows");
                    appeal.add(event).expect("added");
                }
                appeal
            })
            .collect();
        let filed = appeals.clone();
        let file =
            move |writer: &crate::Writer<'_>| filed.iter().try_for_each(|one| writer.file_appeal(one, None).map(drop));
        folder.store().write(file).expect("kept");
        let before = crate::migrate::SCHEMA_VERSION - 1;
        folder.sql(&format!("DROP TABLE appeal_standing; PRAGMA user_version = {before}"));
        let mut read = Vec::new();
        let reader = folder.store().reader().expect("opens");
        reader
            .each_appeal(|one| -> Result<(), StoreError> {
                read.push(one);
                Ok(())
            })
            .expect("each stands where its chain says");
        assert_eq!(read, appeals);
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
        for (forged, mended) in [
            ("name = 'A-0123456789abcdef'", "name = (SELECT name FROM appeals)"),
            ("state = 'withdrawn'", "state = 'challenged'"),
            ("since = since + 1", "since = since - 1"),
            ("rule = 'another'", "rule = 'pipe-to-shell'"),
            ("rule_version = 9", "rule_version = 1"),
        ] {
            folder.sql(&format!("UPDATE appeal_standing SET {forged}"));
            assert!(read(&folder).is_err(), "{forged}");
            folder.sql(&format!("UPDATE appeal_standing SET {mended}"));
        }
        read(&folder).expect("whole again");
        folder.sql("DELETE FROM appeal_events WHERE seq = 0");
        assert!(read(&folder).is_err(), "the first is gone");
    }
}
