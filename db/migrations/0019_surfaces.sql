-- What a model reads of a capability's servers, as its scan listed it. Scans of before have no row here: they listed nothing,
-- which is not the same as an empty list.
CREATE TABLE IF NOT EXISTS scan_surfaces (
    scan_result INTEGER PRIMARY KEY REFERENCES scan_results (id),
    document INTEGER NOT NULL REFERENCES json_documents (id)
) STRICT;
