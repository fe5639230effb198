//! Tells notifiers what they have not taken yet: all at once, each in the order of rank, within its patience.
//!
//! A message is tried until its notifier has taken it, in this run or a later one; none is ever given up.

use std::time::Duration;

use capdex_crawlers::deliver::{Blame, NotDelivered};
use capdex_crawlers::http::Http;
use capdex_dataset::program::program;
use capdex_dataset::stopwatch::Stopwatch;
use capdex_db::{Queued, Store};
use capdex_model::alert::backoff;
use capdex_model::alert::message::Message;
use capdex_model::time::Timestamp;
use tracing::{info, warn};

use super::NotifierReport;
use super::hand_over::hand_over;
use crate::clock;
use crate::config::{AlertSettings, Notifier, NotifierTarget};
use crate::shutdown::ShutdownFlag;
use capdex_dataset::escape::escape;

/// The longest that a receiver may ask to be left alone.
const MAX_WAIT: Duration = Duration::from_secs(24 * 3600);

/// The longest sleep before a request to stop is seen.
const SLICE: Duration = Duration::from_millis(200);

/// Everything that sending needs.
pub(super) struct NotificationSender<'a> {
    pub(super) store: &'a Store,
    pub(super) alerts: &'a AlertSettings,
    pub(super) http: Http,
    /// The seed of the jitter of waits.
    pub(super) seed: u64,
    pub(super) stop: &'a ShutdownFlag,
}

/// The next step after a failure.
enum AfterFailure {
    /// Try the same again.
    Again,
    /// Go on with the next message.
    Next,
    /// Leave the notifier alone until the next run.
    Stop,
}

impl NotificationSender<'_> {
    /// Tells every notifier of the schedule.
    pub(super) async fn send_all(&self) -> anyhow::Result<Vec<NotifierReport>> {
        if !self.alerts.notifiers.is_empty() {
            // Every message names the program, whose file is not to be read within the patience for a receiver.
            program();
        }
        // All at once, so that one receiver that hangs holds up nobody else's messages.
        let sinks = self.alerts.notifiers.iter().map(|sink| self.send(sink));
        futures_util::future::join_all(sinks).await.into_iter().collect()
    }

    async fn send(&self, sink: &Notifier) -> anyhow::Result<NotifierReport> {
        let watch = Stopwatch::start();
        let mut report = NotifierReport { sink: sink.name.clone(), ..NotifierReport::default() };
        let reader = self.store.reader()?;
        let state = reader.notifier_state(&sink.name)?;
        let queue = reader.queued(&sink.name)?;
        // The connection is given back before the waits, which may take minutes.
        drop(reader);
        // With an empty queue an unready notifier has failed at nothing, and no failure is recorded.
        if let (NotifierTarget::Unready(reason), false) = (&sink.target, queue.is_empty()) {
            report.error = Some(reason.clone());
            let (name, reason, now) = (sink.name.clone(), reason.clone(), clock::now());
            self.store.write(move |writer| writer.notifier_failed(&name, &reason, now))?;
        // An earlier run was told to stay away, by `Retry-After` or by backoff; a new process keeps to that.
        } else if state.next_try > clock::now() {
            report.error = state.error;
        } else {
            let mut failures = state.failures;
            for queued in &queue {
                // This one message was refused lately; those behind it need not wait for it.
                if queued.next_try > clock::now() {
                    report.error = report.error.or_else(|| queued.error.clone());
                    continue;
                }
                if !self.send_one(sink, queued, &watch, &mut failures, &mut report).await? {
                    break;
                }
            }
        }
        // Asked of the store rather than counted: a mark that could not be written leaves the message in the queue.
        report.waiting = self.store.reader()?.notifier_state(&sink.name)?.queued;
        // A failure that a later try made good would only alarm whoever reads the report.
        if report.waiting == 0 {
            report.error = None;
        }
        if report.waiting > 0 {
            // The text comes from the receiver, who could otherwise write control sequences into the log.
            let error = escape(report.error.as_deref().unwrap_or("no time left in this run")).into_owned();
            warn!(sink = sink.name, waiting = report.waiting, error, "messages wait for the next run");
        } else if report.sent > 0 {
            info!(sink = sink.name, sent = report.sent, "told");
        }
        Ok(report)
    }

    /// Tries one message until it is taken; whether the next may be tried.
    async fn send_one(
        &self,
        sink: &Notifier,
        queued: &Queued,
        watch: &Stopwatch,
        failures: &mut u32,
        report: &mut NotifierReport,
    ) -> anyhow::Result<bool> {
        let mut attempts = queued.attempts;
        loop {
            // A try that has begun is not cut short: nobody would know what became of it.
            if self.stop.is_asked() || watch.elapsed() >= self.alerts.patience {
                return Ok(false);
            }
            match hand_over(self.store, &self.http, sink, &queued.message, self.alerts).await {
                Ok(()) => {
                    self.taken(sink, &queued.message)?;
                    // A message that got through shows that the notifier is up, so its backoff starts over.
                    (report.sent, *failures) = (report.sent + 1, 0);
                    return Ok(true);
                }
                Err(error) => {
                    attempts = attempts.saturating_add(1);
                    report.failed += 1;
                    report.error = Some(error.detail.clone());
                    match self.failed(sink, &queued.message, &error, attempts, failures, watch).await? {
                        AfterFailure::Again => {}
                        AfterFailure::Next => return Ok(true),
                        AfterFailure::Stop => return Ok(false),
                    }
                }
            }
        }
    }

    /// Marks a message as taken. Until here the same message is sent again, with the same id.
    fn taken(&self, sink: &Notifier, message: &Message) -> anyhow::Result<()> {
        let (name, id, at) = (sink.name.clone(), message.id.clone(), clock::now());
        // One transaction: a notifier is never marked as mended with its message still queued.
        self.store.write(move |writer| {
            writer.message_sent(&id, at)?;
            writer.notifier_recovered(&name)
        })?;
        Ok(())
    }

    /// Notes a failure, and waits where the same may be tried again in this run.
    async fn failed(
        &self,
        sink: &Notifier,
        message: &Message,
        error: &NotDelivered,
        attempts: u32,
        failures: &mut u32,
        watch: &Stopwatch,
    ) -> anyhow::Result<AfterFailure> {
        // A refused message counts its own tries; a notifier that is down counts one failure for all of its messages.
        let in_a_row = match error.blame {
            Blame::Message => attempts,
            Blame::Notifier => {
                *failures = failures.saturating_add(1);
                *failures
            }
        };
        let wait = backoff::wait(self.alerts.backoff, in_a_row, self.seed, &sink.name);
        // A receiver may ask for more patience than our backoff has, but not for ever.
        let wait = wait.max(error.wait.unwrap_or_default()).min(MAX_WAIT);
        let whole = i64::try_from(wait.as_secs()).unwrap_or(i64::MAX);
        let now = clock::now();
        let next_try = Timestamp::from_unix_seconds(now.unix_seconds().saturating_add(whole));
        let (name, id, detail, blame) = (sink.name.clone(), message.id.clone(), error.detail.clone(), error.blame);
        self.store.write(move |writer| {
            match blame {
                Blame::Message => writer.message_failed(&id, &detail, next_try),
                Blame::Notifier => {
                    // It waits for its notifier, which may be mended by hand.
                    writer.message_failed(&id, &detail, now)?;
                    writer.notifier_failed(&name, &detail, next_try)
                }
            }
        })?;
        // The notifier is well: the next message may go at once, without the wait.
        if error.blame == Blame::Message {
            return Ok(AfterFailure::Next);
        }
        // A wait that outlasts the run is left to the next one, which reads it from the store.
        if watch.elapsed().saturating_add(wait) >= self.alerts.patience {
            return Ok(AfterFailure::Stop);
        }
        let waited = Stopwatch::start();
        // In slices, because a wait may be minutes and a request to stop has to be heard.
        while waited.elapsed() < wait && !self.stop.is_asked() {
            tokio::time::sleep(wait.saturating_sub(waited.elapsed()).min(SLICE)).await;
        }
        Ok(AfterFailure::Again)
    }
}
