#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/heavy/watch.sh PROSPECT: what watch says of functions of Go and Rust programs, which count and
# time their calls themselves.
set -u
export LC_ALL=C
prospect=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d /tmp/prospect-watch.XXXXXX)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
status=0

skip() {
	echo "skip watch: $1"
	exit 0
}

command -v go > /dev/null || skip "needs go"
command -v rustc > /dev/null || skip "needs rustc"
[ "$(id -u)" = 0 ] || skip "needs root"

# build NAME OPTIONS...
build() {
	local name=$1
	shift
	GO111MODULE=off HOME=$scratch GOCACHE=$scratch/cache \
		go build "$@" -o "$name" "$here/watch/$name.go"
}

# check_growing MODE: of a program that was linked so.
check_growing() {
	local wanted got
	build growing -buildmode="$1" || return
	wanted=$(./growing)
	"$prospect" watch -i 0 --budget 0 -m entries --format csv -f csv ./growing:main.deep \
		-- ./growing > out 2> errors || return
	got=$(awk -F , '$1 == "total" { print $5 }' csv)
	[ "$got" = "$wanted" ] && return
	echo "# $wanted calls, and entries: '$got'"
	cat csv errors
	return 1
}

# check_goroutines COMMAND...: watches the command, which runs ./goroutines.
check_goroutines() {
	"$prospect" watch -i 0 --budget 0 --format csv -f csv \
		-m entries,exits,abandoned,end-not-seen,walltime,vtime,page-faults \
		'./goroutines:main.call*' -- "$@" > out 2> errors || { cat errors && return 1; }
	awk -F '[ ,]' -f "$here/watch/goroutines.awk" out csv || { cat csv errors && return 1; }
	grep -q '^43 calls open when their thread ended' errors || { cat errors && return 1; }
}

build_panics() {
	rustc -O -g "$@" -o panics "$here/watch/panics.rs"
}

# check_panics COMMAND...: watches the command, which runs ./panics. A function that hands on takes what
# both take.
check_panics() {
	"$prospect" watch -i 0 --budget 0 --format csv -f csv -m entries,exits,abandoned,walltime \
		./panics:inner_thrower ./panics:outer_thrower ./panics:hands_on \
		./panics:last_act -- "$@" > out 2> errors || { cat errors && return 1; }
	awk -F '[ ,]' '
		FILENAME == "out" {
			calls[$1] = $2; exits[$1] = $3; gone[$1] = $4; least[$1] = $5; most[$1] = $6
		}
		FILENAME == "csv" && $1 == "total" {
			sub(/.*:/, "", $4)
			seen++
			if ($5 != calls[$4] || $6 != exits[$4] || $7 != gone[$4] ||
				$8 > most[$4] || $8 < least[$4]) {
				print "# " $0
				wrong++
			}
		}
		END { exit wrong > 0 || seen != 4 }' out csv || { cat out csv errors && return 1; }
}

# report OK WHAT
report() {
	[ "$1" = 0 ] || status=1
	[ "$1" = 0 ] && echo "ok watch $2" || echo "not ok watch $2"
}

for mode in exe pie; do
	check_growing $mode
	report $? "counts calls that begin anew, $mode"
done
build goroutines && check_goroutines ./goroutines
report $? "times calls of goroutines that change threads"
one_cpu=(taskset -c "$(taskset -cp $$ | sed 's/.*: //; s/[,-].*//')")
check_goroutines "${one_cpu[@]}" ./goroutines
report $? "times calls of goroutines on one CPU"
build goroutines -ldflags=-w -buildmode=pie && check_goroutines ./goroutines
report $? "times calls of goroutines without debug information, pie"
build_panics -C panic=unwind && check_panics ./panics
report $? "tells calls that panics ended, and follows tail calls"
check_panics "${one_cpu[@]}" ./panics
report $? "tells them on one CPU"
build_panics -C force-frame-pointers=yes && check_panics ./panics
report $? "tells them with frame pointers too"
exit $status
