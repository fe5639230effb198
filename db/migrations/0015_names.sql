-- The glossary's names. What refers to a renamed table follows it.
ALTER TABLE documents RENAME TO json_documents;
ALTER TABLE revisions RENAME TO scan_results;
ALTER TABLE revision_contents RENAME TO scan_result_contents;
ALTER TABLE scan_result_contents RENAME COLUMN revision TO scan_result;
ALTER TABLE compared_snapshots RENAME TO drift_pairs;
ALTER TABLE leads RENAME TO typosquats;
ALTER TABLE typosquats RENAME COLUMN standing TO is_current;
ALTER TABLE sightings RENAME TO corpus_signals;
ALTER TABLE usual_answers RENAME TO rule_defaults;
ALTER TABLE facts RENAME COLUMN usual TO defaults;
ALTER TABLE breakdowns RENAME TO score_breakdowns;
ALTER TABLE sinks RENAME TO notifiers;
ALTER TABLE messages RENAME COLUMN sink TO notifier;
ALTER TABLE alert_fates RENAME TO deliveries;
ALTER TABLE deliveries RENAME COLUMN sink TO notifier;
ALTER TABLE listings RENAME COLUMN calm TO unchanged_streak;
-- Indexes follow their tables under their old names, and these names say nothing any more.
DROP INDEX revisions_by_capability;
CREATE INDEX scan_results_by_capability ON scan_results (capability);
DROP INDEX revision_contents_by_digest;
CREATE INDEX scan_result_contents_by_digest ON scan_result_contents (digest);
DROP INDEX sightings_by_subject;
CREATE INDEX corpus_signals_by_subject ON corpus_signals (subject);
DROP INDEX alert_fates_of;
CREATE INDEX deliveries_of ON deliveries (notifier, alert);
DROP INDEX alert_fates_in;
CREATE INDEX deliveries_in ON deliveries (message) WHERE message IS NOT NULL;
