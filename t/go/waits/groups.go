// WaitGroups and condition variables.
package main

import (
	"sync"
	"time"
)

func init() {
	bugs["group-wait-in-loop"] = program{"moby/moby#25384", false, groupWaitInLoop}
	bugs["group-missing-done"] = program{"cockroachdb/cockroach#1055", true, groupMissingDone}
	bugs["cond-lost-signal"] = program{"moby/moby#30408", false, condLostSignal}
	bugs["cond-one-of-two"] = program{"moby/moby#29733", true, condOneOfTwo}
}

func groupWaitInLoop(fixed bool) {
	go func() {
		var group sync.WaitGroup
		plugins := []int{1, 2, 3}
		group.Add(len(plugins))
		for range plugins {
			go func() {
				defer group.Done()
				time.Sleep(time.Millisecond)
			}()
			if !fixed {
				group.Wait()
			}
		}
		group.Wait()
	}()
}

func groupMissingDone(fixed bool) {
	work := func(i int, group *sync.WaitGroup) {
		if fixed {
			defer group.Done()
		}
		time.Sleep(time.Millisecond)
		if i == 2 {
			return
		}
		if !fixed {
			group.Done()
		}
	}
	go func() {
		var group sync.WaitGroup
		for i := 0; i < 4; i++ {
			group.Add(1)
			go work(i, &group)
		}
		group.Wait()
	}()
}

func condLostSignal(fixed bool) {
	var mu sync.Mutex
	ready := false
	c := sync.NewCond(&mu)
	go func() {
		mu.Lock()
		ready = true
		c.Signal()
		mu.Unlock()
	}()
	go func() {
		time.Sleep(50 * time.Millisecond)
		mu.Lock()
		defer mu.Unlock()
		if fixed && ready {
			return
		}
		c.Wait()
	}()
}

func condOneOfTwo(fixed bool) {
	var mu sync.Mutex
	c := sync.NewCond(&mu)
	for i := 0; i < 2; i++ {
		go func() {
			mu.Lock()
			c.Wait()
			mu.Unlock()
		}()
	}
	time.Sleep(100 * time.Millisecond)
	mu.Lock()
	if fixed {
		c.Broadcast()
	} else {
		c.Signal()
	}
	mu.Unlock()
}
