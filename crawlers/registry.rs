//! The list of all sources. A new source has its line here.

use capdex_model::source_role::SourceRoles;

use crate::Source;

/// Every source, in the order of the manual.
pub const SOURCES: &[&dyn Source] = &[
    crate::folder::SOURCE,
    crate::catalogue::SOURCE,
    crate::npm::SOURCE,
    crate::pypi::SOURCE,
    crate::oci::SOURCE,
    crate::mcp::SOURCE,
    #[cfg(feature = "github")]
    crate::github::SOURCE,
    crate::git::SOURCE,
    crate::official_registry::SOURCE,
    crate::official_registry::GITHUB,
    crate::official_registry::PULSEMCP,
    crate::official_registry::OTHERS,
    crate::clawhub::SOURCE,
    crate::skills_sh::SOURCE,
    crate::smithery::SOURCE,
    crate::glama::SOURCE,
    crate::skillsmp::SOURCE,
    crate::docker_mcp_registry::SOURCE,
    crate::marketplaces::SOURCE,
    crate::awesome_lists::SOURCE,
    crate::mcp_so::SOURCE,
];

/// The ids of version 0.1 and the ids now. Schedules may say the old one until version 0.2; stores keep it.
const FORMER_IDS: [(&str, &str); 1] = [("sub-registry", "mcp-registry")];

/// The role of every source, by its id and by its former one.
pub fn roles() -> SourceRoles {
    let former = FORMER_IDS.iter().filter_map(|(then, _)| Some((*then, source(then)?)));
    let all = SOURCES.iter().map(|source| (source.meta().id, *source)).chain(former);
    SourceRoles::new(all.map(|(id, source)| (id, source.meta().role)))
}

/// The source with this id.
pub fn source(id: &str) -> Option<&'static dyn Source> {
    let id = FORMER_IDS.iter().find(|(then, _)| *then == id).map_or(id, |(_, now)| now);
    SOURCES.iter().copied().find(|source| source.meta().id == id)
}
