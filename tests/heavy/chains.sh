#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/heavy/chains.sh PROSPECT: stacks of programs that say what they call (chains/), as gcc, clang, rustc
# and Go make them, at each level of optimisation, with and without frame pointers, frame descriptions and
# symbols. A stack that is shown as complete is right, any other one says why it is not; the same stacks are
# walked by libdwfl.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
prospect=$(realpath "$1")
chains=$top/tests/heavy/chains
scratch=$(mktemp -d /tmp/prospect-chains.XXXXXX)
trap 'rm -rf "$scratch"' EXIT
[ "$(uname -m)" = x86_64 ] || { echo "skip chains: knows the code of x86-64" && exit 0; }
[ "$(id -u)" = 0 ] || { echo "skip chains: needs root" && exit 0; }
cd "$scratch" || exit 2
bad=0 seconds=1 jumps=

# tell STATUS NAME
tell() {
	[ "$1" = 0 ] && echo "ok $2" && return
	echo "not ok $2"
	bad=1
}

# against_chain RECORDED WHOLE WHAT: records the program and compares its stacks. The rings hold what is
# sampled while a busy machine does not let the recorder run; where they did not, it is done again.
against_chain() {
	local said status=2 tries=0
	while [ $status = 2 ] && [ $((tries++)) -lt 20 ]; do
		"$prospect" record -q -F 1999 --ring 16384 -o chains.prof -- "./$1" $seconds > out 2>&1 || sed 's/^/# /' out
		# shellcheck disable=SC2086 # empty or a word
		said=$("$chains/chains.py" chains.prof "$1" "$2" $jumps)
		status=$?
	done
	printf '%s\n' "$said" | sed "s/^[^#]/# $3: &/"
	printf '%s\n' "$said" | grep -v '^#' >> "$language.counts"
	return $status
}

# against_libdwfl PROGRAM WHAT: libdwfl walks the same registers and the same copies of stacks.
against_libdwfl() {
	"$prospect" check --stacks -F 1999 --count 100000 -- "./$1" $seconds > out 2>&1
	awk -v program="/$1+" -v what="$2" '
		# libdwfl may also find what is no code: in gcc, where rbp was popped after the stack was aligned
		/^different:/ && index($0, program) && !/from 0x[0-9a-f]*$/ { wrong++; print "# " $0 }
		/^(equal|longer|shorter|different|unchecked) / { said = said " " $1 " " $2 }
		END { print "# " what ", libdwfl:" said; exit wrong > 0 || !said }' out
}

# Rows are kept by build id. Without one they are made anew, and a stripped program does not get those of the
# whole one.
undescribed="-fno-asynchronous-unwind-tables -fno-unwind-tables"

# c_with FLAG...: the program in C, by $compiler.
c_with() {
	"$compiler" -w -std=gnu11 -foptimize-sibling-calls "$@" -Wl,--build-id=none -o chains "$chains/chains.c" ||
		exit 2
	against_chain chains chains "$compiler $*"
}

# programs_in_c: by one compiler.
programs_in_c() {
	local status=0 level frame
	: > "$language.counts"
	for level in -O1 -O2 -O3 -Os; do
		jumps=
		[ "$compiler $level" != "clang -O1" ] || jumps=calls
		for frame in -fomit-frame-pointer -fno-omit-frame-pointer; do
			c_with $level $frame || status=1
			# shellcheck disable=SC2086 # words
			c_with $level $frame $undescribed || status=1
			strip -o stripped chains
			against_chain stripped chains "$compiler $level $frame $undescribed, stripped" || status=1
		done
	done
	return $status
}

# The C library has neither frame descriptions nor any of its trampoline for signals.
programs_with_musl() {
	local status=0 level
	: > "$language.counts"
	for level in -O1 -O2 -Os; do
		# shellcheck disable=SC2086 # words
		c_with $level $undescribed -static || status=1
	done
	return $status
}

programs_in_rust() {
	local status=0 level frame
	: > "$language.counts"
	for level in 1 2 3 s; do
		for frame in yes no; do
			"$compiler" -A warnings --edition 2021 -Copt-level=$level -Cforce-frame-pointers=$frame \
				-Cforce-unwind-tables=no -Cpanic=abort -Clink-arg=-Wl,--build-id=none \
				-o chains "$chains/chains.rs" || exit 2
			against_chain chains chains "rustc $level, frame pointers: $frame" || status=1
		done
	done
	"$compiler" -A warnings --edition 2021 -O -Clink-arg=-Wl,--build-id=none -o chains "$chains/chains.rs" || exit 2
	against_chain chains chains "rustc -O, with unwind tables" || status=1
	return $status
}

programs_in_go() {
	local status=0 mode
	: > "$language.counts"
	for mode in exe pie; do
		go build -buildmode=$mode -o chains "$chains/chains.go" && go build -buildmode=$mode \
			-ldflags="-s -w" -o stripped "$chains/chains.go" || exit 2
		against_chain chains chains "go $mode" || status=1
		against_chain stripped chains "go $mode, stripped" || status=1
	done
	go build -gcflags="-N -l" -o chains "$chains/chains.go" || exit 2
	against_chain chains chains "go -N -l" || status=1
	return $status
}

# few_cut COMMAND: of all stacks of the language, 5 % have a reason at most.
few_cut() {
	"$@" || return
	check_most "$language: stacks that are cut" 0.05 \
		"$(awk '{ all += $1; complete += $3 } END { print all - complete }' "$language.counts")" \
		"$(awk '{ all += $1 } END { print all }' "$language.counts")"
}

# language NAME COMMAND: at least 2,000 stacks, none of them wrong.
language() {
	language=$1
	MEASURED=$1.measured
	shift
	in_rounds few_cut "$@" && awk '{ all += $1 } END { exit all < 2000 }' "$language.counts"
	tell $? "chains_of_$language"
}

# shellcheck source=../rounds.sh
. "$top/tests/rounds.sh"
compiler=musl-gcc
if command -v $compiler > /dev/null; then
	language musl programs_with_musl
else
	echo "skip chains_of_musl: needs musl-gcc"
fi
for compiler in gcc clang; do
	command -v $compiler > /dev/null || { echo "skip chains_of_$compiler: needs $compiler" && continue; }
	language $compiler programs_in_c
	jumps=
	against_libdwfl chains "$compiler -Os, undescribed"
	tell $? "libdwfl_of_undescribed_$compiler"
	$compiler -w -std=gnu11 -O2 -o chains "$chains/chains.c" || exit 2
	against_libdwfl chains "$compiler -O2"
	tell $? "libdwfl_of_$compiler"
done
compiler=$(command -v rustc || ls ~/.cargo/bin/rustc 2> /dev/null)
if [ -n "$compiler" ]; then
	language rust programs_in_rust
else
	echo "skip chains_of_rust: needs rustc"
fi
if command -v go > /dev/null; then
	export HOME=$scratch GOCACHE=$scratch/cache GO111MODULE=off
	language go programs_in_go
else
	echo "skip chains_of_go: needs go"
fi
exit $bad
