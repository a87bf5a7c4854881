// What waits already when the trace begins.
package main

import (
	"os"
	"sync"
	"time"
)

func init() {
	if len(os.Args) < 2 || os.Args[1] != "before" {
		return
	}
	var m sync.Mutex
	m.Lock()
	go m.Lock()
	go receiver(make(chan int))
	go func() { select {} }()
	go func() {
		c := sync.NewCond(&sync.Mutex{})
		c.L.Lock()
		c.Wait()
	}()
	go time.Sleep(time.Hour)
	for _, on := range []string{"sync.Mutex.Lock", "chan receive", "select (no cases)", "sync.Cond.Wait", "sleep"} {
		untilParked(1, on)
	}
}
