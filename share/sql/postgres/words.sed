s/{run}/numeric(20)/g
s/{id}/numeric(20)/g
s/{u64}/numeric(20)/g
s/{int}/smallint/g
s/{word}/text/g
s/{text}/text/g
s/{end}//g
