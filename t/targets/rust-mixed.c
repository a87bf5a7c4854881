/* rust-mixed.c - the C writer of t/rust.t's process tree: COROUTINES, each resumed and suspended EVENTS times. */
#include <stdio.h>
#include <stdlib.h>

#include "ct.h"

int main(int argc, char *argv[])
{
	int coroutines = argc > 1 ? atoi(argv[1]) : 1, events = argc > 2 ? atoi(argv[2]) : 1;

	if (!ct_init())
		return 2;
	for (int i = 0; i < coroutines; i++) {
		struct ct_coro c = { 0 };

		ct_create(&c, 0, CT_HERE, &c, "in C");
		for (int k = 0; k < events; k++) {
			ct_resume(&c);
			ct_suspend(&c, CT_HERE, ct_user("C"));
		}
		ct_destroy(&c, 1);
	}
	return 0;
}
