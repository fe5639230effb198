-- What the entity of a listing adds to its claims: values of other listings with their origin and proof.
CREATE TABLE IF NOT EXISTS entity_signals (
    listing INTEGER PRIMARY KEY REFERENCES listings (id),
    body BLOB NOT NULL
) STRICT;

-- What a source answered beside its listing, and from when on it is asked again. An answer that was put off has no body and
-- leaves the one of before.
CREATE TABLE IF NOT EXISTS source_answers (
    listing INTEGER PRIMARY KEY REFERENCES listings (id),
    body BLOB,
    asked INTEGER NOT NULL,
    due INTEGER NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS source_answers_by_due ON source_answers (due);
