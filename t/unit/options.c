/* options.c - what stands on a command line and is not a word: numbers, durations, times, and the statuses that programs end with. At
 * their limits. */
#include <string.h>

#include "cttrace.h"
#include "tap.h"

static bool number(const char *s, uint64_t min, uint64_t max, uint64_t expected)
{
	uint64_t v = 99;

	return ctt_parse_number(s, min, max, &v) && v == expected;
}

static bool no_number(const char *s, uint64_t min, uint64_t max)
{
	uint64_t v;

	return !ctt_parse_number(s, min, max, &v);
}

static void numbers(void)
{
	ok(number("5", 5, 5, 5) && number("0", 0, 0, 0) && number("18446744073709551615", 0, UINT64_MAX, UINT64_MAX) &&
		number("007", 1, 9, 7), "numbers from the least to the most");
	ok(no_number("4", 5, 5) && no_number("6", 5, 5) && no_number("18446744073709551616", 0, UINT64_MAX) &&
		no_number("99999999999999999999", 0, UINT64_MAX), "and none beyond");
	ok(no_number("", 0, 9) && no_number("5 ", 0, 9) && no_number("+5", 0, 9) && no_number("-5", 0, UINT64_MAX) && no_number("5/", 0, 99) &&
		no_number("5:", 0, 99) && no_number("0x5", 0, 9), "digits only");
}

static void durations(void)
{
	static const struct { const char *text; uint64_t ns; } good[] = {
		{ "0", 0 }, { "0s", 0 }, { "1ns", 1 }, { "2us", 2000 }, { "3ms", 3000000 }, { "4s", 4000000000 }, { "5m", 300000000000 },
		{ "6h", 21600000000000 }, { "1.5s", 1500000000 }, { "0.000000001s", 1 }, { "0.0000000019s", 1 }, { "1.05h", 3780000000000 },
		{ "9.99us", 9990 }, { "1.9ns", 1 }, { "18446744073709551615ns", UINT64_MAX }, { "18446744073.709551615s", UINT64_MAX },
	};
	static const char *const bad[] = { "", "1", "s", ".5s", "1.s", "-1s", "1x", "1 s", "1ss", "1.5", "+1s", "18446744073709551616ns",
		"18446744073.709551616s", "18446744074s", "99999999999999999999ns", "00", "1.2.3s", "5124096h" };
	uint64_t ns;

	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		ns = 77;
		ok(ctt_parse_duration(good[i].text, &ns) && ns == good[i].ns, "%s", good[i].text);
	}
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		ok(!ctt_parse_duration(bad[i], &ns), "\"%s\" is none", bad[i]);
}

static void times(void)
{
	struct ctt_when when = { true, true, 7 };
	bool relative = true;
	uint64_t ns;

	ok(ctt_parse_time("123", &ns, &relative) && ns == 123 && !relative, "a plain number is ns");
	ok(ctt_parse_time("+1.5s", &ns, &relative) && ns == 1500000000 && relative, "+: from the start");
	ok(ctt_parse_time("2s", &ns, &relative) && ns == 2000000000 && !relative, "with a unit, without a sign");
	ok(ctt_parse_time("+0", &ns, &relative) && ns == 0 && relative, "the start itself");
	ok(!ctt_parse_time("+12", &ns, &relative) && !ctt_parse_time("", &ns, &relative) && !ctt_parse_time("+", &ns, &relative) &&
		!ctt_parse_time("++1s", &ns, &relative), "and these are none");
	ok(ctt_when_ns(&when, 100) == 107, "a time from the start");
	when.ns = UINT64_MAX - 100;
	ok(ctt_when_ns(&when, 100) == UINT64_MAX && ctt_when_ns(&when, 99) == UINT64_MAX - 1 && ctt_when_ns(&when, 101) == UINT64_MAX,
		"it never overflows");
	when.relative = false;
	ok(ctt_when_ns(&when, 500) == UINT64_MAX - 100, "an absolute one stays what it is");
}

static int status(enum ctt_certainty fail_on, enum ctt_certainty of, const char *doubt)
{
	struct ctt_common c = { .fail_on = fail_on };
	size_t sum[CTT_CERTAINTIES] = { 0 };

	if (of < CTT_CERTAINTIES)
		sum[of] = 1;
	return ctt_common_status(&c, sum, doubt);
}

static void statuses(void)
{
	static const int expected[3][CTT_CERTAINTIES + 1] = {	/* proven, suspected, unknown, a hint, none */
		{ 1, 0, 3, 0, 0 }, { 1, 1, 3, 0, 0 }, { 1, 1, 3, 1, 0 } };
	static const enum ctt_certainty fail_on[] = { CTT_PROVEN, CTT_SUSPECTED, CTT_HINT };
	size_t both[CTT_CERTAINTIES] = { [CTT_PROVEN] = 1, [CTT_UNKNOWN] = 1 };
	struct ctt_common c = { .fail_on = CTT_SUSPECTED };
	int wrong = 0;

	for (int f = 0; f < 3; f++)
		for (int of = 0; of <= CTT_CERTAINTIES; of++) {
			int want = expected[f][of];

			wrong += status(fail_on[f], (enum ctt_certainty)of, NULL) != want;
			wrong += status(fail_on[f], (enum ctt_certainty)of, "?") != (want ? want : 3);
		}
	ok(!wrong && ctt_common_status(&c, both, "?") == 1, "a status for each certainty, doubt and --fail-on: %d wrong", wrong);
	wrong = 0;
	for (int of = 0; of < 4; of++)
		for (int to = 0; to < 4; to++)
			wrong += ctt_status_fold(of, to) != (of == 1 || to == 1 ? 1 : of ? of : to);
	ok(!wrong, "of several runs: 1 before any other, else the first that is not 0: %d wrong", wrong);
}

static bool hidden(const char *expected, size_t min_age, size_t name, size_t site, size_t allow, size_t grace)
{
	const size_t n[CTT_HIDERS] = { 99, [CTT_HIDES_MIN_AGE] = min_age, [CTT_HIDES_NAME] = name, [CTT_HIDES_SITE] = site,
		[CTT_HIDES_ALLOW] = allow, [CTT_HIDES_GRACE] = grace };
	char buf[CTT_HIDDEN_SIZE];

	memset(buf, 'x', sizeof buf);
	return !strcmp(ctt_hidden_text(buf, n), expected);
}

int main(void)
{
	numbers();
	durations();
	times();
	statuses();
	ok(hidden("", 0, 0, 0, 0, 0) && hidden("; 1 hidden by --min-age", 1, 0, 0, 0, 0) && hidden("; 7 hidden by --grace", 0, 0, 0, 0, 7) &&
		hidden("; 1 hidden by --min-age, 2 by --name, 3 by --site, 4 by --allow, 5 by --grace", 1, 2, 3, 4, 5),
		"what is hidden is counted, by which option");
	return done_testing();
}
