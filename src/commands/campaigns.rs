//! `capdex campaigns`: items that say the same and have no reason to.

use capdex_dataset::escape;
use capdex_db::CampaignRow;
use serde_json::json;

use super::list_output;
use crate::cli::CampaignsArgs;
use crate::exit::{Exit, usage};
use crate::options::Global;
use crate::output::Out;

/// Members and marks of one campaign shown in the table; the other formats show all.
const SHOWN: usize = 12;

pub(super) fn run(global: &Global, options: &CampaignsArgs, out: &mut Out) -> anyhow::Result<Exit> {
    let reader = super::reader(global)?;
    let mut campaigns: Vec<CampaignRow> = reader.campaigns()?.into_iter().map(|(row, _)| row).collect();
    if let Some(key) = &options.campaign {
        // A beginning is enough, because keys are long and several matches can all be shown.
        campaigns.retain(|row| row.campaign.key.starts_with(key.as_str()));
        if campaigns.is_empty() {
            return Err(usage(format!("there is no campaign {key:?}; `capdex campaigns` lists them all")));
        }
    }
    campaigns.sort_by_cached_key(|row| (std::cmp::Reverse(row.campaign.severity), row.campaign.key.clone()));
    let items: Vec<_> = campaigns.iter().map(to_json).collect();
    list_output::print(options.format, "capdex.campaigns/1", &items, out, |out| table(&campaigns, out))?;
    Ok(Exit::Done)
}

fn to_json(row: &CampaignRow) -> serde_json::Value {
    let campaign = &row.campaign;
    json!({
        "schema": "capdex.campaigns/1",
        "campaign": campaign.key,
        "severity": campaign.severity,
        "items": campaign.members.len(),
        "publishers": campaign.publishers,
        "members": campaign.members,
        "slugs": row.slugs,
        "shared": campaign.shared,
        "reasons": campaign.reasons,
    })
}

fn table(campaigns: &[CampaignRow], out: &mut Out) -> anyhow::Result<()> {
    if campaigns.is_empty() {
        out.line("No campaigns: nothing says the same as others without a reason.")?;
    }
    for CampaignRow { campaign, slugs } in campaigns {
        out.line(format_args!(
            "{}  {}  {} of {}",
            campaign.key,
            campaign.severity.as_str(),
            escape::count(campaign.members.len() as u64, "item"),
            escape::count(campaign.publishers, "publisher"),
        ))?;
        let shared = campaign.shared.iter().map(|shared| format!("{} {}: {}", shared.what, shared.value, shared.quote));
        // Reasons are few and ours; shared marks are as many as a campaign has.
        for said in campaign.reasons.iter().cloned().chain(shared.take(SHOWN)) {
            out.line(format_args!("    {}", escape::escape(&said)))?;
        }
        for slug in slugs.iter().take(SHOWN) {
            out.line(format_args!("        {}", escape::escape(slug)))?;
        }
        let more = slugs.len().saturating_sub(SHOWN);
        if more > 0 {
            out.line(format_args!("        … and {more} more (--format jsonl shows all)"))?;
        }
    }
    Ok(())
}
