/* rec-plugin - a program with a probe loads a plugin with another, many times: rec-plugin COUNTFILE PLUGIN. Its threads run
 * coroutines of both, and end when the plugin is closed. */
#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>
#include "rec.h"

enum { PAIRS = 20, TIMES = 30 };
static int (*plugin_live)(unsigned);
static pthread_barrier_t closed;

static void live(void)
{
	struct ct_coro c = { 0 };
	int i;

	ct_create(&c, 0, CT_HERE, &c, NULL);
	for (i = 0; i < PAIRS; i++) {
		ct_resume(&c);
		ct_suspend(&c, CT_HERE, ct_fd(3));
	}
	ct_destroy(&c, 1);
	emitted(0, 2 + 2 * PAIRS);
}

static void *both(void *arg)
{
	live();
	if (!plugin_live(PAIRS))
		exit(96);
	emitted(1, 2 + 2 * PAIRS);
	live();
	pthread_barrier_wait(&closed);
	pthread_barrier_wait(&closed);
	return arg;
}

static void load(const char *path)
{
	void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	pthread_t t;

	if (!plugin || !(plugin_live = (int (*)(unsigned))(uintptr_t)dlsym(plugin, "plugin_live")))
		exit(95);
	if (pthread_create(&t, NULL, both, NULL))
		exit(98);
	pthread_barrier_wait(&closed);		/* it has recorded */
	dlclose(plugin);
	pthread_barrier_wait(&closed);		/* it may end */
	pthread_join(t, NULL);
}

static int descriptors(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}

int main(int argc, char *argv[])
{
	int i, before = 0;

	if (argc < 3)
		return 99;
	count_open(argv[1]);
	if (!ct_init())
		return 97;
	pthread_barrier_init(&closed, NULL, 2);
	for (i = 0; i < TIMES; i++) {
		load(argv[2]);
		if (i == 0)
			before = descriptors();
	}
	return descriptors() > before ? 94 : 0;
}
