//! Lists by hand, on disk and at an address.

use std::fs;

use super::*;
use crate::SourceSettings;
use crate::conformance::{self, Origin};
use crate::http::testing::Sent;

fn row(id: &str, archive: &str) -> CatalogueRow {
    CatalogueRow { id: id.into(), archive: archive.into(), ..CatalogueRow::default() }
}

#[test]
fn archives_are_addresses_or_lie_below_the_list() {
    let folder = tempfile::TempDir::new().expect("a folder");
    fs::create_dir(folder.path().join("ann")).expect("writes");
    fs::write(folder.path().join("ann/notes.tgz"), b"").expect("writes");
    let local = CataloguePlace::Local(folder.path().join("list.csv"));
    let web = CataloguePlace::Web("https://market.example/lists/all.csv".parse().expect("an address"));
    let key = ListingKey::new("market", "ann/notes");
    let read = |place: &CataloguePlace, archive: &str| place.locator(&key, &row("ann/notes", archive));
    for (place, archive, url) in [
        (&web, "files/n-1.tgz", "https://market.example/lists/files/n-1.tgz"),
        (&web, "/n-1.tgz", "https://market.example/n-1.tgz"),
        (&web, "https://cdn.example/n-1.tgz", "https://cdn.example/n-1.tgz"),
        (&local, "https://cdn.example/n-1.tgz", "https://cdn.example/n-1.tgz"),
    ] {
        let locator = read(place, archive).expect("a locator");
        assert_eq!(locator.url(), Some(url), "{archive}");
        assert_eq!(locator.identity(), "market:ann/notes");
    }
    let Ok(Locator::Folder { path, .. }) = read(&local, "./ann/notes.tgz") else { panic!("a local archive") };
    assert!(std::path::Path::new(&path).is_file(), "{path}");
    assert_eq!(read(&local, "ann").map(|locator| locator.identity()), Ok("market:ann/notes".to_owned()));
    for (place, archive, reason) in [
        (&local, "../secret", GapReason::PathRefused),
        (&local, "ann/../../secret", GapReason::PathRefused),
        (&local, "/etc/hostname", GapReason::PathRefused),
        (&local, "file:///etc/hostname", GapReason::PathRefused),
        (&web, "file:///etc/hostname", GapReason::PathRefused),
        (&local, "ann/gone.tgz", GapReason::NotFound),
    ] {
        assert_eq!(read(place, archive).map_err(|(reason, _)| reason), Err(reason), "{archive}");
    }
}

#[test]
fn a_row_is_a_listing_and_what_collides_is_a_gap() {
    let place = CataloguePlace::Web("https://market.example/list.csv".parse().expect("an address"));
    let text = "id,archive,version,publisher,url\n\
                ann/notes,n.tgz,1.0,Ann,https://github.com/ann/notes\n\
                ann/notes,m.tgz,,,\n\
                bob,ftp://x.example/b.tgz,,,\n";
    let listed = listed("market", &place, text.as_bytes()).expect("a list");
    let [ListedEntry::Changed { listing, .. }, again, refused] = listed.as_slice() else { panic!("{listed:?}") };
    assert_eq!(listing.key.to_string(), "market:ann/notes");
    assert_eq!(listing.references, [ListingKey::new("github", "ann/notes")]);
    assert_eq!(listing.claims.maintainers, Claim::Known(vec!["Ann".to_owned()]));
    assert!(matches!(again, ListedEntry::Failed { key, gap, .. }
        if key.name != "ann/notes" && gap.reason == GapReason::DuplicatePath));
    assert!(matches!(refused, ListedEntry::Failed { key, gap, .. }
        if key.name == "bob" && gap.reason == GapReason::PathRefused));
}

#[tokio::test]
async fn it_does_what_every_source_must() {
    conformance::check(Origin {
        source: SOURCE,
        name: |number| format!("thing-{number:03}"),
        settings: |_, base_url| SourceSettings {
            base_url: format!("{base_url}/list.csv"),
            ..SourceSettings::default()
        },
        answer: |world, _, _| {
            let rows = world.entries.iter().map(|(name, revision)| format!("{name},{name}.tgz,{revision}\n"));
            Sent::ok(format!("id,archive,version\n{}", rows.collect::<String>()))
        },
        entries: 20,
    })
    .await;
}
