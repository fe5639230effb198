//! `/docs`: the routes as a page for people, written from their table.

use maud::html;

use super::route::{Route, RouteMethod};
use crate::report::layout::{self, PageFrame};
use crate::report::site::Site;

/// The page. It needs no script: every example is a line to paste.
pub(super) fn page(routes: &[Route], site: &Site) -> String {
    let frame = PageFrame {
        title: "API",
        part: "docs",
        path: "docs",
        description: "The JSON API of this service: capabilities, packages, alerts, drift, badges and feeds.",
    };
    let lead = html! {
        "Read-only JSON over HTTP. Every answer has an " code { "ETag" } "; " code { "If-None-Match" }
        " with it gives 304 until the next night. Lists come in pages: put their " code { "next" } " into "
        code { "after" } ". Errors are problems as RFC 9457 has them. For programs: "
        a href="api/v1/openapi.json" { "OpenAPI" } "."
    };
    let method = |route: &Route| match route.method {
        RouteMethod::Get => "GET",
        RouteMethod::Post(_) => "POST",
    };
    let body = html! {
        (layout::heading("API", &lead))
        section {
            h2 { "One question at once" }
            pre { code { "curl -s -X POST http://127.0.0.1:8710/api/v1/lookup -d '{\"purls\": [\"pkg:npm/%40scope/name@1.2.0\", \"pypi:name\"]}'" } }
            p { "Each item says " code { "known" } ", " code { "other_version" } ", " code { "unknown" } " or " code { "unreadable" } "; a band stands beside what is known alone." }
        }
        @for route in routes {
            section {
                h2 { code { (method(route)) " " (route.path.replace("...}", "}")) } }
                p { (route.about) }
                @if !route.params.is_empty() {
                    dl {
                        @for param in route.params {
                            dt { code { (param.name) } }
                            dd { (param.about) }
                        }
                    }
                }
            }
        }
    };
    layout::page(site, &frame, &body)
}
