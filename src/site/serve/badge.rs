//! Badges: a band or a value as a small picture. No text of strangers stands in one.

use capdex_model::score::Band;
use capdex_rubrics::RUBRICS;

use serde_json::json;

use super::api::capabilities::found;
use super::api::packages::band_of;
use super::reply::{RouteReply, SVG};
use super::route::ApiRequest;
use crate::report::site::CapabilitySummary;

/// Width of a letter and of what stands around a text, in pixels.
const LETTER: usize = 7;
const AROUND: usize = 12;

/// Seconds for which caches on the way may keep a badge: pages of others ask for it at every view, and bands change nightly.
pub(super) const KEPT_SECONDS: u32 = 3_600;

/// The words and the colour of a badge.
struct Badge {
    label: &'static str,
    value: String,
    /// Its colour is that of the band for values too: a number alone says little on another's page.
    band: Band,
}

/// `/badge/{capability}.svg`
pub(super) fn answer(ask: &ApiRequest<'_>) -> anyhow::Result<RouteReply> {
    Ok(badge_of(ask).map_or_else(|said| said, |badge| badge.picture()))
}

/// `/badge/{capability}.json`
pub(super) fn shields(ask: &ApiRequest<'_>) -> anyhow::Result<RouteReply> {
    badge_of(ask).map_or_else(Ok, |badge| badge.shields())
}

/// `/badge/package/{package...}.svg`
pub(super) fn of_package(ask: &ApiRequest<'_>) -> anyhow::Result<RouteReply> {
    Ok(badge_of_package(ask).map_or_else(|said| said, |badge| badge.picture()))
}

/// `/badge/package/{package...}.json`
pub(super) fn shields_of_package(ask: &ApiRequest<'_>) -> anyhow::Result<RouteReply> {
    badge_of_package(ask).map_or_else(Ok, |badge| badge.shields())
}

fn badge_of(ask: &ApiRequest<'_>) -> Result<Badge, RouteReply> {
    let row = found(ask)?;
    let (label, value) = match ask.query.text("rubric") {
        None => ("capdex", row.band.as_str().to_owned()),
        Some(wanted) => value_of(row, wanted).ok_or_else(|| RouteReply::Wrong("there is no such rubric".to_owned()))?,
    };
    Ok(Badge { label, value: value + &mark(row), band: row.band })
}

fn badge_of_package(ask: &ApiRequest<'_>) -> Result<Badge, RouteReply> {
    let band = band_of(ask)?;
    Ok(Badge { label: "capdex", value: band.as_str().to_owned(), band })
}

impl Badge {
    fn picture(&self) -> RouteReply {
        RouteReply::text(SVG, picture(self.label, &self.value, colour_of(self.band)))
    }

    /// As shields.io reads it: <https://shields.io/badges/endpoint-badge>.
    fn shields(&self) -> anyhow::Result<RouteReply> {
        RouteReply::json(&json!({
            "schemaVersion": 1,
            "label": self.label,
            "message": self.value,
            "color": colour_of(self.band),
            "cacheSeconds": KEPT_SECONDS,
        }))
    }
}

/// That it is disputed or was overturned on appeal, which changes neither band nor value.
fn mark(row: &CapabilitySummary) -> String {
    row.mark.map_or_else(String::new, |mark| format!(", {mark}"))
}

fn value_of(row: &CapabilitySummary, wanted: &str) -> Option<(&'static str, String)> {
    let place = RUBRICS.iter().position(|rubric| rubric.meta().rubric.id == wanted)?;
    let meta = RUBRICS.get(place)?.meta();
    let value = row.values.get(place).copied().flatten();
    // With the end of its scale, since methods count to 10 or to 100.
    let value = value.map_or_else(|| "n/a".to_owned(), |value| format!("{value} of {}", meta.scale.1));
    Some((&meta.rubric.id, value))
}

/// Dark enough for white letters on it.
const fn colour_of(band: Band) -> &'static str {
    match band {
        Band::Ok => "#1a6f37",
        Band::Watch => "#6f5600",
        Band::Caution => "#9a3f06",
        Band::Block => "#b01e1a",
        Band::Unknown => "#56606e",
    }
}

fn picture(label: &str, value: &str, colour: &str) -> String {
    // All texts are our own ASCII words, so that bytes are letters.
    let (left, right) = (label.len() * LETTER + AROUND, value.len() * LETTER + AROUND);
    let whole = left + right;
    let (at_left, at_right) = (left / 2, left + right / 2);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{whole}\" height=\"20\" role=\"img\" aria-label=\"{label}: {value}\">\
         <title>{label}: {value}</title>\
         <clipPath id=\"r\"><rect width=\"{whole}\" height=\"20\" rx=\"3\"/></clipPath>\
         <g clip-path=\"url(#r)\"><rect width=\"{left}\" height=\"20\" fill=\"#1f2a3a\"/>\
         <rect x=\"{left}\" width=\"{right}\" height=\"20\" fill=\"{colour}\"/></g>\
         <g fill=\"#fff\" text-anchor=\"middle\" font-family=\"Verdana,DejaVu Sans,sans-serif\" font-size=\"11\">\
         <text x=\"{at_left}\" y=\"14\">{label}</text><text x=\"{at_right}\" y=\"14\">{value}</text></g></svg>\n"
    )
}
