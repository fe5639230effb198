-- How popular a source says a listing is: changes every day, and is no part of what it claims.
ALTER TABLE listings ADD COLUMN popularity INTEGER;

-- The state of the store over which each pass ran last, so that a pass does not run over the same twice.
CREATE TABLE passes (
    name TEXT NOT NULL PRIMARY KEY,
    input TEXT NOT NULL,
    at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
