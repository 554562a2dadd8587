#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/heavy/stacks.sh PROSPECT: stacks of code without frame descriptions, as compilers and options make
# it, against what calls what in it, and its rows against the descriptions; of a compiler, the linker, Python
# and a Go program with a busy collector, against the calls in their code; stacks through a Go panic.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
prospect=$(realpath "$1")
scratch=$(mktemp -d /tmp/prospect-stacks.XXXXXX)
trap 'rm -rf "$scratch"' EXIT
[ "$(uname -m)" = x86_64 ] || { echo "skip stacks: reads calls of x86-64" && exit 0; }
[ "$(id -u)" = 0 ] || { echo "skip stacks: needs root" && exit 0; }
cd "$scratch" || exit 2
bad=0

# tell STATUS NAME
tell() {
	[ "$1" = 0 ] && echo "ok $2" && return
	echo "not ok $2"
	bad=1
}

# against_code NAME COMMAND...
against_code() {
	local name=$1
	shift
	"$prospect" record -q -F 1999 -o "$name.prof" -- "$@" > out 2>&1 || sed 's/^/# /' out
	"$top/tests/oracle/call_sites.py" "$name.prof" "$name" "$scratch/busy"
	tell $? "calls_of_$name"
}

cat > many.c << 'C'
#include <stdio.h>
#define F(n) static int f##n(int a) { for (int i = 0; i < a; i++) a ^= printf("%d", a * n); return a; }
#define T(n) F(n##0) F(n##1) F(n##2) F(n##3) F(n##4) F(n##5) F(n##6) F(n##7) F(n##8) F(n##9)
#define H(n) T(n##0) T(n##1) T(n##2) T(n##3) T(n##4) T(n##5) T(n##6) T(n##7) T(n##8) T(n##9)
H(1) H(2) H(3) H(4) H(5) H(6)
#define C(n) (int)(size_t)f##n +
int main(void) { return (C(100) C(234) C(345) C(456) 0) != 0; }
C
against_code compiler cc -w -O2 -o many many.c
against_code python python3 -c '
import json, re
for _ in range(60):
    text = json.dumps([{"key%d" % i: [i, str(i) * 3]} for i in range(3000)], indent=1)
    json.loads(text), re.findall(r"key(\d+)", text), sorted(text.split())'

# Code without frame descriptions: no stack may be wrong, and few are cut.
undescribed="-fno-asynchronous-unwind-tables -fno-unwind-tables"
: > all
for compiler in gcc clang; do
	command -v $compiler > /dev/null || { echo "# no $compiler" && continue; }
	for flags in "-O1" "-O2" "-O3" "-Os" "-O1 -fno-omit-frame-pointer" "-O2 -fno-omit-frame-pointer" \
		"-O3 -fno-omit-frame-pointer" "-O2 -fasynchronous-unwind-tables" "-O2 -fno-omit-frame-pointer -s" "-O2 -s"; do
		# shellcheck disable=SC2086
		$compiler -w -std=gnu11 -D_GNU_SOURCE $undescribed $flags -o undescribed \
			"$top/tests/system/programs/undescribed.c" || exit 2
		"$prospect" record -q -F 1999 -o undescribed.prof -- ./undescribed 2
		"$prospect" report undescribed.prof --by stack --format csv \
			--select program=undescribed --select mode=user |
			awk -F , -v what="$compiler $flags" 'NR > 1 { print $(NF - 4) "\t" $1 "\t" what }' >> all
	done
done
# Names are missing in stripped programs, of which only the number of frames is compared. What runs before
# and after main is the C library's.
awk -F '\t' '
	$2 ~ /^\[cut:(lost|in exec|process gone|stale)/ || $2 ~ /_dl_|^_start(;|$)/ && $2 !~ /__libc_start_call_main;/ { next }
	$2 ~ /__libc_start_call_main;exit(;|$)/ { next }
	{ all += $1 }
	$2 ~ /^\[cut:/ { cut += $1; next }
	$3 ~ / -s$/ { n = split($2, frames, ";"); if (n < 4 || n > 10) { wrong += $1; print "# " $0 } next }
	$2 ~ /;main;work;(spills|frameless|middle(;tiny)?|interrupted.*|set_handler.*)$/ || $2 ~ /;main(;work|;(__)?(vdso_)?clock_gettime.*)?$/ { next }
	{ wrong += $1; print "# " $0 }
	END { printf "# %d stacks without descriptions, %d cut, %d wrong\n", all, cut, wrong
		exit wrong > 0 || all < 5000 || cut * 100 > all }' all
tell $? stacks_without_descriptions
"$top/tools/build" build-check all || exit 1
for file in /usr/lib/x86_64-linux-gnu/libm.so.6 "$prospect"; do
	objcopy -R .eh_frame -R .eh_frame_hdr "$file" copy &&
		"$top/build-check/tests/oracle/compare_code_rows" "$file" copy | sed "s,^,# $file: ,"
	tell "${PIPESTATUS[0]}" "rows_of_code_of_${file##*/}"
done
ALL_CASES=1 "$top/build-check/tests/unit/test_unwind_unwinder_steps" 2>&1 | sed 's/^/# /'
tell "${PIPESTATUS[0]}" every_instruction_without_descriptions

command -v go > /dev/null || { echo "skip stacks_of_go: go is not installed" && exit $bad; }
export HOME=$scratch GOCACHE=$scratch/cache GO111MODULE=off
cat > busy.go << 'GO'
package main

import (
	"fmt"
	"time"
)

type node struct{ left, right *node }

func grow(depth int) *node {
	if depth == 0 {
		return &node{}
	}
	return &node{grow(depth - 1), grow(depth - 1)}
}

func clock(until time.Time) (n int) {
	for time.Now().Before(until) {
		n++
	}
	return
}

func main() {
	end := time.Now().Add(6 * time.Second)
	done := make(chan *node)
	for i := 0; i < 2; i++ {
		go func() {
			var last *node
			for time.Now().Before(end) {
				last = grow(14)
			}
			done <- last
		}()
	}
	fmt.Println(clock(end) > 0, <-done != nil, <-done != nil)
}
GO
go build -o busy busy.go || exit 2
against_code go ./busy

# What pprof shows: the clock is read by who asked for it, on whichever stack.
"$prospect" report --by stack --format csv go.prof > rows
awk -F , '/;main.clock;time.Now;time.now;/ { whole += $(NF - 4) } /,cpu-clock,/ && /time.now;/ { all += $(NF - 4) }
	END { printf "# %d of %d stacks that read the clock are whole\n", whole, all; exit all < 100 || whole * 10 < all * 6 }' \
	rows
tell $? clock_read_on_another_stack
# A panic that a fault raises is a call that the signal handler adds to the faulting code. Only an
# exact address finds the row for its frame, which begins at the faulting instruction.
mkdir fault && cd fault || exit 2
cat > go.mod << 'GO'
module fault
GO
cat > load_amd64.s << 'GO'
#include "textflag.h"

TEXT ·load(SB), NOSPLIT|NOFRAME, $0-16
	MOVQ at+0(FP), AX
	ADJSP $512
	MOVQ (AX), CX
	ADJSP $-512
	MOVQ CX, ret+8(FP)
	RET
GO
cat > main.go << 'GO'
package main

import "time"

func load(at *int) int

var sum int

func recovering(end time.Time) {
	defer func() {
		for time.Now().Before(end) {
			for i := 0; i < 1000000; i++ {
				sum += i
			}
		}
		recover()
	}()
	sum += load(nil)
}

func main() {
	recovering(time.Now().Add(2 * time.Second))
}
GO
GO111MODULE=on go build -o fault . || exit 2
"$prospect" record -q -F 999 -o fault.prof -- ./fault
"$prospect" report --by stack --format csv fault.prof > rows
awk -F , '/main\.recovering\.func1/ { all += $(NF - 4) }
	/;main\.main;main\.recovering;main\.load(\.abi0)?;runtime\.sigpanic;.*main\.recovering\.func1/ { whole += $(NF - 4) }
	END { printf "# %d of %d stacks of a panic are whole\n", whole, all; exit all < 500 || whole < all }' rows
tell $? stacks_through_a_go_panic
start=$(go tool nm fault | awk '$3 == "runtime.sigpanic" { print $1 }')
"$prospect" debug rows fault | grep "^ *$start .*  signal$"
tell $? rows_of_what_a_handler_calls
exit $bad
