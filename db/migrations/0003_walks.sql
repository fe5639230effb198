-- Walks: what each walk of a source saw, so that deletions are inferred from absence only between complete ones.

-- From where the next walk may ask for what changed.
ALTER TABLE sources ADD COLUMN watermark TEXT;
-- What the walk under way is to see; null when none is.
ALTER TABLE sources ADD COLUMN mode TEXT CHECK (mode IN ('full', 'since'));
-- The number of the full walk that began last.
ALTER TABLE sources ADD COLUMN walk INTEGER NOT NULL DEFAULT 0;
-- The number of the full walk that came to its end last, and the as-of instant of that end.
ALTER TABLE sources ADD COLUMN whole_walk INTEGER NOT NULL DEFAULT 0;
-- The number of the one that came to its end before that.
ALTER TABLE sources ADD COLUMN whole_before INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sources ADD COLUMN whole_at INTEGER;
-- Listings that two whole walks did not see and that are not taken as gone, because they are too many at once.
ALTER TABLE sources ADD COLUMN held INTEGER NOT NULL DEFAULT 0;

-- The number of the full walk during or after which the source named it last.
ALTER TABLE listings ADD COLUMN seen INTEGER NOT NULL DEFAULT 0;
-- When it was asked for last by itself, from when on it is due again, and how often in a row nothing was new.
ALTER TABLE listings ADD COLUMN visited INTEGER;
ALTER TABLE listings ADD COLUMN due INTEGER;
ALTER TABLE listings ADD COLUMN calm INTEGER NOT NULL DEFAULT 0;
CREATE INDEX listings_by_seen ON listings (source, state, seen);

-- What the latest version of a listing names under other sources' keys.
CREATE TABLE listing_references (
    source TEXT NOT NULL,
    name TEXT NOT NULL,
    listing INTEGER NOT NULL REFERENCES listings (id),
    PRIMARY KEY (source, name, listing)
) STRICT, WITHOUT ROWID;
CREATE INDEX listing_references_by_listing ON listing_references (listing);

-- Whom a job asks, so that one host's jobs do not hold up those of others.
ALTER TABLE jobs ADD COLUMN host TEXT;

-- What each run asked of each source and was told; append-only.
CREATE TABLE walks (
    id INTEGER PRIMARY KEY,
    run INTEGER NOT NULL,
    source TEXT NOT NULL,
    outcome TEXT NOT NULL CHECK (outcome IN ('complete', 'stopped', 'failed', 'skipped')),
    report TEXT NOT NULL,
    at INTEGER NOT NULL
) STRICT;
CREATE INDEX walks_by_source ON walks (source, id);
