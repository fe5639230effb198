-- The operator's rulings, by command and by import: only ever added to. Of several about the same the newest counts.
CREATE TABLE IF NOT EXISTS rulings (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    body TEXT NOT NULL
) STRICT;

-- What the operator's schedule says beside them, as the last run found it there: `vote` or `ruling`.
CREATE TABLE IF NOT EXISTS scheduled_policy (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    body TEXT NOT NULL
) STRICT;
