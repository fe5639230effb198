-- What a model reads of a capability's servers, as a scan listed it; null for scans of before, which did not.
ALTER TABLE scan_results ADD COLUMN surfaces INTEGER REFERENCES json_documents (id);
