# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# What Qprof printed, and the variables that chose it.

# qprof WORD...: as an ordinary user would, of a program that knows where its time goes.
qprof() {
	[ -x "$T/shares" ] || ${CC:-cc} -O1 -g -o "$T/shares" "$HERE/programs/shares.c" || fail "cc"
	"$PROSPECT" preload -o "$T/q.prof" "$@" "$T/shares" 1 > "$T/out" 2> "$T/qprof"
}

# The samples of the lines are those of the head.
adds_up() {
	awk '/^qprof: .* total samples$/ { all += $3; next }
		match($0, / [0-9]+ \( *[0-9]+%\)/) { split(substr($0, RSTART), f, " "); sum += f[1]; next }
		{ print "# odd line: " $0; exit 1 }
		END { exit !(all > 10 && sum == all) }' "$1" || fail "does not add up:" "$(cat "$1")"
}

test_preload_prints_as_qprof_did() {
	qprof --granularity function || fail "status $?:" "$(cat "$T/qprof")"
	adds_up "$T/qprof"
	grep -qE '^shares\([a-z_]+\) +[0-9]+ \( *[0-9]+%\)$' "$T/qprof" || fail "no function:" "$(cat "$T/qprof")"
	qprof --granularity line || fail "status $?"
	adds_up "$T/qprof"
	grep -qE '^[a-z_]+:.*shares\.c:[0-9]+ +[0-9]+ \(' "$T/qprof" || fail "no line:" "$(cat "$T/qprof")"
	qprof --granularity address || fail "status $?"
	adds_up "$T/qprof"
	grep -qE '^shares\([a-z_]+\):0x[0-9a-f]+ +[0-9]+ \(' "$T/qprof" || fail "no address:" "$(cat "$T/qprof")"
}

test_preload_reads_the_variables_of_qprof() {
	local longest
	QPROF_GRANULARITY=instruction QPROF_FILE=$T/file qprof || fail "status $?:" "$(cat "$T/qprof")"
	[ ! -s "$T/qprof" ] || fail "QPROF_FILE: printed:" "$(cat "$T/qprof")"
	QPROF_GRANULARITY=function QPROF_FILE=$T/file qprof || fail "status $?"
	[ "$(grep -c '^qprof: ' "$T/file")" = 2 ] || fail "QPROF_FILE is not added to:" "$(cat "$T/file")"
	adds_up "$T/file"
	QPROF_GRANULARITY=function QPROF_STACK=1 qprof || fail "status $?"
	grep -qE '^shares\(main\) +[0-9]+ \(100%\)$' "$T/qprof" || fail "QPROF_STACK:" "$(cat "$T/qprof")"
	QPROF_GRANULARITY=function QPROF_COLOR=red QPROF_NCOLS=100 qprof || fail "status $?"
	longest=$(awk '{ if (length > most) most = length } END { print most }' "$T/qprof")
	grep -q ' #' "$T/qprof" && [ "$longest" -le 100 ] || fail "QPROF_COLOR, QPROF_NCOLS:" "$(cat "$T/qprof")"
	! grep -q $'\033' "$T/qprof" || fail "colours in a file"
	QPROF_INTERVAL=20000 QPROF_VIRTUAL=1 qprof -q || fail "status $?"
	[ "$("$PROSPECT" query --format csv "SELECT name, rate_hz FROM event" "$T/q.prof" | tail -n 1)" = \
		user-time,50.0 ] || fail "QPROF_INTERVAL, QPROF_VIRTUAL:" \
		"$("$PROSPECT" query "SELECT name, rate_hz FROM event" "$T/q.prof")"
	QPROF_REAL=1 qprof -q || fail "status $?"
	"$PROSPECT" query --format csv "SELECT name FROM event" "$T/q.prof" | grep -qx wall-clock ||
		fail "QPROF_REAL"
	QPROF_BUFFER_SIZE=1000 QPROF_ADDR2LINE=/bin/false qprof --granularity function || fail "status $?"
	adds_up "$T/qprof"
}

test_preload_refuses_variables_that_ask_for_else() {
	local set
	for set in QPROF_HW_EVENT=CPU_CYCLES QPROF_GRANULARITY=file QPROF_INTERVAL=1; do
		(export "$set" && qprof)
		[ $? = 2 ] || fail "$set: accepted"
		grep -q "${set%%=*}" "$T/qprof" || fail "$set:" "$(cat "$T/qprof")"
	done
}
