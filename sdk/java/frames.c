/* frames.c - source locations and call stacks. Contracts in agent.h.
 *
 * What a method and a position in it are is asked once: a table from both to the site, which only grows.
 * The method of a class that was unloaded has a number that no other gets.
 */
#include <stdio.h>
#include <string.h>

#include "agent.h"

enum { DEPTH = 64, FEW = 24, ALL = 512, SITES = 1 << 16, TRIES = 32 };

struct known_site {
	jmethodID method;		/* atomic, stored last; NULL: free */
	jlocation at;
	uint32_t site;
	/* of the JDK; Poller's, which waits for a socket; parkNanos; what waits for threads to end; an
	 * executor's close, likewise; a future's get; the hook itself; what keeps a carrier */
	bool jdk, polls, timed, joins, closes, awaits, ours, pins;
};
static struct known_site sites[SITES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool begins(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

static bool is_jdk(const char *sig)
{
	return begins(sig, "Ljava/") || begins(sig, "Ljdk/") || begins(sig, "Lsun/") ||
		begins(sig, "Lcom/sun/");
}

/* "Lcom/acme/Server;" and "Server.java" to com/acme/Server.java; and Server.serve. */
static uint32_t site(const char *sig, const char *method, const char *file, int line)
{
	const char *slash = strrchr(sig, '/');
	const char *name = slash ? slash + 1 : sig + 1;
	char path[512] = "", func[512];

	size_t len = strcspn(name, ".;");

	/* Of a hidden class, "Lcom/acme/Server$$Lambda.0x7f;", only what stands ahead. */
	snprintf(func, sizeof(func), "%.*s.%s", (int)len, name, method);
	if (file)
		snprintf(path, sizeof(path), "%.*s%s", slash ? (int)(slash - sig) : 0, sig + 1, file);
	return probe_site(func, path, (uint32_t)line);
}

static int line_of(jmethodID method, jlocation at)
{
	jvmtiLineNumberEntry *table = NULL;
	jint count = 0, line = 0;

	if ((*ti)->GetLineNumberTable(ti, method, &count, &table))
		return 0;
	for (jint i = 0; i < count; i++)
		if (table[i].start_location <= at)
			line = table[i].line_number;
	(*ti)->Deallocate(ti, (unsigned char *)table);
	return line;
}

static struct known_site ask(JNIEnv *env, jmethodID method, jlocation at)
{
	struct known_site p = { .method = method, .at = at, .jdk = true };
	char *name = NULL, *sig = NULL, *file = NULL;
	jclass c = NULL;

	if ((*ti)->GetMethodDeclaringClass(ti, method, &c))
		return p;
	if (!(*ti)->GetMethodName(ti, method, &name, NULL, NULL) &&
		!(*ti)->GetClassSignature(ti, c, &sig, NULL)) {
		(*ti)->GetSourceFileName(ti, c, &file);
		p.jdk = is_jdk(sig);
		p.polls = begins(sig, "Lsun/nio/ch/Poller;");
		p.timed = begins(sig, "Ljava/lang/VirtualThread;") && begins(name, "parkNanos");
		p.joins = (begins(sig, "Ljava/lang/VirtualThread;") && begins(name, "joinNanos")) ||
			(begins(sig, "Ljdk/internal/misc/ThreadFlock;") && begins(name, "awaitAll"));
		p.closes = begins(sig, "Ljava/util/concurrent/ThreadPerTaskExecutor;") &&
			!strcmp(name, "close");
		p.awaits = begins(sig, "Ljava/util/concurrent/CompletableFuture;") &&
			begins(name, "waitingGet");
		p.ours = begins(sig, "Lcorotrace/");
		p.pins = !strcmp(name, "<clinit>") || (at < 0 && !p.ours &&
			!begins(sig, "Ljava/lang/Object;") && !begins(sig, "Ljdk/internal/vm/"));
		p.site = site(sig, name, file, line_of(method, at));
	}
	(*ti)->Deallocate(ti, (unsigned char *)name);
	(*ti)->Deallocate(ti, (unsigned char *)sig);
	(*ti)->Deallocate(ti, (unsigned char *)file);
	(*env)->DeleteLocalRef(env, c);
	return p;
}

static void remember(unsigned i, const struct known_site *p)
{
	pthread_mutex_lock(&lock);
	for (unsigned k = 0; k < TRIES; k++) {
		struct known_site *to = &sites[(i + k) % SITES];

		if (to->method)
			continue;
		to->at = p->at;
		to->site = p->site;
		to->jdk = p->jdk;
		to->polls = p->polls;
		to->timed = p->timed;
		to->joins = p->joins;
		to->closes = p->closes;
		to->awaits = p->awaits;
		to->ours = p->ours;
		to->pins = p->pins;
		/* pairs with the acquire of known_site(): the rest is whole */
		__atomic_store_n(&to->method, p->method, __ATOMIC_RELEASE);
		break;
	}
	pthread_mutex_unlock(&lock);
}

static struct known_site known_site(JNIEnv *env, jmethodID method, jlocation at)
{
	uint64_t h = (((uintptr_t)method >> 3) * 31 + (uint64_t)at) * 0x9e3779b97f4a7c15ull;
	unsigned i = (unsigned)(h >> 40) % SITES;
	struct known_site made;

	for (unsigned k = 0; k < TRIES; k++) {
		const struct known_site *p = &sites[(i + k) % SITES];
		jmethodID have = __atomic_load_n(&p->method, __ATOMIC_ACQUIRE);

		if (!have)
			break;
		if (have == method && p->at == at)
			return *p;
	}
	made = ask(env, method, at);
	if (made.site)
		remember(i, &made);
	return made;
}

struct where frames_where(JNIEnv *env, jthread thread, bool enters)
{
	bool whole = probe_wants_stacks(), own = false;
	struct where w = { .site = 0 };
	jvmtiFrameInfo frame[DEPTH];
	uint32_t sites[DEPTH];
	jint count = 0, n = 0;

	if ((*ti)->GetStackTrace(ti, thread, 0, whole ? DEPTH : FEW, frame, &count))
		return w;
	if (enters && count && frame[0].location > 0)
		frame[0].location--;
	for (jint i = 0; i < count && (whole || !own); i++) {
		struct known_site p = known_site(env, frame[i].method, frame[i].location);

		if (!p.site || p.ours)
			continue;
		if (!w.site || (!own && !p.jdk))
			w.site = p.site;
		w.polls |= p.polls && !own;
		w.timed |= p.timed && !own;
		w.joins |= p.joins && !own;
		w.closes |= p.closes && !own;
		w.awaits |= p.awaits && !own;
		own |= !p.jdk;
		sites[n++] = p.site;
	}
	if (whole && n)
		w.stack = probe_stack(sites, (unsigned)n);
	return w;
}

bool frames_pin(JNIEnv *env)
{
	jvmtiFrameInfo frame[ALL];
	jint count = 0;
	bool pins = false;

	if ((*ti)->GetStackTrace(ti, NULL, 0, ALL, frame, &count))
		return false;
	for (jint i = 0; i < count && !pins; i++)
		pins = known_site(env, frame[i].method, frame[i].location).pins;
	return pins;
}
