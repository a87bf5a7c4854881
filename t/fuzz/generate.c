/* generate.c - a trace of every kind of line, made up: of one program or several that could have been, or could not.
 *
 *	generate SEED	print it; the same for the same seed
 *
 * Unlike mutate.c it begins with no real trace: coroutines, threads, objects, sites, stacks, processes and runs are few, so that lines
 * meet, and each line has what its kind may have. By the seed nothing at all is wrong, or now and then a value is of another type or
 * size, refers to what is not there, comes late, twice or never.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "values.h"

enum { COROS = 24, HELD = 64 };

static struct { bool lives, runs; unsigned n, tid; } coros[COROS];
static uint64_t now, wild;	/* one value of so many is not what it should be; 0: none */
static uint64_t tick;		/* times are multiples of it: much is at one time where it is long */
static char *held[HELD];	/* lines that come late */
static unsigned legs;		/* that stand before the next suspend */

/* ' is ", @x a value (see value()), <..> there or not. */
static const char *const others_of[] = {
	"'ev':'process','ts':@t,'pid':@p,'ppid':@p,'path':@s",
	"'ev':'process','ts':@t,'pid':@p,'ended':true<,'alive':@t>",
	"'ev':'map','ts':@t,'pid':@p,'start':@a,'end':@a,'offset':@i,'path':@s<,'build_id':@s>",
	"'ev':'thread','ts':@t,'tid':@h,'pid':@p,'name':@s,'role':@r",
	"'ev':'thread','ts':@t,'tid':@h,'pid':@p,'ended':true",
	"'ev':'site','site':@S,'func':@s,'file':@s,'line':@i",
	"'ev':'stack','stack':@k,'frames':[@a,@a,@a]",
	"'ev':'stack','stack':@k,'sites':[@S,@S]",
	"'ev':'name','ts':@t,'tid':@h,'probe_id':@c,'name':@s<,'role':@r>",
	"'ev':'open','ts':@t,'tid':@h<,'by':@c>,'on':@o<,'name':@s><,'site':@S>",
	"'ev':'close','ts':@t,'tid':@h<,'by':@c>,'on':@o<,'site':@S>",
	"'ev':'notify','ts':@t,'tid':@h<,'by':@c>,'on':@o,'woken':@i<,'site':@S>",
	"'ev':'level','ts':@t,'tid':@h<,'by':@c>,'on':@o,'value':@i",
	"'ev':'acquire','ts':@t,'tid':@h,'by':@c,'on':@o<,'site':@S>",
	"'ev':'release','ts':@t,'tid':@h,'by':@c,'on':@o<,'site':@S>",
	"'ev':'waker','ts':@t,'tid':@h,'probe_id':@c<,'by':@c>,'op':'clone'",
	"'ev':'waker','ts':@t,'tid':@h,'probe_id':@c<,'by':@c>,'op':'drop'",
	"'ev':'dequeue','ts':@t,'tid':@h,'probe_id':@c<,'by':@c><,'site':@S>",
	"'ev':'deadline','ts':@t,'tid':@h,'probe_id':@c<,'by':@c>,'on':@o<,'site':@S>",
	"'ev':'park','ts':@t,'tid':@h<,'depth':@i>",
	"'ev':'unpark','ts':@t,'tid':@h<,'depth':@i>",
	"'ev':'stop','ts':@t,'tid':@h,'pid':@p",
	"'ev':'start','ts':@t,'tid':@h,'pid':@p",
	"'ev':'lost','ts':@t,'tid':@h,'count':@i,'from':@t,'to':@t",
	"'ev':'lost','ts':@t<,'probe_id':@c>,'count':@i,'from':@t,'to':@t",
	"'ev':'sync','ts':@t<,'slept':@i>",
	"'ev':'exit','ts':@t,'pid':@p<,'alive':@t>,'status':@i",
	"'ev':'exit','ts':@t,'pid':@p<,'alive':@t>,'signal':@i",
	"'ev':'attach','ts':@t,'live':@i,'states':@i,'history':@i,'before':@i",
	"'ev':'cut','tool':@s,'expr':@s<,'count':@i>",
	"'ev':'symbol','addr':@a,'path':@s,'at':[{'func':@s,'file':@s,'line':@i},{'func':@s}]",
	"'ev':@s,'ts':@t,'tid':@h",
};
#define OWN "'probe_id':@C,'tid':@T,'addr':@a,'seq':@q,'is_active':"
static const char *const create = OWN "false,'ts':@t,'ev':'create','n':@n<,'parent':@c><,'site':@S><,'stack':@k><,'born_before':@b><,'untraced':@b>";
static const char *const resume = OWN "true,'ts':@t,'ev':'resume','n':@n<,'site':@S>";
static const char *const suspend = OWN "false,'ts':@t,'ev':'suspend','n':@n<,'site':@S><,'on':@o><,'stack':@k><,'reason':@s>";
static const char *const any_of = OWN "false,'ts':@t,'ev':'suspend','n':@n<,'site':@S>,'any_of':@l";
static const char *const all_of = OWN "false,'ts':@t,'ev':'suspend','n':@n<,'site':@S>,'all_of':@l";
static const char *const leg = "'ev':'leg','ts':@t,'tid':@T,'probe_id':@C,'n':@m,'on':@o<,'site':@S>";
static const char *const destroy = OWN "false,'ts':@t,'ev':'destroy','n':@n<,'site':@S><,'done':@b>";
static const char *const the_state = OWN "@b,'ts':@t,'ev':'state','n':@n<,'site':@S><,'on':@o><,'since':'before'><,'wakers':@i>"
	"<,'refs':@i><,'leaked':@b><,'doubt':@s>";
static const char *const version_1 = OWN "@b,'ts':@t<,'n':@n>";
static const char *const wake = "'probe_id':@c,'tid':@h,'addr':'0x0000000000000000','seq':0,'is_active':false,'ts':@t,'ev':'wake'<,'by':@c><,'on':@o>"
	"<,'site':@S><,'stack':@k>";
static const char *const meta = "'ev':'meta','ts':@t,'format':'corotrace','version':2,'tool':@s<,'attached':@b><,'snapshot':@b>"
	"<,'born_before':@b><,'dead':@b><,'memory':'running'><,'host':@s><,'wall':@t><,'command':[@s,@s]>";
static const char *const end = "'ev':'end','ts':@t,'events':@i,'lost':@z<,'live':@i><,'lines':{'create':@i,'wake':@i}>";

static void thing(FILE *f)
{
	static const char *const objects[] = { "fd", "timer", "mutex", "cond", "sem", "chan", "join", "user", "room", "coro" };
	/* no two draws in one call, whose order is the compiler's */
	unsigned which = (unsigned)draw(6);
	const char *kind = ANY(objects);

	fprintf(f, one_in(9) ? "\"%s:\"" : one_in(2) ? "\"%s:%u\"" : "\"%s:0x%x\"", kind, which);
}

static void value(FILE *f, char kind, unsigned c)
{
	static const char *const texts[] = { "a", "serve", "/usr/bin/app", "f.cc", "", "worker 1", "8f3c", "\\u202e", "a\\\"b", "run's", "/", "..", "\\n" };
	static const unsigned sites[] = { 1, 2, 3, 4, 64, 65, 66, 129 };	/* 64 are kept at hand */
	static const char *const roles[] = { "worker", "other", "blocking", "system" };

	if (wild && one_in(wild)) {
		fputs(one_in(2) ? ANY(numbers) : ANY(others), f);
		return;
	}
	switch (kind) {
	case 't':	/* at times before what came before */
		now += one_in(9) ? draw(900000000) : draw(2000);
		fprintf(f, "%" PRIu64, (one_in(30) ? now - draw(5000) : now) / tick * tick);
		break;
	case 'p':	fprintf(f, "%" PRIu64, 40 + draw(3)); break;
	case 'h':	fprintf(f, "%" PRIu64, 11 + draw(5)); break;
	case 'T':	fprintf(f, "%u", coros[c].tid); break;
	case 'c':	fprintf(f, "%" PRIu64, one_in(3) ? 1 + draw(COROS) : c + 1); break;
	case 'C':	fprintf(f, "%u", c + 1); break;
	case 'n':	fprintf(f, "%u", coros[c].n); break;
	case 'm':	fprintf(f, "%u", coros[c].n + 1); break;
	case 'q':	fprintf(f, "%u", 2 * coros[c].n); break;
	case 'S':	fprintf(f, "%u", ANY(sites)); break;
	case 'k':	fprintf(f, "%" PRIu64, 1 + draw(4)); break;
	case 'i':	fprintf(f, "%" PRIu64, draw(one_in(4) ? 2000 : 4)); break;
	case 'l':	fprintf(f, "%u", one_in(9) ? (unsigned)draw(4) : legs); break;
	case 'z':	fprintf(f, "%u", one_in(4)); break;
	case 'a':	fprintf(f, "\"0x%016" PRIx64 "\"", 0x7f0000001000 + 0x400 * draw(32)); break;
	case 'b':	fputs(one_in(2) ? "true" : "false", f); break;
	case 'r':	fprintf(f, "\"%s\"", ANY(roles)); break;
	case 'o':	thing(f); break;
	default:	fprintf(f, "\"%s\"", ANY(texts)); break;
	}
}

static void print_line(const char *form, unsigned c)
{
	char *text = NULL;
	size_t size = 0, i = draw(HELD);
	FILE *f = open_memstream(&text, &size);

	fputc('{', f);
	for (bool there = true; *form; form++) {
		if (*form == '<' || *form == '>')
			there = *form == '>' || one_in(2);
		else if (there && *form == '@')
			value(f, *++form, c);
		else if (there)
			fputc(*form == '\'' ? '"' : *form, f);
	}
	fputs("}\n", f);
	fclose(f);
	if (wild && one_in(wild)) {		/* never */
		free(text);
		return;
	}
	if (wild && one_in(wild)) {		/* late */
		char *was = held[i];

		held[i] = text;
		text = was;
	}
	for (int times = wild && one_in(4 * wild) ? 2 : 1; text && times--;)
		fputs(text, stdout);
	free(text);
}

/* What a coroutine does next, as a scheduler would have it. */
static void step(unsigned c)
{
	bool right = !wild || !one_in(wild);

	if (!coros[c].lives || !right) {
		coros[c].tid = (unsigned)(11 + draw(5));
		coros[c].n = right && !one_in(3) ? 1 : coros[c].n + 1;
		print_line(create, c);
		coros[c].lives = true;
		coros[c].runs = false;
		return;
	}
	if (!coros[c].runs) {
		if (!one_in(4))
			print_line(wake, c);
		if (one_in(4))
			return;
		coros[c].tid = (unsigned)(11 + draw(5));
		coros[c].n++;
		print_line(resume, c);
		coros[c].runs = true;
		return;
	}
	legs = one_in(9) ? (unsigned)draw(6) : 0;
	for (unsigned i = legs; i--;)
		print_line(leg, c);
	coros[c].n++;
	coros[c].runs = false;
	coros[c].lives = !one_in(12);
	print_line(!coros[c].lives ? destroy : !legs && !one_in(20) ? suspend : one_in(2) ? any_of : all_of, c);
}

static void run(void)
{
	uint64_t lines = 50 + draw(1500), own = 1 + draw(8), without = one_in(2) ? draw(UINT64_MAX) : 0, old = one_in(20);

	memset(coros, 0, sizeof(coros));
	now = one_in(4) ? 1 + draw(1000) : 1000000000000 + draw(1000000000);
	if (!old && !one_in(9))
		print_line(meta, 0);
	while (lines--) {
		unsigned c = (unsigned)draw(COROS), kind = (unsigned)draw(sizeof(others_of) / sizeof(*others_of));

		coros[c].n += old && one_in(2);
		if (old)
			print_line(version_1, c);
		else if (!one_in(own))
			step(c);
		else if (one_in(40))
			print_line(one_in(2) ? the_state : version_1, c);
		else if (!(without >> kind & 1))	/* one `cut` or `lost` makes the rest doubtful */
			print_line(others_of[kind], c);
	}
	for (unsigned c = 0; c < COROS && one_in(2); c++)
		if (coros[c].lives)
			print_line(the_state, c);
	if (!old && !one_in(3))
		print_line(end, 0);
}

int main(int argc, char *argv[])
{
	static const uint64_t rates[] = { 0, 0, 2000, 200, 40, 10 };

	if (argc != 2) {
		fputs("usage: generate SEED\n", stderr);
		return 2;
	}
	draw_from(strtoull(argv[1], NULL, 10));
	tick = strtoull(argv[1], NULL, 10) % 3 ? 1 : 5000;
	wild = ANY(rates);
	for (uint64_t runs = 1 + draw(3); runs--;)
		run();
	return 0;
}
