-- Where each appeal stands, so that lists need not read every chain. It follows from the chain alone, which stays the truth: whoever
-- reads a chain compares the two. `since` is the instant from which the clock of the state runs; of a token its end.
CREATE TABLE IF NOT EXISTS appeal_standing (
    appeal INTEGER PRIMARY KEY REFERENCES appeals (id),
    name TEXT NOT NULL,
    state TEXT NOT NULL,
    since INTEGER NOT NULL,
    rule TEXT,
    rule_version INTEGER
) STRICT;
CREATE INDEX IF NOT EXISTS appeal_standing_state ON appeal_standing (state, appeal);

-- What was refused or lost changes no state.
INSERT OR IGNORE INTO appeal_standing (appeal, name, state, since, rule, rule_version)
SELECT a.id,
       a.name,
       CASE e.body ->> 'event' WHEN 'taken' THEN 'under_review' WHEN 'decided' THEN e.body ->> 'outcome' ELSE e.body ->> 'event' END,
       unixepoch(CASE
           WHEN e.body ->> 'event' = 'challenged' THEN e.body ->> 'expires'
           WHEN e.body ->> 'event' IN ('answered', 'taken') THEN
               (SELECT p.body ->> 'at' FROM appeal_events p
                WHERE p.appeal = a.id AND p.body ->> 'event' = 'proven' ORDER BY p.seq DESC LIMIT 1)
           ELSE e.body ->> 'at'
       END),
       a.body ->> 'rule',
       a.body ->> 'rule_version'
FROM appeals a
JOIN appeal_events e ON e.appeal = a.id
 AND e.seq = (SELECT max(s.seq) FROM appeal_events s
              WHERE s.appeal = a.id AND s.body ->> 'event' NOT IN ('refused', 'lost'));
