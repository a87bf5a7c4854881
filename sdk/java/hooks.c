/* hooks.c - the calls at the entry of java.base's methods: a class of ours with native methods, and
 * the JVM's classes retransformed. Contracts in agent.h.
 *
 * The class of ours belongs to the boot loader, where java.base can see it, and to no package of the
 * JDK's, of which the JVM would complain.
 */
#include <stdlib.h>
#include <string.h>

#include "agent.h"
#include "patch.h"

enum { MOST = 48, CLASSES = 12 };
static unsigned found[MOST];		/* of each hook: how often it was put */
static bool patching;			/* atomic */

static struct patch as_patch(const struct hook *h)
{
	return (struct patch){ h->method, h->desc, h->native, h->native_desc, h->at_end, 0 };
}

/* Of unpark's two the second is for JDKs that have no first: it is called by that. */
static bool drop_second(struct patch *p, unsigned *which, unsigned *n)
{
	for (unsigned i = 1; i < *n; i++)
		if (p[i].found && p[i - 1].found && !strcmp(p[i].method, "unpark") &&
			!strcmp(p[i - 1].method, "unpark")) {
			memmove(p + i, p + i + 1, (*n - i - 1) * sizeof(*p));
			memmove(which + i, which + i + 1, (*n - i - 1) * sizeof(*which));
			--*n;
			for (unsigned k = 0; k < *n; k++)
				p[k].found = 0;
			return true;
		}
	return false;
}

static struct bytes patched(const char *name, const unsigned char *data, jint len)
{
	struct patch p[MOST];
	struct bytes out;
	unsigned which[MOST], n = 0;

	for (unsigned i = 0; i < hook_count; i++)
		if (!strcmp(name, hooks[i].cls)) {
			p[n] = as_patch(&hooks[i]);
			which[n++] = i;
		}
	if (!n)
		return (struct bytes){ .p = NULL };
	out = patch_class(data, (size_t)len, p, n);
	if (drop_second(p, which, &n)) {
		free(out.p);
		out = patch_class(data, (size_t)len, p, n);
	}
	for (unsigned i = 0; i < n; i++)
		found[which[i]] = out.len ? p[i].found : 0;
	return out;
}

/* Each change of its counter must be heard of. */
static void look_for_semaphores(void)
{
	for (unsigned i = 0; i < hook_count; i++)
		if (hook_is_of_semaphore(&hooks[i]) && !found[i])
			java.semaphores = false;
}

/* Who else changes a class later, another agent, begins with the JVM's own again, or with one that has the
 * calls. */
void JNICALL hooks_class_file(jvmtiEnv *e, JNIEnv *env, jclass redefined, jobject loader,
	const char *name, jobject domain, jint len, const unsigned char *data, jint *new_len,
	unsigned char **new_data)
{
	struct bytes out;

	(void)env, (void)domain;
	if (!name || !redefined || loader || !__atomic_load_n(&patching, __ATOMIC_ACQUIRE) ||
		memmem(data, (size_t)len, HOOK_CLASS, strlen(HOOK_CLASS)))
		return;
	out = patched(name, data, len);
	look_for_semaphores();
	if (out.len && !(*e)->Allocate(e, (jlong)out.len, new_data)) {
		memcpy(*new_data, out.p, out.len);
		*new_len = (jint)out.len;
	}
	free(out.p);
}

static bool define(JNIEnv *env)
{
	JNINativeMethod native[MOST];
	struct patch p[MOST];
	struct bytes file;
	jclass made;

	for (unsigned i = 0; i < hook_count; i++) {
		p[i] = as_patch(&hooks[i]);
		native[i] = (JNINativeMethod){ (char *)hooks[i].native,
			(char *)hooks[i].native_desc, hooks[i].function };
	}
	file = patch_hook_class(p, hook_count);
	made = file.failed ? NULL : (*env)->DefineClass(env, HOOK_CLASS, NULL,
		(const jbyte *)file.p, (jsize)file.len);
	free(file.p);
	if (failed(env) || !made || (*env)->RegisterNatives(env, made, native, (jint)hook_count)) {
		failed(env);
		complain("its hooks cannot be defined: is the agent loaded twice?");
		return false;
	}
	return true;
}

/* All that is needed must be there, an end and a wake by one of their names. */
static bool complete(void)
{
	const char *missing = "unpark";
	bool ends = false;

	for (unsigned i = 0; i < hook_count; i++) {
		if (found[i] && !strcmp(hooks[i].method, "unpark"))
			missing = NULL;
		ends |= found[i] && (!strcmp(hooks[i].method, "afterDone") ||
					!strcmp(hooks[i].method, "afterTerminate"));
	}
	for (unsigned i = 0; i < hook_count; i++)
		if (hooks[i].needed && !found[i])
			missing = hooks[i].method;
	java.semaphores = true;
	look_for_semaphores();
	missing = ends ? missing : "afterDone";
	if (missing)
		complain("this JVM's VirtualThread has no %s that is known: nothing is traced (JDK 21 to 26 are known)",
			missing);
	return !missing;
}

bool hooks_install(JNIEnv *env)
{
	jclass classes[CLASSES];
	jvmtiError error;
	bool done = false;
	jint n = 0;

	if (!define(env))
		return false;
	for (unsigned i = 0; i < hook_count && n < CLASSES; i++)
		if (!i || strcmp(hooks[i].cls, hooks[i - 1].cls)) {
			/* asleep: sun.nio.ch.Poller starts threads as it is initialized */
			classes[n] = class_find(env, hooks[i].cls, true);
			n += classes[n] != NULL;
		}
	__atomic_store_n(&patching, true, __ATOMIC_RELEASE);
	/* not before: a JVM that begins with it uses no cache of linked classes (-XX:AOTCache) */
	error = (*ti)->SetEventNotificationMode(
		ti, JVMTI_ENABLE, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, NULL);
	if (!error)
		error = (*ti)->RetransformClasses(ti, n, classes);
	if (error)
		complain("this JVM does not let VirtualThread be changed: JVMTI error %d", (int)error);
	else
		done = complete();
	if (!done)
		__atomic_store_n(&patching, false, __ATOMIC_RELEASE);
	if (!done && !error)	/* as they were */
		(*ti)->RetransformClasses(ti, n, classes);
	/* a virtual thread that loads a class while that is listened to is never collected */
	if (!done || opt.gc)
		(*ti)->SetEventNotificationMode(
			ti, JVMTI_DISABLE, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, NULL);
	return done;
}
