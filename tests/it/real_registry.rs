//! A night against verdaccio, a real npm registry, on loopback. `tests/run` installs it and names it in
//! `CAPDEX_VERDACCIO`; without it the test says that it was skipped.

use crate::packages::{PACK, WEATHER, schedule};
use crate::rows::{rows, text};
use crate::support::capdex::Capdex;
use crate::support::rig;
use crate::support::verdaccio::Verdaccio;

#[test]
fn a_night_against_a_real_registry() {
    let Some(command) = rig::needed("CAPDEX_VERDACCIO") else { return };
    let capdex = Capdex::offline();
    let registry = Verdaccio::start(&command, capdex.path());
    registry.publish("weather-mcp", "1.0.0", WEATHER);
    registry.publish("agent-pack", "2.0.0", PACK);
    let base = format!("[sources.npm]\nbase_url = \"{}\"", registry.url());
    let written = schedule(&["agent-pack", "nobody", "weather-mcp"], &[]).replace("[sources.npm]", &base);
    capdex.write("schedule.toml", written.split("[sources.pypi]").next().expect("the first part"));
    let night =
        || capdex.run(&["nightly", "--config", "schedule.toml", "--out", "out", "--as-of", "2026-11-20T01:00:00Z"]);
    let first = night();
    assert_eq!(first.code, Some(3), "one name does not exist: {} {}", first.stdout, first.stderr);
    let ranked = rows(&capdex.path().join("out"), "capabilities");
    assert!(ranked.iter().any(|row| text(row, "slug") == "npm-weather-mcp-mcp-server"), "{ranked:?}");
    assert!(ranked.iter().any(|row| text(row, "kind") == "hook"), "{ranked:?}");
    let second = night();
    assert!(second.stdout.contains("nothing fetched, nothing unpacked"), "{}", second.stdout);
    assert!(second.stdout.contains("nothing scanned"), "{}", second.stdout);
}
