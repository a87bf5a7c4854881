/* agent.c - libcorotrace-jvm.so: loaded with the JVM or into one that runs; options; the end.
 *
 *	ct-record java -agentpath:/usr/local/lib/libcorotrace-jvm.so -jar app.jar
 *	jcmd PID JVMTI.agent_load /usr/local/lib/libcorotrace-jvm.so; ct-record -p PID
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent.h"

jvmtiEnv *ti;
struct options opt;

void say(const char *format, ...)
{
	char line[512];
	va_list ap;

	va_start(ap, format);
	vsnprintf(line, sizeof(line), format, ap);
	va_end(ap);
	fprintf(stderr, "corotrace-jvm: %s\n", line);
}

static bool options_read(const char *text)
{
	while (text && *text) {
		size_t n = strcspn(text, ",");

		if (n == 2 && !memcmp(text, "gc", 2)) {
			opt.gc = true;
		} else if (n) {
			say("no option \"%.*s\": there is gc", (int)n, text);
			return false;
		}
		text += n + (text[n] == ',');
	}
	return true;
}

/* ---- which JVM ---- */

static void property(const char *name, char *to, size_t size)
{
	char *value = NULL;

	snprintf(to, size, "?");
	if ((*ti)->GetSystemProperty(ti, name, &value))
		return;
	snprintf(to, size, "%s", value);
	(*ti)->Deallocate(ti, (unsigned char *)value);
}

static bool supported(JavaVM *vm)
{
	jvmtiCapabilities can;
	char name[120];

	if ((*vm)->GetEnv(vm, (void **)&ti, JVMTI_VERSION_21)) {
		say("this JVM is older than JDK 21, which brought virtual threads: nothing is traced");
		return false;
	}
	property("java.vm.name", name, sizeof(name));
	if (!strstr(name, "OpenJDK") && !strstr(name, "HotSpot")) {
		say("virtual threads of HotSpot (OpenJDK, Oracle) are known, not those of %s: nothing is traced",
			name);
		return false;
	}
	(*ti)->GetPotentialCapabilities(ti, &can);
	if (!can.can_support_virtual_threads || !can.can_retransform_classes) {
		say("this JVM has no virtual threads that an agent may see: nothing is traced");
		return false;
	}
	return true;
}

/* What can be had: of monitors nothing in a JVM that runs already. */
static bool capabilities(bool *monitors)
{
	jvmtiCapabilities can, want = { .can_tag_objects = 1, .can_retransform_classes = 1,
		.can_get_line_numbers = 1, .can_get_source_file_name = 1 };
	jvmtiError error;

	(*ti)->GetPotentialCapabilities(ti, &can);
	*monitors = can.can_generate_monitor_events;
	want.can_generate_monitor_events = can.can_generate_monitor_events;
	want.can_support_virtual_threads = can.can_support_virtual_threads;
	error = (*ti)->AddCapabilities(ti, &want);
	if (error)
		say("this JVM does not give what is needed: JVMTI error %d; nothing is traced", (int)error);
	return !error;
}

/* ---- life ---- */

static bool monitors;

/* Without continuations each virtual thread is bound to a thread of its own. */
static bool has_continuations(JNIEnv *env)
{
	jclass c = class_find(env, "jdk/internal/vm/ContinuationSupport", false);
	jmethodID m = c ? (*env)->GetStaticMethodID(env, c, "isSupported", "()Z") : NULL;

	jboolean has = JNI_TRUE;

	if (!failed(env) && m)
		has = (*env)->CallStaticBooleanMethod(env, c, m);
	return failed(env) || has;
}

static bool begin(JNIEnv *env)
{
	if (!has_continuations(env)) {
		say("this JVM binds each virtual thread to a thread of the system (-VMContinuations): nothing is traced");
		return false;
	}
	if (!fields_find(env)) {
		say("this JVM's virtual threads are of another make (JDK 21 to 25 are known): nothing is traced");
		return false;
	}
	if (!hooks_install(env))
		return false;
	if (monitors) {
		(*ti)->SetEventNotificationMode(
			ti, JVMTI_ENABLE, JVMTI_EVENT_MONITOR_CONTENDED_ENTER, NULL);
		(*ti)->SetEventNotificationMode(ti, JVMTI_ENABLE, JVMTI_EVENT_MONITOR_WAIT, NULL);
	}
	sweep_start(env);
	return true;
}

static void JNICALL on_init(jvmtiEnv *e, JNIEnv *env, jthread thread)
{
	(void)e, (void)thread;
	begin(env);
}

static bool prepare(JavaVM *vm)
{
	jvmtiEventCallbacks callbacks = { .VMInit = on_init, .ClassFileLoadHook = hooks_class_file,
		.MonitorContendedEnter = on_contended, .MonitorWait = on_wait };
	char all[16];

	if (!supported(vm) || !capabilities(&monitors))
		return false;
	property("jdk.trackAllThreads", all, sizeof(all));
	if (opt.gc && strcmp(all, "false"))
		say("gc: the JVM itself keeps all virtual threads unless it is started with -Djdk.trackAllThreads=false");
	return !(*ti)->SetEventCallbacks(ti, &callbacks, sizeof(callbacks)) &&
		!(*ti)->SetEventNotificationMode(
			ti, JVMTI_ENABLE, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, NULL);
}

/* A JVM whose threads are not traced runs on as it would without the agent. */
JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *text, void *reserved)
{
	(void)reserved;
	if (!options_read(text) || !ct_init() || !prepare(vm))
		return JNI_OK;
	(*ti)->SetEventNotificationMode(ti, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, NULL);
	return JNI_OK;
}

JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM *vm, char *text, void *reserved)
{
	JNIEnv *env;

	(void)reserved;
	if (!options_read(text) || !ct_box("1") || !prepare(vm) ||
		(*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_21) || !begin(env))
		return JNI_ERR;
	heap_adopt(env);
	return JNI_OK;
}
