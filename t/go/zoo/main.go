// zoo runs one small program with a known habit or bug and leaves its execution trace: zoo NAME FILE [SECONDS].
package main

import (
	"fmt"
	"os"
	"runtime/trace"
	"sort"
	"strconv"
	"time"
)

// Each is traced from before its start to its return; what hangs is left hanging. `last` is how long to go on for.
var zoo = map[string]func(last time.Duration){}

// snapshots make a file themselves, by the flight recorder.
var snapshots = map[string]func(file *os.File){}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "zoo:", err)
		os.Exit(2)
	}
}

func list() {
	var names []string
	for name := range zoo {
		names = append(names, name)
	}
	for name := range snapshots {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		fmt.Println(name)
	}
}

func main() {
	if len(os.Args) < 3 {
		list()
		return
	}
	last := 300 * time.Millisecond
	if len(os.Args) > 3 {
		seconds, err := strconv.ParseFloat(os.Args[3], 64)
		fail(err)
		last = time.Duration(seconds * float64(time.Second))
	}
	file, err := os.Create(os.Args[2])
	fail(err)
	if snapshot := snapshots[os.Args[1]]; snapshot != nil {
		snapshot(file)
	} else if run := zoo[os.Args[1]]; run != nil {
		fail(trace.Start(file))
		run(last)
		trace.Stop()
	} else {
		fail(fmt.Errorf("%s: no such animal", os.Args[1]))
	}
	fail(file.Close())
}
