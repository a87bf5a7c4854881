\set ON_ERROR_STOP on
\set QUIET on
SET client_encoding = 'UTF8';
SET client_min_messages = warning;
BEGIN;
SET LOCAL lock_timeout = '10s';
SELECT pg_advisory_xact_lock(hashtext('corotrace ' || current_schema() || '.{}')) \g /dev/null
