// SPDX-License-Identifier: GPL-2.0-or-later

// Calls of goroutines that change threads amid them. Each function counts its calls and measures
// them itself, all of a name together: "NAME CALLS NANOSECONDS MOST", to standard output at the end.
// MOST: at which all of its calls had ended, where that is later; of calls that never end 0.
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

type truth struct{ calls, spent atomic.Int64 }

func (t *truth) add(began time.Time) {
	t.spent.Add(int64(time.Since(began)))
	t.calls.Add(1)
}

var alone, crowd, growing, caught, catching, dying, dead, short truth
var sink atomic.Int64
var shorts int

// Sleeps in small steps, so that other threads take the goroutine on.
func wander(d time.Duration) {
	for began := time.Now(); time.Since(began) < d; {
		runtime.Gosched()
		time.Sleep(time.Millisecond)
	}
}

//go:noinline
func callAlone() int {
	wander(20 * time.Millisecond)
	return int(sink.Add(1))
}

//go:noinline
func callCrowd() int {
	wander(5 * time.Millisecond)
	return int(sink.Add(1))
}

// Grows the stack, and lets others shrink it again.
//
//go:noinline
func callDeep(n int) int {
	var room [512]byte
	if n == 0 {
		runtime.GC()
		wander(3 * time.Millisecond)
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
	wander(2 * time.Millisecond)
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
		caught.add(began)
		r = n
	}()
	return callThrowing(n)
}

//go:noinline
func callDying() int {
	wander(2 * time.Millisecond)
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
func callOpen() int {
	for {
		wander(time.Millisecond)
	}
}

func times(n int, t *truth, f func(i int)) {
	for i := 0; i < n; i++ {
		began := time.Now()
		f(i)
		t.add(began)
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
		times(20/part, &catching, func(i int) { callCatching(i) })
	})
	for i := 0; i < 40/part; i++ {
		began := time.Now()
		together(1, func() {
			began := time.Now()
			defer func() { dying.add(began) }()
			callDying()
		})
		dead.add(began)
	}
	for i := 0; i < 2000/part; i++ {
		together(1, func() { times(1, &short, func(int) { callShort(&shorts) }) })
	}
	stop.Store(true)
	begun := make(chan time.Time)
	for i := 0; i < 3; i++ {
		go func() {
			begun <- time.Now()
			callOpen()
		}()
	}
	opened := []time.Time{<-begun, <-begun, <-begun}
	time.Sleep(500 * time.Millisecond)
	for _, each := range []struct {
		name   string
		t, end *truth
	}{{"callAlone", &alone, &alone}, {"callCrowd", &crowd, &crowd},
		{"callGrowing", &growing, &growing}, {"callThrowing", &caught, &catching},
		{"callCatching", &caught, &catching}, {"callDying", &dying, &dead},
		{"callShort", &short, &short}} {
		fmt.Println(each.name, each.t.calls.Load(), each.t.spent.Load(),
			each.end.spent.Load())
	}
	open := time.Duration(0)
	for _, began := range opened {
		open += time.Since(began)
	}
	fmt.Println("callOpen", len(opened), int64(open), 0)
	os.Exit(0)
}
