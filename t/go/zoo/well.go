// The ones in good health.
package main

import (
	"context"
	"io"
	"net"
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"time"
)

func init() {
	zoo["ok-mutex"] = okMutex
	zoo["ok-channels"] = okChannels
	zoo["ok-timers"] = okTimers
	zoo["ok-generations"] = okGenerations
	zoo["ok-network"] = okNetwork
	zoo["ok-gc"] = okGC
	zoo["ok-procs"] = okProcs
	zoo["ok-syscalls"] = okSyscalls
	zoo["ok-annotated"] = okAnnotated
	zoo["ok-forever"] = okForever
	zoo["ok-empty"] = func(time.Duration) {}
}

func okMutex(last time.Duration) {
	var wg sync.WaitGroup
	var m sync.Mutex
	var rw sync.RWMutex
	until := time.Now().Add(last)
	for i := 0; i < 8; i++ {
		wg.Add(1)
		go func(i int) {
			defer wg.Done()
			for n := 0; n < 1000 && time.Now().Before(until); n++ {
				m.Lock()
				runtime.Gosched()
				m.Unlock()
				if i%4 == 0 {
					rw.Lock()
					rw.Unlock()
				} else {
					rw.RLock()
					rw.RUnlock()
				}
			}
		}(i)
	}
	wg.Wait()
}

func okChannels(last time.Duration) {
	a, b := make(chan int), make(chan int, 3)
	var wg sync.WaitGroup
	until := time.Now().Add(last)
	wg.Add(2)
	go func() {
		defer wg.Done()
		for v := range a {
			select {
			case b <- v:
			case <-time.After(time.Second):
			}
		}
		close(b)
	}()
	go func() {
		defer wg.Done()
		for range b {
		}
	}()
	for i := 0; i < 3000 && time.Now().Before(until); i++ {
		a <- i
		if i%100 == 0 {
			wg.Add(1)
			go func() { defer wg.Done(); runtime.Gosched() }()
		}
	}
	close(a)
	wg.Wait()
}

// Busy while one generation of the trace goes over into the next.
func okGenerations(time.Duration) {
	for until := time.Now().Add(2300 * time.Millisecond); time.Now().Before(until); {
		okMutex(5 * time.Millisecond)
		okChannels(5 * time.Millisecond)
		time.Sleep(20 * time.Millisecond)
	}
}

func okTimers(last time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), last)
	defer cancel()
	tick := time.NewTicker(last / 50)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			time.AfterFunc(time.Millisecond, func() { time.Sleep(time.Microsecond) })
		case <-ctx.Done():
			return
		}
	}
}

func okNetwork(last time.Duration) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	fail(err)
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { io.Copy(c, c); c.Close() }()
		}
	}()
	for i := 0; i < 20; i++ {
		c, err := net.Dial("tcp", l.Addr().String())
		fail(err)
		buf := make([]byte, 100)
		for n := 0; n < 10; n++ {
			c.Write(buf)
			io.ReadFull(c, buf)
		}
		c.Close()
	}
	l.Close()
	wg.Wait()
}

var sink [][]byte

func okGC(last time.Duration) {
	var wg sync.WaitGroup
	until := time.Now().Add(last)
	for i := 0; i < 4; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			var mine [][]byte
			for n := 0; n < 20000 && time.Now().Before(until); n++ {
				mine = append(mine, make([]byte, 1000))
			}
			runtime.GC()
			_ = mine
		}()
	}
	wg.Wait()
}

func okProcs(last time.Duration) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(16))
	var wg sync.WaitGroup
	until := time.Now().Add(last)
	for i := 0; i < 64; i++ {
		wg.Add(1)
		go func(i int) {
			defer wg.Done()
			if i%8 == 0 {
				runtime.LockOSThread()
			}
			for n := 0; n < 100 && time.Now().Before(until); n++ {
				if n%20 == 0 {
					time.Sleep(time.Microsecond)
				}
				runtime.Gosched()
			}
		}(i)
		if i == 32 {
			runtime.GOMAXPROCS(3)
		}
	}
	wg.Wait()
}

func okSyscalls(last time.Duration) {
	r, w, err := os.Pipe()
	fail(err)
	fd := r.Fd() // blocking from now on
	_ = fd
	done := make(chan bool)
	go func() {
		buf := make([]byte, 1)
		for {
			if n, _ := r.Read(buf); n == 0 {
				close(done)
				return
			}
		}
	}()
	for i := 0; i < 20; i++ {
		w.Write([]byte{1})
		time.Sleep(last / 40)
		for n := 0; n < 50; n++ {
			os.Getpid()
			os.Stat("/")
		}
	}
	w.Close()
	<-done
}

func okAnnotated(last time.Duration) {
	ctx, task := trace.NewTask(context.Background(), "request")
	trace.Log(ctx, "user", "a \"quoted\"\nline \xff")
	trace.WithRegion(ctx, "outer", func() {
		trace.WithRegion(ctx, "inner", func() { time.Sleep(time.Millisecond) })
	})
	done := make(chan bool)
	go func() {
		_, sub := trace.NewTask(ctx, "part")
		sub.End()
		close(done)
	}()
	<-done
	task.End()
}

// Blocked for ever by design.
func okForever(last time.Duration) {
	go func() { select {} }()
	go func() { var c chan int; <-c }()
	time.Sleep(last)
}
