# orders.awk - FILE FUNCTION ORDERS: of each function of C sources, the memory orders but relaxed, as they stand in it.
/^[A-Za-z_].*[(]/ && !/;[ \t]*$/ { name = $0; sub(/[(].*/, "", name); sub(/.*[ *]/, "", name); at = FILENAME " " name }
{
	sub(/[/][*].*/, "")
	for (rest = $0; match(rest, /ctp_load_acquire[(]|ctp_store_release[(]|__atomic_(thread|signal)_fence|__ATOMIC_[A-Z_]+/);) {
		word = substr(rest, RSTART, RLENGTH)
		rest = substr(rest, RSTART + RLENGTH)
		if (word ~ /_fence/) {
			fence = word ~ /signal/ ? "signal:" : "fence:"
			continue
		}
		gsub(/ctp_load_|ctp_store_|__ATOMIC_|[(]/, "", word)
		if (word != "RELAXED" || fence != "") {
			if (!(at in orders))
				list[++n] = at
			orders[at] = orders[at] " " fence tolower(word)
		}
		fence = ""
	}
}
END {
	for (i = 1; i <= n; i++)
		print list[i] orders[list[i]]
}
