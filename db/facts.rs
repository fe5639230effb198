//! SparseFacts: what the rules said, stored once for each digest.
//!
//! A body holds the exceptions to the defaults of its kind; the defaults of a rule set stand once for each kind. Facts that
//! exceptions would not restore are stored in full. Revisions tell which capabilities facts are about.

use std::borrow::Cow;

use capdex_model::capability::Kind;
use capdex_model::digest::Digest;
use capdex_model::fact::{Fact, Outcome};
use capdex_model::facts::{Exceptions, OutcomeRow, RuleDefaults, SparseFacts, WrittenDefaults, fact_of};
use capdex_model::rule::RuleIndex;
use capdex_model::time::AsOf;
use rusqlite::{Connection, Row};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::packed::{pack, parse, text_of, unpack, written};
use crate::sql::{Cells, first, id_of, insert, rows, seconds};
use crate::true_facts::{facts_with, value_with};
use crate::{Reader, StoreError};

/// The body of facts that were stored in full. Until version 13 facts that are an outcome and no more stood in `plain`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FullBody {
    kind: Kind,
    facts: Vec<Fact>,
    #[serde(default)]
    plain: Vec<OutcomeRow<'static>>,
}

impl FullBody {
    fn restore(self, rules: &'static RuleIndex) -> SparseFacts {
        let plain = self.plain.iter().map(fact_of);
        SparseFacts::new(rules, self.kind, plain.chain(self.facts).collect())
    }
}

/// The body of facts that were stored as exceptions to defaults, to be written.
#[derive(Serialize)]
struct ExceptionsBody<'a> {
    kind: Kind,
    told: &'a [Cow<'a, Fact>],
    silent: &'a [OutcomeRow<'a>],
}

/// The same as it is read: JSON texts that can be handed on as they are.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawExceptionsBody<'a> {
    kind: Kind,
    #[serde(borrow)]
    told: &'a RawValue,
    #[serde(borrow)]
    silent: &'a RawValue,
}

/// Either body, to look for one fact in it.
#[derive(Deserialize)]
struct OnlyTold<'a> {
    #[serde(borrow, default)]
    told: Vec<OnlyValue<'a>>,
    #[serde(borrow, default)]
    facts: Vec<OnlyValue<'a>>,
}

#[derive(Deserialize)]
struct OnlyValue<'a> {
    #[serde(borrow)]
    rule: Cow<'a, str>,
    outcome: Outcome,
    #[serde(borrow, default)]
    value: Option<&'a RawValue>,
}

/// Stores written defaults unless they are there; their id.
fn put_defaults(conn: &Connection, (text, digest): (&str, &Digest)) -> Result<i64, StoreError> {
    let known = "SELECT id FROM rule_defaults WHERE digest = ?1";
    if let Some(id) = id_of(conn, "look up rule defaults", known, (digest.as_bytes(),))? {
        return Ok(id);
    }
    let sql = "INSERT INTO rule_defaults (digest, body) VALUES (?1, ?2)";
    insert(conn, "store rule defaults", sql, (digest.as_bytes(), pack(text.to_owned())?))
}

/// The body of facts as exceptions to their defaults; none where it would not restore them.
fn exceptions_body(facts: &SparseFacts) -> Result<Option<String>, StoreError> {
    let Exceptions { kind, over_defaults, facts, outcomes } = facts.exceptions();
    // For instance a rule that answers twice: defaults could not restore which answer came first.
    if !over_defaults {
        return Ok(None);
    }
    written(&ExceptionsBody { kind, told: &facts, silent: &outcomes }, "facts").map(Some)
}

/// Facts by where they lie in this file: quicker than by their digest, and meaningless outside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FactsId(pub(crate) i64);

/// Facts as they are stored, so that another thread can read them.
#[derive(Clone, Debug)]
pub struct PackedFacts {
    /// Their row.
    pub id: FactsId,
    stored: StoredFactsBody,
}

/// A body, and the defaults that it leaves out.
#[derive(Clone, Debug)]
pub(crate) struct StoredFactsBody {
    body: Vec<u8>,
    defaults: OmittedDefaults,
    /// The rules that number them.
    rules: &'static RuleIndex,
}

/// The defaults that a body leaves out.
#[derive(Clone, Debug)]
enum OmittedDefaults {
    Nothing,
    /// Those of the rule set that reads.
    SameRules,
    /// Those of another rule set: the packed text.
    OtherRules(Vec<u8>),
}

/// The columns that [`stored`] decodes, `body` of the facts and then `digest` and `id` of the defaults.
macro_rules! stored_sql {
    ($rest:literal) => {
        concat!("SELECT f.body, a.digest, a.id FROM facts f LEFT JOIN rule_defaults a ON a.id = f.defaults ", $rest)
    };
}

fn stored(conn: &Connection, row: &Row<'_>, rules: &'static RuleIndex) -> Result<StoredFactsBody, StoreError> {
    // Defaults of the rules that read are in memory; only those of other rules are fetched.
    let is_same = |digest: [u8; 32]| {
        Kind::ALL.into_iter().any(|kind| *rules.defaults().of_kind(kind).written().1.as_bytes() == digest)
    };
    let defaults = match row.cell::<Option<[u8; 32]>>(1)? {
        None => OmittedDefaults::Nothing,
        Some(digest) if is_same(digest) => OmittedDefaults::SameRules,
        Some(_) => OmittedDefaults::OtherRules(packed_defaults(conn, row.cell(2)?)?),
    };
    Ok(StoredFactsBody { body: row.cell(0)?, defaults, rules })
}

/// The facts in a row that begins with the columns of [`stored_sql`].
pub(crate) fn stored_at(reader: &Reader, row: &Row<'_>, id: i64) -> Result<PackedFacts, StoreError> {
    Ok(PackedFacts { id: FactsId(id), stored: stored(reader.connection(), row, reader.rules())? })
}

fn packed_defaults(conn: &Connection, id: i64) -> Result<Vec<u8>, StoreError> {
    let sql = "SELECT body FROM rule_defaults WHERE id = ?1";
    let found = first(conn, "read rule defaults", sql, (id,), |row| row.cell(0))?;
    found.ok_or_else(|| StoreError::Unknown { what: "rule defaults", key: id.to_string() })
}

/// The JSON texts of the exceptions to this program's defaults: see [`Exceptions`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExceptionTexts {
    /// Facts that say more than an outcome.
    pub facts: String,
    /// Facts that are an outcome and no more.
    pub outcomes: String,
}

/// The facts that somebody asks for.
#[derive(Clone, Copy)]
enum Asked<'a> {
    All,
    /// The true ones, with these parts of what they measured: the other answers of a body are most of it.
    True(&'a [&'a str]),
}

impl StoredFactsBody {
    fn read(&self, asked: Asked<'_>) -> Result<(SparseFacts, Option<ExceptionTexts>), StoreError> {
        let other: RuleDefaults;
        let defaults = match &self.defaults {
            OmittedDefaults::Nothing => {
                let body: FullBody = unpack(&self.body, "facts")?;
                return Ok((body.restore(self.rules), None));
            }
            OmittedDefaults::SameRules => self.rules.defaults(),
            OmittedDefaults::OtherRules(packed) => {
                let text = text_of(packed, "rule defaults")?;
                let WrittenDefaults { kind, answers } = parse(&text, "rule defaults")?;
                // Restored by the rules that wrote it: these rules may usually answer something else.
                other = RuleDefaults::of_rows(answers.into_iter().map(|row| (kind, row)));
                &other
            }
        };
        let is_same_rules = matches!(self.defaults, OmittedDefaults::SameRules);
        let text = text_of(&self.body, "facts")?;
        let body: RawExceptionsBody<'_> = parse(&text, "facts")?;
        // Facts over the defaults of other rules are written anew, and need all.
        let asked = if is_same_rules { asked } else { Asked::All };
        let facts: Vec<Fact> = match asked {
            Asked::True(parts) => facts_with(body.told.get(), parts)?,
            Asked::All => parse(body.told.get(), "facts")?,
        };
        let facts = facts.into_iter().map(Cow::Owned).collect();
        let outcomes: Vec<OutcomeRow<'_>> = match asked {
            // As it is written: a quoted text that holds the word costs no more than reading it.
            Asked::True(_) if !body.silent.get().contains("\"true\"") => Vec::new(),
            Asked::True(_) | Asked::All => parse(body.silent.get(), "facts")?,
        };
        let exceptions = Exceptions { kind: body.kind, over_defaults: true, facts, outcomes };
        let facts = SparseFacts::restore(exceptions, defaults, self.rules);
        // The texts can be handed on only if what they leave out is what this program's rules leave out.
        let texts = || ExceptionTexts { facts: body.told.get().to_owned(), outcomes: body.silent.get().to_owned() };
        Ok((facts, is_same_rules.then(texts)))
    }
}

impl PackedFacts {
    /// The facts. [`StoreError::Corrupt`] where they are damaged.
    pub fn unpack(&self) -> Result<SparseFacts, StoreError> {
        self.stored.read(Asked::All).map(|(facts, _)| facts)
    }

    /// What [`SparseFacts::value`] gives of a rule, of an object only some parts: of everything else nothing is read.
    /// [`StoreError::Corrupt`] where the facts are damaged.
    pub fn value(&self, rule: &str, parts: &[&str]) -> Result<Option<Value>, StoreError> {
        let text = text_of(&self.stored.body, "facts")?;
        // Facts stand under one of two names; both forms are asked for the same.
        let OnlyTold { told, facts } = parse(&text, "facts")?;
        let mut measures = told.iter().chain(&facts).filter(|fact| fact.rule == rule && fact.outcome == Outcome::True);
        let value = measures.next().and_then(|fact| fact.value);
        value.map(|value| value_with(value.get(), parts)).transpose()
    }

    /// The same, with the texts of what they tell where the rest is what this program's rules usually answer.
    pub fn unpack_with_texts(&self) -> Result<(SparseFacts, Option<ExceptionTexts>), StoreError> {
        self.stored.read(Asked::All)
    }

    /// The same for who asks for true facts alone, and of the objects that they measured for these parts: answers that something
    /// is not there, or could not be looked for, may be wrong in them, and other parts missing.
    pub fn unpack_true_with_texts(&self, parts: &[&str]) -> Result<(SparseFacts, Option<ExceptionTexts>), StoreError> {
        self.stored.read(Asked::True(parts))
    }
}

/// The facts in the rows of a query that begins with the three columns of a body and its answers.
pub(crate) fn unpack_row(
    conn: &Connection,
    row: &Row<'_>,
    rules: &'static RuleIndex,
) -> Result<SparseFacts, StoreError> {
    stored(conn, row, rules)?.read(Asked::All).map(|(facts, _)| facts)
}

/// Stores facts unless they are there; their id.
pub(crate) fn put_facts(conn: &Connection, facts: &SparseFacts, at: AsOf) -> Result<i64, StoreError> {
    // Written once for the digest and, where there is no shorter form, the body.
    let text = facts.canonical();
    let digest = Digest::of(text.as_bytes());
    // The digest is of the full text, and so the same whichever defaults the body leaves out.
    if let Some(id) = facts_id(conn, &digest)? {
        return Ok(id);
    }
    let (body, defaults) = match exceptions_body(facts)? {
        Some(exceptions) => (exceptions, Some(put_defaults(conn, facts.defaults().written())?)),
        None => (text, None),
    };
    let sql = "INSERT INTO facts (digest, body, defaults, at) VALUES (?1, ?2, ?3, ?4)";
    insert(conn, "store facts", sql, (digest.as_bytes(), pack(body)?, defaults, seconds(at)))
}

/// The id of stored facts.
pub(crate) fn facts_id(conn: &Connection, digest: &Digest) -> Result<Option<i64>, StoreError> {
    id_of(conn, "look up facts", "SELECT id FROM facts WHERE digest = ?1", (digest.as_bytes(),))
}

impl Reader {
    /// The facts of every current capability, each once, in the order in which they lie in the file.
    pub fn current_facts(&self) -> Result<Vec<FactsId>, StoreError> {
        let sql = "SELECT DISTINCT r.facts FROM identities i JOIN scan_results r ON r.scan = i.scan ORDER BY r.facts";
        rows(self.connection(), "read the current facts", sql, (), |row| row.cell(0).map(FactsId))
    }

    /// Some facts as they are stored, in the order asked for. [`StoreError::Unknown`] where they are not stored.
    pub fn packed_facts(&self, ids: &[FactsId]) -> Result<Vec<PackedFacts>, StoreError> {
        let conn = self.connection();
        let sql = stored_sql!("WHERE f.id = ?1");
        ids.iter()
            .map(|id| {
                let stored = first(conn, "read facts", sql, (id.0,), |row| stored(conn, row, self.rules()))?;
                let stored = stored.ok_or_else(|| StoreError::Unknown { what: "facts", key: id.0.to_string() })?;
                Ok(PackedFacts { id: *id, stored })
            })
            .collect()
    }

    /// The facts of a digest; none where they are not stored.
    pub fn facts(&self, digest: &Digest) -> Result<Option<SparseFacts>, StoreError> {
        self.facts_of(digest, Asked::All)
    }

    /// The same for who asks for findings alone: answers that something is not there, or could not be looked for, may be wrong in
    /// them, and the parts of measures missing.
    pub fn found_facts(&self, digest: &Digest) -> Result<Option<SparseFacts>, StoreError> {
        self.facts_of(digest, Asked::True(&[]))
    }

    fn facts_of(&self, digest: &Digest, asked: Asked<'_>) -> Result<Option<SparseFacts>, StoreError> {
        let conn = self.connection();
        let sql = stored_sql!("WHERE f.digest = ?1");
        let stored = first(conn, "read facts", sql, (digest.as_bytes(),), |row| stored(conn, row, self.rules()))?;
        stored.map(|stored| stored.read(asked).map(|(facts, _)| facts)).transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{Folder, day, facts, rules};
    use crate::sql::{canonical, execute};
    use capdex_model::fact::{Outcome, Place, Severity};

    /// What rules say of a skill in which nothing was found, and two things.
    fn usual_and_more() -> SparseFacts {
        let mut all: Vec<Fact> = rules().defaults().of_kind(Kind::Skill).facts().cloned().collect();
        all[0].outcome = Outcome::Unavailable;
        all[0].evidence = "no tool could be read".into();
        let place = Place { file: "a.md".into(), line: 3, column: 1, pointer: String::new() };
        all[1] =
            Fact { outcome: Outcome::True, severity: Severity::High, place, evidence: "x".into(), ..all[1].clone() };
        SparseFacts::new(rules(), Kind::Skill, all)
    }

    /// What is read of facts that are written like this, as stored and again through their own texts.
    fn read_back(folder: &Folder, id: i64) -> (SparseFacts, Option<ExceptionTexts>) {
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
        assert_eq!(&read, &stored);
        assert_eq!(read.digest(), stored.digest());
        let texts = texts.expect("in the short form");
        assert!(texts.facts.len() + texts.outcomes.len() < 600, "{texts:?}");
        assert!(texts.facts.starts_with("[{\"rule\""), "{texts:?}");
        let body = folder.store().write(move |writer| {
            let conn = writer.connection();
            let sql = "SELECT f.body, a.body FROM facts f JOIN rule_defaults a ON a.id = f.defaults";
            first(conn, "read", sql, (), |row| Ok((row.cell::<Vec<u8>>(0)?, row.cell::<Vec<u8>>(1)?)))
        });
        let (body, answers) = body.expect("reads").expect("refers to answers");
        assert!(body.len() < 600, "{} {}", body.len(), answers.len());
        assert!(answers.len() > 1000, "{} {}", body.len(), answers.len());
        // Facts of another version, whose rules usually answered something else.
        let answers: WrittenDefaults<'_> = unpack(&answers, "answers").expect("reads");
        let mut others = answers;
        others.answers[2].1 += 7;
        let version = others.answers[2].1;
        let write = move |writer: &crate::Writer<'_>| {
            let text = serde_json::to_string(&others).expect("serialises");
            let other = put_defaults(writer.connection(), (&text, &Digest::of(text.as_bytes())))?;
            execute(writer.connection(), "refer", "UPDATE facts SET defaults = ?1", (other,))
        };
        folder.store().write(write).expect("written");
        let (read, texts) = read_back(&folder, id);
        assert!(texts.is_none());
        assert!(read.all().any(|fact| fact.version == version));
        assert_eq!(read.all().len(), stored.all().len());
    }

    #[test]
    fn bodies_of_earlier_versions_are_read() {
        let folder = Folder::new();
        let stored = usual_and_more();
        let word = |fact: &Fact| -> OutcomeRow<'static> {
            (fact.rule.as_str().to_owned().into(), fact.version, fact.outcome, fact.evidence.clone().into())
        };
        let plain = |fact: &&Fact| fact_of(&word(fact)) == **fact;
        let words: Vec<OutcomeRow<'static>> = stored.all().filter(plain).map(word).collect();
        let rest: Vec<&Fact> = stored.all().filter(|fact| !plain(fact)).collect();
        assert!(!words.is_empty());
        assert!(!rest.is_empty());
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
        let twice = fact_of(&("twice".into(), 1, Outcome::False, "".into()));
        let twice =
            SparseFacts::new(rules(), Kind::Skill, vec![Fact { severity: Severity::Low, ..twice.clone() }, twice]);
        assert_eq!(exceptions_body(&twice).expect("tries"), None);
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
        assert!(first == again);
        assert!(first != other);
        let reader = store.reader().expect("opens");
        let stored = reader.facts(&facts("a").digest()).expect("reads");
        assert_eq!(stored, Some(facts("a")));
        assert_eq!(stored.expect("stored").digest(), facts("a").digest());
        assert_eq!(reader.facts(&Digest::of(b"none")).expect("reads"), None);
    }
}
