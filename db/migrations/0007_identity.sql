-- Entities: what is one thing over all directories. An id is given once and never again.
CREATE TABLE entities (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    at INTEGER NOT NULL
) STRICT;

-- The entity of each listing, and why.
CREATE TABLE entity_members (
    listing INTEGER PRIMARY KEY REFERENCES listings (id),
    entity INTEGER NOT NULL REFERENCES entities (id),
    edges BLOB NOT NULL
) STRICT;
CREATE INDEX entity_members_by_entity ON entity_members (entity);

-- What the pass saw last of each subject, with which it compares.
CREATE TABLE identity_anchors (
    name TEXT NOT NULL PRIMARY KEY,
    body TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The packages that the manifests in a snapshot of a repository name, read once.
CREATE TABLE snapshot_manifests (
    snapshot INTEGER PRIMARY KEY REFERENCES snapshots (id),
    body TEXT NOT NULL
) STRICT;

-- The digest of each revision's files, by their paths inside the capability: the same wherever it lies.
CREATE TABLE revision_contents (
    revision INTEGER PRIMARY KEY REFERENCES revisions (id),
    digest BLOB NOT NULL CHECK (length(digest) = 32)
) STRICT;
CREATE INDEX revision_contents_by_digest ON revision_contents (digest);

-- What became of who stands behind a name; append-only.
CREATE TABLE identity_events (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    at INTEGER NOT NULL,
    body BLOB NOT NULL
) STRICT;
CREATE INDEX identity_events_by_at ON identity_events (at);

-- Names that entities share, as of the last night; `at` is when a collision was found first.
CREATE TABLE collisions (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    at INTEGER NOT NULL,
    body BLOB NOT NULL
) STRICT;

-- What in facts speaks for more than a shared name, picked out of them once.
CREATE TABLE collision_cues (
    facts INTEGER PRIMARY KEY REFERENCES facts (id),
    body TEXT NOT NULL
) STRICT;
