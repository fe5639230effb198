-- Hosts in rotation: whom the unfinished jobs of a kind ask, so that a claim meets hosts and never walks the jobs behind them.

-- The host is empty for jobs that ask nobody. No job of a host may be claimed before `due`: a lower bound, since a job that
-- is completed says nothing here. `turn` is the host's place in the rotation, and null while it rests until `due`.
CREATE TABLE IF NOT EXISTS job_hosts (
    kind TEXT NOT NULL,
    host TEXT NOT NULL,
    due INTEGER NOT NULL,
    turn INTEGER,
    PRIMARY KEY (kind, host)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS job_hosts_in_turn ON job_hosts (kind, turn) WHERE turn IS NOT NULL;
CREATE INDEX IF NOT EXISTS job_hosts_at_rest ON job_hosts (kind, due) WHERE turn IS NULL;

-- The jobs of one host in the order in which they may run, and those whose lease may have run out.
CREATE INDEX IF NOT EXISTS jobs_ready ON jobs (kind, host, run_at, id) WHERE state = 'ready';
CREATE INDEX IF NOT EXISTS jobs_leased ON jobs (kind, host, leased_until) WHERE state = 'leased';
DROP INDEX IF EXISTS jobs_in_order;

INSERT OR IGNORE INTO job_hosts (kind, host, due)
SELECT kind, ifnull(host, ''), min(run_at) FROM jobs WHERE state <> 'buried' GROUP BY kind, ifnull(host, '');
