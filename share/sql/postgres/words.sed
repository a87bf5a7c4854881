# COPY computes nothing: rows that are appended have the run that append.sql sets for the session.
s|{run}|bigint DEFAULT current_setting('corotrace.run')::bigint|g
s/{id}/numeric/g
s/{u64}/numeric/g
s/{nth}/bigint/g
s/{int}/integer/g
s/{word}/text/g
s/{text}/text/g
s/{end}//g
s/{schema}/current_schema()/g
