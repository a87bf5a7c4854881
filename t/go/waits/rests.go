// Programs in good health that look much like the bugs: who waits is served in the end, by somebody that had nothing to do
// with it before, or that does something else first.
package main

import (
	"net"
	"sync"
	"time"
)

func init() {
	healthy["latch"] = latch
	healthy["flight"] = flight
	healthy["replicas"] = replicas
	healthy["group-by-timer"] = groupByTimer
	healthy["shutdown"] = shutdown
	healthy["closer"] = closer
	healthy["supervisor"] = supervisor
	healthy["future"] = future
	healthy["slow-drain"] = slowDrain
	healthy["paused-consumer"] = pausedConsumer
	healthy["once"] = once
	healthy["once-function"] = onceFunction
	healthy["actors"] = actors
	healthy["asked-actors"] = askedActors
	healthy["asked-both"] = askedBoth
	healthy["channel-lock"] = channelLock
}

// A server says that it is ready by a group; who waits started something else, which has ended.
func latch(until time.Time) {
	ready, begin := keep(new(sync.WaitGroup)), keep(make(chan bool))
	ready.Add(1)
	go func() {
		<-begin
		time.Sleep(2 * time.Until(until))
		ready.Done()
	}()
	time.Sleep(10 * time.Millisecond)
	go func() {
		go func() { time.Sleep(time.Millisecond) }()
		time.Sleep(5 * time.Millisecond)
		ready.Wait()
	}()
	begin <- true
}

// One asks for others, too, and works long; they started what writes their logs.
func flight(until time.Time) {
	type call struct{ group sync.WaitGroup }
	c := keep(new(call))
	c.group.Add(1)
	go func() { time.Sleep(2 * time.Until(until)); c.group.Done() }()
	for i := 0; i < 3; i++ {
		go func() {
			logged := make(chan bool)
			go func() { logged <- true }()
			<-logged
			c.group.Wait()
		}()
	}
}

// Replicas that were there before apply what is written, and say so.
func replicas(until time.Time) {
	type write struct{ applied *sync.WaitGroup }
	var logs []chan write
	for r := 0; r < 3; r++ {
		log := keep(make(chan write, 8))
		logs = append(logs, log)
		go func() {
			for w := range log {
				if r == 2 && time.Until(until) < 2*time.Second {
					time.Sleep(2 * time.Until(until))
				}
				w.applied.Done()
			}
		}()
	}
	put := func() {
		var applied sync.WaitGroup
		for _, log := range logs {
			applied.Add(1)
			log <- write{&applied}
		}
		go func() {}()
		applied.Wait()
	}
	for time.Until(until) > 2*time.Second {
		put()
		time.Sleep(time.Millisecond)
	}
	go put()
}

// The last Done comes from a timer.
func groupByTimer(until time.Time) {
	group := keep(new(sync.WaitGroup))
	group.Add(2)
	go func() {
		go func() { time.Sleep(time.Millisecond); group.Done() }()
		time.AfterFunc(2*time.Until(until), group.Done)
		group.Wait()
	}()
}

type listener struct {
	serving sync.WaitGroup
	l       net.Listener
}

func (s *listener) serve() {
	for {
		c, err := s.l.Accept()
		if err != nil {
			return
		}
		s.serving.Add(1)
		go func() {
			defer s.serving.Done()
			c.Read(make([]byte, 1))
		}()
	}
}

func (s *listener) shutdown() {
	go s.l.Close()
	s.serving.Wait()
}

// Connections are served to their end, as long as that takes.
func shutdown(until time.Time) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	fail(err)
	s := keep(&listener{l: l})
	go s.serve()
	c, err := net.Dial("tcp", l.Addr().String())
	fail(err)
	keep(c)
	time.Sleep(10 * time.Millisecond)
	go s.shutdown()
}

// Who made the last of them has ended; one closes what all have sent when the group is done.
func closer(until time.Time) {
	out, group := keep(make(chan int, 100)), keep(new(sync.WaitGroup))
	producers := keep(make(chan func()))
	for p := 0; p < 2; p++ {
		go func() {
			for produce := range producers {
				produce()
			}
		}()
	}
	time.Sleep(5 * time.Millisecond)
	group.Add(2)
	go func() {
		go func() { out <- 0; group.Done() }()
		time.Sleep(5 * time.Millisecond)
		group.Wait()
		close(out)
	}()
	go func() { producers <- func() { time.Sleep(2 * time.Until(until)); group.Done() } }()
}

// Takes what its children die of, and lets some time pass before it starts them anew.
func supervisor(until time.Time) {
	type death struct{ who int }
	go func() {
		died := make(chan death)
		start := func(who int) {
			go func() {
				time.Sleep(time.Duration(who+1) * 5 * time.Millisecond)
				died <- death{who}
			}()
		}
		for who := 0; who < 3; who++ {
			start(who)
		}
		for pause := 100 * time.Millisecond; ; pause *= 4 {
			d := <-died
			time.Sleep(pause)
			start(d.who)
		}
	}()
}

func async() chan int {
	c := keep(make(chan int))
	go func() { time.Sleep(time.Millisecond); c <- 1 }()
	return c
}

// What was begun early is taken late.
func future(until time.Time) {
	go func() {
		f := async()
		for i := 0; i < 10; i++ {
			time.Sleep(time.Until(until) / 8)
		}
		<-f
	}()
}

// Lines are written one by one, and the disk has become slow.
func slowDrain(until time.Time) {
	lines := keep(make(chan int))
	go func() {
		for range lines {
			if time.Until(until) < 2*time.Second {
				time.Sleep(time.Until(until) + time.Second)
			}
		}
	}()
	go func() {
		for {
			go func() { lines <- 1 }()
			time.Sleep(20 * time.Millisecond)
		}
	}()
}

// Takes nothing while it is told to rest.
func pausedConsumer(until time.Time) {
	due, pause := keep(make(chan int)), keep(make(chan bool))
	go func() {
		for {
			select {
			case <-due:
			case <-pause:
				<-pause
			}
		}
	}()
	add := func(after time.Duration) {
		go func() { time.Sleep(after); due <- 1 }()
	}
	for i := 0; i < 5; i++ {
		add(time.Duration(i) * time.Millisecond)
	}
	time.Sleep(20 * time.Millisecond)
	pause <- true
	add(time.Millisecond)
	time.Sleep(time.Until(until))
}

// The first who needs it makes it, the others wait for that.
func once(until time.Time) {
	o := keep(new(sync.Once))
	for i := 0; i < 4; i++ {
		go o.Do(func() { time.Sleep(time.Until(until) + time.Second) })
	}
}

func onceFunction(until time.Time) {
	config := keep(sync.OnceValue(func() int {
		<-time.After(time.Until(until) + time.Second)
		return 1
	}))
	for i := 0; i < 4; i++ {
		go func() { config() }()
	}
}

// Each has a box; they ask and answer each other, and rest when nobody asks.
func actors(until time.Time) {
	type ask struct{ answer chan int }
	var boxes []chan ask
	for a := 0; a < 4; a++ {
		box := keep(make(chan ask))
		boxes = append(boxes, box)
		go func() {
			for q := range box {
				q.answer <- a
			}
		}()
	}
	go func() {
		for i := 0; time.Until(until) > 1500*time.Millisecond; i++ {
			q := ask{make(chan int)}
			boxes[i%4] <- q
			<-q.answer
			time.Sleep(time.Millisecond)
		}
		select {}
	}()
}

// A is asked by whoever comes, by a goroutine that ends then; it talks to B until that is done. The last came late.
func askedActors(until time.Time) {
	a, b, back := keep(make(chan int)), keep(make(chan int)), keep(make(chan int))
	go func() {
		for n := range a {
			for ; n > 0; n-- {
				b <- n
				<-back
			}
		}
	}()
	go func() {
		for n := range b {
			back <- n
		}
	}()
	for i := 0; i < 5; i++ {
		time.Sleep(10 * time.Millisecond)
		go func() { a <- 5 }()
	}
	time.Sleep(1000 * time.Millisecond)
	go func() { a <- 5 }()
}

// Both are asked by goroutines that end then, and each asks the other to go on.
func askedBoth(until time.Time) {
	type message struct{ left int }
	a, b := keep(make(chan message)), keep(make(chan message))
	talk := func(own, other chan message) {
		for m := range own {
			if m.left > 0 {
				other <- message{m.left - 1}
			}
		}
	}
	go talk(a, b)
	go talk(b, a)
	time.Sleep(1000 * time.Millisecond)
	go func() { a <- message{6} }()
}

// A channel with room for one as a lock: who has it started those who wait for it, and works long.
func channelLock(until time.Time) {
	go func() {
		lock := keep(make(chan bool, 1))
		for i := 0; ; i++ {
			lock <- true
			for w := 0; w < 2; w++ {
				go func() {
					lock <- true
					<-lock
				}()
			}
			time.Sleep(5 * time.Millisecond)
			if i == 3 {
				time.Sleep(2 * time.Until(until))
			}
			<-lock
		}
	}()
}
