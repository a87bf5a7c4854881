/* options.c - the command line of every filter: one table, one parser, one wording. Contracts in
 * cttrace/options.h. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "cttrace.h"
#include "tool/output.h"

enum { ALLOWED_MOST = 16 << 20 };	/* bytes of --allow */

#ifndef CT_VERSION
#define CT_VERSION "unknown"
#endif

bool ctt_parse_number(const char *s, uint64_t min, uint64_t max, uint64_t *v)
{
	uint64_t n = 0;

	if (!*s)
		return false;
	for (; *s; s++) {
		if (*s < '0' || *s > '9' || n > (UINT64_MAX - (uint64_t)(*s - '0')) / 10)
			return false;
		n = n * 10 + (uint64_t)(*s - '0');
	}
	*v = n;
	return n >= min && n <= max;
}

static bool unit_ns(const char *s, uint64_t *unit)
{
	static const struct { const char *name; uint64_t ns; } units[] = {
		{ "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 },
		{ "m", 60000000000 }, { "h", 3600000000000 },
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(s, units[i].name))
			return *unit = units[i].ns, true;
	return false;
}

/* Exact: whole digits times the unit, then each digit behind the point with a tenth of the unit
 * before it. */
bool ctt_parse_duration(const char *s, uint64_t *ns)
{
	size_t whole = strspn(s, "0123456789"), point = s[whole] == '.';
	size_t frac = point ? strspn(s + whole + 1, "0123456789") : 0;
	uint64_t unit, v = 0;

	if (!strcmp(s, "0"))
		return *ns = 0, true;
	if (!whole || (point && !frac) || !unit_ns(s + whole + point + frac, &unit))
		return false;
	for (size_t i = 0; i < whole; i++)
		if (__builtin_mul_overflow(v, 10, &v) ||
			__builtin_add_overflow(v, (uint64_t)(s[i] - '0'), &v))
			return false;
	if (__builtin_mul_overflow(v, unit, &v))
		return false;
	for (size_t i = whole + 1; i < whole + 1 + frac && unit; i++) {
		uint64_t digit = (uint64_t)(s[i] - '0'), part = unit * digit / 10;

		if (__builtin_add_overflow(v, part, &v))
			return false;
		unit /= 10;
	}
	*ns = v;
	return true;
}

bool ctt_parse_time(const char *s, uint64_t *ns, bool *relative)
{
	*relative = *s == '+';
	return (!*relative && ctt_parse_number(s, 0, UINT64_MAX, ns)) ||
		ctt_parse_duration(s + *relative, ns);
}

uint64_t ctt_when_ns(const struct ctt_when *w, uint64_t start)
{
	if (!w->relative)
		return w->ns;
	return w->ns > UINT64_MAX - start ? UINT64_MAX : start + w->ns;
}

bool ctt_common_match(const regex_t *re, const char *s)
{
	return !re || !regexec(re, s, 0, NULL, 0);
}

bool ctt_common_match_site(const regex_t *re, const struct ctt_model *m, uint64_t site)
{
	char text[512];

	return !re || ctt_common_match(re, ctt_model_site_name(text, sizeof(text), m, site)) ||
		ctt_common_match(re, ctt_model_site_text(text, sizeof(text), m, site));
}

static bool set_regex(regex_t **re, const char *arg)
{
	*re = malloc(sizeof(**re));
	return *re && !regcomp(*re, arg, REG_EXTENDED | REG_NOSUB);
}

uint64_t ctt_common_now(
	const struct ctt_common *c, const struct ctt_model *m, const struct ctt_trace_run *r)
{
	uint64_t at = c->at.set ? ctt_when_ns(&c->at, ctt_model_first_ts(m)) : UINT64_MAX;

	return at <= r->last_ts ? at : ctt_model_last_ts(m);
}

const char *ctt_common_nothing(
	const struct ctt_common *c, const struct ctt_model *m, const struct ctt_trace_run *r)
{
	if (c->at.set && !c->at.relative && c->at.ns < ctt_model_first_ts(m))
		return "nothing was recorded so early";
	return ctt_trace_nothing(r);
}

bool ctt_common_whole(
	const struct ctt_common *c, const struct ctt_model *m, const struct ctt_trace_run *r)
{
	return (r->ended || r->v1) && !ctt_trace_headless(r) && !ctt_common_nothing(c, m, r) &&
		!r->bad && !r->cut && !r->born_before && !r->partial &&
		(!ctt_model_lost(m) || ctt_model_exact(m));
}

bool ctt_common_past(
	const struct ctt_common *c, const struct ctt_model *m, const struct ctt_event *ev)
{
	uint64_t start = ctt_model_first_ts(m);

	return c->at.set && start &&
		(ev->kind == CTT_EV_LOST ? ev->lost.from : ev->ts) > ctt_when_ns(&c->at, start);
}

enum ctt_hider ctt_common_hides(const struct ctt_common *c, const struct ctt_model *m,
	const struct ctt_coro *co, uint64_t age)
{
	if (!ctt_common_match(c->name, co->name ? co->name : ""))
		return CTT_HIDES_NAME;
	if (!ctt_common_match_site(c->site, m, co->site))
		return CTT_HIDES_SITE;
	return age < c->min_age ? CTT_HIDES_MIN_AGE : CTT_HIDES_NOTHING;
}

enum ctt_hider ctt_common_hides_finding(
	const struct ctt_common *c, const struct ctt_model *m, const struct ctt_finding *f)
{
	enum ctt_hider by = ctt_common_hides(c, m, f->coro, f->age_ns);

	if (by)
		return by;
	for (size_t i = 0; i < c->allowed; i++)
		if (ctt_common_match_site(c->allow[i], m, f->coro->site))
			return CTT_HIDES_ALLOW;
	return CTT_HIDES_NOTHING;
}

char *ctt_hidden_text(char buf[CTT_HIDDEN_SIZE], const size_t hidden[CTT_HIDERS])
{
	static const char *const names[CTT_HIDERS] = { NULL, "--min-age", "--name", "--site",
		"--allow", "--grace" };
	size_t len = 0;

	buf[0] = '\0';
	for (int i = CTT_HIDES_NOTHING + 1; i < CTT_HIDERS; i++)
		if (hidden[i])
			len += (size_t)snprintf(buf + len, CTT_HIDDEN_SIZE - len,
				len ? ", %zu by %s" : "; %zu hidden by %s", hidden[i], names[i]);
	return buf;
}

int ctt_common_status(
	const struct ctt_common *c, const size_t sum[CTT_CERTAINTIES], const char *doubt)
{
	if (sum[CTT_PROVEN] || (c->fail_on != CTT_PROVEN && sum[CTT_SUSPECTED]) ||
		(c->fail_on == CTT_HINT && sum[CTT_HINT]))
		return 1;
	return sum[CTT_UNKNOWN] || doubt ? 3 : 0;
}

static bool set_fail_on(struct ctt_common *c, const char *arg)
{
	for (int i = 0; i < CTT_CERTAINTIES; i++)
		if (i != CTT_UNKNOWN && !strcmp(arg, ctt_certainty_name((enum ctt_certainty)i))) {
			c->fail_on = (enum ctt_certainty)i;
			return true;
		}
	return false;
}

static void allow_line(struct ctt_common *c, const struct ctt_program *p, const char *file,
	unsigned number, char *line, size_t len)
{
	char where[512], why[256];
	regex_t *re;
	int error;

	snprintf(where, sizeof(where), "%s:%u", file, number);
	/* as in UTF-16 and in what is compressed: its first letter would allow nearly all */
	if (strlen(line) < len)
		ctt_die(p->name, where, "a NUL: it is no text, or of an encoding that is not UTF-8");
	line[strcspn(line, "\r\n")] = '\0';
	line += strspn(line, " \t");
	if (!*line || *line == '#')
		return;
	re = need(malloc(sizeof(*re)));
	error = regcomp(re, line, REG_EXTENDED | REG_NOSUB);
	c->allow = need(realloc(c->allow, (c->allowed + 1) * sizeof(*c->allow)));
	c->allow[c->allowed++] = re;
	if (!error)
		return;
	regerror(error, re, why, sizeof(why));
	ctt_die(p->name, where, why);
}

static bool read_allowed(struct ctt_common *c, const struct ctt_program *p, const char *file)
{
	FILE *f = fopen(file, "r");
	char *text = need(malloc(ALLOWED_MOST + 2)), *at = text, *end;
	size_t len;

	if (!f)
		ctt_die(p->name, file, strerror(errno));
	len = fread(text, 1, ALLOWED_MOST + 1, f);
	if (ferror(f))
		ctt_die(p->name, file, strerror(errno));
	if (len > ALLOWED_MOST)
		ctt_die(p->name, file, "more than 16 MiB: it is no list of sites");
	fclose(f);
	text[len] = '\n';
	for (unsigned number = 1; at < text + len; at = end + 1, number++) {
		end = memchr(at, '\n', (size_t)(text + len + 1 - at));
		*end = '\0';
		allow_line(c, p, file, number, at, (size_t)(end - at));
	}
	free(text);
	return true;
}

static bool set_when(struct ctt_when *w, const char *arg)
{
	return w->set = ctt_parse_time(arg, &w->ns, &w->relative);
}

static bool use_color(void)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && !(no && *no) && !(term && !strcmp(term, "dumb"));
}

static bool set_color(struct ctt_common *c, const char *arg)
{
	c->color_always = !strcmp(arg, "always");
	c->color = c->color_always || (!strcmp(arg, "auto") && use_color());
	return c->color || !strcmp(arg, "never") || !strcmp(arg, "auto");
}

/* --help and --version: what they print must have arrived, as everything else. */
static void print_and_exit(const char *program, const char *text, const char *more)
{
	if ((more ? printf("%s %s\n", text, more) : printf("%s", text)) < 0 || fflush(stdout))
		ctt_die(program, "<stdout>", strerror(errno));
	exit(0);
}

static bool common_set(struct ctt_common *c, const struct ctt_program *p, int opt, const char *arg)
{
	switch (opt) {
	case CTT_COMMON_JSON:	c->json = true; return true;
	case CTT_COMMON_MIN_AGE:	return ctt_parse_duration(arg, &c->min_age);
	case CTT_COMMON_GRACE:	return ctt_parse_duration(arg, &c->grace);
	case CTT_COMMON_SITE:	return set_regex(&c->site, arg);
	case CTT_COMMON_NAME:	return set_regex(&c->name, arg);
	case CTT_COMMON_AT:		return set_when(&c->at, arg);
	case CTT_COMMON_FROM:	return set_when(&c->from, arg);
	case CTT_COMMON_TO:		return set_when(&c->to, arg);
	case CTT_COMMON_ALLOW:	return read_allowed(c, p, arg);
	case CTT_COMMON_FAIL_ON:	return set_fail_on(c, arg);
	case CTT_COMMON_COLOR:	return set_color(c, arg);
	case CTT_COMMON_STRICT:	c->flags |= CTT_TRACE_STRICT; return true;
	case CTT_COMMON_QUIET:	c->flags |= CTT_TRACE_QUIET; return true;
	case 'o':
		if (c->product < CTT_FILE)
			return p->option && p->option(opt, arg);
		c->output = strcmp(arg, "-") ? arg : NULL;
		return *arg;
	case CTT_COMMON_HELP:	print_and_exit(p->name, p->help, NULL); return true;
	case CTT_COMMON_VERSION:	print_and_exit(p->name, p->name, CT_VERSION); return true;
	default:		return p->option && p->option(opt, arg);
	}
}

/* The letters of a program's own options work as short ones too: "-a" for { "all", ..., 'a' }. */
static void short_options(const struct option *o, char *s, size_t size)
{
	size_t n = 0;

	s[n++] = ':';
	for (; o->name; o++)
		if (o->val > ' ' && o->val < 0x7f && n + 3 < size) {
			s[n++] = (char)o->val;
			if (o->has_arg == required_argument)
				s[n++] = ':';
		}
	s[n] = '\0';
}

/* Would the argument be a good duration, had it a unit? The help says which options take one. */
static bool lacks_unit(const struct ctt_program *p, const char *option, const char *arg)
{
	char with[64], age[64], when[64];
	uint64_t ns;

	snprintf(age, sizeof(age), "--%s=DUR", option);
	snprintf(when, sizeof(when), "--%s=TIME", option);
	if (!strstr(p->help, age) && !strstr(p->help, when))
		return false;
	snprintf(with, sizeof(with), "%.40sns", arg + (*arg == '+'));
	return !ctt_parse_duration(arg, &ns) && ctt_parse_duration(with, &ns);
}

/* Where getopt is: behind the word, or at one of several letters that it is not through with. */
static const char *word_at(char *const *next)
{
	size_t len = strlen(next[-1]);
	bool ended = next[-1][0] == '-' && len && next[-1][len - 1] == optopt;

	return optopt && !ended && *next && (*next)[0] == '-' && (*next)[1] != '-' &&
			strchr(*next, optopt) ?
		*next :
		next[-1];
}

char **ctt_common_parse(int argc, char *argv[], const struct ctt_program *p, struct ctt_common *c)
{
	char letters[64];
	int opt, which = -1;

	output_init();
	need_is(p->name, NULL);
	short_options(p->options, letters, sizeof(letters));
	c->fail_on = CTT_SUSPECTED;
	c->flags |= CTT_TRACE_TO_END;
	set_color(c, "auto");
	for (; (opt = getopt_long(argc, argv, letters, p->options, &which)) != -1; which = -1) {
		const char *word = argv[optind - 1];

		if (opt == ':')
			ctt_die(p->name, word, "option needs an argument; try --help");
		if (opt == '?')
			ctt_die(p->name, word_at(argv + optind),
				"unknown option, or one that takes no argument; try --help");
		if (!common_set(c, p, opt, optarg))
			ctt_die(p->name, word,
				optarg && which >= 0 &&
						lacks_unit(p, p->options[which].name, optarg) ?
					"needs a unit: ns, us, ms, s, m or h" :
					"bad argument; try --help");
	}
	if (c->from.set && c->to.set && c->from.relative == c->to.relative &&
		c->from.ns >= c->to.ns)
		ctt_die(p->name, "--to", "not after --from");
	output_open(p, c, argv + optind);
	return argv + optind;
}
