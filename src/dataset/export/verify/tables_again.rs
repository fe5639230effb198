//! The tables of one format against what the facts give: verdicts and ranks, scores, packages.

use std::collections::BTreeMap;

use capdex_model::capability::CapabilityRole;
use capdex_model::points::Points;
use capdex_model::score::RubricRef;
use capdex_rubrics::RUBRICS;
use capdex_rubrics::rank::{RankKey, Standings, TRUST};
use capdex_rubrics::saferskills::{self, RolledUpCapability};

use super::recomputed::{Judged, Recomputed, bytes};
use super::{Dataset, Verified};
use super::{agents, appeals, history, judge, operator};
use crate::escape::count;
use crate::export::cell::Cell;
use crate::export::equals::depth_of;
use crate::export::field::Field as _;
use crate::export::print::{Print, print};
use crate::export::rank_order::{Ranks, speaks};
use crate::export::table_row::{ReadRow as _, TableRow as _};
use crate::export::tables::capabilities::ReadCapabilityRow;
use crate::export::tables::packages::{PackageRow, PackageSummary, PackageVerdict, ReadPackageRow};
use crate::export::tables::score_breakdowns::ReadBreakdownRow;
use crate::export::tables::scores::ReadScoreRow;

/// The rubric of whose scores the number of a package is made.
const ROLLED_UP: &str = "saferskills/seed";

/// Checks a format. A table that cannot be read is a difference.
pub(super) fn check(dataset: &Dataset<'_>, recomputed: &Recomputed) -> Verified {
    let mut verified = Verified::default();
    let mut checked = || {
        // The order matters: scores are gathered first, and ranks say which of them are used.
        let mut scored = check_scores(dataset, recomputed, &mut verified)?;
        let packages = check_ranks(dataset, recomputed, &mut scored, &mut verified)?;
        check_scored(dataset, &scored, &mut verified);
        check_packages(dataset, packages, &mut verified)?;
        history::check(dataset, &mut verified)?;
        appeals::check(dataset, &mut verified)?;
        judge::check(dataset, &mut verified)?;
        agents::check(dataset, &mut verified)?;
        operator::check(dataset, &mut verified)
    };
    if let Err(error) = checked() {
        verified.differs(format!("{error:#}"));
    }
    verified
}

/// The statements of the table of scores about each capability, by its id.
type AllScored = BTreeMap<[u8; 32], Scored>;

/// The statements of the table of scores about a capability.
struct Scored {
    /// The print of what its rows call it.
    subject: Print,
    /// The rubrics that scored it.
    rubrics: RubricSet,
    /// True where the ranked table has it too.
    is_ranked: bool,
}

impl Scored {
    const fn of(subject: Print) -> Self {
        Self { subject, rubrics: RubricSet(0), is_ranked: false }
    }
}

/// Some of this program's rubrics, a bit for each place.
#[derive(Clone, Copy, Default)]
struct RubricSet(u32);

impl RubricSet {
    fn with(is_one: impl Fn(&RubricRef) -> bool) -> Self {
        let mut some = Self::default();
        for (place, rubric) in RUBRICS.iter().enumerate() {
            if is_one(&rubric.meta().rubric) {
                some.add(place);
            }
        }
        some
    }

    /// Adds a place; returns true where it was not there yet.
    const fn add(&mut self, place: usize) -> bool {
        let is_new = !self.has(place);
        self.0 |= 1 << place;
        is_new
    }

    const fn has(self, place: usize) -> bool {
        self.0 & (1 << place) != 0
    }

    const fn have_all(self, others: Self) -> bool {
        self.0 & others.0 == others.0
    }
}

/// The print of what both tables call a capability beside its id.
fn subject(slug: &Cell, content: &Cell, facts: &Cell) -> Print {
    print([slug, content, facts])
}

/// Capabilities without a score, by the place of the rubric: how many, and the first.
type Lacking = BTreeMap<usize, (u64, String)>;

/// The values of everything that takes a rank, as its facts give them. None where a score with a voice is missing anywhere:
/// the percentiles of all depend on it.
fn standings(dataset: &Dataset<'_>, recomputed: &Recomputed, scored: &AllScored) -> anyhow::Result<Option<Standings>> {
    let speaking = speaking(dataset);
    let (mut merits, mut is_known) = (Vec::new(), true);
    dataset.each(|row: ReadCapabilityRow| {
        let computed = recomputed.of(dataset, row.facts_sha256.as_text());
        let rubrics = bytes(row.capability.as_text()).and_then(|id| scored.get(&id)).map(|said| said.rubrics);
        is_known &= rubrics.unwrap_or_default().have_all(speaking);
        merits.extend(computed.filter(|_| takes_rank(&row)).map(|computed| &computed.judged(is_analysed(&row)).merit));
        Ok(())
    })?;
    Ok(is_known.then(|| Standings::of(merits)))
}

/// The rubrics that decide band and rank; others may be missing without doubt about either.
fn speaking(dataset: &Dataset<'_>) -> RubricSet {
    RubricSet::with(|rubric| speaks(rubric, &dataset.manifest.rank_by))
}

/// Ranks count the rows that have one.
fn takes_rank(row: &ReadCapabilityRow) -> bool {
    row.role.as_text() != CapabilityRole::Config.as_str()
}

/// Completeness is taken as written: what could not be read is not in the dataset.
fn is_analysed(row: &ReadCapabilityRow) -> bool {
    row.completeness.as_text() == "analysed"
}

/// What makes the row of a package: what its capabilities come to, and the members of its number.
#[derive(Default)]
struct PackageParts {
    summary: PackageSummary,
    members: Vec<RolledUpCapability>,
}

/// Computes verdict, trust and rank of every capability again, from its facts and its completeness. The rows stand in the order
/// of their ranks. A capability that lacks a score with a voice in them has only its place counted: band and rank are
/// unknown, because the scores that were given may have been others. Returns what makes the row of each package.
fn check_ranks(
    dataset: &Dataset<'_>,
    recomputed: &Recomputed,
    scored: &mut AllScored,
    verified: &mut Verified,
) -> anyhow::Result<BTreeMap<String, PackageParts>> {
    let file = dataset.file::<ReadCapabilityRow>();
    let speaking = speaking(dataset);
    let member_of = RubricSet::with(|rubric| rubric.id == ROLLED_UP);
    let standings = standings(dataset, recomputed, scored)?;
    let mut packages: BTreeMap<String, PackageParts> = BTreeMap::new();
    let mut lacking = Lacking::new();
    let mut before: Option<(RankKey, String, [u8; 32])> = None;
    let (mut ranks, mut is_ordered) = (Ranks::default(), true);
    dataset.each(|row: ReadCapabilityRow| {
        let slug = row.slug.as_text();
        let of_package = packages.entry(row.package.as_text().to_owned()).or_default();
        let computed = recomputed.of(dataset, row.facts_sha256.as_text());
        let (Some(id), Some(computed)) = (bytes(row.capability.as_text()), computed) else {
            verified.differs(format!("{file}: {slug} has no id or names facts that are not there"));
            return Ok(());
        };
        let Judged { print: verdict, reason, merit } = computed.judged(is_analysed(&row));
        // A row that was taken out shows in the ranks of the next.
        let (rank, rank_kind) = takes_rank(&row).then(|| ranks.next(merit.kind)).unzip();
        let written = |cell: &Cell| cell.as_integer().and_then(|rank| u64::try_from(rank).ok());
        is_ordered &= written(&row.rank) == rank && written(&row.rank_kind) == rank_kind;
        let rubrics = take_scored(dataset, &row, id, scored, verified);
        // Missing scores are unknown and no difference: a dataset of another day may lack them.
        for at in (0..RUBRICS.len()).filter(|at| !rubrics.has(*at)) {
            lacking.entry(at).or_insert_with(|| (0, slug.to_owned())).0 += 1;
        }
        of_package.members.extend(computed.member.filter(|_| rubrics.have_all(member_of)));
        let reason = row.with_gaps(reason);
        if rubrics.have_all(speaking) {
            verified.ranks += 1;
            if print(row.verdict()) != *verdict || row.reason.as_text() != reason {
                verified.differs(format!("{file}: the verdict of {slug} is not what its scores give"));
            }
        }
        // Without all scores of its kind its trust is unknown, and the row's own is taken.
        let said = || row.trust.as_number().map(Points::round_from);
        let trust = standings.as_ref().map_or_else(said, |known| known.trust(merit).filter(|_| rank.is_some()));
        let verdict = PackageVerdict { band: merit.band, reason, slug: slug.to_owned(), trust, rank_kind };
        of_package.summary.add(row.part(verdict));
        let Some(standings) = &standings else { return Ok(()) };
        if print([&row.trust]) != print([&trust.into_cell()?]) {
            verified.differs(format!("{file}: the trust of {slug} is not what the scores of its kind give"));
        }
        // The whole key of the order: then slug, then id, which makes every order but one wrong.
        // As written, like what could not be read: no file is in the dataset.
        let bytes = row.bytes.as_integer().and_then(|bytes| u64::try_from(bytes).ok());
        let words = row.words.as_integer().and_then(|words| u64::try_from(words).ok());
        let merit = merit.clone().with_bytes(bytes).with_words(words).with_depth(depth_of(row.path.as_text()));
        let key = (standings.key(&merit, dataset.manifest.rank_by == TRUST), slug.to_owned(), id);
        is_ordered &= before.as_ref().is_none_or(|before| *before < key);
        before = Some(key);
        Ok(())
    })?;
    if !is_ordered {
        verified.differs(format!("{file}: the ranks are not in order"));
    }
    tell_lacking(dataset, lacking, speaking, verified);
    Ok(packages)
}

/// Finds what the table of scores says of a row of the ranked table: the rubrics that scored it.
fn take_scored(
    dataset: &Dataset<'_>,
    row: &ReadCapabilityRow,
    id: [u8; 32],
    scored: &mut AllScored,
    verified: &mut Verified,
) -> RubricSet {
    let (slug, subject) = (row.slug.as_text(), subject(&row.slug, &row.content_sha256, &row.facts_sha256));
    let said = scored.entry(id).or_insert_with(|| Scored::of(subject));
    // The same id under two names would let scores of one thing stand for another.
    if said.subject != subject {
        let file = dataset.file::<ReadScoreRow>();
        verified.differs(format!("{file}: the scores of {slug} name another slug, content or facts than its rank"));
    }
    // Two rows with one id: one of them is made up.
    if std::mem::replace(&mut said.is_ranked, true) {
        verified.differs(format!("{}: {slug} has the id of another row", dataset.file::<ReadCapabilityRow>()));
    }
    said.rubrics
}

fn tell_lacking(dataset: &Dataset<'_>, lacking: Lacking, speaking: RubricSet, verified: &mut Verified) {
    let file = dataset.file::<ReadScoreRow>();
    for (at, (number, first)) in lacking {
        let id = RUBRICS.get(at).map_or("", |rubric| &*rubric.meta().rubric.id);
        let more = if speaking.has(at) { ", and so are band and rank" } else { "" };
        let number = count(number, "capability");
        verified.is_unknown(format!("{file}: {id} has no score of {number}, {first} first: it is unknown{more}"));
    }
}

/// Nothing vouches for scores of what is not ranked.
fn check_scored(dataset: &Dataset<'_>, scored: &AllScored, verified: &mut Verified) {
    // Scores without a row in the ranked table: a row was taken out, or the scores were put in.
    let strangers = scored.values().filter(|scored| !scored.is_ranked).count() as u64;
    if strangers > 0 {
        let (file, strangers) = (dataset.file::<ReadScoreRow>(), count(strangers, "capability"));
        verified.differs(format!("{file}: there are scores of {strangers} without a rank"));
    }
}

/// Computes every score again. Its row must name what it was computed from, as the rest of the dataset does, and no rubric
/// scores anything twice.
fn check_scores(dataset: &Dataset<'_>, recomputed: &Recomputed, verified: &mut Verified) -> anyhow::Result<AllScored> {
    let (file, manifest) = (dataset.file::<ReadScoreRow>(), dataset.manifest);
    let breakdowns = breakdowns(dataset, verified)?;
    let mut scored = AllScored::new();
    let mut named = 0;
    dataset.each(|row: ReadScoreRow| {
        let (slug, id) = (row.slug.as_text(), row.rubric.as_text());
        let at = RUBRICS.iter().position(|each| each.meta().rubric.id == id);
        let computed = recomputed.of(dataset, row.facts_sha256.as_text());
        let again = at.zip(computed).and_then(|(at, computed)| Some((at, computed.score(at)?)));
        let (Some((at, again)), Some(capability)) = (again, bytes(row.capability.as_text())) else {
            verified.differs(format!("{file}: {slug} has no id or names a rubric or facts that are not there"));
            return Ok(());
        };
        verified.scores += 1;
        let subject = subject(&row.slug, &row.content_sha256, &row.facts_sha256);
        let said = scored.entry(capability).or_insert_with(|| Scored::of(subject));
        if !said.rubrics.add(at) {
            verified.differs(format!("{file}: there is more than one score of {slug} by {id}"));
        }
        // Each row repeats what it was computed from, so a row that was copied from another dataset shows here.
        let of_dataset = row.ruleset_sha256.as_text() == manifest.ruleset_sha256 && said.subject == subject;
        if !of_dataset {
            verified.differs(format!("{file}: the score of {slug} by {id} names another rule set or subject"));
        }
        let number = row.breakdown.as_integer().and_then(|number| usize::try_from(number).ok()).unwrap_or(0);
        // Numbers are given in the order of the scores: none is left out, and none is there that no score names.
        named = if number == named + 1 { number } else { named };
        let breakdown = number.checked_sub(1).and_then(|at| breakdowns.get(at)).filter(|_| number <= named);
        if breakdown.is_some_and(|breakdown| *breakdown != again.breakdown) {
            let file = dataset.file::<ReadBreakdownRow>();
            verified.differs(format!("{file}: number {number} is not how the score of {slug} by {id} is computed"));
        }
        // The outline alone would let any arithmetic stand behind a right value.
        if print(row.computed()) != again.outline || breakdown.is_none() {
            verified.differs(format!("{file}: the score of {slug} by {id} is not what its facts give"));
        }
        Ok(())
    })?;
    if named != breakdowns.len() {
        verified.differs(format!("{}: not every breakdown is that of a score", dataset.file::<ReadBreakdownRow>()));
    }
    Ok(scored)
}

/// The prints of the breakdowns. They stand in the order of their numbers.
fn breakdowns(dataset: &Dataset<'_>, verified: &mut Verified) -> anyhow::Result<Vec<Print>> {
    let (mut prints, mut is_ordered) = (Vec::new(), true);
    dataset.each(|row: ReadBreakdownRow| {
        prints.push(print(row.computed()));
        is_ordered &= row.breakdown.as_integer() == i64::try_from(prints.len()).ok();
        Ok(())
    })?;
    if !is_ordered {
        verified.differs(format!("{}: the numbers are not in order", dataset.file::<ReadBreakdownRow>()));
    }
    Ok(prints)
}

/// Computes the row of every package again.
fn check_packages(
    dataset: &Dataset<'_>,
    packages: BTreeMap<String, PackageParts>,
    verified: &mut Verified,
) -> anyhow::Result<()> {
    let mut written = Vec::with_capacity(packages.len());
    dataset.each(|row: ReadPackageRow| {
        written.push(print(row.cells()));
        Ok(())
    })?;
    verified.ranks += u64::try_from(written.len())?;
    let mut rolled: Vec<Print> = Vec::with_capacity(packages.len());
    for (package, PackageParts { summary, members }) in packages {
        let number = saferskills::roll_up(&members);
        rolled.push(print(&PackageRow::of(&package, &summary, number.as_ref()).into_cells()?));
    }
    // Compared as lists: order, number and content of the rows at once.
    if written != rolled {
        verified.differs(format!(
            "{}: the packages are not what their capabilities give",
            dataset.file::<ReadPackageRow>()
        ));
    }
    Ok(())
}
