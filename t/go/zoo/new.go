//go:build go1.25

package main

import (
	"iter"
	"os"
	"runtime/trace"
	"time"
)

func init() {
	zoo["ok-pull"] = okPull
	snapshots["flight"] = flight
}

// Coroutine switches.
func okPull(last time.Duration) {
	for k := 0; k < 10; k++ {
		next, stop := iter.Pull(func(yield func(int) bool) {
			for i := 0; i < 5; i++ {
				if i == 3 {
					time.Sleep(time.Microsecond)
				}
				if !yield(i) {
					return
				}
			}
		})
		for i := 0; i < 3+k%4; i++ {
			next()
		}
		stop()
	}
}

// A snapshot of a recorder that has run for several generations.
func flight(file *os.File) {
	fr := trace.NewFlightRecorder(trace.FlightRecorderConfig{MinAge: 1500 * time.Millisecond})
	fail(fr.Start())
	go receiver(make(chan int))
	okChannels(300 * time.Millisecond)
	time.Sleep(2500 * time.Millisecond)
	okMutex(50 * time.Millisecond)
	_, err := fr.WriteTo(file)
	fail(err)
	fr.Stop()
}
