-- What passes see of packages, for as long as it holds: joined to what listings claim when claims are read. The subject
-- is a locator's identity or a listing's key.
CREATE TABLE sightings (
    id INTEGER PRIMARY KEY,
    pass TEXT NOT NULL,
    subject TEXT NOT NULL,
    body TEXT NOT NULL,
    UNIQUE (pass, subject, body)
) STRICT;
CREATE INDEX sightings_by_subject ON sightings (subject);
