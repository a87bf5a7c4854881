# cpp-trace.awk - what the C++ probe tells, one event a line: coroutines numbered as they appear, sites as func file:line.
function text(key,	at) {
	if (!(at = index($0, "\"" key "\":\"")))
		return ""
	at = substr($0, at + length(key) + 4)
	return substr(at, 1, index(at, "\"") - 1)
}
function number(key) {
	return match($0, "\"" key "\":[0-9]+") ? substr($0, RSTART + length(key) + 3, RLENGTH - length(key) - 3) : 0
}
function coro(id) {
	if (!id)
		return 0
	if (!(id in known))
		known[id] = ++count
	return known[id]
}
function on(	o) {
	o = text("on")
	if (sub(/^coro:/, "", o))
		o = "coro:" coro(o)
	return o ? " on " o : ""
}
function several(key) { return number(key) ? " " key " " number(key) : "" }
{ ev = text("ev"); who = coro(number("probe_id")) }
ev == "site" {
	file = text("file")
	sub(/.*\//, "", file)
	func_of[number("site")] = text("func")
	place[number("site")] = text("func") " " file ":" number("line")
}
# The line of a coroutine itself is its first for Clang, its last for GCC: only its name is compared.
ev == "create" { print "create " who (number("parent") ? " parent " coro(number("parent")) : "") (number("site") ? " " func_of[number("site")] : "") }
ev == "resume" { print ev, who }
ev == "suspend" { print ev, who, place[number("site")] on() several("any_of") several("all_of") }
ev == "leg" { print ev, who (number("site") ? " " place[number("site")] : "") on() }
ev == "wake" { print ev, who, place[number("site")] on() }
ev == "destroy" { print ev, who, (/"done":true/ ? "done" : "cancelled") }
ev == "acquire" || ev == "release" { print ev, coro(number("by")) on() }
ev == "name" { print ev, who, text("name") }
