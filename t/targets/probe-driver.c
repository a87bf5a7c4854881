/* probe-driver.c - the C probe's driver for ct-check --probe: each command is a call of the probe. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ct.h"

#define OK_HERE() printf("ok probe-driver.c:%d\n", __LINE__)
#define HERE ct_intern_site(__func__, "probe-driver.c", __LINE__)

static struct ct_coro coros[16];

/* "fd:7" */
static struct ct_on thing(const char *text)
{
	const char *value = text ? strchr(text, ':') : NULL;
	void *address;

	if (!value)
		return ct_nothing();
	value++;
	address = (void *)(uintptr_t)strtoull(value, NULL, 0);
	switch (text[0]) {
	case 'f': return ct_fd(atoi(value));
	case 'm': return ct_mutex(address);
	case 'r': return ct_room(address);
	case 'u': return ct_user(value);
	default: return text[1] == 'h' ? ct_chan(address) : ct_await((uintptr_t)address);
	}
}

static void *worker(void *arg)
{
	char *name = strtok(arg, " ");
	struct ct_coro *c = &coros[atoi(strtok(NULL, " "))];

	ct_thread(CT_WORKER, name);
	ct_resume(c);
	ct_suspend(c, CT_HERE, ct_nothing());
	return NULL;
}

static void in_thread(char *rest)
{
	pthread_t t;

	pthread_create(&t, NULL, worker, rest);
	pthread_join(t, NULL);
	puts("ok");
}

static void forks(void)
{
	pid_t child = fork();

	if (child)
		waitpid(child, NULL, 0);
	printf(child ? "ok\n" : "ok %ld\n", (long)getpid());
}

static void obey(char *line)
{
	char *word = strtok(line, " "), *rest = strtok(NULL, "");
	struct ct_coro *c = rest ? &coros[atoi(rest) & 15] : NULL;
	char *last = rest && strchr(rest, ' ') ? strchr(rest, ' ') + 1 : NULL;
	long count;

	if (!strcmp(word, "create")) {
		ct_create_at(c, ct_current(), HERE, c, last);
		printf("ok %llu probe-driver.c:%d\n", (unsigned long long)c->id, __LINE__ - 1);
	} else if (!strcmp(word, "resume")) {
		ct_resume(c);
		puts("ok");
	} else if (!strcmp(word, "suspend")) {
		ct_suspend_at(c, HERE, thing(last)); OK_HERE();
	} else if (!strcmp(word, "wake")) {
		ct_wake_at(c->id, HERE, thing(last)); OK_HERE();
	} else if (!strcmp(word, "dequeue")) {
		ct_dequeue_at(c->id, HERE); OK_HERE();
	} else if (!strcmp(word, "destroy")) {
		ct_destroy(c, atoi(last));
		puts("ok");
	} else if (!strcmp(word, "flood")) {
		for (count = atol(last); count--; ) {
			ct_resume(c);
			ct_suspend(c, CT_HERE, ct_nothing());
		}
		puts("ok");
	} else if (!strcmp(word, "thread")) {
		in_thread(rest);
	} else if (!strcmp(word, "fork")) {
		forks();
	} else {
		puts("unknown");
	}
}

int main(void)
{
	char line[256];

	ct_init();
	setvbuf(stdout, NULL, _IOLBF, 0);
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = 0;
		if (!strcmp(line, "exit"))
			break;
		obey(line);
	}
	return 0;
}
