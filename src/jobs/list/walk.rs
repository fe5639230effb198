//! One walk of one source: its mode, page after page to the source's own end, and what stops it before.
//!
//! Sources are known by their trait alone. A cursor that comes back, pages without end and pages without rows are errors: a
//! hostile or broken source must not keep a night busy.

use std::borrow::Cow;
use std::collections::BTreeSet;

use capdex_crawlers::http::Http;
use capdex_crawlers::{CrawlError, ListPage, ListRequest, NextPage, SourceSettings, WalkCursor, WalkKind, WalkScope};
use capdex_dataset::stopwatch::Stopwatch;
use capdex_db::{Reader, SourceState, WalkMode};
use capdex_model::digest::Digest;
use capdex_model::snapshot::GapReason;
use capdex_model::time::AsOf;
use tracing::{info, warn};

use super::stored_validators::StoredValidators;
use super::walk_context::WalkContext;
use super::{STAGE, absence, caps, names, page};
use capdex_dataset::views::ledger::WalkReport;

/// Pages in a row that may have nothing new to the walk. Sources that filter after they fetch give some.
const MAX_EMPTY_PAGES: u64 = 100;

/// The place of a walk between two pages.
struct Position {
    mode: WalkMode,
    watermark: Option<String>,
    cursor: Option<WalkCursor>,
    /// Digests of the cursors of this run: one that comes back leads in a circle.
    met: BTreeSet<Digest>,
    empty_pages: u64,
    /// Listings of the source in the store when the run began, in any state.
    listings_before: u64,
}

impl WalkContext<'_> {
    /// Walks from the saved cursor to the end, the budget, or an error.
    ///
    /// # Errors
    /// Only what the store says.
    pub(super) async fn walk(&self) -> anyhow::Result<WalkReport> {
        let watch = Stopwatch::start();
        // The client counts what this walk alone sends, for its budget.
        let http = self.context.http.counted().acting_for(self.id, &self.run.kind);
        let mut position = self.begin()?;
        let mut walked = WalkReport { mode: position.mode.as_str().into(), ..WalkReport::default() };
        let mut settings = names::tonight(self.context, self.id, self.run, position.mode)?;
        // Two readers, which live as long as the walk: to open one and to prepare its questions costs more than a page does.
        let reader = self.context.store.reader()?;
        let known = StoredValidators::new(self.context.store.reader()?, self.context.ignore_validators, &self.run.kind);
        while walked.stopped.is_none() && walked.error.is_none() && !walked.is_complete {
            // Asked before each page, so that a page in hand is always saved.
            walked.stopped = self.reason_to_stop(&http, &walked);
            if walked.stopped.is_some() {
                break;
            }
            // Before the page is asked for, so that a directory behind its caps costs no request on later nights.
            if let Some(error) = caps::exceeded(self, position.listings_before, &walked) {
                self.fail(&error, &mut walked)?;
                break;
            }
            match self.step(&http, &settings, &known, &position).await {
                Ok(page) => self.take(&reader, page, &mut position, &mut walked)?,
                // A source may forget cursors between two nights; the walk then begins anew instead of failing for ever.
                Err(error) if is_stale(&error, &position, &walked) => {
                    self.restart(&error, &mut position, &mut walked)?;
                    settings = names::tonight(self.context, self.id, self.run, position.mode)?;
                }
                Err(error) => self.fail(&error, &mut walked)?,
            }
        }
        let usage = http.own_usage();
        (walked.requests, walked.bytes, walked.not_modified) = (usage.requests, usage.bytes, usage.not_modified);
        walked.wall_ms = u64::try_from(watch.elapsed().as_millis()).unwrap_or(u64::MAX);
        info!(source = self.id, pages = walked.pages, requests = walked.requests, "walked a source");
        Ok(walked)
    }

    /// Goes on with the walk under way, or begins one. The first is a full one, and so is one after the last is too long
    /// ago. Else it is one of changes, where the source can say what changed.
    fn begin(&self) -> anyhow::Result<Position> {
        let mut state = self.context.store.reader()?.source_state(self.id)?;
        // Without cursor and watermark the walk sees everything, whatever the last one left.
        if self.context.ignore_validators
            && let Some(state) = &mut state
        {
            (state.mode, state.cursor, state.watermark) = (None, None, None);
        }
        let under_way = state.as_ref().and_then(|state| state.mode);
        let (watermark, cursor) = state
            .as_ref()
            .map_or((None, None), |state| (state.watermark.clone(), state.cursor.clone().map(WalkCursor)));
        let mode = under_way.unwrap_or_else(|| self.mode(state.as_ref()));
        let (_, listings_before) = self.context.store.reader()?.listing_counts(self.id)?;
        let (id, kind) = (self.id.to_owned(), self.run.kind.clone());
        self.context.store.write(move |writer| {
            // Begun in the store first: corpus signals of the page saves belong to this walk.
            if under_way.is_none() {
                writer.begin_walk(&id, mode)?;
            }
            writer.keep_source_kind(&id, &kind)
        })?;
        Ok(Position { mode, watermark, cursor, met: BTreeSet::new(), empty_pages: 0, listings_before })
    }

    fn mode(&self, state: Option<&SourceState>) -> WalkMode {
        // Only those that publish a feed can say what changed.
        let is_incremental = match self.source.meta().walk {
            WalkKind::Directory { is_incremental } => is_incremental,
            WalkKind::Names => self.run.settings.changes_url.is_some(),
        };
        if !is_incremental {
            return WalkMode::Full;
        }
        let Some(state) = state else { return WalkMode::Full };
        // A walk of changes infers no absence, so a whole walk has to come round now and then.
        let is_fresh = |whole: AsOf| {
            let age_s = self.context.as_of.0.unix_seconds() - whole.0.unix_seconds();
            age_s < i64::from(self.run.full_walk_days) * 86_400
        };
        let can = state.watermark.is_some() && state.last_whole.is_some_and(is_fresh);
        if can { WalkMode::Since } else { WalkMode::Full }
    }

    fn reason_to_stop(&self, http: &Http, walked: &WalkReport) -> Option<Cow<'static, str>> {
        // In the order of what an operator wants to read: a signal before a deadline, a deadline before a budget.
        let reason = if self.context.stop.is_asked() {
            Some("interrupted")
        } else if self.context.requests.is_asked() {
            Some("the time for requests of this run is over")
        } else if self.run.max_requests.is_some_and(|most| http.own_usage().requests >= most) {
            Some("its budget of requests for one run is spent")
        } else if self.run.max_entries.is_some_and(|most| walked.listed >= most) {
            Some("its limit of entries for one run is reached")
        } else {
            None
        };
        reason.map(Cow::Borrowed)
    }

    async fn step(
        &self,
        http: &Http,
        settings: &SourceSettings,
        known: &StoredValidators,
        position: &Position,
    ) -> Result<ListPage, CrawlError> {
        // Since a watermark only where one was kept; everything else is a whole walk.
        let walk = match (position.mode, position.watermark.as_deref()) {
            (WalkMode::Since, Some(watermark)) => WalkScope::Since(watermark),
            _ => WalkScope::Full,
        };
        let cursor = position.cursor.as_ref();
        let as_of = self.context.as_of;
        self.source.list(ListRequest { id: self.id, http, settings, walk, cursor, known, as_of }).await
    }

    /// Saves a page and moves on.
    fn take(
        &self,
        reader: &Reader,
        page: ListPage,
        position: &mut Position,
        walked: &mut WalkReport,
    ) -> anyhow::Result<()> {
        // The page is moved into the transaction, and its cursor is needed behind it.
        let next = page.next.clone();
        // Checked before it is saved: a page that may not be followed leaves the cursor where it was.
        if let Err(error) = self.check(&page, position) {
            return self.fail(&error, walked);
        }
        let entries = u64::try_from(page.listed.len()).unwrap_or(u64::MAX);
        let met = page::save(self, reader, page, walked)?;
        // In a walk of changes every entry is news; in a whole one, entries that came before are padding.
        let is_new = if position.mode == WalkMode::Full { met > 0 } else { entries > 0 };
        position.empty_pages = if is_new { 0 } else { position.empty_pages + 1 };
        walked.pages += 1;
        self.progress.advance(entries);
        self.progress.show(self.context.http.usage().bytes, self.id);
        match next {
            NextPage::More(cursor) => position.cursor = Some(cursor),
            NextPage::Complete { .. } => {
                // Only the source's own end says that everything was seen; a walk that was stopped infers nothing.
                walked.is_complete = true;
                absence::infer(self, position.mode, walked)?;
            }
        }
        Ok(())
    }

    /// Refuses a page that may not be followed.
    fn check(&self, page: &ListPage, position: &mut Position) -> Result<(), CrawlError> {
        let malformed = |detail: &str| CrawlError::Malformed {
            subject: self.id.to_owned(),
            reason: GapReason::BadAnswer,
            detail: detail.to_owned(),
        };
        let NextPage::More(cursor) = &page.next else { return Ok(()) };
        // A cursor goes into the store and back into a request: its length is not left to a stranger.
        if cursor.0.len() > WalkCursor::MAX_BYTES {
            return Err(malformed("its cursor is longer than any cursor is"));
        }
        // Digests instead of cursors: a hundred thousand of them stay within a few megabytes.
        if !position.met.insert(Digest::of(cursor.0.as_bytes())) || position.cursor.as_ref() == Some(cursor) {
            return Err(malformed("its cursor leads in a circle"));
        }
        // Pages that repeat themselves. Those that are new without end meet the caps of the source.
        if position.empty_pages >= MAX_EMPTY_PAGES {
            return Err(malformed("its pages have nothing new and do not end"));
        }
        Ok(())
    }

    /// Walks everything again from the beginning.
    fn restart(&self, error: &CrawlError, position: &mut Position, walked: &mut WalkReport) -> anyhow::Result<()> {
        warn!(source = self.id, %error, "what the last walk left is not taken any more; everything is walked again");
        let id = self.id.to_owned();
        // Written at once, so that a kill does not leave the refused cursor in place.
        self.context.store.write(move |writer| writer.begin_walk(&id, WalkMode::Full))?;
        (position.cursor, position.mode, walked.mode) = (None, WalkMode::Full, WalkMode::Full.as_str().into());
        Ok(())
    }

    /// Ends the walk; the next run goes on from the saved cursor.
    fn fail(&self, error: &CrawlError, walked: &mut WalkReport) -> anyhow::Result<()> {
        warn!(source = self.id, %error, "a source gave no page; its cursor stays");
        let (gap, at, id) = (error.to_gap(), self.context.as_of, self.id.to_owned());
        self.context.store.write(move |writer| writer.record_gap(STAGE, &id, &gap, at))?;
        walked.error = Some(error.to_string());
        Ok(())
    }
}

/// True where a source does not take its own saved cursor or watermark any more. It is walked from its beginning then, once.
fn is_stale(error: &CrawlError, position: &Position, walked: &WalkReport) -> bool {
    // A network failure says nothing about the cursor; only a refusal does.
    let is_refused = matches!(error, CrawlError::Malformed { .. } | CrawlError::Gone { .. });
    let was_saved = position.cursor.is_some() || position.mode == WalkMode::Since;
    // Only for the first page of a run, so that a source that refuses everything is not walked in a loop.
    is_refused && walked.pages == 0 && position.met.is_empty() && was_saved
}
