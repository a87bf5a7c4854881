s/{run}/UBIGINT/g
s/{id}/UBIGINT/g
s/{u64}/UBIGINT/g
s/{int}/UTINYINT/g
s/{word}/VARCHAR/g
s/{text}/VARCHAR/g
s/{end}//g
