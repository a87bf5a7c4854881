#!/bin/sh
# ct-snap: what a C++ coroutine's awaiter says of what it waits on: a lock and who has it, an event, a coroutine that is over; and
# which descriptor epoll has for it.
. "${0%/*}/../lib/lib.sh"
. "$SRC/t/lib/snap.sh"

cat >>"$scratch/.case-lib" <<'EOT'
# address, what it waits on as the program prints it
waits() {
	jq -rn '
	def short: ltrimstr("0x") | sub("^0+"; "") | "0x" + .;
	def hex: if . < 16 then "0123456789abcdef"[.:. + 1] else (. / 16 | floor | hex) + (. % 16 | hex) end;
	[inputs] as $all |
	([$all[] | select(.ev == "state") | { key: "\(.probe_id)", value: (.addr | short) }] | from_entries) as $addr |
	([$all[] | select(.ev == "destroy") | { key: "\(.probe_id)", value: true }] | from_entries) as $over |
	$all[] | select(.ev == "state" and ($over["\(.probe_id)"] | not)) | "\(.addr | short) \(
		if .on == null or .on == "coro:" then "(nil)"
		elif .on | startswith("coro:") then if $over[.on[5:]] then "(nil)" else $addr[.on[5:]] end
		elif .on | startswith("fd:") then "0x" + (.on[3:] | tonumber | hex) else .on | sub(".*:"; "") | short end)"' "$1"
}
EOT
levels='-O0 -O2'
[ -z "$CHECK_ALL" ] || levels='-O0 -O1 -O2 -O3'
all='g++ clang++ clang++-19'
if [ -z "$CHECK_ALL" ]; then skip_case 'clang 15 to 18' 'CHECK_ALL is not set'; else all="$all clang++-15 clang++-16 clang++-17 clang++-18"; fi
for cxx in $all; do
	has_coroutines $cxx || {
		skip_case "$cxx" 'not there, or without coroutines'
		continue
	}
	for level in $levels; do
		test_case "$cxx $level: locks, their owners, events, descriptors; who awaits what is over; who only looks so" <<EOT
$cxx -std=c++20 $level -g -o await "$SRC/t/targets/snap-await.cc"
start ./await
status 0 ct-snap -p \$pid >trace 2>err
stop
status 0 ct-check --strict trace >check
ct-lostwake --json trace >findings || [ \$? -eq 1 ]
jq -r 'select(.verdict != "deadlock") | .probe_id' findings >accused
for id in \$(cat accused); do sed -n "s/^{\"probe_id\":\$id,.*\"addr\":\"0x0*\([^\"]*\)\".*\"state\".*/0x\1/p" trace; done | sort >wrong
awk '\$2 == "ended" || \$2 == "destroyed" { print \$1 }' own | sort >forgotten
case '$cxx $level' in
clang++\ -O[1-3]*)
	# before clang 18 an optimiser takes awaiters apart: what leads back to the frame is known
	weak='itself|awaits|ended|destroyed|late';;
clang++-1[567]\ -O[1-3]*)
	# nor what class a pointer in the frame leads to
	weak='crosswise|event|itself|awaits|ended|destroyed|late';;
*)	weak='itself';;
esac
# what is not known is left out, never wrong
sed '\$d' own | awk '{ print \$1, \$3 }' | sort >all
waits trace | sort >actual
comm -13 all actual | grep -v '(nil)' >more || [ \$? -eq 1 ]
[ ! -s more ] || { cat more >&2; false; }
sed '\$d' own | grep -vwE "\$weak" | awk '{ print \$1, \$3 }' | sort >expected
comm -23 expected actual >less
[ ! -s less ] || { cat less >&2; false; }
comm -13 forgotten wrong >more
[ ! -s more ] || { cat more >&2; false; }
jq -r 'select(.verdict == "deadlock") | .certainty' findings >actual
echo proven >expected
case \$weak in crosswise*) [ -s actual ] || : >expected;; esac
same expected actual
case '$cxx $level' in
g++*|*-O0)
	same forgotten wrong
	jq -r 'select(.verdict != "deadlock") | "\(.verdict) \(.certainty)"' findings >actual
	printf 'dead-awaitee suspected\ndead-awaitee suspected\ndead-awaitee suspected\n' >expected
	same expected actual;;
esac
EOT
	done
done

test_case 'a program with a probe, run without a recorder: the awaiter within the one that the probe puts around it says it' <<'EOT'
sed 's/#include <coroutine>/#include "corotrace.hpp"\n&/; s/struct promise_type {/struct promise_type : ct::promise_mixin {/' \
	"$SRC/t/targets/snap-await.cc" >probed.cc
g++ -std=c++20 -g -I"$SRC/sdk/cpp" -I"$SRC/sdk/c" -o probed probed.cc "$O/libct.a" -lpthread
start ./probed
status 0 ct-snap -p $pid >trace 2>err
stop
sed '$d' own | grep -v 'ended\|destroyed\|late' | awk '{ print $1, $3 }' | sort >expected
waits trace | grep -v '(nil)' | sort >actual
same expected actual
status 1 ct-lostwake trace >verdict
has '^1 cycle: deadlock (proven): locks() ' verdict
EOT

# As of a coroutine that only takes the lock, and whose frame's place the next one has.
test_case 'a lock whose owner lies where one ended: who waits for it there has it for certain only where it awaits such a lock twice' <<'EOT'
sed '/^struct manual_event/,$d' "$SRC/t/targets/snap-await.cc" >owner.cc
cat >>owner.cc <<'END'
static task once(async_mutex &m) { co_await m.lock(); }
static task twice(async_mutex &m)
{
	co_await m.lock();
	co_await m.lock();
}
int main(int argc, char **)
{
	async_mutex m;

	m.owner = std::noop_coroutine();
	if (argc > 1) {
		m.owner = nullptr;
		twice(m).handle.resume();
	} else {
		once(m).handle.resume();
		m.owner = m.waiters[0];
	}
	printf("ready\n");
	fflush(stdout);
	for (;;)
		pause();
}
END
for cxx in g++ clang++; do
	command -v $cxx >/dev/null || continue
	$cxx -std=c++20 -O1 -g -o owner owner.cc
	start ./owner
	status 0 ct-snap --quiet -p $pid >trace
	status 3 ct-lostwake trace >out
	stop
	has 'deadlock (unknown): once()' out
	start ./owner twice
	status 0 ct-snap --quiet -p $pid >trace
	status 1 ct-lostwake trace >out
	stop
	has 'deadlock (proven): twice()' out
done
EOT

# The next owner stands in a run queue, and is noted when he runs.
test_case 'a lock that was given to one who waited, and still names the former owner: unknown; with nobody to give it to: proven' <<'EOT'
sed '/^\/\/ The lock stores/,$d' "$SRC/t/targets/snap-await.cc" >given.cc
cat >>given.cc <<'END'
#include <deque>
static std::vector<std::coroutine_handle<>> ready;
struct async_mutex {
	bool locked = false;
	std::coroutine_handle<> owner;
	std::deque<std::coroutine_handle<>> waiters;
	struct operation {
		async_mutex &of;
		std::coroutine_handle<> h;
		bool await_ready() { return false; }
		bool await_suspend(std::coroutine_handle<> by)
		{
			h = by;
			if (of.locked)
				of.waiters.push_back(h);
			return of.locked || !(of.locked = true);
		}
		void await_resume() { of.owner = h; }
	};
	operation lock() { return {*this, {}}; }
	void unlock()
	{
		ready.push_back(waiters.front());
		waiters.pop_front();
	}
};
struct pauses {
	bool await_ready() { return false; }
	void await_suspend(std::coroutine_handle<>) {}
	void await_resume() {}
};
static task gives(async_mutex &m, async_mutex &other, bool given)
{
	co_await m.lock();
	co_await pauses{};
	if (given)
		m.unlock();
	co_await other.lock();
}
static task only(async_mutex &m) { co_await m.lock(); }
static task both(async_mutex &m, async_mutex &other)
{
	co_await m.lock();
	co_await other.lock();
}
int main(int argc, char **)
{
	async_mutex m, other;
	task a = gives(m, other, argc > 1);

	a.handle.resume();
	only(m).handle.resume();
	both(other, m).handle.resume();
	a.handle.resume();
	printf("ready\n");
	fflush(stdout);
	for (;;)
		pause();
}
END
for cxx in g++ clang++; do
	command -v $cxx >/dev/null || continue
	$cxx -std=c++20 -O0 -g -o given given.cc
	start ./given given
	status 0 ct-snap --quiet -p $pid >trace
	status 3 ct-lostwake trace >out
	stop
	has 'deadlock (unknown)' out
	start ./given
	status 0 ct-snap --quiet -p $pid >trace
	status 1 ct-lostwake trace >out
	stop
	has 'deadlock (proven)' out
done
EOT
done_testing
