-- Snapshots whose bytes were pruned: their files' digests and all that was found in them stay. `swept` is 1 once no blob is
-- left that was theirs alone. A snapshot whose bytes come again is none of these any more.
CREATE TABLE pruned_snapshots (
    snapshot INTEGER PRIMARY KEY REFERENCES snapshots (id),
    swept INTEGER NOT NULL CHECK (swept IN (0, 1)),
    at INTEGER NOT NULL
) STRICT;
CREATE INDEX pruned_snapshots_unswept ON pruned_snapshots (snapshot) WHERE swept = 0;
-- Scores of days long past are found without reading all scores.
CREATE INDEX scores_by_day ON scores (day) WHERE day IS NOT NULL;
