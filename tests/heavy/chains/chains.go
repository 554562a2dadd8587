// SPDX-License-Identifier: GPL-2.0-or-later

// chains CPU-SECONDS: as chains.c, without letters for what Go does not have: calls by jumps, alignment.
package main

import (
	"fmt"
	"os"
	"runtime"
	"sort"
	"strconv"
	"syscall"
	"unsafe"
)

type step func(at []byte, value uint64) uint64

const each = 400

var (
	steps [128]step
	sink  uint64
)

//go:noinline
func f_a(at []byte, value uint64) uint64 {
	return steps[at[1]](at[1:], value+1) ^ 3
}

//go:noinline
func f_large(at []byte, value uint64) uint64 {
	var room [5000]byte
	room[value%5000] = byte(value)
	return steps[at[1]](at[1:], value) + uint64(room[(value+1)%5000])
}

//go:noinline
func f_registers(at []byte, value uint64) uint64 {
	a, b := value*3, sink
	c, d := value^b, a+b
	got := steps[at[1]](at[1:], a+b)
	sink += a
	got += steps[at[1]](at[1:], c+d)
	return got*a + b*c + d
}

//go:noinline
func f_early(at []byte, value uint64) uint64 {
	if at[1] == 0 {
		return value
	}
	got := steps[at[1]](at[1:], value^1)
	if got%3 == 0 {
		return got + steps[at[1]](at[1:], got)
	}
	return got
}

//go:noinline
func f_switch(at []byte, value uint64) uint64 {
	switch value % 10 {
	case 0:
		return steps[at[1]](at[1:], value) + 1
	case 1:
		sink += 2
		return steps[at[1]](at[1:], sink) * 3
	case 2:
		return steps[at[1]](at[1:], value*4) ^ value
	case 3:
		return steps[at[1]](at[1:], 5) + steps[at[1]](at[1:], 6)
	case 4, 5, 6:
		return value / (steps[at[1]](at[1:], 7) | 1)
	case 7:
		return steps[at[1]](at[1:], value>>3) + value
	case 8:
		return steps[at[1]](at[1:], value>>5) - value
	default:
		return ^steps[at[1]](at[1:], value)
	}
}

//go:noinline
func many(a, b, c, d, e, f, g, h, i, j, k, l uint64, at []byte) uint64 {
	return steps[at[1]](at[1:], a+b+c+d) + e + f + g + h + i + j + k + l
}

//go:noinline
func f_many(at []byte, value uint64) uint64 {
	first := many(value, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, value, at)
	return first + many(first, first, 0, 0, 0, 0, 0, 0, 0, 0, first, 8, at)
}

//go:noinline
func f_fails(at []byte, value uint64) uint64 {
	got := steps[at[1]](at[1:], value)
	if sink == 0x123456789abcdef0 {
		panic(got)
	}
	return got + uint64(at[got%uint64(len(at))])
}

//go:noinline
func recursive(at []byte, value uint64, left int) uint64 {
	if left == 0 {
		return steps[at[1]](at[1:], value) * 3
	}
	return recursive(at, value+1, left-1) * 3
}

//go:noinline
func f_recursive(at []byte, value uint64) uint64 {
	return recursive(at, value, 3) + 1
}

//go:noinline
func f_double_inner(at []byte, a, b float64) float64 {
	return a*b + float64(steps[at[1]](at[1:], uint64(a)))
}

//go:noinline
func f_double(at []byte, value uint64) uint64 {
	half := float64(value%1000) * 0.5
	return uint64(f_double_inner(at, half, half+1))
}

//go:noinline
func structs(at []byte, given [40]uint64) [40]uint64 {
	given[3] += steps[at[1]](at[1:], given[1])
	return given
}

//go:noinline
func f_structs(at []byte, value uint64) uint64 {
	return structs(at, [40]uint64{value, value + 1})[3]
}

//go:noinline
func f_Loop(at []byte, value uint64) uint64 {
	for i := 0; i < 40; i++ {
		value = value*31 + value>>7
	}
	return value
}

//go:noinline
func f_Large(at []byte, value uint64) uint64 {
	var room [3000]byte
	for i := 0; i < 3000; i += 64 {
		room[i] = byte(value)
	}
	return uint64(room[value%3000])
}

//go:noinline
func tiny(value uint64) uint64 {
	return value*3 ^ sink
}

//go:noinline
func f_Tiny(at []byte, value uint64) uint64 {
	for i := 0; i < 8; i++ {
		value += tiny(value)
	}
	return value
}

type list []uint64

func (l list) Len() int      { return len(l) }
func (l list) Swap(i, j int) { l[i], l[j] = l[j], l[i] }

//go:noinline
func compare(a, b uint64) bool { return a < b }

func (l list) Less(i, j int) bool { return compare(l[i], l[j]) }

//go:noinline
func f_Sort(at []byte, value uint64) uint64 {
	l := list{value, value * 5, 3, value ^ 77, 2, value + 9}
	sort.Sort(l)
	return l[1]
}

//go:noinline
func f_Strings(at []byte, value uint64) uint64 {
	return uint64(len(fmt.Sprintf("%d %v", value, at)))
}

func draw(random *uint32) int {
	*random = *random*1664525 + 1013904223
	return int(*random >> 8)
}

func makeChain(random *uint32) []byte {
	callers := []byte("abefgijmnr")
	chain := []byte("~")
	for left := 1 + draw(random)%9; left > 0; left-- {
		which := draw(random) % len(callers)
		chain = append(chain, callers[which])
		callers = append(callers[:which], callers[which+1:]...)
	}
	return append(chain, "ACDFH"[draw(random)%5], 0)
}

func usedNs() int64 {
	var used syscall.Rusage
	syscall.Getrusage(1, &used) // of this thread
	return used.Utime.Nano() + used.Stime.Nano()
}

//go:noinline
func run(untilNs int64) {
	random := uint32(1)
	for usedNs() < untilNs {
		chain := makeChain(&random)
		syscall.RawSyscall(syscall.SYS_PRCTL, 15, uintptr(unsafe.Pointer(&chain[0])), 0)
		for i := 0; i < each; i++ {
			sink ^= steps[chain[1]](chain[1:], sink)
		}
	}
}

func main() {
	steps = [128]step{
		'a': f_a, 'b': f_large, 'e': f_registers, 'f': f_early, 'g': f_switch, 'i': f_many,
		'j': f_fails, 'm': f_double, 'n': f_structs, 'r': f_recursive,
		'A': f_Loop, 'C': f_Large, 'D': f_Tiny, 'F': f_Sort, 'H': f_Strings,
	}
	runtime.LockOSThread()
	seconds, _ := strconv.ParseFloat(os.Args[1], 64)
	run(int64(seconds * 1e9))
}
