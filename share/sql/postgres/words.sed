# COPY computes nothing: rows that are appended have the run that append.sql sets for the session.
s|{run}|numeric(20) DEFAULT current_setting('corotrace.run')::numeric|g
s/{id}/numeric(20)/g
s/{u64}/numeric(20)/g
s/{int}/integer/g
s/{word}/text/g
s/{text}/text/g
s/{end}//g
s/{schema}/current_schema()/g
