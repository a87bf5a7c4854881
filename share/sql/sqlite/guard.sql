CREATE TEMP TABLE corotrace_odd(name);
CREATE TEMP TRIGGER corotrace_odd BEFORE INSERT ON corotrace_odd BEGIN
	SELECT RAISE(ABORT, 'a table of another shape has the name of one of ct-tosql''s: rename it, or load with --prefix');
END;
INSERT INTO corotrace_odd SELECT o.name FROM (
