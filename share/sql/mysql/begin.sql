SET NAMES utf8mb4;
SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_BACKSLASH_ESCAPES,ANSI_QUOTES,PIPES_AS_CONCAT,NO_ENGINE_SUBSTITUTION';
SET SESSION lock_wait_timeout = 10, innodb_lock_wait_timeout = 10;
-- One load at a time; an error is an identifier that nobody has, for want of a statement that raises one.
SET @fail = if(get_lock(concat('corotrace ', md5(concat(database(), '.{}'))), 10), 'DO 0',
	'SELECT "another load of these tables goes on"');
PREPARE fail FROM @fail;
EXECUTE fail;
