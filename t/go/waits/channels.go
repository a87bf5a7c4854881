// Channels: sends that nobody receives, receives that nobody sends to.
package main

import (
	"context"
	"errors"
	"time"
)

func init() {
	bugs["send-after-timeout"] = program{"kubernetes/kubernetes#5316", false, sendAfterTimeout}
	bugs["send-early-return"] = program{"moby/moby#33293", true, sendEarlyReturn}
	bugs["send-after-stop"] = program{"etcd-io/etcd#6857", false, sendAfterStop}
	bugs["send-unread-results"] = program{"grpc/grpc-go#660", true, sendUnreadResults}
	bugs["receive-nil"] = program{"", false, receiveNil}
	bugs["receive-not-closed"] = program{"cockroachdb/cockroach#25456", true, receiveNotClosed}
	bugs["context-not-cancelled"] = program{"grpc/grpc-go#862", false, contextNotCancelled}
}

func finishRequest(fixed bool) error {
	c := make(chan error)
	if fixed {
		c = make(chan error, 1)
	}
	go func() {
		time.Sleep(100 * time.Millisecond)
		c <- nil
	}()
	select {
	case err := <-c:
		return err
	case <-time.After(time.Millisecond):
		return context.DeadlineExceeded
	}
}

func sendAfterTimeout(fixed bool) {
	for i := 0; i < 3; i++ {
		finishRequest(fixed)
	}
}

func wait(fixed bool) error {
	failed, exited := make(chan error), make(chan int)
	if fixed {
		failed, exited = make(chan error, 1), make(chan int, 1)
	}
	go func() { failed <- errors.New("no such container") }()
	go func() { time.Sleep(50 * time.Millisecond); exited <- 0 }()
	if err := <-failed; err != nil {
		return err
	}
	<-exited
	return nil
}

func sendEarlyReturn(fixed bool) {
	for i := 0; i < 3; i++ {
		go wait(fixed)
	}
}

type node struct {
	status chan chan int
	stop   chan bool
	done   chan bool
}

func (n *node) run() {
	defer close(n.done)
	for {
		select {
		case c := <-n.status:
			c <- 1
		case <-n.stop:
			return
		}
	}
}

func (n *node) ask(fixed bool) int {
	c := make(chan int)
	if fixed {
		select {
		case n.status <- c:
			return <-c
		case <-n.done:
			return 0
		}
	}
	n.status <- c
	return <-c
}

func sendAfterStop(fixed bool) {
	n := &node{make(chan chan int), make(chan bool), make(chan bool)}
	go n.run()
	for i := 0; i < 3; i++ {
		n.ask(fixed)
	}
	close(n.stop)
	<-n.done
	go n.ask(fixed)
}

// The workers go on with results that the benchmark no longer reads.
func sendUnreadResults(fixed bool) {
	results, stop := make(chan int), make(chan bool)
	for w := 0; w < 3; w++ {
		go func() {
			for i := 0; ; i++ {
				if !fixed {
					results <- i
					continue
				}
				select {
				case results <- i:
				case <-stop:
					return
				}
			}
		}()
	}
	read := make(chan bool)
	go func() {
		for i := 0; i < 20; i++ {
			<-results
			time.Sleep(100 * time.Microsecond)
		}
		close(read)
	}()
	<-read
	close(stop)
}

func receiveNil(fixed bool) {
	var updates chan int
	if fixed {
		updates = make(chan int, 1)
		updates <- 1
	}
	go func() { <-updates }()
}

func receiveNotClosed(fixed bool) {
	jobs := make(chan int)
	for w := 0; w < 3; w++ {
		go func() {
			for range jobs {
				time.Sleep(time.Millisecond)
			}
		}()
	}
	for i := 0; i < 10; i++ {
		jobs <- i
	}
	if fixed {
		close(jobs)
	}
}

func contextNotCancelled(fixed bool) {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-ctx.Done()
	}()
	if fixed {
		cancel()
	}
	_ = cancel
}
