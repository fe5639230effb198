//! `capdex dependents`: which capabilities depend on a package, directly and through others, as of a date.

use std::collections::BTreeMap;

use capdex_corpus::exposure::Dependencies;
use serde_json::{Value, json};

use super::list_output;
use crate::capability_lookup;
use crate::cli::DependentsArgs;
use crate::exit::{Exit, usage};
use crate::options::Global;
use crate::output::Out;
use capdex_dataset::escape;
use capdex_dataset::export::ranked_capability;

pub(super) fn run(global: &Global, options: &DependentsArgs, out: &mut Out) -> anyhow::Result<Exit> {
    let package =
        capability_lookup::purl(&options.package)?.map_or_else(|| options.package.clone(), |purl| purl.identity());
    // The same name means different things in different registries.
    if !package.contains(':') {
        return Err(usage(format!("{package:?} has no registry before it; write npm:{package} or pypi:{package}")));
    }
    let reader = super::reader(global)?;
    let at = ranked_capability::as_of(global.as_of, &reader)?;
    // Dependencies as they were stated at that date, and not as they are now.
    let listings = reader.listings_at(at)?;
    let dependencies = Dependencies::of(&listings);
    let mut capabilities: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    // First seen later means that it was not there to be exposed.
    for current in reader.current()?.into_iter().filter(|current| current.first_seen <= at) {
        let named = (current.capability.slug, current.capability.id.to_string());
        capabilities.entry(current.identity).or_default().push(named);
    }
    let mut rows = Vec::new();
    for exposed in dependencies.on(&package) {
        for (slug, id) in capabilities.get(&exposed.package).into_iter().flatten() {
            rows.push(json!({
                "schema": "capdex.exposure/1",
                "package": package,
                "as_of": at,
                "distance": exposed.through.len(),
                "slug": slug,
                "capability": id,
                "dependent": exposed.package,
                "through": exposed.through,
            }));
        }
    }
    list_output::print(options.format, "capdex.exposure/1", &rows, out, |out| {
        table(&rows, out)?;
        // Unknown dependencies are counted aloud: silence about them would read as not exposed.
        let (known, unknown) = dependencies.known_and_unknown();
        out.line(format_args!(
            "{} exposed as of {at}; {known} packages state their dependencies, of {unknown} nobody knows them",
            escape::count(rows.len() as u64, "capability"),
        ))?;
        Ok(())
    })?;
    Ok(Exit::Done)
}

fn table(rows: &[Value], out: &mut Out) -> anyhow::Result<()> {
    for row in rows {
        let text = |key: &str| escape::escape(row[key].as_str().unwrap_or_default()).into_owned();
        let through: Vec<&str> = row["through"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let through = escape::escape(&through.join(" > ")).into_owned();
        out.line(format_args!("{:>3}  {}  {} > {through}", row["distance"], text("slug"), text("dependent")))?;
    }
    Ok(())
}
