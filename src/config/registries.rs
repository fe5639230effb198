//! Which registry the packages of a table are of: the ecosystem's own, or another that their identity names.
//!
//! The network is asked nothing.

use std::collections::BTreeMap;

use capdex_crawlers::{settings, source};
use capdex_model::registries::registry_name;
use capdex_model::source_role::Ecosystem;

use super::sources::{SourceRun, SourceSection, text_of, variable};

/// Says of every table of packages which registry it asks. An ecosystem's own is the one that the table with its name asks,
/// a mirror too; without such a table the one that its installers ask on this machine.
///
/// # Errors
/// Wrong configuration of npm or pip on this machine.
pub(super) fn assign(
    sources: &mut BTreeMap<String, SourceRun>,
    sections: &BTreeMap<String, SourceSection>,
) -> anyhow::Result<()> {
    for ecosystem in [Ecosystem::Npm, Ecosystem::Pypi] {
        let word = ecosystem.as_str();
        let is_of = |run: &SourceRun| ecosystem_of(run) == Some(ecosystem);
        // Most schedules have one table an ecosystem, with its name: nothing is to be found out then.
        if !sources.iter().any(|(id, run)| id != word && is_of(run)) {
            continue;
        }
        let own = match sources.get(word).filter(|run| is_of(run)) {
            Some(run) => run.settings.base_url.clone(),
            None if ecosystem == Ecosystem::Npm => settings::npm_base_url(&variable, &text_of, None)?.url,
            None => settings::pypi_base_url(&variable, &text_of, None)?.url,
        };
        let own = registry_name(&own);
        for (id, run) in sources.iter_mut().filter(|(_, run)| is_of(run)) {
            run.registry = Some(registry_name(&run.settings.base_url)).filter(|registry| *registry != own);
            // Strangers' references mean the ecosystem's own registry. To ask another for them would tell it of them, and take
            // what it has under that name for what was meant.
            if run.registry.is_some() && sections.get(id).is_none_or(|section| section.follow.is_none()) {
                run.follows = false;
            }
        }
    }
    Ok(())
}

fn ecosystem_of(run: &SourceRun) -> Option<Ecosystem> {
    source(&run.kind)?.meta().role.ecosystem()
}

#[cfg(test)]
mod tests {
    use crate::config::Schedule;

    fn registries(text: &str) -> Vec<(String, Option<String>, bool)> {
        let schedule: Schedule = toml::from_str(text).expect("a schedule");
        let resolved = schedule.resolve(0).expect("resolves");
        resolved.sources.into_iter().map(|(id, run)| (id, run.registry, run.follows)).collect()
    }

    #[test]
    fn the_table_with_the_ecosystems_name_is_its_own_and_others_say_where_they_are() {
        let text = "name = \"x\"\n[sources.npm]\nbase_url = \"https://one.test/npm/\"\n\
                    [sources.corp]\nkind = \"npm\"\nbase_url = \"https://Two.test:8443/npm\"\n\
                    [sources.mirror]\nkind = \"npm\"\nbase_url = \"http://one.test/npm\"\n\
                    [sources.index]\nkind = \"pypi\"\nbase_url = \"https://two.test/simple/\"\nfollow = true\n";
        let registry = |text: &str| Some(text.to_owned());
        assert_eq!(
            registries(text),
            [
                ("corp".to_owned(), registry("two.test:8443/npm"), false),
                ("index".to_owned(), registry("two.test"), true),
                ("mirror".to_owned(), None, true),
                ("npm".to_owned(), None, true),
            ]
        );
    }
}
