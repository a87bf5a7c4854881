// snap: goroutines that wait for ever, and what each is, for ct-snap's tests. Prints for each: its id, a word, the line it
// waits at, and the object's address where it has one. argv: how many more; or `busy`, goroutines that do not wait long;
// or `turns`, which wait for their turns.
package main

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

var say sync.Mutex

func id() uint64 {
	b := make([]byte, 64)
	b = b[:runtime.Stack(b, false)]
	n, _ := strconv.ParseUint(string(bytes.Fields(b)[1]), 10, 64)
	return n
}

// The line after that of the call.
func at(word string, object uintptr) {
	_, _, line, _ := runtime.Caller(1)
	say.Lock()
	fmt.Printf("%d %s %d 0x%x\n", id(), word, line+1, object)
	say.Unlock()
}

func channel(c chan int) uintptr { return *(*uintptr)(unsafe.Pointer(&c)) }

func deep(n int, c chan int) {
	if n > 0 {
		deep(n-1, c)
		return
	}
	at("recv", channel(c))
	<-c
}

//go:noinline
func wait(c chan int) { <-c }

//go:noinline
func left(c chan int) { wait(c); passed.Add(1) }

//go:noinline
func right(c chan int) { wait(c); passed.Add(1) }

var passed atomic.Uint64

// Goroutines that never stop for long, in one of two functions, each with a channel of its own; where they wait looks alike.
func busy() {
	l, r := make(chan int), make(chan int)
	fmt.Printf("main.left chan:0x%x\nmain.right chan:0x%x\n", channel(l), channel(r))
	for i := 0; i < 40; i++ {
		go func() {
			for {
				left(l)
				right(r)
			}
		}()
	}
	go func() {
		for {
			l <- 1
			r <- 1
		}
	}()
	for passed.Load() < 1000 {
		time.Sleep(time.Millisecond)
	}
	fmt.Println("ready")
	select {}
}

// Goroutines that take their turns at a lock, each of which keeps it for a while: who is behind waits for more than a second.
func turns() {
	var lock sync.Mutex

	for i := 0; i < 40; i++ {
		go func() {
			for {
				lock.Lock()
				time.Sleep(100 * time.Millisecond)
				lock.Unlock()
				passed.Add(1)
			}
		}()
	}
	for passed.Load() < 2 {
		time.Sleep(time.Millisecond)
	}
	fmt.Println("ready")
	select {}
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == "busy" {
		busy()
	}
	if len(os.Args) > 1 && os.Args[1] == "turns" {
		turns()
	}
	empty, full := make(chan int), make(chan int, 2)
	full <- 1
	full <- 2
	go deep(3, empty)
	go func() {
		at("send", channel(full))
		full <- 3
	}()
	go func() {
		other := make(chan int)
		fmt.Printf("leg %d chan:0x%x\n", id(), channel(other))
		fmt.Printf("leg %d chan:0x%x\n", id(), channel(empty))
		at("select", 0)
		select {
		case <-other:
		case <-empty:
		}
	}()
	go func() {
		at("never", 0)
		select {}
	}()
	go func() {
		var c chan int
		at("never", 0)
		<-c
	}()
	var a, b sync.Mutex
	held := make(chan bool, 2)
	go func() {
		a.Lock()
		held <- true
		time.Sleep(100 * time.Millisecond)
		at("mutex", uintptr(unsafe.Pointer(&b)))
		b.Lock()
	}()
	go func() {
		b.Lock()
		held <- true
		time.Sleep(100 * time.Millisecond)
		at("mutex", uintptr(unsafe.Pointer(&a)))
		a.Lock()
	}()
	var rw sync.RWMutex
	rw.Lock()
	go func() {
		at("mutex", uintptr(unsafe.Pointer(&rw)))
		rw.RLock()
	}()
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		at("group", 0)
		wg.Wait()
	}()
	cond := sync.NewCond(&sync.Mutex{})
	go func() {
		cond.L.Lock()
		at("cond", uintptr(unsafe.Pointer(cond)))
		cond.Wait()
	}()
	go func() {
		cond.L.Lock()
		at("cond", uintptr(unsafe.Pointer(cond)))
		cond.Wait()
	}()
	go func() {
		at("sleep", 0)
		time.Sleep(100000 * time.Second)
	}()
	go func() {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			os.Exit(1)
		}
		at("socket", 0)
		l.Accept()
	}()
	many := 0
	if len(os.Args) > 1 {
		many, _ = strconv.Atoi(os.Args[1])
	}
	for i := 0; i < many; i++ {
		go func() { <-empty }()
	}
	time.Sleep(time.Second)
	say.Lock()
	fmt.Println("ready")
	say.Unlock()
	select {}
}
