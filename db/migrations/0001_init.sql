-- The first schema. Instants are seconds since the Unix epoch in UTC, digests are 32 raw bytes, `packed` bodies are
-- JSON or a zstd frame of it. What a table calls `at` is the as-of instant that the caller passed in.
-- Integer ids are private to the file: they depend on the order of insertion, and nothing that leaves it may.

-- "CAPD": tells a capdex store from any other SQLite file.
PRAGMA application_id = 1128353860;

-- Packed JSON by the digest of its canonical text, so that what does not change is stored once.
CREATE TABLE documents (
    id INTEGER PRIMARY KEY,
    digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
    body BLOB NOT NULL
) STRICT;

-- The bytes of files by content address, as zstd frames.
CREATE TABLE blobs (
    id INTEGER PRIMARY KEY,
    digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
    size_bytes INTEGER NOT NULL CHECK (size_bytes >= 0),
    body BLOB NOT NULL
) STRICT;

-- One row for each started command; a status of null means that it is running.
CREATE TABLE runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    command TEXT NOT NULL,
    as_of INTEGER NOT NULL,
    started INTEGER NOT NULL,
    finished INTEGER,
    status TEXT CHECK (status IN ('done', 'incomplete', 'failed', 'interrupted')),
    plan TEXT NOT NULL,
    summary TEXT
) STRICT;

-- Where the walk of each source stands.
CREATE TABLE sources (
    id TEXT NOT NULL PRIMARY KEY,
    cursor TEXT,
    completed INTEGER
) STRICT, WITHOUT ROWID;

-- The ledger of what could not be looked at, until it could.
CREATE TABLE gaps (
    id INTEGER PRIMARY KEY,
    stage TEXT NOT NULL,
    subject TEXT NOT NULL,
    gap TEXT NOT NULL,
    first_seen INTEGER NOT NULL,
    resolved INTEGER,
    UNIQUE (stage, subject, gap)
) STRICT;

-- What a source says now. `body` is null while the listing was only ever marked; `claims` is then that of no claims.
CREATE TABLE listings (
    id INTEGER PRIMARY KEY,
    source TEXT NOT NULL,
    name TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('active', 'gone', 'failed')),
    gap TEXT,
    body INTEGER REFERENCES documents (id),
    claims BLOB NOT NULL CHECK (length(claims) = 32),
    etag TEXT,
    last_modified TEXT,
    digest BLOB CHECK (length(digest) = 32),
    first_seen INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    UNIQUE (source, name)
) STRICT;

-- What a source ever said; append-only.
CREATE TABLE listing_versions (
    id INTEGER PRIMARY KEY,
    listing INTEGER NOT NULL REFERENCES listings (id),
    body INTEGER NOT NULL REFERENCES documents (id),
    at INTEGER NOT NULL
) STRICT;
CREATE INDEX listing_versions_by_listing ON listing_versions (listing);

-- When a listing was there, gone or failed; append-only.
CREATE TABLE listing_states (
    id INTEGER PRIMARY KEY,
    listing INTEGER NOT NULL REFERENCES listings (id),
    state TEXT NOT NULL CHECK (state IN ('active', 'gone', 'failed')),
    gap TEXT,
    at INTEGER NOT NULL
) STRICT;
CREATE INDEX listing_states_by_listing ON listing_states (listing);

-- What stays of a locator over versions, with its current snapshot, the listing that speaks for it and the scan that
-- counts. The three are derived from the history below (see `identities.rs`) and kept here so that reading is quick.
CREATE TABLE identities (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    snapshot INTEGER REFERENCES snapshots (id),
    listing INTEGER REFERENCES listings (id),
    scan INTEGER REFERENCES scans (id)
) STRICT;

-- Which listings ever named an identity, and whether their latest version still does.
CREATE TABLE listing_identities (
    identity INTEGER NOT NULL REFERENCES identities (id),
    listing INTEGER NOT NULL REFERENCES listings (id),
    named INTEGER NOT NULL CHECK (named IN (0, 1)),
    PRIMARY KEY (identity, listing)
) STRICT, WITHOUT ROWID;
CREATE INDEX listing_identities_by_listing ON listing_identities (listing);

-- The bytes of an artifact at one time; append-only.
CREATE TABLE snapshots (
    id INTEGER PRIMARY KEY,
    identity INTEGER NOT NULL REFERENCES identities (id),
    artifact TEXT NOT NULL,
    tree BLOB NOT NULL CHECK (length(tree) = 32),
    state TEXT NOT NULL CHECK (state IN ('analysed', 'partial', 'not_assessable')),
    completeness INTEGER NOT NULL REFERENCES documents (id),
    version TEXT,
    locator TEXT NOT NULL,
    files INTEGER NOT NULL REFERENCES documents (id),
    fetched INTEGER NOT NULL,
    at INTEGER NOT NULL,
    UNIQUE (identity, artifact, tree, completeness)
) STRICT;

-- Which snapshot was found to be the newest of its identity in which run; append-only.
CREATE TABLE succession (
    id INTEGER PRIMARY KEY,
    identity INTEGER NOT NULL REFERENCES identities (id),
    snapshot INTEGER NOT NULL REFERENCES snapshots (id),
    run INTEGER NOT NULL,
    at INTEGER NOT NULL,
    UNIQUE (identity, run, at, snapshot)
) STRICT;

-- Which snapshots were scanned under which rules and claims. `turn` grows whenever a scan is recorded, also again.
CREATE TABLE scans (
    id INTEGER PRIMARY KEY,
    snapshot INTEGER NOT NULL REFERENCES snapshots (id),
    ruleset BLOB NOT NULL CHECK (length(ruleset) = 32),
    claims BLOB NOT NULL CHECK (length(claims) = 32),
    turn INTEGER NOT NULL,
    at INTEGER NOT NULL,
    UNIQUE (snapshot, ruleset, claims)
) STRICT;
CREATE INDEX scans_by_turn ON scans (turn);

-- What stays of a capability from night to night.
CREATE TABLE capabilities (
    id INTEGER PRIMARY KEY,
    digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
    identity INTEGER NOT NULL REFERENCES identities (id),
    kind TEXT NOT NULL,
    path TEXT NOT NULL,
    slug TEXT NOT NULL,
    first_seen INTEGER NOT NULL
) STRICT;

-- What the rules said, once for each digest.
CREATE TABLE facts (
    id INTEGER PRIMARY KEY,
    digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
    body BLOB NOT NULL,
    at INTEGER NOT NULL
) STRICT;

-- A capability in one scan of one snapshot; append-only.
CREATE TABLE revisions (
    id INTEGER PRIMARY KEY,
    scan INTEGER NOT NULL REFERENCES scans (id),
    capability INTEGER NOT NULL REFERENCES capabilities (id),
    content BLOB NOT NULL CHECK (length(content) = 32),
    description INTEGER NOT NULL REFERENCES documents (id),
    pins INTEGER NOT NULL REFERENCES documents (id),
    completeness INTEGER NOT NULL REFERENCES documents (id),
    facts INTEGER NOT NULL REFERENCES facts (id),
    UNIQUE (scan, capability)
) STRICT;
CREATE INDEX revisions_by_capability ON revisions (capability);

-- The rubric texts that scores follow.
CREATE TABLE rubrics (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    version TEXT NOT NULL,
    digest BLOB NOT NULL CHECK (length(digest) = 32),
    UNIQUE (name, version, digest)
) STRICT;

-- What rubrics made of facts; `day` (days since the epoch) only where the rubric depends on it, else
-- null. Nulls are never equal in a unique index: the one writer looks before it inserts. Append-only.
CREATE TABLE scores (
    id INTEGER PRIMARY KEY,
    facts INTEGER NOT NULL REFERENCES facts (id),
    rubric INTEGER NOT NULL REFERENCES rubrics (id),
    day INTEGER,
    body BLOB NOT NULL,
    UNIQUE (facts, rubric, day)
) STRICT;

-- What changed between nights; append-only.
CREATE TABLE drift_events (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    at INTEGER NOT NULL,
    body BLOB NOT NULL
) STRICT;
CREATE INDEX drift_events_by_at ON drift_events (at);

-- What was raised for a person; append-only.
CREATE TABLE alerts (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    at INTEGER NOT NULL,
    body BLOB NOT NULL
) STRICT;

-- Work between stages. Ids are never used again, so that a job that was completed cannot be completed twice.
CREATE TABLE jobs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    dedupe TEXT NOT NULL,
    payload TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('ready', 'leased', 'buried')),
    run_at INTEGER NOT NULL,
    leased_until INTEGER,
    attempts INTEGER NOT NULL,
    error TEXT,
    UNIQUE (kind, dedupe)
) STRICT;
CREATE INDEX jobs_in_order ON jobs (kind, run_at, id) WHERE state <> 'buried';
