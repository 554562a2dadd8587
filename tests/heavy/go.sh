#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/heavy/go.sh PROSPECT: names in Go programs that were linked without symbol tables, beside
# what nm says of the same programs with them; stacks that go on through C code and through the
# runtime's own stacks, beside the calls that the programs make and Go's own profile of the same run.
set -u
prospect=$(realpath "$1")
scratch=$(mktemp -d /tmp/prospect-go.XXXXXX)
trap 'rm -rf "$scratch"' EXIT
command -v go > /dev/null || { echo "skip names_of_go: needs go" && exit 0; }
cd "$scratch" || exit 2
export HOME=$scratch GOCACHE=$scratch/cache GO111MODULE=off

cat > hello.go << 'GO'
package main

import (
	"fmt"
	"sort"
	"strings"
)

type walker struct{ n int }

func (w *walker) walk(f func(int) int) (sum int) {
	for i := 0; i < w.n; i++ {
		sum += f(i)
	}
	return
}

func main() {
	words := []string{"b", "a"}
	sort.Strings(words)
	w := &walker{1000}
	fmt.Println(w.walk(func(i int) int { return i * i }), strings.Join(words, ","))
}
GO

# compare MODE: every function, at its first and its last byte. Two ABIs share a name in the table
# of the run time, and types are not told there.
compare() {
	if ! go build -buildmode="$1" -o whole hello.go ||
		! go build -buildmode="$1" -ldflags="-s -w" -o stripped hello.go; then
		echo "not ok names_of_go_$1"
		return
	fi
	nm -S --defined-only whole | awk '
		NF == 4 && $3 ~ /[tT]/ && $4 !~ /^type\.\.|^runtime\.e?text$/ {
			sub(/\.abi0$/, "", $4); sub(/\[.*/, "", $4)
			print "0x" $1, $2, $4
		}' | sort -u > functions
	while read -r start size name; do
		printf '%#x %s\n%#x %s\n' "$start" "$name" $((start + 0x$size - 1)) "$name"
	done < functions > wanted
	cut -d ' ' -f 1 wanted | "$prospect" symbolize -e stripped --demangle none 2> said |
		sed -n 's/^  //p' > answers
	if awk 'NR == FNR { name[FNR] = $2; next } {
		n++
		if (index($0, name[FNR]) != 1 && wrong++ < 5) print $0 ", not " name[FNR]
	} END { printf "%d names, %d wrong\n", n, wrong; exit n < 1000 || wrong > 0 }' \
		wanted answers; then
		echo "ok names_of_go_$1"
	else
		echo "not ok names_of_go_$1"
	fi
}

compare exe
compare pie

# ---- stacks ----

# Both programs write Go's own profile into the file that they are called with, and use three seconds of
# CPU time. Here each call of C calls Go again, four levels deep.
mkdir nested system
cat > nested/main.go << 'GO'
package main

/*
extern void goLevel(int);
static volatile unsigned long sink;
static __attribute__((noinline)) void c_spin(void) { for (long i = 0; i < 1000000; i++) sink += i; }
static __attribute__((noinline)) void c_level(int level) { c_spin(); goLevel(level); c_spin(); sink++; }
*/
import "C"

import (
	"os"
	"runtime/pprof"
	"syscall"
)

var sink uint64

//go:noinline
func goSpin() {
	for i := uint64(0); i < 1000000; i++ {
		sink += i
	}
}

//export goLevel
func goLevel(level C.int) {
	goSpin()
	if level > 1 {
		C.c_level(level - 1)
	}
	goSpin()
}

func used() int64 {
	var usage syscall.Rusage
	syscall.Getrusage(0, &usage)
	return usage.Utime.Nano() + usage.Stime.Nano()
}

func main() {
	file, _ := os.Create(os.Args[1])
	pprof.StartCPUProfile(file)
	for used() < 3e9 {
		C.c_level(4)
	}
	pprof.StopCPUProfile()
}
GO

cat > system/main.go << 'GO'
package main

import (
	"os"
	"runtime"
	"runtime/pprof"
	"syscall"
)

var keep = make([][]byte, 5000)

//go:noinline
func allocate() {
	for i := 0; i < 2000; i++ {
		keep[i%len(keep)] = make([]byte, 300+i%5000)
	}
}

//go:noinline
func grow(n int) int {
	var room [256]byte
	room[n%256] = byte(n)
	if n == 0 {
		return 1
	}
	return grow(n-1) + int(room[n%256])
}

//go:noinline
func deep() {
	done := make(chan int)
	for i := 0; i < 10; i++ {
		go func() { done <- grow(40) }()
	}
	for i := 0; i < 10; i++ {
		<-done
	}
}

//go:noinline
func maps() {
	m := map[int]int{}
	for i := 0; i < 20000; i++ {
		m[i] = i
	}
}

//go:noinline
func callers() {
	var pc [64]uintptr
	for i := 0; i < 5000; i++ {
		runtime.Callers(0, pc[:])
	}
}

//go:noinline
func yield() {
	for i := 0; i < 3000; i++ {
		runtime.Gosched()
	}
}

func used() int64 {
	var usage syscall.Rusage
	syscall.Getrusage(0, &usage)
	return usage.Utime.Nano() + usage.Stime.Nano()
}

func main() {
	file, _ := os.Create(os.Args[1])
	pprof.StartCPUProfile(file)
	for used() < 3e9 {
		allocate()
		deep()
		maps()
		callers()
		yield()
	}
	pprof.StopCPUProfile()
}
GO

# stacks_of PROGRAM OPTION...: without what is lost for other reasons.
stacks_of() {
	local program=$1
	shift
	"$prospect" export --format collapsed --command --value samples --by none "$@" \
		"$program.prof" 2> /dev/null | sed 's/\.abi0\>//g' |
		grep -v '^\[cut:\(lost\|process gone\|mappings changed\)\]'
}

# told_by_go PROGRAM: samples in ms and the innermost function of package main, as Go's profile has it.
told_by_go() {
	go tool pprof -traces "$1.pprof" 2> /dev/null | awk '
		function flush() { if (weight) print weight, (inner ? inner : "runtime"); weight = 0; inner = "" }
		/^-----------/ { flush(); next }
		$1 ~ /^[0-9.]+m?s$/ { weight = $1 ~ /ms$/ ? $1 + 0 : $1 * 1000; $1 = "" }
		weight && !inner && match($0, /main\.[A-Za-z_.0-9]+/) { inner = substr($0, RSTART, RLENGTH) }
		END { flush() }'
}

# told_by_us PROGRAM
told_by_us() {
	stacks_of "$1" --no-inlines | grep -v '^\[cut:' | awk '{
		inner = "runtime"
		count = split(substr($0, 1, length($0) - length($NF) - 1), frames, ";")
		for (i = 1; i <= count; i++) if (frames[i] ~ /^main\./) inner = frames[i]
		print $NF, inner
	}'
}

# same_shares PROGRAM: each function of package main that has 5 % in one profile has between half and
# twice as much in the other. Go samples with timers of each thread, at ticks of the kernel, and has
# less of the threads of its runtime, which are left out.
same_shares() {
	told_by_go "$1" > theirs
	told_by_us "$1" > ours
	awk '
		{ sub(/^main\._Cfunc_.*|^main\.main$/, "main.main", $2) }
		$2 == "runtime" { next }
		NR == FNR { theirs[$2] += $1; all_theirs += $1; next }
		{ ours[$2] += $1; all_ours += $1 }
		END {
			for (name in ours) theirs[name] += 0
			for (name in theirs) {
				share = 100 * ours[name] / all_ours; other = 100 * theirs[name] / all_theirs
				if ((share < 5 && other < 5) || (share < 2 * other && other < 2 * share)) continue
				printf "%s: %.1f %%, Go says %.1f %%\n", name, share, other
				wrong++
			}
			exit wrong > 0 || all_ours < 500 || all_theirs < 500
		}' theirs ours
}

# cut_at_most PERCENT: of the stacks that are read
cut_at_most() {
	awk -v most="$1" '
		{ all += $NF } /^\[cut:/ { cut += $NF; if (shown++ < 5) print }
		END { printf "%d of %d stacks are cut\n", cut, all; exit all < 500 || cut * 100 > most * all }'
}

# Every chain that the program makes, and no other; without the frames of the runtime and the stubs
# between Go and C.
right_nesting() {
	local functions=$1 level=$2 all=$3
	grep -v '^\[cut:' | grep 'main\.main' | awk -v functions="$functions" '{
		chain = ""
		count = split(substr($0, 1, length($0) - length($NF) - 1), frames, ";")
		for (i = 1; i <= count; i++) {
			sub(/\.constprop\.[0-9]+$/, "", frames[i])
			if (frames[i] ~ functions) chain = chain ";" frames[i]
		}
		print substr(chain, 2)
	}' | sort | uniq > chains
	! grep -Ev "^main\.main(;main\.used|($level){0,4}(;c_level(;c_spin)?|;main\.goSpin)?)?\$" chains &&
		[ "$(grep -Ec '(spin|Spin)$' chains)" -ge "$all" ]
}

# A closure that runs on the system stack was made by the function that is on the goroutine's stack.
right_callers() {
	awk '
		/^\[cut:/ { next }
		{
			count = split(substr($0, 1, length($0) - length($NF) - 1), frames, ";")
			for (i = 2; i < count; i++) {
				if (frames[i] != "runtime.systemstack" || frames[i + 1] !~ /\.func[0-9]+$/) continue
				made = frames[i + 1]
				sub(/\.func[0-9]+$/, "", made)
				checked += $NF
				if (frames[i - 1] != made && wrong++ < 5) print frames[i - 1] ", not " made
			}
		}
		END { printf "%d callers of systemstack, %d wrong\n", checked, wrong; exit checked < 50 || wrong > 0 }'
}

right_roots() {
	! grep -v '^\[cut:' | sed 's/;.*//; s/ [0-9]*$//' | sort | uniq -c | grep -Ev \
		' (runtime\.(goexit|mcall|mstart|morestack|rt0_go)|_rt0_amd64_linux|_start|ret_from_fork_asm_\[k\]|clone3?|__clone3?)$'
}

# stacks NAME FLAG...: both programs, built with these flags. The rings hold what is sampled while a busy
# machine does not let the recorder run.
stacks() {
	local name=$1 program functions level all
	shift
	for program in nested system; do
		go build -o $program.$name "$@" $program/main.go 2> build.log || cat build.log
		"$prospect" record -q --ring 16384 -o $program.$name.prof -- ./$program.$name $program.$name.pprof
	done
	functions='^(main\.(main|goLevel|goSpin|used)|c_level|c_spin)$' level=';c_level;main\.goLevel' all=8
	[ "$name" != stripped ] || functions='^main\.(main|goLevel|goSpin|used)$' level=';main\.goLevel' all=4
	# from when all rows are known
	stacks_of nested.$name --no-inlines --since 50% > nested.stacks
	stacks_of system.$name --no-inlines --since 50% > system.stacks
	cut_at_most 2 < nested.stacks && right_nesting "$functions" "$level" $all < nested.stacks &&
		same_shares nested.$name
	tell $? stacks_of_go_through_c_$name
	cut_at_most 3 < system.stacks && right_roots < system.stacks && same_shares system.$name
	tell $? stacks_of_go_on_system_stacks_$name
}

tell() {
	[ "$1" = 0 ] || echo -n "not "
	echo "ok $2"
}

stacks exe
stacks_of system.exe | right_callers
tell $? callers_of_systemstack
stacks pie -buildmode=pie
stacks stripped -ldflags="-s -w"
