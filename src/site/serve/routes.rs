//! The routes of the API: one table that both routes requests and writes the OpenAPI.
//!
//! A route is a path with names in it, the parameters that it knows, what it gives, and a function. To add one, add a line.

use super::query::decoded;
use super::reply::{self, JSON, RouteReply};
use super::route::{ApiRequest, Param, Route, RouteMethod, RouteOutput};
use super::{api, badge, docs_page, openapi};

const fn text(name: &'static str, about: &'static str) -> Param {
    Param { name, about, is_number: false }
}

const fn number(name: &'static str, about: &'static str) -> Param {
    Param { name, about, is_number: true }
}

const LIMIT: Param = number("limit", "items at most, 1 to 500; 50 where it is not given");
const AFTER: Param = text("after", "the `next` of the page before, or how many items to leave out");
const PAGE: &[Param] = &[LIMIT, AFTER];
const SEVERITY: Param = text("severity", "only this severity and worse: info, low, medium, high or critical");
const APPEALS: &[Param] = &[LIMIT, AFTER, text("state", "only those in this state, such as answered or overturned")];
const RUBRIC: &[Param] = &[text("rubric", "the rubric whose value is shown in place of the band")];
const GRAVE: &[Param] = &[LIMIT, AFTER, SEVERITY];
const CAPABILITIES: &[Param] = &[
    LIMIT,
    AFTER,
    text("kind", "only this kind: skill, mcp_server, hook, plugin, rules or package"),
    text("band", "only this band: ok, watch, caution, block or unknown"),
    text("source", "only those for which a listing of this source speaks"),
    text("package", "only those of this package, such as npm:@scope/name"),
    text("rule", "only those in which this rule found something"),
    text("q", "only those whose name, package, path or slug holds each of these words"),
];

/// Every route, in the order of the OpenAPI.
pub(super) const ROUTES: &[Route] = &[
    Route {
        path: "/api/v1/capabilities",
        method: RouteMethod::Get,
        about: "Capabilities, ranked best first.",
        params: CAPABILITIES,
        gives: RouteOutput::Many("capdex.capabilities/1"),
        answer: api::capabilities::list,
    },
    Route {
        path: "/api/v1/capabilities/{capability}",
        method: RouteMethod::Get,
        about: "One capability by its slug or at least 8 hex digits of its id: findings, scores, verdict.",
        params: &[],
        gives: RouteOutput::One("capdex.capability/1"),
        answer: api::capabilities::one,
    },
    Route {
        path: "/api/v1/capabilities/{capability}/findings",
        method: RouteMethod::Get,
        about: "Its findings, by file and line.",
        params: &[],
        gives: RouteOutput::Many("capdex.findings/1"),
        answer: api::capabilities::findings,
    },
    Route {
        path: "/api/v1/capabilities/{capability}/surfaces",
        method: RouteMethod::Get,
        about: "What a model reads of it: tools, prompts, resources, instructions, and how much of each was read.",
        params: PAGE,
        gives: RouteOutput::Many("capdex.surfaces/1"),
        answer: api::capabilities::surfaces,
    },
    Route {
        path: "/api/v1/capabilities/{capability}/scores",
        method: RouteMethod::Get,
        about: "Its scores with their arithmetic.",
        params: &[],
        gives: RouteOutput::Many("capdex.scores/1"),
        answer: api::capabilities::scores,
    },
    Route {
        path: "/api/v1/capabilities/{capability}/history",
        method: RouteMethod::Get,
        about: "Every scan in which it was found, oldest first.",
        params: &[],
        gives: RouteOutput::Many("capdex.history/1"),
        answer: api::capabilities::history,
    },
    Route {
        path: "/api/v1/packages",
        method: RouteMethod::Get,
        about: "Packages by name, with their capabilities counted and the strictest band among them.",
        params: PAGE,
        gives: RouteOutput::Many("capdex.packages/1"),
        answer: api::packages::list,
    },
    Route {
        path: "/api/v1/packages/{package...}",
        method: RouteMethod::Get,
        about: "One package by its name, such as npm:@scope/name, or its package URL: the strictest band of what is in it, why, and its parts.",
        params: &[],
        gives: RouteOutput::One("capdex.package/1"),
        answer: api::packages::one,
    },
    Route {
        path: "/api/v1/lookup",
        method: RouteMethod::Post(api::packages::request_schema),
        about: "Up to 1,000 package URLs or package names at once: for each what the store knows of that version.",
        params: &[],
        gives: RouteOutput::One("capdex.lookup/1"),
        answer: api::packages::lookup,
    },
    Route {
        path: "/api/v1/drift",
        method: RouteMethod::Get,
        about: "Events of drift, the newest first.",
        params: GRAVE,
        gives: RouteOutput::Many("capdex.drift/1"),
        answer: api::lists::drift,
    },
    Route {
        path: "/api/v1/alerts",
        method: RouteMethod::Get,
        about: "Alerts, the gravest first.",
        params: GRAVE,
        gives: RouteOutput::Many("capdex.alerts/1"),
        answer: api::lists::alerts,
    },
    Route {
        path: "/api/v1/appeals",
        method: RouteMethod::Get,
        about: "Appeals of vendors against findings, the newest first; they change no number.",
        params: APPEALS,
        gives: RouteOutput::Many("capdex.appeals/1"),
        answer: api::lists::appeals,
    },
    Route {
        path: "/api/v1/appeals/{appeal}",
        method: RouteMethod::Get,
        about: "One appeal with its proof, the machine's answer, the decision, and the chain of its events.",
        params: &[],
        gives: RouteOutput::One("capdex.appeal/1"),
        answer: api::lists::appeal,
    },
    Route {
        path: "/api/v1/lookalikes",
        method: RouteMethod::Get,
        about: "Names that are almost others, the worst first: leads, never verdicts.",
        params: GRAVE,
        gives: RouteOutput::Many("capdex.lookalikes/1"),
        answer: api::lists::typosquats,
    },
    Route {
        path: "/api/v1/collisions",
        method: RouteMethod::Get,
        about: "Names that unlike things share, as far as they weigh something.",
        params: GRAVE,
        gives: RouteOutput::Many("capdex.collisions/1"),
        answer: api::lists::collisions,
    },
    Route {
        path: "/api/v1/rules",
        method: RouteMethod::Get,
        about: "The rule catalogue.",
        params: &[],
        gives: RouteOutput::Many("capdex.rules/1"),
        answer: api::catalogue::rules,
    },
    Route {
        path: "/api/v1/rules/{rule}",
        method: RouteMethod::Get,
        about: "One rule.",
        params: &[],
        gives: RouteOutput::One("capdex.rule/1"),
        answer: api::catalogue::rule,
    },
    Route {
        path: "/api/v1/rubrics",
        method: RouteMethod::Get,
        about: "The rubrics, each with its version, text digest and methodology.",
        params: &[],
        gives: RouteOutput::Many("capdex.rubrics/1"),
        answer: api::catalogue::rubrics,
    },
    Route {
        path: "/api/v1/status",
        method: RouteMethod::Get,
        about: "Sources, gaps, queue and the last runs.",
        params: &[],
        gives: RouteOutput::One("capdex.status/1"),
        answer: api::catalogue::status,
    },
    Route {
        path: "/api/v1/openapi.json",
        method: RouteMethod::Get,
        about: "This description.",
        params: &[],
        gives: RouteOutput::Other("application/json"),
        answer: description,
    },
    Route {
        path: "/badge/{capability}.svg",
        method: RouteMethod::Get,
        about: "A badge with the band of a capability, or with the value of one rubric.",
        params: RUBRIC,
        gives: RouteOutput::Other("image/svg+xml"),
        answer: badge::answer,
    },
    Route {
        path: "/badge/{capability}.json",
        method: RouteMethod::Get,
        about: "The same for shields.io's endpoint badge.",
        params: RUBRIC,
        gives: RouteOutput::Other("application/json"),
        answer: badge::shields,
    },
    Route {
        path: "/badge/package/{package...}.svg",
        method: RouteMethod::Get,
        about: "A badge with the strictest band of a package.",
        params: &[],
        gives: RouteOutput::Other("image/svg+xml"),
        answer: badge::of_package,
    },
    Route {
        path: "/badge/package/{package...}.json",
        method: RouteMethod::Get,
        about: "The same for shields.io's endpoint badge.",
        params: &[],
        gives: RouteOutput::Other("application/json"),
        answer: badge::shields_of_package,
    },
    Route {
        path: "/docs",
        method: RouteMethod::Get,
        about: "This description as a page for people.",
        params: &[],
        gives: RouteOutput::Other("text/html"),
        answer: docs,
    },
    Route {
        path: "/feed.atom",
        method: RouteMethod::Get,
        about: "The newest alerts as an Atom feed.",
        params: &[],
        gives: RouteOutput::Other("application/atom+xml"),
        answer: feed,
    },
    Route {
        path: "/appeals.atom",
        method: RouteMethod::Get,
        about: "What happened to appeals last, as an Atom feed.",
        params: &[],
        gives: RouteOutput::Other("application/atom+xml"),
        answer: appeals_feed,
    },
];

fn appeals_feed(ask: &ApiRequest<'_>) -> anyhow::Result<RouteReply> {
    let feed = crate::report::single(ask.site, "appeals.atom").unwrap_or_default();
    Ok(RouteReply::text(reply::ATOM, feed))
}

fn description(_: &ApiRequest<'_>) -> anyhow::Result<RouteReply> {
    Ok(RouteReply::Found(JSON, format!("{:#}\n", openapi::document(ROUTES)).into_bytes()))
}

fn docs(ask: &ApiRequest<'_>) -> anyhow::Result<RouteReply> {
    Ok(RouteReply::text(reply::HTML, docs_page::page(ROUTES, ask.site)))
}

fn feed(ask: &ApiRequest<'_>) -> anyhow::Result<RouteReply> {
    let feed = crate::report::single(ask.site, "alerts.atom").unwrap_or_default();
    Ok(RouteReply::text(reply::ATOM, feed))
}

/// How a path is asked; pages and what is not there with GET.
pub(super) fn method_of(path: &str) -> RouteMethod {
    find(path).map_or(RouteMethod::Get, |(route, _)| route.method)
}

/// The route of a path, with what stands in the place of its names; none where there is none.
pub(super) fn find(path: &str) -> Option<(&'static Route, Vec<String>)> {
    ROUTES.iter().find_map(|route| Some((route, names(route.path, path)?)))
}

/// The values in a path of the names of a pattern, decoded; none where it does not fit.
fn names(pattern: &str, path: &str) -> Option<Vec<String>> {
    let (mut wanted, mut given) = (pattern.split('/'), path.split('/'));
    let mut names = Vec::new();
    loop {
        match (wanted.next(), given.next()) {
            (None, None) => return Some(names),
            (Some(wanted), Some(given_part)) => match wanted.strip_prefix('{').and_then(|rest| rest.split_once('}')) {
                Some((name, end)) => {
                    // The slashes of a package's name are its own.
                    let rest = name.ends_with("...").then(|| given.by_ref().map(|part| format!("/{part}")).collect());
                    let given = [given_part, &rest.unwrap_or_else(String::new)].concat();
                    // Cut before it is decoded: an encoded `.svg` is a part of the name.
                    let name = given.strip_suffix(end).filter(|name| !name.is_empty())?;
                    // Decoded after splitting, so that an encoded slash cannot make another segment.
                    names.push(decoded(name)?);
                }
                None if wanted == given_part => {}
                None => return None,
            },
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_find_their_route_and_nothing_else_does() {
        let found = |path: &str| find(path).map(|(route, names)| (route.path, names.join("|")));
        assert_eq!(found("/api/v1/capabilities"), Some(("/api/v1/capabilities", String::new())));
        assert_eq!(found("/badge/a%20b.svg"), Some(("/badge/{capability}.svg", "a b".to_owned())));
        let findings = "/api/v1/capabilities/{capability}/findings";
        assert_eq!(found("/api/v1/capabilities/x/findings"), Some((findings, "x".to_owned())));
        for path in [
            "/api/v1/capabilities/",
            "/api/v1",
            "/badge/.svg",
            "/badge/x",
            "/api/v1/rules/a/b",
            "//",
            "/api/v1/rules/%ff",
        ] {
            assert_eq!(found(path), None, "{path}");
        }
    }

    #[test]
    fn every_route_can_be_reached() {
        for route in ROUTES {
            let path = route.path.replace("{capability}", "x").replace("{rule}", "x").replace("{appeal}", "x");
            assert_eq!(find(&path).map(|(found, _)| found.path), Some(route.path));
        }
    }
}
