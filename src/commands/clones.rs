//! `capdex clones`: families of near-equal content, who copied whom, and what the copies added.

use capdex_dataset::escape;
use capdex_db::FamilyMember;
use capdex_model::fact::Severity;
use serde_json::json;

use super::list_output;
use crate::cli::ClonesArgs;
use crate::exit::Exit;
use crate::options::Global;
use crate::output::Out;

/// Copies of one family shown in the table; the other formats show all.
const COPIES: usize = 12;
/// Lines of what one copy added that the table shows.
const ADDED: usize = 8;

pub(super) fn run(global: &Global, options: &ClonesArgs, out: &mut Out) -> anyhow::Result<Exit> {
    let reader = super::reader(global)?;
    let mut members: Vec<FamilyMember> = reader.family_members()?.into_iter().map(|(member, _)| member).collect();
    if let Some(text) = &options.capability {
        let wanted = crate::capability_lookup::find(&reader, text)?.capability.id;
        // A family is named by any of its members.
        let family = members.iter().find(|member| member.capability == wanted).map(|member| member.original);
        members.retain(|member| Some(member.original) == family);
    }
    if options.changed {
        // Whole families stay, because an addition is read beside its original.
        let others: std::collections::BTreeSet<_> =
            members.iter().filter(|member| member.severity.is_some()).map(|member| member.original).collect();
        members.retain(|member| others.contains(&member.original));
    }
    // The original first, so that the table can name it once for all copies.
    members.sort_by_cached_key(|member| {
        (member.original_slug.clone(), member.original, member.original != member.capability, member.slug.clone())
    });
    let items: Vec<_> = members.iter().map(to_json).collect();
    list_output::print(options.format, "capdex.clones/1", &items, out, |out| table(&members, out))?;
    Ok(Exit::Done)
}

fn to_json(member: &FamilyMember) -> serde_json::Value {
    let is_original = member.original == member.capability;
    json!({
        "schema": "capdex.clones/1",
        "family": member.original.to_string(),
        "original": member.original_slug,
        "slug": member.slug,
        "capability": member.capability.to_string(),
        "kind": member.kind,
        "role": if is_original { "original" } else { "copy" },
        "basis": (!is_original).then(|| member.basis.as_str()),
        "likeness": f64::from(member.difference.likeness) / 1000.0,
        "listing": member.listing,
        "publishers": member.publishers,
        "same_publisher": member.same_publisher,
        "content_sha256": member.content.hex(),
        "original_sha256": member.original_content.hex(),
        "added": member.difference,
        "severity": member.severity,
        "findings": member.findings,
        "members": member.members,
    })
}

fn table(members: &[FamilyMember], out: &mut Out) -> anyhow::Result<()> {
    if members.is_empty() {
        out.line("No clones: no two things of different origin have nearly the same content.")?;
    }
    for family in members.chunk_by(|one, other| one.original == other.original) {
        let copies: Vec<&FamilyMember> = family.iter().filter(|member| member.original != member.capability).collect();
        let Some(first) = family.first() else { continue };
        out.line(format_args!(
            "{}  {}",
            escape::escape(&first.original_slug),
            escape::count(copies.len() as u64, "copy")
        ))?;
        for copy in copies.iter().take(COPIES) {
            line(copy, out)?;
        }
        let more = copies.len().saturating_sub(COPIES);
        if more > 0 {
            out.line(format_args!("    … and {more} more (--format jsonl shows all)"))?;
        }
    }
    Ok(())
}

fn line(copy: &FamilyMember, out: &mut Out) -> anyhow::Result<()> {
    let whose = if copy.same_publisher { "same publisher" } else { "another publisher" };
    let order = match copy.basis {
        capdex_corpus::clone::OrderBasis::Unknown => "order unknown".to_owned(),
        basis => format!("later ({})", basis.as_str()),
    };
    let severity = copy.severity.map_or("-", Severity::as_str);
    let percent = f64::from(copy.difference.likeness) / 10.0;
    out.line(format_args!("    {severity:8} {percent:5.1} %  {}  {whose}, {order}", escape::escape(&copy.slug)))?;
    let difference = &copy.difference;
    let added = difference.files_added.iter().map(|path| format!("adds file {path}"));
    let changed = difference.files_changed.iter().map(|path| format!("changes file {path}"));
    let hosts = difference.hosts.iter().map(|host| format!("adds host {host}"));
    let found = copy.findings.iter().map(|(rule, severity, file, _)| format!("{} {rule} in {file}", severity.as_str()));
    // Findings first: where the list is cut, the graver part stays.
    for said in found.chain(hosts).chain(added).chain(changed).take(ADDED) {
        out.line(format_args!("        {}", escape::escape(&said)))?;
    }
    Ok(())
}
