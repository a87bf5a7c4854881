/* agent.c - libcorotrace-jvm.so: loaded with the JVM or into one that runs; options.
 *
 *	ct-record java -agentpath:/usr/local/lib/libcorotrace-jvm.so -jar app.jar
 *	jcmd PID JVMTI.agent_load /usr/local/lib/libcorotrace-jvm.so; ct-record -p PID
 */
#include <string.h>

#include "agent.h"

static bool options_read(const char *text)
{
	while (text && *text) {
		size_t n = strcspn(text, ",");

		if (n == 2 && !memcmp(text, "gc", 2)) {
			opt.gc = true;
		} else if (n) {
			complain("no option \"%.*s\": there is gc", (int)n, text);
			return false;
		}
		text += n + (text[n] == ',');
	}
	return true;
}

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

static void listen(void)
{
	static const jvmtiEvent of[] = { JVMTI_EVENT_MONITOR_CONTENDED_ENTER,
		JVMTI_EVENT_MONITOR_WAIT, JVMTI_EVENT_MONITOR_CONTENDED_ENTERED,
		JVMTI_EVENT_MONITOR_WAITED };

	/* in JDK 21 these events make the JVM keep all virtual threads: then nobody is collected */
	if (!monitors || (java.monitors_pin && opt.gc))
		return;
	for (int i = 0; i < 4; i++)
		(*ti)->SetEventNotificationMode(ti, JVMTI_ENABLE, of[i], NULL);
}

static bool begin(JNIEnv *env)
{
	if (!has_continuations(env)) {
		complain("this JVM binds each virtual thread to a thread of the system (-VMContinuations): nothing is traced");
		return false;
	}
	if (!fields_find(env)) {
		complain("this JVM's virtual threads are of another make (JDK 21 to 26 are known): nothing is traced");
		return false;
	}
	if (!hooks_install(env))
		return false;
	listen();
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
		.MonitorContendedEnter = on_contended, .MonitorWait = on_wait,
		.MonitorContendedEntered = on_entered, .MonitorWaited = on_waited };
	char all[16];

	if (!jvm_supported(vm) || !jvm_capabilities(&monitors))
		return false;
	jvm_property("jdk.trackAllThreads", all, sizeof(all));
	if (opt.gc && strcmp(all, "false"))
		complain("gc: the JVM itself keeps all virtual threads unless it is started with -Djdk.trackAllThreads=false");
	return !(*ti)->SetEventCallbacks(ti, &callbacks, sizeof(callbacks));
}

/* What is there twice would report all twice. */
static bool is_loaded(void)
{
	if (ti)
		complain("it is loaded already");
	return ti;
}

/* A JVM whose threads are not traced runs on as it would without the agent. */
JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *text, void *reserved)
{
	(void)reserved;
	if (is_loaded() || !options_read(text) || !ct_init() || !prepare(vm))
		return JNI_OK;
	(*ti)->SetEventNotificationMode(ti, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, NULL);
	return JNI_OK;
}

JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM *vm, char *text, void *reserved)
{
	JNIEnv *env;

	(void)reserved;
	if (is_loaded())
		return JNI_ERR;
	attached = true;
	if (!options_read(text) || !ct_box("1") || !prepare(vm) ||
		(*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_21) || !begin(env))
		return JNI_ERR;
	heap_adopt(env);
	pools_adopt(env);
	return JNI_OK;
}
