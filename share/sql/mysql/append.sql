START TRANSACTION;
SET @first_run = (SELECT coalesce(max(run) + 1, 0) FROM {runs});
