// Locks that are held at work for long, receivers that are made anew, parts that are left to a timer: all is well.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"
)

func init() {
	healthy["held-over-request"] = heldOverRequest
	healthy["held-in-another"] = heldInAnother
	healthy["held-in-package"] = heldInPackage
	healthy["held-over-retries"] = heldOverRetries
	healthy["held-over-send"] = heldOverSend
	healthy["held-over-wait"] = heldOverWait
	healthy["receiver-to-come"] = receiverToCome
	healthy["done-by-timer"] = doneByTimer
}

// Others come by all the time.
func often(n int, f func()) {
	for range n {
		go func() {
			for {
				f()
				time.Sleep(2 * time.Millisecond)
			}
		}()
	}
}

type session struct {
	mu   sync.Mutex
	to   net.Conn
	from *bufio.Reader
}

func (s *session) ask() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintln(s.to, "renew")
	line, _ := s.from.ReadString('\n')
	return line
}

func heldOverRequest(until time.Time) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	fail(err)
	go func() {
		c, err := listener.Accept()
		fail(err)
		in := bufio.NewScanner(c)
		for n := 0; in.Scan(); n++ {
			if n == 400 {
				time.Sleep(time.Minute)
			}
			fmt.Fprintln(c, "ok")
		}
	}()
	c, err := net.Dial("tcp", listener.Addr().String())
	fail(err)
	s := &session{to: c, from: bufio.NewReader(c)}
	often(4, func() { s.ask() })
}

type journal struct {
	mu    sync.Mutex
	lines int
}

func (l *journal) add() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines++
}

func (l *journal) compact() {
	l.mu.Lock()
	defer l.mu.Unlock()
	copyAll()
}

func copyAll() {
	for {
		time.Sleep(10 * time.Millisecond)
	}
}

func heldInAnother(until time.Time) {
	l := &journal{}
	often(4, l.add)
	time.Sleep(900 * time.Millisecond)
	go l.compact()
}

var (
	settings   = map[string]int{}
	settingsMu sync.RWMutex
)

func setting(name string) int {
	settingsMu.RLock()
	defer settingsMu.RUnlock()
	return settings[name]
}

func reloadSettings(long bool) {
	settingsMu.Lock()
	defer settingsMu.Unlock()
	settings["n"]++
	if long {
		time.Sleep(time.Minute)
	}
}

func heldInPackage(until time.Time) {
	often(4, func() { setting("n") })
	go func() {
		for n := 0; ; n++ {
			reloadSettings(n == 40)
			time.Sleep(20 * time.Millisecond)
		}
	}()
}

type poster struct{ mu sync.Mutex }

func (p *poster) post(down bool) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for try := 1; down; try *= 2 {
		t := time.NewTimer(time.Duration(try) * 10 * time.Millisecond)
		<-t.C
	}
	return nil
}

func heldOverRetries(until time.Time) {
	p := &poster{}
	often(3, func() { p.post(false) })
	time.Sleep(800 * time.Millisecond)
	go p.post(true)
}

type listeners struct {
	mu  sync.RWMutex
	all []chan int
}

func (l *listeners) add() <-chan int {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := make(chan int)
	l.all = append(l.all, c)
	return c
}

func (l *listeners) tell(v int) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	for _, c := range l.all {
		c <- v
	}
}

func heldOverSend(until time.Time) {
	l := &listeners{}
	slow := make(chan int)
	for i := range 3 {
		c := l.add()
		go func() {
			for v := range c {
				if i == 1 && v == 100 {
					close(slow)
					time.Sleep(time.Minute) // its line is slow
				}
			}
		}()
	}
	go func() {
		for v := 0; ; v++ {
			l.tell(v)
			time.Sleep(4 * time.Millisecond)
		}
	}()
	<-slow
	time.Sleep(400 * time.Millisecond)
	go func() { <-l.add() }()
}

type service struct {
	mu    sync.Mutex
	parts sync.WaitGroup
}

func (s *service) start(long time.Duration) {
	s.parts.Add(1)
	go func() {
		defer s.parts.Done()
		time.Sleep(long)
	}()
}

func (s *service) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.parts.Wait()
}

func (s *service) status() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return true
}

func heldOverWait(until time.Time) {
	s := &service{}
	often(2, func() { s.status() })
	s.start(10 * time.Millisecond)
	s.start(time.Minute)
	time.Sleep(900 * time.Millisecond)
	go s.stop()
}

// Who starts the next receiver waits for its turn.
func receiverToCome(until time.Time) {
	samples, windows := make(chan int), make(chan bool)
	go func() {
		for range windows {
			done := make(chan bool)
			go func() {
				for range 30 {
					<-samples
				}
				close(done)
			}()
			<-done
		}
	}()
	time.Sleep(800 * time.Millisecond)
	for range 3 {
		go func() {
			for i := 0; ; i++ {
				samples <- i
				time.Sleep(time.Millisecond)
			}
		}()
	}
	windows <- true
	time.AfterFunc(time.Minute, func() { windows <- true })
}

var errDown = errors.New("try again in a minute")

func doneByTimer(until time.Time) {
	send := func(down bool) error {
		time.Sleep(2 * time.Millisecond)
		if down {
			return errDown
		}
		return nil
	}
	go func() {
		for n := range 9 {
			var sent sync.WaitGroup
			for range 4 {
				sent.Add(1)
				go func() {
					if send(n == 8) != nil {
						time.AfterFunc(time.Minute, sent.Done)
						return
					}
					sent.Done()
				}()
			}
			sent.Wait()
			time.Sleep(100 * time.Millisecond)
		}
	}()
}
