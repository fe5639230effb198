-- What stands for a content when capabilities are compared with each other: a sketch of its texts (null for kinds that
-- are not compared) and what its documents ask for. Derived from blobs, once for each content and version.
CREATE TABLE sketches (
    id INTEGER PRIMARY KEY,
    content BLOB NOT NULL UNIQUE CHECK (length(content) = 32),
    version INTEGER NOT NULL,
    sketch BLOB,
    traits BLOB NOT NULL
) STRICT;

-- Which capability belongs to which family of clones, as the last night saw it; `at` is when it was first found there.
CREATE TABLE families (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    at INTEGER NOT NULL,
    body BLOB NOT NULL
) STRICT;

-- Which capabilities are in a campaign together, as the last night saw it; `at` is when it was first found.
CREATE TABLE campaigns (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    at INTEGER NOT NULL,
    body BLOB NOT NULL
) STRICT;
