);
BEGIN
	IF odd IS NOT NULL THEN
		RAISE EXCEPTION 'table % is not of ct-tosql: rename it, or load with --prefix', odd;
	END IF;
END $$;
