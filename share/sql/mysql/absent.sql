SET @odd = (SELECT min(table_name) FROM information_schema.tables WHERE table_schema = database() AND table_name IN (
	'{runs}', '{sites}', '{threads}', '{lost}', '{coroutines}', '{events}', '{awaits}', '{findings}', '{evidence}',
	'{cycles}', '{stuck}', '{lost_wakeup}', '{site_stats}', '{await_tree}', '{timeline}'));
SET @fail = if(@odd IS NULL, 'DO 0', concat('SELECT "', @odd, ' already exists"'));
PREPARE fail FROM @fail;
EXECUTE fail;
