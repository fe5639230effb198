//! The tables of one format against what the facts give: verdicts and ranks, scores, packages.

use std::collections::BTreeMap;

use capdex_core::rank::Merit;
use capdex_core::rubrics::saferskills::Member;

use super::recomputed::{Print, Recomputed, bytes, print};
use super::{Dataset, Verified};
use crate::export::tables::{capabilities, packages, scores};

/// Checks a format. A table that cannot be read is a difference.
pub(super) fn check(dataset: &Dataset<'_>, recomputed: &Recomputed) -> Verified {
    let mut verified = Verified::default();
    let mut checked = || {
        let Ranked { contents, members } = check_ranks(dataset, recomputed, &mut verified)?;
        check_scores(dataset, recomputed, &contents, &mut verified)?;
        check_packages(dataset, members, &mut verified)
    };
    if let Err(error) = checked() {
        verified.differs(format!("{error:#}"));
    }
    verified
}

/// What the ranked table says that other tables must say too.
#[derive(Default)]
struct Ranked {
    /// The content digest of each capability, by its id.
    contents: BTreeMap<[u8; 32], [u8; 32]>,
    /// What the number of each package is made of.
    members: BTreeMap<String, Vec<Member>>,
}

/// Computes band and rank of every capability again, from its facts and its completeness. The rows stand in the order of
/// their ranks.
fn check_ranks(dataset: &Dataset<'_>, recomputed: &Recomputed, verified: &mut Verified) -> anyhow::Result<Ranked> {
    let file = dataset.file("capabilities");
    let mut ranked = Ranked::default();
    let mut before: Option<(Merit, String, [u8; 32])> = None;
    let (mut place, mut is_ordered) = (0, true);
    dataset.each("capabilities", |row| {
        place += 1;
        let slug = row.text("slug");
        let computed = recomputed.of(dataset, row.text("facts_sha256"));
        let members = ranked.members.entry(row.text("package").to_owned()).or_default();
        members.extend(computed.and_then(|computed| computed.member));
        let id = bytes(row.text("id"));
        ranked.contents.extend(id.zip(bytes(row.text("content_sha256"))));
        let (Some(id), Some(computed)) = (id, computed) else {
            verified.differs(format!("{file}: {slug} has no id or names facts that are not there"));
            return Ok(());
        };
        let (verdict, merit) = computed.ranked(row.text("completeness") == "analysed");
        verified.ranks += 1;
        if print(&capabilities::VERDICT_COLUMNS.map(|name| row.cell(name).clone())) != *verdict {
            verified.differs(format!("{file}: the verdict of {slug} is not what its scores give"));
        }
        let key = (*merit, slug.to_owned(), id);
        is_ordered &=
            row.cell("rank").as_integer() == Some(place) && before.as_ref().is_none_or(|before| *before < key);
        before = Some(key);
        Ok(())
    })?;
    if !is_ordered {
        verified.differs(format!("{file}: the ranks are not in order"));
    }
    Ok(ranked)
}

/// Computes every score again. Its row must name what it was computed from, as the rest of the dataset does.
fn check_scores(
    dataset: &Dataset<'_>,
    recomputed: &Recomputed,
    contents: &BTreeMap<[u8; 32], [u8; 32]>,
    verified: &mut Verified,
) -> anyhow::Result<()> {
    let (file, manifest) = (dataset.file("scores"), dataset.manifest);
    let as_of = manifest.as_of.to_string();
    let breakdowns = breakdowns(dataset, verified)?;
    let mut named = 0;
    dataset.each("scores", |row| {
        let (slug, id) = (row.text("slug"), row.text("rubric"));
        let again = recomputed.of(dataset, row.text("facts_sha256")).and_then(|computed| computed.score(id));
        let Some(again) = again else {
            verified.differs(format!("{file}: {slug} names a rubric or facts that are not there"));
            return Ok(());
        };
        verified.scores += 1;
        let content = bytes(row.text("capability")).and_then(|id| contents.get(&id));
        let of_dataset = row.text("ruleset_sha256") == manifest.ruleset_sha256
            && row.text("as_of") == as_of
            && content.is_some_and(|content| bytes(row.text("content_sha256")) == Some(*content));
        if !of_dataset {
            verified.differs(format!("{file}: the score of {slug} by {id} names another rule set, content or instant"));
        }
        let number = row.cell("breakdown").as_integer().and_then(|number| usize::try_from(number).ok()).unwrap_or(0);
        // Numbers are given in the order of the scores: none is left out, and none is there that no score names.
        named = if number == named + 1 { number } else { named };
        let breakdown = number.checked_sub(1).and_then(|at| breakdowns.get(at)).filter(|_| number <= named);
        if breakdown.is_some_and(|breakdown| *breakdown != again.breakdown) {
            let file = dataset.file("breakdowns");
            verified.differs(format!("{file}: number {number} is not how the score of {slug} by {id} is computed"));
        }
        if print(row.some("rubric", scores::CELLS)) != again.outline || breakdown.is_none() {
            verified.differs(format!("{file}: the score of {slug} by {id} is not what its facts give"));
        }
        Ok(())
    })?;
    if named != breakdowns.len() {
        verified.differs(format!("{}: not every breakdown is that of a score", dataset.file("breakdowns")));
    }
    Ok(())
}

/// The prints of the breakdowns. They stand in the order of their numbers.
fn breakdowns(dataset: &Dataset<'_>, verified: &mut Verified) -> anyhow::Result<Vec<Print>> {
    let (mut prints, mut is_ordered) = (Vec::new(), true);
    dataset.each("breakdowns", |row| {
        prints.push(print(row.some("terms", 2)));
        is_ordered &= row.cell("breakdown").as_integer() == i64::try_from(prints.len()).ok();
        Ok(())
    })?;
    if !is_ordered {
        verified.differs(format!("{}: the numbers are not in order", dataset.file("breakdowns")));
    }
    Ok(prints)
}

/// Computes the roll-up of every package again.
fn check_packages(
    dataset: &Dataset<'_>,
    members: BTreeMap<String, Vec<Member>>,
    verified: &mut Verified,
) -> anyhow::Result<()> {
    let rolled = members.into_iter().map(|(package, members)| print(&packages::row(&package, &members)));
    let rolled: Vec<Print> = rolled.collect();
    let mut written = Vec::with_capacity(rolled.len());
    dataset.each("packages", |row| {
        written.push(print(&row.row));
        Ok(())
    })?;
    verified.ranks += u64::try_from(written.len())?;
    if written != rolled {
        verified.differs(format!("{}: the packages are not what their capabilities give", dataset.file("packages")));
    }
    Ok(())
}
