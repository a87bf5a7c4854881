s/{run}/UBIGINT/g
s/{id}/UBIGINT/g
s/{u64}/UBIGINT/g
s/{int}/INTEGER/g
s/{word}/VARCHAR/g
s/{text}/VARCHAR/g
s/{end}//g
s/{schema}/current_schema()/g
