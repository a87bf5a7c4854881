//go:build cgo

package main

/*
#include <pthread.h>
#include <unistd.h>
extern void called(int);
static void *thread(void *arg)
{
	for (int i = 0; i < 5; i++)
		called(i);
	return arg;
}
static void threads(void)
{
	for (int i = 0; i < 3; i++) {
		pthread_t t;
		pthread_create(&t, 0, thread, 0);
		pthread_join(t, 0);
	}
	usleep(20000);
}
*/
import "C"

import "time"

func init() { zoo["ok-cgo"] = okCgo }

//export called
func called(i C.int) { time.Sleep(time.Duration(i) * time.Microsecond) }

// Threads of C call back into Go, and Go waits in C.
func okCgo(last time.Duration) { C.threads() }
