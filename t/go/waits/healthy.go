// Programs in good health, whose goroutines wait for long by design.
package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// What a program still has is reachable, and who waits for it not leaked.
var kept sync.Map

func keep[T any](v T) T {
	kept.Store(new(int), v)
	return v
}

func init() {
	healthy["http"] = httpServer
	healthy["worker-pool"] = workerPool
	healthy["broker"] = broker
	healthy["pipeline"] = pipeline
	healthy["tickers"] = tickers
	healthy["singleflight"] = singleflight
	healthy["errgroup"] = errgroup
	healthy["generator"] = generator
	healthy["slow-sink"] = slowSink
	healthy["one-after-another"] = oneAfterAnother
	healthy["long-group"] = longGroup
	healthy["cache"] = cache
	healthy["rate-limit"] = rateLimit
	healthy["busy-pool"] = busyPool
	healthy["short-requests"] = shortRequests
	healthy["page-ahead"] = pageAhead
	healthy["limited-connections"] = limitedConnections
	healthy["group-by-pool"] = groupByPool
}

func httpServer(until time.Time) {
	var mu sync.Mutex
	hits := map[string]int{}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	fail(err)
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		hits[r.URL.Path]++
		mu.Unlock()
		time.Sleep(100 * time.Microsecond)
		io.WriteString(w, "hello")
	})}
	go s.Serve(l)
	var group sync.WaitGroup
	for c := 0; c < 8; c++ {
		group.Add(1)
		go func() {
			defer group.Done()
			for time.Until(until) > 300*time.Millisecond {
				r, err := http.Get("http://" + l.Addr().String() + "/")
				if err == nil {
					io.Copy(io.Discard, r.Body)
					r.Body.Close()
				}
			}
		}()
	}
	group.Wait()
}

func workerPool(until time.Time) {
	jobs, results := keep(make(chan int)), keep(make(chan int))
	for w := 0; w < 4; w++ {
		go func() {
			for j := range jobs {
				time.Sleep(time.Millisecond)
				results <- j
			}
		}()
	}
	go func() {
		for i := 0; time.Now().Before(until); i++ {
			jobs <- i
		}
	}()
	for time.Until(until) > 10*time.Millisecond {
		<-results
	}
	go func() {
		for range results {
		}
	}()
}

// Topics, subscribers with room of their own, a publisher that is idle half of the time.
func broker(until time.Time) {
	var mu sync.RWMutex
	topics := keep(map[int][]chan int{})
	subscribe := func(topic int) chan int {
		mu.Lock()
		defer mu.Unlock()
		c := make(chan int, 4)
		topics[topic] = append(topics[topic], c)
		return c
	}
	for s := 0; s < 20; s++ {
		c := subscribe(s % 5)
		go func() {
			for range c {
				time.Sleep(50 * time.Microsecond)
			}
		}()
	}
	for i := 0; time.Until(until) > time.Second; i++ {
		mu.RLock()
		for _, c := range topics[i%5] {
			c <- i
		}
		mu.RUnlock()
		if i%100 == 0 {
			time.Sleep(20 * time.Millisecond)
		}
	}
}

func pipeline(until time.Time) {
	stage := func(in <-chan int) <-chan int {
		out := make(chan int)
		go func() {
			defer close(out)
			for v := range in {
				out <- v + 1
			}
		}()
		return out
	}
	source := make(chan int)
	end := stage(stage(stage(source)))
	go func() {
		defer close(source)
		for i := 0; time.Now().Before(until); i++ {
			source <- i
			time.Sleep(200 * time.Microsecond)
		}
	}()
	for range end {
	}
}

func tickers(until time.Time) {
	ctx, cancel := context.WithDeadline(context.Background(), until)
	defer cancel()
	for i := 1; i <= 5; i++ {
		go func() {
			t := time.NewTicker(time.Duration(i) * 10 * time.Millisecond)
			defer t.Stop()
			for {
				select {
				case <-t.C:
				case <-ctx.Done():
					return
				}
			}
		}()
	}
	<-ctx.Done()
}

// The first to ask works, the others wait for what it finds.
func singleflight(until time.Time) {
	type call struct {
		group sync.WaitGroup
	}
	var mu sync.Mutex
	calls := map[int]*call{}
	do := func(key int, took time.Duration) {
		mu.Lock()
		if c := calls[key]; c != nil {
			mu.Unlock()
			c.group.Wait()
			return
		}
		c := &call{}
		c.group.Add(1)
		calls[key] = c
		mu.Unlock()
		time.Sleep(took)
		c.group.Done()
		mu.Lock()
		delete(calls, key)
		mu.Unlock()
	}
	for i := 0; time.Until(until) > 2*time.Second; i++ {
		go do(i/8, 2*time.Millisecond)
		time.Sleep(100 * time.Microsecond)
	}
	for i := 0; i < 4; i++ {
		go do(-1, 10*time.Second) // and a slow one at the end
	}
}

func errgroup(until time.Time) {
	for time.Until(until) > 100*time.Millisecond {
		var group sync.WaitGroup
		errs := make(chan error, 5)
		for i := 0; i < 5; i++ {
			group.Add(1)
			go func() {
				defer group.Done()
				time.Sleep(time.Duration(i) * time.Millisecond)
				errs <- nil
			}()
		}
		group.Wait()
	}
}

// Gives out numbers, and rests in its send while nobody asks.
func numbers() chan int {
	ids := keep(make(chan int))
	go func() {
		for i := 0; ; i++ {
			ids <- i
		}
	}()
	return ids
}

func generator(until time.Time) {
	ids := numbers()
	for i := 0; i < 100; i++ {
		go func() { <-ids }()
	}
	for i := 0; i < 100; i++ {
		<-ids
	}
}

// A queue that is full: each send takes as long as the sink needs for an item.
func slowSink(until time.Time) {
	queue := keep(make(chan int, 2))
	for p := 0; p < 3; p++ {
		go func() {
			for i := 0; ; i++ {
				queue <- i
			}
		}()
	}
	for range queue {
		if time.Now().After(until) {
			return
		}
		time.Sleep(300 * time.Millisecond)
	}
}

// Each is waited for in turn, and the first takes longest.
func oneAfterAnother(until time.Time) {
	first, second := keep(make(chan bool)), keep(make(chan bool))
	go func() { time.Sleep(time.Until(until) + time.Second); first <- true }()
	go func() { second <- true }()
	go func() {
		all := make(chan bool)
		go func() { all <- true }()
		<-first
		<-all
	}()
	select {
	case <-first:
	case <-time.After(time.Until(until)):
	}
	_ = second
	go func() { <-second }()
}

// A main that waits for a server of connections, most of which have gone.
func longGroup(until time.Time) {
	var group sync.WaitGroup
	group.Add(1)
	go func() {
		defer group.Done()
		for i := 0; i < 50; i++ {
			group.Add(1)
			go func() {
				defer group.Done()
				if i == 7 {
					time.Sleep(time.Hour)
				}
				time.Sleep(time.Millisecond)
			}()
		}
	}()
	go group.Wait()
}

func cache(until time.Time) {
	var mu sync.RWMutex
	entries := map[int]int{}
	for g := 0; g < 8; g++ {
		go func() {
			for i := 0; time.Now().Before(until); i++ {
				if i%20 == g {
					mu.Lock()
					entries[i] = g
					mu.Unlock()
				} else {
					mu.RLock()
					_ = entries[i]
					mu.RUnlock()
				}
				time.Sleep(50 * time.Microsecond)
			}
		}()
	}
}

// A ticker's permissions, which are taken as they come, until nobody wants any.
func rateLimit(until time.Time) {
	permits := keep(make(chan bool))
	go func() {
		for range time.Tick(5 * time.Millisecond) {
			permits <- true
		}
	}()
	for i := 0; i < 40; i++ {
		<-permits
	}
}

// All workers have long jobs, and one is handed over that has to wait.
func busyPool(until time.Time) {
	jobs := keep(make(chan time.Duration))
	for w := 0; w < 2; w++ {
		go func() {
			for job := range jobs {
				time.Sleep(job)
			}
		}()
	}
	time.Sleep(10 * time.Millisecond)
	go func() {
		for i := 0; i < 3; i++ {
			jobs <- 2 * time.Until(until)
		}
	}()
}

// Each request takes a number, and ends; none has come for a while.
func shortRequests(until time.Time) {
	ids := numbers()
	for i := 0; i < 3; i++ {
		time.Sleep(20 * time.Millisecond)
		go func() { <-ids }()
	}
}

// The next page is got before the reader has asked for it; this one reads long.
func pageAhead(until time.Time) {
	ahead := func() chan int {
		page := keep(make(chan int))
		go func() { page <- 1 }()
		return page
	}
	next := ahead()
	for i := 0; i < 3; i++ {
		time.Sleep(30 * time.Millisecond)
		<-next
		next = ahead()
	}
	time.Sleep(time.Until(until))
}

// So many connections are served at a time; those have long work.
func limitedConnections(until time.Time) {
	slots := keep(make(chan bool, 2))
	for c := 0; c < 4; c++ {
		go func() {
			slots <- true
			defer func() { <-slots }()
			time.Sleep(2 * time.Until(until))
		}()
		time.Sleep(5 * time.Millisecond)
	}
}

// Who waits started a goroutine that has ended, and the parts are a pool's.
func groupByPool(until time.Time) {
	parts := keep(make(chan func()))
	for w := 0; w < 3; w++ {
		go func() {
			for part := range parts {
				part()
			}
		}()
	}
	time.Sleep(10 * time.Millisecond)
	go func() {
		var group sync.WaitGroup
		go func() { time.Sleep(time.Millisecond) }()
		for i := 0; i < 3; i++ {
			group.Add(1)
			parts <- func() { defer group.Done(); time.Sleep(2 * time.Until(until)) }
		}
		group.Wait()
	}()
}
