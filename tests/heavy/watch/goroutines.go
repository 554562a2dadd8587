// SPDX-License-Identifier: GPL-2.0-or-later

// Calls of goroutines that change threads amid them. The program counts them and measures them from
// inside and from outside, all of a name together: "NAME CALLS LEAST MOST", to standard output at
// the end. LEAST: nanoseconds between two points within each call. MOST: between a point before and
// one after it. A goroutine may stand still at any point, so the true time is anywhere between.
// goroutines [PART]: a PARTth of the calls.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

type truth struct {
	name               string
	calls, least, most atomic.Int64
}

func (t *truth) inside(began time.Time) {
	t.least.Add(int64(time.Since(began)))
}

func (t *truth) outside(began time.Time) {
	t.most.Add(int64(time.Since(began)))
	t.calls.Add(1)
}

var alone, crowd = truth{name: "callAlone"}, truth{name: "callCrowd"}
var growing, dying = truth{name: "callGrowing"}, truth{name: "callDying"}
var throwing, catching = truth{name: "callThrowing"}, truth{name: "callCatching"}
var short, open = truth{name: "callShort"}, truth{name: "callOpen"}
var sink atomic.Int64
var shorts int

// Sleeps in small steps, so that other threads take the goroutine on.
func wander(d time.Duration, t *truth) {
	began := time.Now()
	for time.Since(began) < d {
		runtime.Gosched()
		time.Sleep(time.Millisecond)
	}
	t.inside(began)
}

//go:noinline
func callAlone() int {
	wander(20*time.Millisecond, &alone)
	return int(sink.Add(1))
}

//go:noinline
func callCrowd() int {
	wander(5*time.Millisecond, &crowd)
	return int(sink.Add(1))
}

// Grows the stack, and lets others shrink it again.
//
//go:noinline
func callDeep(n int) int {
	var room [512]byte
	if n == 0 {
		runtime.GC()
		wander(3*time.Millisecond, &growing)
		return int(room[n])
	}
	room[n%512] = byte(n)
	return callDeep(n-1) + int(room[(n+1)%512])
}

//go:noinline
func callGrowing(n int) int {
	return callDeep(n) + 1
}

//go:noinline
func callThrowing(n int) int {
	wander(2*time.Millisecond, &throwing)
	if n >= 0 {
		panic("thrown")
	}
	return n
}

//go:noinline
func callCatching(n int) (r int) {
	began := time.Now()
	defer func() {
		recover()
		catching.inside(began)
		r = n
	}()
	return callThrowing(n)
}

//go:noinline
func callDying() int {
	wander(2*time.Millisecond, &dying)
	runtime.Goexit()
	return 1
}

// What it begins with is never begun anew when it is preempted, as reading a variable is on arm64.
//
//go:noinline
func callShort(n *int) int {
	*n++
	return *n
}

//go:noinline
func callOpen(begun chan<- time.Time) int {
	begun <- time.Now()
	for {
		runtime.Gosched()
		time.Sleep(time.Millisecond)
	}
}

func times(n int, t *truth, f func(i int)) {
	for i := 0; i < n; i++ {
		began := time.Now()
		f(i)
		t.outside(began)
	}
}

func together(n int, f func()) {
	var wait sync.WaitGroup
	for i := 0; i < n; i++ {
		wait.Add(1)
		go func() {
			defer wait.Done()
			f()
		}()
	}
	wait.Wait()
}

func spin(stop *atomic.Bool) {
	for !stop.Load() {
		sink.Add(1)
		runtime.Gosched()
	}
}

func main() {
	var stop atomic.Bool
	part := 1
	if len(os.Args) > 1 {
		part, _ = strconv.Atoi(os.Args[1])
	}
	runtime.GOMAXPROCS(4)
	for i := 0; i < 4; i++ {
		go spin(&stop)
	}
	together(1, func() { times(20, &alone, func(int) { callAlone() }) })
	together(10, func() { times(100/part, &crowd, func(int) { callCrowd() }) })
	together(4, func() {
		times(5, &growing, func(i int) { callGrowing(100 << i) })
	})
	together(5, func() {
		times(20/part, &catching, func(i int) {
			began := time.Now()
			callCatching(i)
			throwing.outside(began) // its end is seen when its catcher returns
		})
	})
	for i := 0; i < 40/part; i++ {
		began := time.Now()
		together(1, func() { callDying() })
		dying.outside(began)
	}
	for i := 0; i < 2000/part; i++ {
		together(1, func() { times(1, &short, func(int) { callShort(&shorts) }) })
	}
	stop.Store(true)
	begun := make(chan time.Time)
	for i := 0; i < 3; i++ {
		go callOpen(begun)
	}
	opened := []time.Time{<-begun, <-begun, <-begun}
	time.Sleep(500 * time.Millisecond)
	for _, inside := range opened {
		open.inside(inside)
		open.calls.Add(1)
	}
	for _, t := range []*truth{&alone, &crowd, &growing, &throwing, &catching, &dying, &short,
		&open} {
		fmt.Println(t.name, t.calls.Load(), t.least.Load(), t.most.Load())
	}
	os.Exit(0)
}
