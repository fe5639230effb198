//! Remote servers on hosts that are drawn like a publisher's.
//!
//! Only what looks the same: names that are merely close to a publisher's belong to honest firms far too often (measured on
//! 13,216 remote hosts, nearly all pairs one letter apart are unrelated).

use crate::FactSink;
use capdex_evidence::manifest::place_of;
use capdex_evidence::subject::Subject;

use super::name_known::PUBLISHER_HOSTS;
use super::server_launches::server_launches;

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    for launch in server_launches(subject) {
        let Some(publisher) = imitated(launch.url) else { continue };
        if let Some(document) = subject.evidence.documents.get(launch.path) {
            facts.found(place_of(document, &launch.pointer), &format!("{} is drawn like {publisher}", launch.url));
        }
    }
}

/// The publisher whose name a label of the host looks like without being it.
fn imitated(url: &str) -> Option<&'static str> {
    let (_, rest) = url.split_once("://")?;
    let host = rest.split(['/', '?', '#', ':']).next()?.to_lowercase();
    // By labels and their parts: `micros0ft.evil.test` and `paypa1-login.test` both imitate a publisher.
    let labels = host.split('.').flat_map(|label| label.split('-'));
    // DNS allows 63 bytes: longer ones are no host and need no work.
    labels.filter(|label| label.chars().count() <= 64).find_map(|label| {
        let drawn = redraw(label);
        PUBLISHER_HOSTS.iter().copied().find(|publisher| label != *publisher && drawn == **publisher)
    })
}

/// A label with every sign that is drawn like a letter turned into that letter.
fn redraw(label: &str) -> String {
    let single: String = label
        .chars()
        .map(|letter| match letter {
            '0' | 'о' | 'ο' => 'o',
            '1' | 'ı' => 'l',
            '3' | 'е' => 'e',
            '5' | 'ѕ' => 's',
            'а' => 'a',
            'с' => 'c',
            'і' => 'i',
            'р' => 'p',
            letter => letter,
        })
        .collect();
    // Pairs that most fonts draw like one letter.
    single.replace("rn", "m").replace("vv", "w")
}
