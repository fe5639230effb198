//! The site: every page from what the store holds, as files that a browser opens without a server.
//!
//! A page is a pure function from what was read to its bytes, one file each; the service gives the same pages. Reads the
//! store and nothing else; holds no clock value but `as_of`, so that the same store gives the same bytes.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::Context as _;
use capdex_db::Reader;
use capdex_model::time::AsOf;
use capdex_rubrics::RUBRICS;

use crate::progress::Progress;
use capdex_dataset::bulk;
use capdex_dataset::output_folder::{FileDigests, OutputFolder};
use capdex_dataset::signature::SigningKey;
use capdex_model::digest::Digest;
use capdex_model::ids::CapabilityId;

mod alerts;
pub(crate) mod appeals;
pub(crate) mod capability;
mod catalogue;
mod coverage;
pub(crate) mod dated;
pub(crate) mod directory;
pub(crate) mod drift;
mod feed;
mod glossary;
pub(crate) mod layout;
pub mod manifest;
mod methods;
pub(crate) mod names;
pub(crate) mod night;
mod overview;
pub(crate) mod package;
mod page_text;
pub(crate) mod paths;
mod plots;
mod selection;
pub mod site;
pub(crate) mod sitemap;
pub mod standalone;
mod typosquats;
mod word_diff;

use site::{CapabilitySummary, Site};

/// Capabilities whose pages are made at once.
const BATCH: usize = 256;

/// The options of a site.
#[derive(Clone, Copy)]
pub struct ReportOptions<'a> {
    /// The instant that ages are measured against.
    pub as_of: AsOf,
    /// Threads that make pages; none given: one for each core.
    pub threads: Option<u16>,
    /// The display of progress.
    pub progress: &'a dyn Progress,
    /// The items of which alone pages are written; none for all.
    pub only: Option<&'a BTreeSet<CapabilityId>>,
    /// The address under which the site will be found; none: it is not known, and pages name no whole address.
    pub base_url: Option<&'a str>,
    /// The key that signs the list of files; none for a site without a signature.
    pub signing_key: Option<&'a SigningKey>,
}

/// The figures of a written site.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WrittenSite {
    /// Capabilities, each with a page.
    pub capabilities: u64,
    /// Files, all of them.
    pub files: u64,
    /// Bytes in all files.
    pub bytes: u64,
}

/// Writes the site into `out`: every file is written elsewhere first, then each takes its place, the manifest last. Whatever
/// else lies in the folder stays.
///
/// # Errors
/// When `out` holds anything and is no site of ours, a file of the user's is in the way, the store errs, or a file cannot be
/// written.
pub fn write(reader: &Reader, out: &Path, options: &ReportOptions<'_>) -> anyhow::Result<WrittenSite> {
    let output = OutputFolder::claim(out, &manifest::OUTPUT)?;
    output.expect_room_for(SINGLE)?;
    if options.signing_key.is_some() {
        output.expect_room_for_signature()?;
    }
    // One view of the store, so that a night that goes on beside it does not mix into the pages.
    let view = reader.snapshot_view()?;
    let progress = options.progress;
    progress.begin("read", None);
    let mut site = Site::load(&view, options.as_of, || progress.advance(1))?;
    progress.end();
    site.base_url = options.base_url.map(str::to_owned);
    let mut folder =
        SiteWriter { output: &output, files: FileDigests::new(), written: WrittenSite::default(), only: None };
    match options.only {
        None => {
            lists(&site, &view, &mut folder)?;
            packages(&site, &view, options, &mut folder)?;
            capabilities(&site, &view, &site.rows, options, &mut folder)?;
        }
        Some(only) => {
            site.is_selection = true;
            let rows = selection::rows(&site, only);
            folder.only = Some(selection::written(&rows));
            folder.put("index.html", &selection::index(&site, &rows))?;
            for path in selection::BESIDE.iter().filter(|path| **path != "index.html") {
                folder.put(path, &single(&site, path).with_context(|| format!("{path} is no page"))?)?;
            }
            capabilities(&site, &view, &rows, options, &mut folder)?;
        }
    }
    let text = manifest::text(&site, folder.written.capabilities, &folder.files)?;
    folder.put(manifest::NAME, &text)?;
    let SiteWriter { mut files, mut written, .. } = folder;
    files.remove(manifest::NAME);
    if let Some(key) = options.signing_key {
        let digest = Digest::of(text.as_bytes()).hex();
        output.sign(key, ("site", &digest, options.as_of), &mut files)?;
        written.files += 1;
    }
    output.put_in_place(files)?;
    Ok(written)
}

/// A page that is there once, by its path; none where there is no such page.
pub(crate) fn single(site: &Site, path: &str) -> Option<String> {
    match path {
        "index.html" => Some(overview::page(site)),
        "directory.html" => Some(directory::page(site)),
        names::INDEX => Some(names::index(site)),
        "drift.html" => Some(drift::page(site)),
        "alerts.html" => Some(alerts::page(site)),
        glossary::PATH => Some(glossary::page(site)),
        "robots.txt" => Some(sitemap::robots(site)),
        night::NIGHT => Some(night::script(site)),
        "lookalikes.html" => Some(typosquats::page(site)),
        "rules.html" => Some(catalogue::page(site)),
        "rubrics.html" => Some(methods::page(site)),
        "coverage.html" => Some(coverage::page(site)),
        "alerts.atom" => Some(feed::alerts(site)),
        "appeals.atom" => Some(feed::appeals(site)),
        "icon.svg" => Some(layout::ICON.to_owned()),
        _ => layout::ASSETS.iter().find(|(name, _)| *name == path).map(|(_, text)| (*text).to_owned()),
    }
}

/// The lists that have several pages: their name, the number of pages, and what writes one, from 1.
pub(crate) type PagedList = (&'static str, fn(&Site) -> usize, fn(&Site, usize) -> String);
pub(crate) const PAGED_LISTS: [PagedList; 1] = [("appeals", appeals::pages, appeals::page)];

/// The page of a day of drift or of alerts; none where there is no such.
pub(crate) fn of_night(site: &Site, path: &str) -> Option<String> {
    drift::of_night(site, path).or_else(|| alerts::of_night(site, path))
}

/// The pages that are there once.
const SINGLE: [&str; 17] = [
    "index.html",
    "directory.html",
    names::INDEX,
    "drift.html",
    "alerts.html",
    glossary::PATH,
    "robots.txt",
    night::NIGHT,
    "lookalikes.html",
    "rules.html",
    "rubrics.html",
    "coverage.html",
    "alerts.atom",
    "appeals.atom",
    "icon.svg",
    "site.css",
    "site.js",
];

/// The feed of drift, whose newest events are read.
pub(crate) fn drift_feed(site: &Site, reader: &Reader) -> anyhow::Result<String> {
    let mut events = Vec::new();
    for head in site.watch.drift.iter().take(feed::ENTRIES) {
        // An event that was pruned since the heads were read is left out.
        events.extend(reader.drift_event(&head.key)?);
    }
    Ok(feed::drift(site, &events))
}

/// The page of a rule, by its id.
pub(crate) fn rule(site: &Site, id: &str) -> Option<String> {
    site.rules.find(id).map(|meta| catalogue::rule(site, meta))
}

/// The page of a rubric, by the name of its file.
pub(crate) fn rubric(site: &Site, name: &str) -> Option<String> {
    let mut metas = RUBRICS.iter().map(|rubric| rubric.meta());
    // File names have no slash, and ids of rubrics do.
    let meta = metas.find(|meta| meta.rubric.id.replace('/', "-") == name)?;
    Some(methods::rubric(site, meta))
}

/// Everything but the pages of capabilities.
fn lists(site: &Site, reader: &Reader, folder: &mut SiteWriter<'_>) -> anyhow::Result<()> {
    for path in SINGLE {
        // Every name of the list has a page; one without is a fault of the table.
        let text = single(site, path).with_context(|| format!("{path} is no page"))?;
        folder.put(path, &text)?;
    }
    for (name, pages, page) in PAGED_LISTS {
        for number in 1..=pages(site) {
            folder.put(&paths::part(name, number), &page(site, number))?;
        }
    }
    let dated = [(drift::LIST, &site.watch.drift_pages), (alerts::LIST, &site.watch.alert_pages)];
    for path in dated.iter().flat_map(|(list, parts)| parts.iter().map(|part| part.path(list))) {
        folder.put(&path, &of_night(site, &path).with_context(|| format!("{path} is no page"))?)?;
    }
    for part in &site.names {
        folder.put(&paths::names(&part.key), &names::page(site, &part.key).context("a page of names is missing")?)?;
    }
    for shard in night::shards(site) {
        folder.put(&paths::ranks(&shard), &night::ranks(site, &shard))?;
    }
    for path in sitemap::files(site) {
        folder.put(&path, &sitemap::text(site, &path).with_context(|| format!("{path} is no sitemap"))?)?;
    }
    for head in &site.appeals {
        if let Some(text) = appeals::of_appeal(site, reader, &head.id)? {
            folder.put(&paths::appeal(&head.id), &text)?;
        }
    }
    folder.put("drift.atom", &drift_feed(site, reader)?)?;
    for number in 0..directory::chunks(site) {
        folder.put(&paths::rows(number), &directory::rows(site, number))?;
    }
    for number in 0..package::list::chunks(site) {
        folder.put(&paths::packages(number), &package::list::rows(site, number))?;
    }
    for rule in directory::rules(site) {
        folder.put(
            &paths::found(rule),
            &directory::found(site, rule).with_context(|| format!("{rule} found nothing"))?,
        )?;
    }
    for meta in site.rules.all() {
        folder.put(&paths::rule(meta.id.as_str()), &catalogue::rule(site, meta))?;
    }
    for rubric in RUBRICS {
        let meta = rubric.meta();
        folder.put(&paths::rubric(&meta.rubric.id), &methods::rubric(site, meta))?;
    }
    Ok(())
}

/// The page of each package, made as those of capabilities are.
fn packages<'a>(
    site: &'a Site,
    reader: &Reader,
    options: &ReportOptions<'_>,
    folder: &mut SiteWriter<'_>,
) -> anyhow::Result<()> {
    let pool = bulk::pool(options.threads)?;
    let identities: Vec<&'a str> = site.packages().collect();
    let progress = options.progress;
    progress.begin("packages", Some(identities.len() as u64));
    let read = |identities: &[&'a str]| {
        let mut pages = Vec::with_capacity(identities.len());
        for identity in identities {
            pages.extend(package::read(reader, site, identity)?.map(|data| (*identity, data)));
        }
        Ok(Some(pages))
    };
    let make = |(identity, data): (&'a str, package::PackagePageData)| {
        (paths::package(identity), package::page(site, identity, &data))
    };
    let put = |pages: Vec<(String, String)>| {
        for (path, text) in pages {
            folder.put(&path, &text)?;
            progress.advance(1);
        }
        Ok(())
    };
    bulk::overlapped(&pool, &identities, BATCH, read, make, put)?;
    progress.end();
    Ok(())
}

/// The page of each of some capabilities: read on this thread, made on the pool, written while the next are made.
fn capabilities(
    site: &Site,
    reader: &Reader,
    rows: &[CapabilitySummary],
    options: &ReportOptions<'_>,
    folder: &mut SiteWriter<'_>,
) -> anyhow::Result<()> {
    let pool = bulk::pool(options.threads)?;
    let progress = options.progress;
    progress.begin("pages", Some(rows.len() as u64));
    let read = |rows: &[CapabilitySummary]| {
        let mut pages = Vec::with_capacity(rows.len());
        for row in rows {
            // None where it went since the rows were read, which a view of the store rules out.
            pages.extend(capability::read(reader, site, row)?.map(|data| (row.clone(), data)));
        }
        Ok(Some(pages))
    };
    let make = |(row, data): (CapabilitySummary, capability::CapabilityPageData)| {
        (paths::capability(&row.id), capability::page(site, &row, &data), row.slug)
    };
    let put = |pages: Vec<(String, String, String)>| {
        for (path, text, slug) in pages {
            // Written on one thread, while the pool makes the next batch.
            match &folder.only {
                Some(only) => {
                    let text = selection::unlinked(&text, capability::DEPTH, only);
                    folder.put(&path, &text)?;
                }
                None => folder.put(&path, &text)?,
            }
            folder.written.capabilities += 1;
            progress.advance(1);
            progress.show(folder.written.bytes, &slug);
        }
        Ok(())
    };
    bulk::overlapped(&pool, rows, BATCH, read, make, put)?;
    progress.end();
    Ok(())
}

/// The folder that is being written.
struct SiteWriter<'a> {
    output: &'a OutputFolder,
    /// The files so far, by their digests.
    files: FileDigests,
    written: WrittenSite,
    /// The paths that are there, where a page may name others; links to these become text. None in a whole site.
    only: Option<BTreeSet<String>>,
}

impl SiteWriter<'_> {
    /// Writes one file, with the folders above it. One that lies in the site with these bytes is not written again.
    fn put(&mut self, path: &str, text: &str) -> anyhow::Result<()> {
        let digest = manifest::digest(text);
        // The manifest alone is always made: it is what the writing ends with.
        if path == manifest::NAME || !self.output.has(path, &digest) {
            self.write(path, text)?;
        }
        self.files.insert(path.to_owned(), digest);
        self.written.files += 1;
        self.written.bytes += text.len() as u64;
        Ok(())
    }

    fn write(&self, path: &str, text: &str) -> anyhow::Result<()> {
        let whole = self.output.scratch().join(path);
        let failed = || format!("failed to write {}", whole.display());
        // Asked first, because nearly every file goes into a folder that is there.
        if let Some(parent) = whole.parent().filter(|parent| !parent.is_dir()) {
            fs::create_dir_all(parent).with_context(failed)?;
        }
        fs::write(&whole, text).with_context(failed)
    }
}
