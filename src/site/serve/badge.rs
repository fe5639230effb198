//! Badges: a band or a value as a small picture. No text of strangers stands in one.

use capdex_model::score::Band;
use capdex_rubrics::RUBRICS;

use super::api::capabilities::found;
use super::reply::{RouteReply, SVG};
use super::route::ApiRequest;
use crate::report::site::CapabilitySummary;

/// Width of a letter and of what stands around a text, in pixels.
const LETTER: usize = 7;
const AROUND: usize = 12;

pub(super) fn answer(ask: &ApiRequest<'_>) -> anyhow::Result<RouteReply> {
    let row = match found(ask) {
        Ok(row) => row,
        Err(said) => return Ok(said),
    };
    // The colour is that of the band for values too: a number alone says little on another's page.
    let colour = colour_of(row.band);
    let (label, value) = match ask.query.text("rubric") {
        None => ("capdex", row.band.as_str().to_owned() + &mark(row)),
        Some(wanted) => match value_of(row, wanted) {
            Some((label, value)) => (label, value + &mark(row)),
            None => return Ok(RouteReply::Wrong("there is no such rubric".to_owned())),
        },
    };
    Ok(RouteReply::text(SVG, picture(label, &value, colour)))
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
