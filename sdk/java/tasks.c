/* tasks.c - a task that somebody waits for and nobody runs yet, as a coroutine. Contracts in agent.h. */
#include <string.h>

#include "agent.h"

bool task_waits(JNIEnv *env, jobject future)
{
	jobject by;

	if (!java.future_state || !java.runner || !(*env)->IsInstanceOf(env, future, java.future) ||
		(java.bound && (*env)->IsInstanceOf(env, future, java.bound)) ||
		(*env)->GetIntField(env, future, java.future_state))
		return false;
	by = (*env)->GetObjectField(env, future, java.runner);
	(*env)->DeleteLocalRef(env, by);
	return !by;
}

void task_create(struct ct_coro *task, uint32_t site)
{
	memset(task, 0, sizeof(*task));
	ct_create_at(task, ct_current(), site, NULL, "task of a pool");
}

void task_starves(struct ct_coro *task, const struct ct_leg *any, size_t count)
{
	ct_resume(task);
	ct_suspend_any(task, CT_NOWHERE, any, count);
}
