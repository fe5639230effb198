-- What the daemon runs: each schedule since when under which expression, and each due time that it answered.
CREATE TABLE timetable (
    name TEXT PRIMARY KEY,
    cron TEXT NOT NULL,
    since INTEGER NOT NULL
) STRICT;
CREATE TABLE due_runs (
    id INTEGER PRIMARY KEY,
    schedule TEXT NOT NULL,
    due INTEGER NOT NULL,
    missed INTEGER NOT NULL,
    tries INTEGER NOT NULL,
    started INTEGER NOT NULL,
    finished INTEGER,
    outcome TEXT,
    UNIQUE (schedule, due)
) STRICT;
