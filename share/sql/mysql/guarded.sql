);
SET @fail = if(@odd IS NULL, 'DO 0', concat('SELECT "table ', @odd, ' is not of ct-tosql"'));
PREPARE fail FROM @fail;
EXECUTE fail;
