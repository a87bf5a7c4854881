// waits runs one program after a published bug, its mended twin, or a healthy one, and leaves its execution trace, the dump of its
// goroutines and, where Go has it, what the collector found leaked: waits NAME FILE SECONDS. waits alone lists the names.
//
// The rules of ct-lostwake for Go were written before their results on the programs marked `held` were looked at.
package main

import (
	"fmt"
	"os"
	"runtime/pprof"
	"runtime/trace"
	"sort"
	"strconv"
	"time"
)

type program struct {
	issue string // the public issue it is after; "" for a family without a single one
	held  bool   // held out: not looked at while the rules were made
	run   func(fixed bool)
}

var bugs = map[string]program{}
var healthy = map[string]func(until time.Time){}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "waits:", err)
		os.Exit(2)
	}
}

func list() {
	var lines []string
	for name, p := range bugs {
		kind := "bug"
		if p.held {
			kind = "held"
		}
		lines = append(lines, kind+" "+name+" "+p.issue, "fixed "+name+"-fixed "+p.issue)
	}
	for name := range healthy {
		lines = append(lines, "ok "+name)
	}
	sort.Strings(lines)
	for _, line := range lines {
		fmt.Println(line)
	}
}

func write(profile, name string) {
	p := pprof.Lookup(profile)
	if p == nil {
		return
	}
	file, err := os.Create(name)
	fail(err)
	fail(p.WriteTo(file, 2))
	fail(file.Close())
}

func run(name string, last time.Duration) {
	until := time.Now().Add(last)
	if p, ok := bugs[name]; ok {
		p.run(false)
	} else if p, ok := bugs[name[:max(0, len(name)-len("-fixed"))]]; ok {
		p.run(true)
	} else if ok := healthy[name]; ok != nil {
		ok(until)
	} else {
		fail(fmt.Errorf("%s: no such program", name))
	}
	time.Sleep(time.Until(until))
}

func main() {
	if len(os.Args) < 4 {
		list()
		return
	}
	seconds, err := strconv.ParseFloat(os.Args[3], 64)
	fail(err)
	file, err := os.Create(os.Args[2])
	fail(err)
	early := os.Getenv("WAITS_EARLY") != ""          // what hangs does so before the trace begins
	if late := os.Getenv("WAITS_LATE"); late != "" { // the trace begins in the midst of it
		after, err := time.ParseDuration(late)
		fail(err)
		time.AfterFunc(after, func() { fail(trace.Start(file)) })
	} else if !early {
		fail(trace.Start(file))
	}
	run(os.Args[1], time.Duration(seconds*float64(time.Second)))
	if early {
		fail(trace.Start(file))
		time.Sleep(time.Duration(seconds * float64(time.Second)))
	}
	write("goroutineleak", os.Args[2]+".leaks")
	write("goroutine", os.Args[2]+".goroutines")
	trace.Stop()
	fail(file.Close())
}
