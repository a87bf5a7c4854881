// The ones with a bug: somebody waits for ever.
package main

import (
	"runtime"
	"strings"
	"sync"
	"time"
)

func init() {
	zoo["mutex-order"] = mutexOrder
	zoo["chan-nobody"] = chanNobody
	zoo["waitgroup-short"] = waitGroupShort
	zoo["leak"] = leak
	zoo["cond-missed"] = condMissed
	zoo["straggler"] = straggler
	zoo["each-other"] = eachOther
	zoo["before"] = before
}

// untilParked returns when so many goroutines wait for this, by the words of the runtime's own dump. On a busy
// machine a goroutine may begin to run long after it was made.
func untilParked(n int, on string) {
	dump := make([]byte, 1<<20)
	for strings.Count(string(dump[:runtime.Stack(dump, true)]), "["+on) < n {
		time.Sleep(time.Millisecond)
	}
}

// Two take two locks, in another order each.
func mutexOrder(last time.Duration) {
	var a, b sync.Mutex
	var both sync.WaitGroup
	both.Add(2)
	grab := func(first, second *sync.Mutex) {
		first.Lock()
		both.Done()
		both.Wait()
		second.Lock()
	}
	go grab(&a, &b)
	go grab(&b, &a)
	time.Sleep(last)
}

func receiver(c chan int) { <-c }

// Ten wait for values, nine come.
func chanNobody(last time.Duration) {
	c := make(chan int)
	start := time.Now()
	for i := 0; i < 10; i++ {
		go receiver(c)
	}
	untilParked(10, "chan receive")
	for i := 0; i < 9; i++ {
		c <- i
	}
	time.Sleep(max(last, 20*time.Since(start))) // however slow the machine, the tenth waits far longer than they did
}

func waitGroupShort(last time.Duration) {
	var wg sync.WaitGroup
	wg.Add(5)
	for i := 0; i < 4; i++ {
		go func() {
			defer wg.Done()
			time.Sleep(time.Millisecond)
		}()
	}
	go wg.Wait()
	time.Sleep(last)
}

func answer(c chan int) {
	time.Sleep(2 * time.Millisecond)
	c <- 1 // nobody receives any more
}

// A request that gives up leaves its goroutine behind.
func leak(last time.Duration) {
	for i := 0; i < 50; i++ {
		c := make(chan int)
		go answer(c)
		select {
		case <-c:
		case <-time.After(time.Millisecond):
		}
	}
	time.Sleep(last)
}

// The signal comes before anybody waits.
func condMissed(last time.Duration) {
	var m sync.Mutex
	cond := sync.NewCond(&m)
	cond.Signal()
	go func() {
		m.Lock()
		cond.Wait()
	}()
	time.Sleep(last)
}

func serve(c chan int, done *sync.WaitGroup) {
	for range c {
		done.Done()
	}
}

// Many wait at one place and are served; one has a channel that nobody sends on.
func straggler(last time.Duration) {
	var done sync.WaitGroup
	c := make(chan int)
	for i := 0; i < 16; i++ {
		go serve(c, &done)
	}
	go serve(make(chan int), &done)
	for until := time.Now().Add(last); time.Now().Before(until); {
		done.Add(16)
		for i := 0; i < 16; i++ {
			c <- i
		}
		done.Wait()
	}
}

// Two that answer each other, until one sends twice: each waits for the other to receive.
func eachOther(last time.Duration) {
	ping, pong := make(chan int), make(chan int)
	go func() {
		for n := range ping {
			if n == 100 {
				pong <- n
			}
			pong <- n
		}
	}()
	go func() {
		for n := 0; ; n++ {
			ping <- n
			<-pong
		}
	}()
	time.Sleep(last)
}

// All of it was there before the trace began: see early.go.
func before(last time.Duration) { time.Sleep(last) }
