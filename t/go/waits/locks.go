// Mutexes and RWMutexes that are never given back, or taken in a cycle.
package main

import (
	"errors"
	"sync"
	"time"
)

func init() {
	bugs["lock-order"] = program{"cockroachdb/cockroach#10214", false, lockOrder}
	bugs["lock-twice"] = program{"grpc/grpc-go#795", true, lockTwice}
	bugs["lock-not-given-back"] = program{"moby/moby#17176", false, lockNotGivenBack}
	bugs["lock-in-callback"] = program{"syncthing/syncthing#4829", true, lockInCallback}
	bugs["rw-read-again"] = program{"kubernetes/kubernetes#62464", false, rwReadAgain}
	bugs["rw-not-given-back"] = program{"etcd-io/etcd#5509", true, rwNotGivenBack}
	bugs["lock-and-send"] = program{"etcd-io/etcd#7492", false, lockAndSend}
	bugs["lock-and-reset"] = program{"kubernetes/kubernetes#6632", true, lockAndReset}
	bugs["lock-and-receive"] = program{"istio/istio#16224", true, lockAndReceive}
}

type store struct {
	mu, coalesced sync.Mutex
}

func (s *store) heartbeat() {
	s.mu.Lock()
	time.Sleep(50 * time.Millisecond)
	s.coalesced.Lock()
	s.coalesced.Unlock()
	s.mu.Unlock()
}

func (s *store) flush(fixed bool) {
	if fixed {
		s.heartbeat()
		return
	}
	s.coalesced.Lock()
	time.Sleep(50 * time.Millisecond)
	s.mu.Lock()
	s.mu.Unlock()
	s.coalesced.Unlock()
}

func lockOrder(fixed bool) {
	s := &store{}
	go s.heartbeat()
	go s.flush(fixed)
}

type server struct {
	mu    sync.Mutex
	conns map[int]bool
}

func (s *server) closeConn(id int) {
	s.mu.Lock()
	delete(s.conns, id)
	s.mu.Unlock()
}

func (s *server) stop(fixed bool) {
	s.mu.Lock()
	ids := make([]int, 0)
	for id := range s.conns {
		ids = append(ids, id)
	}
	if fixed {
		s.mu.Unlock()
	}
	for _, id := range ids {
		s.closeConn(id)
	}
	if !fixed {
		s.mu.Unlock()
	}
}

func lockTwice(fixed bool) {
	s := &server{conns: map[int]bool{1: true, 2: true}}
	go s.stop(fixed)
}

type devices struct {
	mu    sync.Mutex
	count int
}

var errBusy = errors.New("busy")

func (d *devices) remove(busy, fixed bool) error {
	d.mu.Lock()
	if busy {
		if fixed {
			d.mu.Unlock()
		}
		return errBusy
	}
	d.count++
	d.mu.Unlock()
	return nil
}

func lockNotGivenBack(fixed bool) {
	d := &devices{}
	for i := 0; i < 5; i++ {
		go func() { d.remove(i == 3, fixed) }()
		time.Sleep(time.Millisecond)
	}
}

type cluster struct {
	mu   sync.RWMutex
	subs []func()
	addr string
}

func (c *cluster) address() string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.addr
}

func (c *cluster) replace(addr string, fixed bool) {
	c.mu.Lock()
	c.addr = addr
	if fixed {
		c.mu.Unlock()
	}
	for _, f := range c.subs {
		f()
	}
	if !fixed {
		c.mu.Unlock()
	}
}

func lockInCallback(fixed bool) {
	c := &cluster{}
	c.subs = append(c.subs, func() { c.address() })
	go c.replace("a", fixed)
}

type state struct {
	mu   sync.RWMutex
	sets map[string]int
}

func (s *state) get(name string) int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.sets[name]
}

func (s *state) getOrDefault(name string, fixed bool) int {
	if fixed {
		return s.get(name)
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	for s.mu.TryRLock() { // a writer comes meanwhile, and from then on no reader is let in
		s.mu.RUnlock()
		time.Sleep(10 * time.Millisecond)
	}
	return s.get(name)
}

func rwReadAgain(fixed bool) {
	s := &state{sets: map[string]int{}}
	go s.getOrDefault("a", fixed)
	time.Sleep(time.Millisecond)
	go func() {
		s.mu.Lock()
		s.sets["a"] = 1
		s.mu.Unlock()
	}()
}

func rwNotGivenBack(fixed bool) {
	var mu sync.RWMutex
	status := func(closed bool) error {
		mu.RLock()
		if closed {
			if fixed {
				mu.RUnlock()
			}
			return errBusy
		}
		mu.RUnlock()
		return nil
	}
	asked := make(chan error, 3)
	for i := 0; i < 3; i++ {
		go func() { asked <- status(i == 1) }()
	}
	for i := 0; i < 3; i++ {
		<-asked
	}
	go func() {
		mu.Lock()
		mu.Unlock()
	}()
}

type tokens struct {
	mu     sync.Mutex
	add    chan string
	delete chan string
}

func (t *tokens) run() {
	for {
		select {
		case <-t.add:
		case <-time.After(time.Millisecond):
			t.mu.Lock()
			time.Sleep(100 * time.Microsecond)
			t.mu.Unlock()
		}
	}
}

func (t *tokens) assign(fixed bool) {
	t.mu.Lock()
	time.Sleep(50 * time.Millisecond)
	if fixed {
		t.mu.Unlock()
	}
	t.add <- "token"
	if !fixed {
		t.mu.Unlock()
	}
}

func lockAndSend(fixed bool) {
	t := &tokens{add: make(chan string)}
	go t.run()
	time.Sleep(2 * time.Millisecond)
	go t.assign(fixed)
}

type connection struct {
	write sync.Mutex
	reset chan int
	done  chan bool
}

func (c *connection) monitor() {
	for {
		select {
		case <-c.reset:
		case <-time.After(3 * time.Millisecond):
			c.write.Lock()
			c.write.Unlock()
			return
		}
	}
}

func (c *connection) frame(fixed bool) {
	c.write.Lock()
	time.Sleep(100 * time.Millisecond)
	if fixed {
		select {
		case c.reset <- 1:
		case <-time.After(10 * time.Millisecond):
		}
	} else {
		c.reset <- 1
	}
	c.write.Unlock()
}

func lockAndReset(fixed bool) {
	c := &connection{reset: make(chan int)}
	go c.monitor()
	go c.frame(fixed)
}

func lockAndReceive(fixed bool) {
	var mu sync.Mutex
	notify := make(chan int)
	go func() {
		mu.Lock()
		if fixed {
			mu.Unlock()
		}
		<-notify
		if !fixed {
			mu.Unlock()
		}
	}()
	go func() {
		time.Sleep(50 * time.Millisecond)
		mu.Lock()
		mu.Unlock()
		notify <- 1
	}()
}
