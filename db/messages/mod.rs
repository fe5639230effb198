//! The outbox: the messages to each notifier, and what became of every alert there.
//!
//! A message and the deliveries of its alerts come in one transaction. A message is sent once it is marked so: a process that
//! dies in between tries again, with the same id. The notifiers send.

use capdex_model::alert::message::Message;
use capdex_model::alert::plan::{Delivery, DeliveryKind, Plan};
use capdex_model::fact::Severity;
use capdex_model::time::{AsOf, Timestamp};

use crate::packed::pack;
use crate::sql::{Cells, canonical, execute, first, id_of, insert, rows, seconds};
use crate::{Reader, StoreError, Writer};

/// A message that its notifier has not taken yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Queued {
    /// The message.
    pub message: Message,
    /// The number of tries so far.
    pub attempts: u32,
    /// Not to be tried before, by the clock.
    pub next_try: Timestamp,
    /// The error of the last try. Untrusted text.
    pub error: Option<String>,
}

/// One alert in one message, for a person who asks who was told of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveryHistoryRow {
    /// The notifier.
    pub notifier: String,
    /// The delivery of the alert there.
    pub kind: DeliveryKind,
    /// The run that decided it.
    pub at: AsOf,
    /// The message's id; none where it was kept back.
    pub message: Option<String>,
    /// When the notifier took it, by the clock; none while it waits.
    pub sent: Option<Timestamp>,
    /// The error of the last try. Untrusted text.
    pub error: Option<String>,
}

impl Writer<'_> {
    /// Takes a plan for a notifier: its messages into the outbox, and what becomes of the alerts.
    ///
    /// [`StoreError::Unknown`] for an alert that was never raised.
    pub fn queue(&self, sink: &str, plan: &Plan) -> Result<(), StoreError> {
        const WHAT: &str = "queue a message";
        for message in &plan.messages {
            // A plan that is made again has the same ids: nothing is queued twice.
            let sql = "INSERT INTO messages (name, notifier, at, body) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING";
            let params = (&message.id, sink, seconds(message.at), pack(canonical(message)?)?);
            execute(self.connection(), WHAT, sql, params)?;
        }
        for delivery in &plan.deliveries {
            self.record_delivery(sink, delivery)?;
        }
        Ok(())
    }

    fn record_delivery(&self, sink: &str, delivery: &Delivery) -> Result<(), StoreError> {
        const WHAT: &str = "decide about an alert";
        let alert = id_of(self.connection(), WHAT, "SELECT id FROM alerts WHERE name = ?1", (&delivery.alert,))?
            .ok_or_else(|| StoreError::Unknown { what: "alert", key: delivery.alert.clone() })?;
        let of_message = "SELECT id FROM messages WHERE name = ?1";
        // An alert that was kept back is in no message; its delivery is kept all the same.
        let message = match &delivery.message {
            Some(name) => id_of(self.connection(), WHAT, of_message, (name,))?,
            None => None,
        };
        let sql = "INSERT INTO deliveries (notifier, alert, kind, severity, ack, message, at)
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        let ack = i64::try_from(delivery.ack).unwrap_or(i64::MAX);
        let params =
            (sink, alert, delivery.kind.as_str(), delivery.severity.as_str(), ack, message, seconds(delivery.at));
        insert(self.connection(), WHAT, sql, params).map(drop)
    }

    /// Marks a message as taken by its notifier.
    pub fn message_sent(&self, id: &str, at: Timestamp) -> Result<(), StoreError> {
        let sql =
            // The first time stands: a second answer of the notifier must not move it.
            "UPDATE messages SET sent = ?2, attempts = attempts + 1, error = NULL WHERE name = ?1 AND sent IS NULL";
        execute(self.connection(), "mark a message as sent", sql, (id, at.unix_seconds())).map(drop)
    }

    /// Notes that a try failed, and before when there is to be no other.
    pub fn message_failed(&self, id: &str, error: &str, next_try: Timestamp) -> Result<(), StoreError> {
        let sql = "UPDATE messages SET attempts = attempts + 1, error = ?2, next_try = ?3
                   WHERE name = ?1 AND sent IS NULL";
        execute(self.connection(), "note a failed try", sql, (id, error, next_try.unix_seconds())).map(drop)
    }
}

impl Reader {
    /// The deliveries of alerts at a notifier, oldest first.
    pub fn deliveries(&self, sink: &str) -> Result<Vec<Delivery>, StoreError> {
        let sql = "SELECT a.name, f.kind, f.severity, f.ack, m.name, f.at FROM deliveries f
                   JOIN alerts a ON a.id = f.alert LEFT JOIN messages m ON m.id = f.message
                   WHERE f.notifier = ?1 ORDER BY f.id";
        rows(self.connection(), "read what became of alerts", sql, (sink,), |row| {
            Ok(Delivery {
                alert: row.cell(0)?,
                kind: kind(&row.cell::<String>(1)?)?,
                severity: severity(&row.cell::<String>(2)?)?,
                ack: row.count(3)?,
                message: row.cell(4)?,
                at: row.as_of(5)?,
            })
        })
    }

    /// The messages that a notifier has not taken yet, in the order in which it is to be told.
    pub fn queued(&self, sink: &str) -> Result<Vec<Queued>, StoreError> {
        let sql = "SELECT body, attempts, next_try, error FROM messages WHERE notifier = ?1 AND sent IS NULL";
        let mut queued = rows(self.connection(), "read the queued messages", sql, (sink,), |row| {
            let attempts = u32::try_from(row.count(1)?).unwrap_or(u32::MAX);
            let (message, next_try) = (row.packed(0, "message")?, row.timestamp(2)?);
            Ok(Queued { message, attempts, next_try, error: row.cell(3)? })
        })?;
        // A message's own order, which no column holds.
        queued.sort_by_cached_key(|queued| queued.message.order());
        Ok(queued)
    }

    /// The newest messages that a notifier was to be told, taken or not, newest first: what a feed shows.
    pub fn last_messages(&self, sink: &str, limit: usize) -> Result<Vec<Message>, StoreError> {
        let sql = "SELECT body FROM messages WHERE notifier = ?1 ORDER BY at DESC, id LIMIT ?2";
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        rows(self.connection(), "read the last messages", sql, (sink, limit), |row| row.packed(0, "message"))
    }

    /// The keys of the alerts that a message tells, sorted; none where there is no such message.
    pub fn alerts_in_message(&self, message: &str) -> Result<Option<Vec<String>>, StoreError> {
        const WHAT: &str = "read a message";
        let known = "SELECT id FROM messages WHERE name = ?1";
        let Some(id) = id_of(self.connection(), WHAT, known, (message,))? else { return Ok(None) };
        let sql =
            "SELECT a.name FROM deliveries f JOIN alerts a ON a.id = f.alert WHERE f.message = ?1 ORDER BY a.name";
        rows(self.connection(), WHAT, sql, (id,), |row| row.cell(0)).map(Some)
    }

    /// Every telling of an alert, oldest first.
    pub fn delivery_history(&self, key: &str) -> Result<Vec<DeliveryHistoryRow>, StoreError> {
        let sql = "SELECT f.notifier, f.kind, f.at, m.name, m.sent, m.error FROM alerts a
                   JOIN deliveries f ON f.alert = a.id LEFT JOIN messages m ON m.id = f.message
                   WHERE a.name = ?1 ORDER BY f.id";
        rows(self.connection(), "read who was told of an alert", sql, (key,), |row| {
            Ok(DeliveryHistoryRow {
                notifier: row.cell(0)?,
                kind: kind(&row.cell::<String>(1)?)?,
                at: row.as_of(2)?,
                message: row.cell(3)?,
                sent: row.cell::<Option<i64>>(4)?.map(Timestamp::from_unix_seconds),
                error: row.cell(5)?,
            })
        })
    }

    /// The numbers of messages of a notifier that wait and that it has taken.
    pub(crate) fn message_counts(&self, sink: &str) -> Result<(u64, u64), StoreError> {
        let sql = "SELECT count(*) - count(sent), count(sent) FROM messages WHERE notifier = ?1";
        let counts =
            first(self.connection(), "count the messages", sql, (sink,), |row| Ok((row.count(0)?, row.count(1)?)))?;
        Ok(counts.unwrap_or_default())
    }
}

fn kind(word: &str) -> Result<DeliveryKind, StoreError> {
    let known = DeliveryKind::ALL.into_iter().find(|kind| kind.as_str() == word);
    known.ok_or_else(|| StoreError::Corrupt { what: "fate", detail: format!("{word} is none") })
}

fn severity(word: &str) -> Result<Severity, StoreError> {
    let known = Severity::ALL.into_iter().find(|severity| severity.as_str() == word);
    known.ok_or_else(|| StoreError::Corrupt { what: "severity", detail: format!("{word} is none") })
}

#[cfg(test)]
mod tests;
