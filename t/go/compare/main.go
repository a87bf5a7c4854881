// compare holds ct-fromgo to Go's own reader of execution traces.
//
//	compare TRACE LINES	every transition of every goroutine in LINES (ct-fromgo --syscalls=all TRACE) is the one
//				that Go's reader finds: which, when, on what thread, why, by whom, on what stack
//	compare -read TRACE	only read it, and say how many events there are
//	compare -try TRACE...	the verdict of Go's reader on each
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/exp/trace"
)

type step struct {
	kind, reason string
	tid, ts, by  uint64
	stack        string
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(2)
	}
}

// each calls f for every event; the error of a broken trace is returned.
func each(name string, f func(trace.Event)) error {
	file, err := os.Open(name)
	fail(err)
	defer file.Close()
	r, err := trace.NewReader(bufio.NewReaderSize(file, 1<<20))
	if err != nil {
		return err
	}
	for {
		ev, err := r.ReadEvent()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		f(ev)
	}
}

func frames(s trace.Stack) string {
	var b strings.Builder
	for f := range s.Frames() {
		fmt.Fprintf(&b, "%s:%d ", f.Func, f.Line)
	}
	return b.String()
}

// What our lines should say of a transition. A ts of 0: not compared.
func expect(ev trace.Event) (goid uint64, steps []step) {
	st := ev.StateTransition()
	if st.Resource.Kind != trace.ResourceGoroutine {
		return 0, nil
	}
	at := step{tid: uint64(ev.Thread()), ts: uint64(ev.Time())}
	if ev.Thread() == trace.NoThread {
		at.tid = 0
	}
	add := func(kind, reason string, by trace.GoID, stack trace.Stack) {
		s := at
		s.kind, s.reason, s.stack = kind, reason, frames(stack)
		if by != trace.NoGoroutine {
			s.by = uint64(by)
		}
		steps = append(steps, s)
	}
	none := trace.NoGoroutine
	from, to := st.Goroutine()
	switch {
	case from == to:
	case from == trace.GoUndetermined:
		at.ts, at.tid = 0, 0
		add("state", "", none, trace.NoStack)
		if to == trace.GoRunnable {
			add("wake", "", none, trace.NoStack)
		}
	case from == trace.GoNotExist:
		add("create", "", ev.Goroutine(), ev.Stack())
		if to != trace.GoRunnable {
			add("suspend", "", none, trace.NoStack)
		}
	case to == trace.GoNotExist:
		add("destroy", "", none, trace.NoStack)
	case to == trace.GoRunning:
		add("resume", "", none, trace.NoStack)
	case from == trace.GoRunning:
		add("suspend", st.Reason, none, st.Stack)
		if to == trace.GoRunnable {
			add("wake", "", none, trace.NoStack)
		}
	case to == trace.GoRunnable && from == trace.GoSyscall:
		add("wake", "", none, trace.NoStack)
	case to == trace.GoRunnable:
		add("wake", "", ev.Goroutine(), ev.Stack())
	default:
		fail(fmt.Errorf("transition %v to %v", from, to))
	}
	return uint64(st.Resource.Goroutine()), steps
}

type line struct {
	Ev, Reason, Name, Func string
	Id                     uint64 `json:"probe_id"`
	Tid, Ts, By, Parent    uint64
	Stack, Site, Line      uint64
	Sites                  []uint64
}

// The lines of a trace of ours, by goroutine.
func ours(name string) map[uint64][]step {
	file, err := os.Open(name)
	fail(err)
	defer file.Close()
	sites, stacks := map[uint64]string{}, map[uint64]string{}
	steps, goids := map[uint64][]step{}, map[uint64]uint64{}
	goid := func(id uint64) uint64 {
		if g := goids[id]; g != 0 {
			return g
		}
		return id
	}
	in := bufio.NewScanner(file)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var l line
		fail(json.Unmarshal(in.Bytes(), &l))
		switch l.Ev {
		case "site":
			sites[l.Site] = fmt.Sprintf("%s:%d ", l.Func, l.Line)
		case "stack":
			for _, s := range l.Sites {
				stacks[l.Stack] += sites[s]
			}
		case "name": // a callback's goroutine lives many times, under another id each
			var g uint64
			if n, _ := fmt.Sscanf(l.Name, "callback from C (goroutine %d)", &g); n == 1 && g != l.Id {
				steps[g] = append(steps[g], steps[l.Id]...)
				delete(steps, l.Id)
				goids[l.Id] = g
			}
		case "create", "resume", "suspend", "wake", "destroy", "state":
			s := step{l.Ev, l.Reason, l.Tid, l.Ts, goid(l.By + l.Parent), stacks[l.Stack]}
			if l.Ev == "state" || l.Tid == 0 && l.Ev == "wake" && l.Stack == 0 && len(steps[l.Id]) == 1 {
				s = step{kind: l.Ev}
			}
			steps[goid(l.Id)] = append(steps[goid(l.Id)], s)
		}
	}
	fail(in.Err())
	return steps
}

func compare(name, lines string) {
	want, got := map[uint64][]step{}, ours(lines)
	fail(each(name, func(ev trace.Event) {
		if ev.Kind() == trace.EventStateTransition {
			if g, steps := expect(ev); g != 0 {
				want[g] = append(want[g], steps...)
			}
		}
	}))
	bad, count := 0, 0
	for g := range got {
		if want[g] == nil {
			want[g] = nil
		}
	}
	for g, steps := range want {
		for i := 0; i < len(steps) || i < len(got[g]); i++ {
			var a, b step
			if i < len(steps) {
				a = steps[i]
			}
			if i < len(got[g]) {
				b = got[g][i]
			}
			count++
			if a != b {
				if bad++; bad <= 5 {
					fmt.Printf("goroutine %d, step %d:\n\tGo says %+v\n\twe say  %+v\n", g, i, a, b)
				}
				break
			}
		}
	}
	fmt.Printf("%d goroutines, %d steps, %d goroutines differ\n", len(want), count, bad)
	if bad > 0 {
		os.Exit(1)
	}
}

func main() {
	switch {
	case len(os.Args) == 3 && os.Args[1] == "-read":
		count := 0
		fail(each(os.Args[2], func(trace.Event) { count++ }))
		fmt.Println(count)
	case len(os.Args) > 2 && os.Args[1] == "-try":
		for _, name := range os.Args[2:] {
			verdict := "good"
			if each(name, func(trace.Event) {}) != nil {
				verdict = "broken"
			}
			fmt.Println(verdict, name)
		}
	case len(os.Args) == 3:
		compare(os.Args[1], os.Args[2])
	default:
		fail(fmt.Errorf("usage: compare TRACE LINES | compare -read TRACE | compare -try TRACE..."))
	}
}
