// roundtrip.go - what Go's own tracer costs: two goroutines that pass a number to and fro, and with an argument the trace goes
// there.
//
// Prints ns of this process's processor time for each round trip.
package main

import (
	"fmt"
	"os"
	"runtime/trace"
	"syscall"
)

const rounds = 200000

func used() int64 {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return u.Utime.Nano() + u.Stime.Nano()
}

func main() {
	if len(os.Args) > 1 {
		to, err := os.Create(os.Args[1])
		if err != nil || trace.Start(to) != nil {
			os.Exit(1)
		}
		defer trace.Stop()
	}
	ask, answer := make(chan int), make(chan int)
	go func() {
		for n := range ask {
			answer <- n
		}
	}()
	begin := used()
	for i := 0; i < rounds; i++ {
		ask <- i
		<-answer
	}
	fmt.Println((used() - begin) / rounds)
}
