/* jvm.c - the JVM that the agent is in: whether its virtual threads are known, and what it is asked for.
 * Contracts in agent.h. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "agent.h"

jvmtiEnv *ti;
struct options opt;
bool attached;

void complain(const char *format, ...)
{
	char line[512];
	va_list ap;

	va_start(ap, format);
	vsnprintf(line, sizeof(line), format, ap);
	va_end(ap);
	fprintf(stderr, "corotrace-jvm: %s\n", line);
}

void jvm_property(const char *name, char *to, size_t size)
{
	char *value = NULL;

	snprintf(to, size, "?");
	if ((*ti)->GetSystemProperty(ti, name, &value))
		return;
	snprintf(to, size, "%s", value);
	(*ti)->Deallocate(ti, (unsigned char *)value);
}

bool jvm_ended(void)
{
	jvmtiPhase phase;

	return !(*ti)->GetPhase(ti, &phase) && phase == JVMTI_PHASE_DEAD;
}

bool jvm_supported(JavaVM *vm)
{
	jvmtiCapabilities can;
	char name[120];

	if ((*vm)->GetEnv(vm, (void **)&ti, JVMTI_VERSION_21)) {
		complain("this JVM is older than JDK 21, which brought virtual threads: nothing is traced");
		return false;
	}
	jvm_property("java.vm.name", name, sizeof(name));
	if (!strstr(name, "OpenJDK") && !strstr(name, "HotSpot")) {
		complain("virtual threads of HotSpot (OpenJDK, Oracle) are known, not those of %s: nothing is traced",
			name);
		return false;
	}
	(*ti)->GetPotentialCapabilities(ti, &can);
	if (!can.can_support_virtual_threads || !can.can_retransform_classes) {
		complain("this JVM has no virtual threads that an agent may see: nothing is traced");
		return false;
	}
	return true;
}

bool jvm_capabilities(bool *monitors)
{
	jvmtiCapabilities can, want = { .can_tag_objects = 1, .can_retransform_classes = 1,
		.can_get_line_numbers = 1, .can_get_source_file_name = 1 };
	jvmtiError error;

	(*ti)->GetPotentialCapabilities(ti, &can);
	*monitors = can.can_generate_monitor_events;
	want.can_generate_monitor_events = can.can_generate_monitor_events;
	want.can_get_owned_monitor_info = can.can_get_owned_monitor_info;
	want.can_get_monitor_info = can.can_get_monitor_info;
	want.can_get_current_contended_monitor = can.can_get_current_contended_monitor;
	want.can_get_thread_cpu_time = can.can_get_thread_cpu_time;
	want.can_support_virtual_threads = can.can_support_virtual_threads;
	error = (*ti)->AddCapabilities(ti, &want);
	if (error)
		complain("this JVM does not give what is needed: JVMTI error %d; nothing is traced", (int)error);
	return !error;
}
