-- What rules usually answer about a kind, once for all facts that leave it out: JSON, packed.
CREATE TABLE usual_answers (
    id INTEGER PRIMARY KEY,
    digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
    body BLOB NOT NULL
) STRICT;
-- Null for facts that stand in their body whole, as all did before.
ALTER TABLE facts ADD COLUMN usual INTEGER REFERENCES usual_answers (id);

-- Terms and parts of scores, once for all scores that have the same: JSON, packed, by the digest of its text.
CREATE TABLE breakdowns (
    id INTEGER PRIMARY KEY,
    digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
    body BLOB NOT NULL
) STRICT;
-- Null for scores that stand in their body whole, as all did before.
ALTER TABLE scores ADD COLUMN breakdown INTEGER REFERENCES breakdowns (id);
