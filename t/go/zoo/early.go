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
	time.Sleep(10 * time.Millisecond)
}
