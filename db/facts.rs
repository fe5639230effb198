//! Facts: what the rules said, stored once for each digest.
//!
//! What rules usually answer about a kind stands once, and the facts of all its capabilities refer to it: a body holds only
//! what was told besides. Must not know which capabilities facts are about: revisions do.

use std::borrow::Cow;
use std::sync::LazyLock;

use capdex_core::capability::Kind;
use capdex_core::digest::Digest;
use capdex_core::fact::{Fact, Facts};
use capdex_core::time::AsOf;
use capdex_core::told::{self, Silent, Told, Usual, Word};
use rusqlite::{Connection, Row};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::documents::{pack, parse, text_of, unpack, written};
use crate::sql::{Cells, first, id_of, insert, rows, seconds};
use crate::{Reader, StoreError};

/// Facts as a body without usual answers holds them. Until version 13 the answers that say a word stood in `plain`; a body
/// without them holds all facts in their order.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Body {
    kind: Kind,
    facts: Vec<Fact>,
    #[serde(default)]
    plain: Vec<Silent<'static>>,
}

impl Body {
    fn whole(self) -> Facts {
        let plain = self.plain.iter().map(told::fact_of);
        Facts::new(self.kind, plain.chain(self.facts).collect())
    }
}

/// Facts as a body with usual answers holds them, to be written: what was told besides.
#[derive(Serialize)]
struct Shortened<'a> {
    kind: Kind,
    told: &'a [Cow<'a, Fact>],
    silent: &'a [Silent<'a>],
}

/// The same as it is read: JSON texts that can be handed on as they are.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Short<'a> {
    kind: Kind,
    #[serde(borrow)]
    told: &'a RawValue,
    #[serde(borrow)]
    silent: &'a RawValue,
}

/// What rules usually answer about one kind, as a packed text.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Answers<'a> {
    kind: Kind,
    answers: Vec<Word<'a>>,
}

/// This program's usual answers about a kind, as they are written.
struct Ours {
    kind: Kind,
    text: String,
    digest: Digest,
}

static OURS: LazyLock<Vec<Ours>> = LazyLock::new(|| {
    let ours = |kind| {
        let answers = Answers { kind, answers: Usual::of_this_program().words(kind) };
        let text = serde_json::to_string(&answers).unwrap_or_default();
        Ours { kind, digest: Digest::of(text.as_bytes()), text }
    };
    Kind::ALL.into_iter().map(ours).collect()
});

/// Stores the usual answers about a kind unless they are there; their id.
fn put_usual(conn: &Connection, kind: Kind) -> Result<Option<i64>, StoreError> {
    let Some(Ours { text, digest, .. }) = OURS.iter().find(|ours| ours.kind == kind) else { return Ok(None) };
    put_answers(conn, text, digest).map(Some)
}

fn put_answers(conn: &Connection, text: &str, digest: &Digest) -> Result<i64, StoreError> {
    let known = "SELECT id FROM usual_answers WHERE digest = ?1";
    if let Some(id) = id_of(conn, "look up usual answers", known, (digest.as_bytes(),))? {
        return Ok(id);
    }
    let sql = "INSERT INTO usual_answers (digest, body) VALUES (?1, ?2)";
    insert(conn, "store usual answers", sql, (digest.as_bytes(), pack(text.to_owned())?))
}

/// The short form of facts; none where it would not give them back.
fn shortened(facts: &Facts) -> Result<Option<String>, StoreError> {
    let usual = Usual::of_this_program();
    let told = usual.short(facts);
    if !told.is_usual {
        return Ok(None);
    }
    let short = written(&Shortened { kind: facts.kind, told: &told.told, silent: &told.silent }, "facts")?;
    Ok((usual.whole(told) == *facts).then_some(short))
}

/// Facts by where they lie in this file: quicker than by their digest, and meaningless outside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FactsId(pub(crate) i64);

/// Facts as they are stored, so that another thread can read them.
#[derive(Clone, Debug)]
pub struct PackedFacts {
    /// Where they lie.
    pub id: FactsId,
    stored: Stored,
}

/// A body, and what it leaves out.
#[derive(Clone, Debug)]
pub(crate) struct Stored {
    body: Vec<u8>,
    left_out: LeftOut,
}

#[derive(Clone, Debug)]
enum LeftOut {
    Nothing,
    /// What this program's rules usually answer.
    OurAnswers,
    /// What the rules of another version usually answered: the packed document.
    Answers(Vec<u8>),
}

/// The columns that [`stored`] decodes, `body` of the facts and then `digest` and `id` of the answers.
macro_rules! stored_sql {
    ($rest:literal) => {
        concat!("SELECT f.body, a.digest, a.id FROM facts f LEFT JOIN usual_answers a ON a.id = f.usual ", $rest)
    };
}

fn stored(conn: &Connection, row: &Row<'_>) -> Result<Stored, StoreError> {
    let usual: Option<([u8; 32], i64)> = match row.cell(1)? {
        None => None,
        Some(digest) => Some((digest, row.cell(2)?)),
    };
    let left_out = match usual {
        None => LeftOut::Nothing,
        Some((digest, _)) if OURS.iter().any(|ours| *ours.digest.as_bytes() == digest) => LeftOut::OurAnswers,
        Some((_, id)) => LeftOut::Answers(answers(conn, id)?),
    };
    Ok(Stored { body: row.cell(0)?, left_out })
}

fn answers(conn: &Connection, id: i64) -> Result<Vec<u8>, StoreError> {
    let sql = "SELECT body FROM usual_answers WHERE id = ?1";
    let found = first(conn, "read usual answers", sql, (id,), |row| row.cell(0))?;
    found.ok_or_else(|| StoreError::Unknown { what: "usual answers", key: id.to_string() })
}

/// The JSON texts of what facts tell besides this program's usual answers: see [`Told`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToldTexts {
    /// Facts that say more than a word.
    pub told: String,
    /// Those that say a word, and another than usual.
    pub silent: String,
}

impl Stored {
    fn unpack(&self) -> Result<Facts, StoreError> {
        self.read().map(|(facts, _)| facts)
    }

    fn read(&self) -> Result<(Facts, Option<ToldTexts>), StoreError> {
        let other: Usual;
        let usual = match &self.left_out {
            LeftOut::Nothing => {
                let body: Body = unpack(&self.body, "facts")?;
                return Ok((body.whole(), None));
            }
            LeftOut::OurAnswers => Usual::of_this_program(),
            LeftOut::Answers(document) => {
                let text = text_of(document, "answers")?;
                let Answers { kind, answers } = parse(&text, "answers")?;
                other = Usual::of_words(answers.into_iter().map(|word| (kind, word)));
                &other
            }
        };
        let text = text_of(&self.body, "facts")?;
        let short: Short<'_> = parse(&text, "facts")?;
        let told: Vec<Fact> = parse(short.told.get(), "facts")?;
        let silent: Vec<Silent<'_>> = parse(short.silent.get(), "facts")?;
        let told = told.into_iter().map(Cow::Owned).collect();
        let facts = usual.whole(Told { kind: short.kind, is_usual: true, told, silent });
        let is_ours = matches!(self.left_out, LeftOut::OurAnswers);
        let texts = || ToldTexts { told: short.told.get().to_owned(), silent: short.silent.get().to_owned() };
        Ok((facts, is_ours.then(texts)))
    }
}

impl PackedFacts {
    /// The facts. [`StoreError::Corrupt`] where they are damaged.
    pub fn unpack(&self) -> Result<Facts, StoreError> {
        self.stored.unpack()
    }

    /// The same, with the texts of what they tell where the rest is what this program's rules usually answer.
    pub fn unpack_with_texts(&self) -> Result<(Facts, Option<ToldTexts>), StoreError> {
        self.stored.read()
    }
}

/// The facts in the rows of a query that begins with the three columns of a body and its answers.
pub(crate) fn unpack_row(conn: &Connection, row: &Row<'_>) -> Result<Facts, StoreError> {
    stored(conn, row)?.unpack()
}

/// Stores facts unless they are there; their id.
pub(crate) fn put_facts(conn: &Connection, facts: &Facts, at: AsOf) -> Result<i64, StoreError> {
    // Written once for the digest and, where there is no shorter form, the body.
    let text = facts.canonical();
    let digest = Digest::of(text.as_bytes());
    if let Some(id) = facts_id(conn, &digest)? {
        return Ok(id);
    }
    let usual = || put_usual(conn, facts.kind);
    let (body, usual) = shortened(facts)?.map_or(Ok((text, None)), |short| usual().map(|usual| (short, usual)))?;
    let sql = "INSERT INTO facts (digest, body, usual, at) VALUES (?1, ?2, ?3, ?4)";
    insert(conn, "store facts", sql, (digest.as_bytes(), pack(body)?, usual, seconds(at)))
}

/// The id of stored facts.
pub(crate) fn facts_id(conn: &Connection, digest: &Digest) -> Result<Option<i64>, StoreError> {
    id_of(conn, "look up facts", "SELECT id FROM facts WHERE digest = ?1", (digest.as_bytes(),))
}

impl Reader {
    /// The facts of every current capability, each once, in the order in which they lie in the file.
    pub fn current_facts(&self) -> Result<Vec<FactsId>, StoreError> {
        let sql = "SELECT DISTINCT r.facts FROM identities i JOIN revisions r ON r.scan = i.scan ORDER BY r.facts";
        rows(self.connection(), "read the current facts", sql, (), |row| row.cell(0).map(FactsId))
    }

    /// Some facts as they are stored, in the order asked for. [`StoreError::Unknown`] where they are not.
    pub fn packed_facts(&self, ids: &[FactsId]) -> Result<Vec<PackedFacts>, StoreError> {
        let conn = self.connection();
        let sql = stored_sql!("WHERE f.id = ?1");
        ids.iter()
            .map(|id| {
                let stored = first(conn, "read facts", sql, (id.0,), |row| stored(conn, row))?;
                let stored = stored.ok_or_else(|| StoreError::Unknown { what: "facts", key: id.0.to_string() })?;
                Ok(PackedFacts { id: *id, stored })
            })
            .collect()
    }

    /// The facts of a digest; none where they are not stored.
    pub fn facts(&self, digest: &Digest) -> Result<Option<Facts>, StoreError> {
        let conn = self.connection();
        let sql = stored_sql!("WHERE f.digest = ?1");
        let stored = first(conn, "read facts", sql, (digest.as_bytes(),), |row| stored(conn, row))?;
        stored.map(|stored| stored.unpack()).transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{Folder, day, facts};
    use crate::sql::{canonical, execute};
    use capdex_core::fact::{Outcome, Place, Severity};
    use capdex_core::rules;

    /// What rules say of a skill in which nothing was found, and two things.
    fn usual_and_more() -> Facts {
        let mut all: Vec<Fact> = rules::nothing_found(Kind::Skill).cloned().collect();
        all[0].outcome = Outcome::Unavailable;
        all[0].evidence = "no tool could be read".into();
        let place = Place { file: "a.md".into(), line: 3, column: 1, pointer: String::new() };
        all[1] =
            Fact { outcome: Outcome::True, severity: Severity::High, place, evidence: "x".into(), ..all[1].clone() };
        Facts::new(Kind::Skill, all)
    }

    /// What is read of facts that are written like this, as stored and again through their own texts.
    fn read_back(folder: &Folder, id: i64) -> (Facts, Option<ToldTexts>) {
        let reader = folder.store().reader().expect("opens");
        let packed = reader.packed_facts(&[FactsId(id)]).expect("reads").pop().expect("one");
        packed.unpack_with_texts().expect("unpacks")
    }

    #[test]
    fn usual_answers_stand_once_and_every_form_gives_back_what_was_stored() {
        let folder = Folder::new();
        let stored = usual_and_more();
        let kept = stored.clone();
        let id = folder.store().write(move |writer| put_facts(writer.connection(), &kept, day(1))).expect("written");
        let (read, texts) = read_back(&folder, id);
        assert_eq!((&read, read.digest()), (&stored, stored.digest()));
        let texts = texts.expect("in the short form");
        assert!(texts.told.len() + texts.silent.len() < 600 && texts.told.starts_with("[{\"rule\""), "{texts:?}");
        let body = folder.store().write(move |writer| {
            let conn = writer.connection();
            let sql = "SELECT f.body, a.body FROM facts f JOIN usual_answers a ON a.id = f.usual";
            first(conn, "read", sql, (), |row| Ok((row.cell::<Vec<u8>>(0)?, row.cell::<Vec<u8>>(1)?)))
        });
        let (body, answers) = body.expect("reads").expect("refers to answers");
        assert!(body.len() < 600 && answers.len() > 1000, "{} {}", body.len(), answers.len());
        // Facts of another version, whose rules usually answered something else.
        let answers: Answers<'_> = unpack(&answers, "answers").expect("reads");
        let mut others = Answers { kind: answers.kind, answers: answers.answers };
        others.answers[2].1 += 7;
        let version = others.answers[2].1;
        let write = move |writer: &crate::Writer<'_>| {
            let text = serde_json::to_string(&others).expect("serialises");
            let other = put_answers(writer.connection(), &text, &Digest::of(text.as_bytes()))?;
            execute(writer.connection(), "refer", "UPDATE facts SET usual = ?1", (other,))
        };
        folder.store().write(write).expect("written");
        let (read, texts) = read_back(&folder, id);
        assert!(texts.is_none() && read.all().any(|fact| fact.version == version));
        assert_eq!(read.all().len(), stored.all().len());
    }

    #[test]
    fn bodies_of_earlier_versions_are_read() {
        let folder = Folder::new();
        let stored = usual_and_more();
        let word = |fact: &Fact| -> Silent<'static> {
            (fact.rule.as_str().to_owned().into(), fact.version, fact.outcome, fact.evidence.clone().into())
        };
        let plain = |fact: &&Fact| told::fact_of(&word(fact)) == **fact;
        let words: Vec<Silent<'static>> = stored.all().filter(plain).map(word).collect();
        let rest: Vec<&Fact> = stored.all().filter(|fact| !plain(fact)).collect();
        assert!(!words.is_empty() && !rest.is_empty());
        let short = serde_json::json!({ "kind": stored.kind, "facts": rest, "plain": words }).to_string();
        for text in [short, canonical(&stored).expect("serialises")] {
            let (body, digest) = (pack(text).expect("packs"), stored.digest());
            let write = move |writer: &crate::Writer<'_>| {
                let sql = "INSERT OR REPLACE INTO facts (id, digest, body, at) VALUES (1, ?1, ?2, 0)";
                execute(writer.connection(), "store facts", sql, (digest.as_bytes(), body))
            };
            folder.store().write(write).expect("written");
            assert_eq!(read_back(&folder, 1), (stored.clone(), None));
        }
    }

    #[test]
    fn facts_that_the_short_form_would_not_give_back_are_kept_whole() {
        // Two facts that only their severity tells apart, the plain one second: the order is kept.
        let twice = told::fact_of(&("twice".into(), 1, Outcome::False, "".into()));
        let twice = Facts::new(Kind::Skill, vec![Fact { severity: Severity::Low, ..twice.clone() }, twice]);
        assert_eq!(shortened(&twice).expect("tries"), None);
        let folder = Folder::new();
        let kept = twice.clone();
        let id = folder.store().write(move |writer| put_facts(writer.connection(), &kept, day(1))).expect("written");
        assert_eq!(read_back(&folder, id).0.digest(), twice.digest());
    }

    #[test]
    fn facts_are_stored_once_under_their_own_digest() {
        let folder = Folder::new();
        let store = folder.store();
        let ids = store.write(|writer| {
            let put = |name, night| put_facts(writer.connection(), &facts(name), day(night));
            Ok([put("a", 1)?, put("b", 1)?, put("a", 2)?])
        });
        let [first, other, again] = ids.expect("written");
        assert!(first == again && first != other);
        let reader = store.reader().expect("opens");
        let stored = reader.facts(&facts("a").digest()).expect("reads");
        assert_eq!(stored, Some(facts("a")));
        assert_eq!(stored.expect("stored").digest(), facts("a").digest());
        assert_eq!(reader.facts(&Digest::of(b"none")).expect("reads"), None);
    }
}
