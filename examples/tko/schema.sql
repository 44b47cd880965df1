-- The tables of Autotest's results database that performance values need. Texts and numbers are
-- whole: the original cuts an attribute to 30 characters, and a value to 32 bits. SERIAL_KEY is the
-- type of a column that numbers the rows, which each database calls by another name.

CREATE TABLE tko_status (
    status_idx INTEGER PRIMARY KEY,
    word       TEXT NOT NULL UNIQUE
);

INSERT INTO tko_status (status_idx, word) VALUES
    (1, 'ABORT'), (2, 'ALERT'), (3, 'ERROR'), (4, 'FAIL'), (5, 'GOOD'),
    (6, 'NOSTATUS'), (7, 'RUNNING'), (8, 'TEST_NA'), (9, 'WARN'), (10, 'BUG');

CREATE TABLE tko_machines (
    machine_idx   SERIAL_KEY,
    hostname      TEXT NOT NULL UNIQUE,
    machine_group TEXT,
    owner         TEXT
);

CREATE TABLE tko_jobs (
    job_idx       SERIAL_KEY,
    tag           TEXT NOT NULL UNIQUE,
    label         TEXT,
    username      TEXT,
    machine_idx   INTEGER REFERENCES tko_machines,
    queued_time   TIMESTAMP,
    started_time  TIMESTAMP,
    finished_time TIMESTAMP
);

CREATE TABLE tko_job_keyvals (
    job_id INTEGER NOT NULL REFERENCES tko_jobs ON DELETE CASCADE,
    key    TEXT NOT NULL,
    value  TEXT NOT NULL,
    PRIMARY KEY (job_id, key)
);

CREATE TABLE tko_tests (
    test_idx      SERIAL_KEY,
    job_idx       INTEGER NOT NULL REFERENCES tko_jobs ON DELETE CASCADE,
    test          TEXT NOT NULL,
    subdir        TEXT,
    status        INTEGER NOT NULL REFERENCES tko_status,
    reason        TEXT,
    machine_idx   INTEGER REFERENCES tko_machines,
    started_time  TIMESTAMP,
    finished_time TIMESTAMP
);
CREATE INDEX tko_tests_job_idx ON tko_tests (job_idx);

CREATE TABLE tko_test_attributes (
    test_idx  INTEGER NOT NULL REFERENCES tko_tests ON DELETE CASCADE,
    attribute TEXT NOT NULL,
    value     TEXT NOT NULL,
    PRIMARY KEY (test_idx, attribute)
);

CREATE TABLE tko_iteration_result (
    test_idx  INTEGER NOT NULL REFERENCES tko_tests ON DELETE CASCADE,
    iteration INTEGER NOT NULL,
    attribute TEXT NOT NULL,
    value     DOUBLE PRECISION, -- NULL for NaN and infinities
    PRIMARY KEY (test_idx, iteration, attribute)
);
CREATE INDEX tko_iteration_result_attribute ON tko_iteration_result (attribute);

CREATE TABLE tko_iteration_attributes (
    test_idx  INTEGER NOT NULL REFERENCES tko_tests ON DELETE CASCADE,
    iteration INTEGER NOT NULL,
    attribute TEXT NOT NULL,
    value     TEXT NOT NULL,
    PRIMARY KEY (test_idx, iteration, attribute)
);

-- The columns and their order are the original ones. The kernel is always NULL, because the library
-- does not read it. A test without values has one row, with NULL as its iteration.
CREATE VIEW tko_perf_view_2 AS
SELECT
    t.test_idx,
    t.job_idx,
    t.test          AS test_name,
    t.subdir,
    CAST(NULL AS INTEGER) AS kernel_idx,
    t.status        AS status_idx,
    t.reason,
    t.machine_idx,
    t.started_time  AS test_started_time,
    t.finished_time AS test_finished_time,
    j.tag           AS job_tag,
    j.label         AS job_name,
    j.username      AS job_owner,
    j.queued_time   AS job_queued_time,
    j.started_time  AS job_started_time,
    j.finished_time AS job_finished_time,
    m.hostname,
    m.machine_group AS platform,
    m.owner         AS machine_owner,
    CAST(NULL AS TEXT) AS kernel_hash,
    CAST(NULL AS TEXT) AS kernel_base,
    CAST(NULL AS TEXT) AS kernel,
    s.word          AS status,
    r.iteration,
    r.attribute     AS iteration_key,
    r.value         AS iteration_value
FROM tko_tests t
JOIN tko_jobs j ON j.job_idx = t.job_idx
JOIN tko_status s ON s.status_idx = t.status
LEFT JOIN tko_machines m ON m.machine_idx = j.machine_idx
LEFT JOIN tko_iteration_result r ON r.test_idx = t.test_idx;
