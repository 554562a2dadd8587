# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# What a person sees on a terminal: the pager, the width, colours.

# on_terminal [VARIABLE=VALUE...] -- COMMAND: runs it in a shell on a terminal of 24 lines and 80
# columns. $T/shown gets what it shows, $status its exit status.
on_terminal() {
	local variables=()
	while [ "$1" != -- ]; do
		variables+=("$1")
		shift
	done
	status=0
	env -u NO_COLOR -u PAGER -u PROSPECT_PAGER -u LESS -u COLUMNS -u LINES SHELL=/bin/bash TERM=xterm \
		"${variables[@]}" script -qec "stty rows 24 cols 80; $2" /dev/null \
		< /dev/null > "$T/terminal" || status=$?
	tr -d '\r' < "$T/terminal" > "$T/shown"
}

test_a_pager_for_what_is_viewed() {
	need script
	local status command
	record "$T/prof" -- "$BIN/loop" 0.3
	for command in "report -V4 $T/prof" "report --by symbol $T/prof" "graph $T/prof" \
		"diff -a --all $T/prof $T/prof" "query 'select * from frames' $T/prof" query events; do
		rm -f "$T/paged"
		on_terminal PROSPECT_PAGER="cat > $T/paged" PAGER=false -- "$PROSPECT $command 2> /dev/null"
		[ $status = 0 ] || fail "$command: exit status $status" "$(tail -n 3 "$T/shown")"
		[ -s "$T/paged" ] || fail "$command did not use the pager"
		[ ! -s "$T/shown" ] || fail "$command:" "$(head -n 3 "$T/shown")"
	done
	on_terminal PAGER="tee $T/other" -- "$PROSPECT report $T/prof"
	cmp "$T/other" "$T/shown" || fail "the other variable"
}

test_no_pager() {
	need script
	local status variable rest
	record "$T/prof" -- "$BIN/loop" 0.1
	while read -r variable rest; do
		rm -f "$T/paged"
		on_terminal PAGER="cat > $T/paged" "$variable" -- "$PROSPECT report --no-header --by mode $T/prof $rest"
		[ ! -e "$T/paged" ] || fail "$variable $rest: a pager"
		grep -q '^Event' "$T/shown" || fail "$variable $rest: no report" "$(head -n 3 "$T/shown")"
	done <<-'EOT'
		NONE=1 --no-pager
		NONE=1 | cat
		TERM=dumb
		PROSPECT_PAGER=
		PROSPECT_PAGER=cat
	EOT
	# What was asked for and is not there is named; what nobody asked for is not.
	on_terminal PAGER=no-such-pager -- "$PROSPECT report --no-header --by mode $T/prof"
	grep -q "cannot run the pager 'no-such-pager'" "$T/shown" || fail "$(cat "$T/shown")"
	grep -q '^Event' "$T/shown" || fail "no report without the pager"
	on_terminal -- "PATH=/nowhere $PROSPECT report --no-header --by mode $T/prof"
	grep -q 'cannot run' "$T/shown" && fail "$(cat "$T/shown")"
	grep -q '^Event' "$T/shown" || fail "no report without less" "$(cat "$T/shown")"
	# The report of a command is beside its output.
	on_terminal PAGER="cat > $T/paged" -- "$PROSPECT true"
	[ ! -e "$T/paged" ] || fail "the first screen went to the pager"
}

# However little of it the user reads.
test_a_pager_keeps_the_exit_status() {
	need script
	local status pager
	record "$T/prof" -- "$BIN/loop" 0.3
	for pager in true 'sh -c :' 'head -n 1' 'sh -c "kill -9 $$"'; do
		on_terminal PAGER="$pager" -- "$PROSPECT diff -a --all $T/prof $T/prof --fail-if 'share(*) < +200%'"
		[ $status = 3 ] || fail "$pager: exit status $status" "$(tail -n 3 "$T/shown")"
		on_terminal PAGER="$pager" -- "$PROSPECT report -V4 $T/prof"
		[ $status = 0 ] || fail "$pager: exit status $status" "$(tail -n 3 "$T/shown")"
		on_terminal PAGER="$pager" -- "$PROSPECT report $T/no-such-file"
		[ $status = 1 ] || fail "$pager: exit status $status" "$(tail -n 3 "$T/shown")"
	done
}

# Ctrl-C is for the pager, which decides what becomes of it.
test_ctrl_c_in_the_pager() {
	need script
	local terminal status writer
	record "$T/prof" -- "$BIN/systime" 0.1
	cat > "$T/pager" <<-'EOT'
		#!/bin/bash
		trap 'caught=1' INT
		echo > "$0.runs"
		while [ -z "${caught:-}" ]; do read -rt 0.1 < "$0.fifo"; done 2> /dev/null
		cat > "$0.got"
	EOT
	chmod +x "$T/pager"
	mkfifo "$T/pager.fifo"
	sleep 600 > "$T/pager.fifo" &
	writer=$!
	open_terminal "PROSPECT_PAGER=$T/pager TERM=xterm $PROSPECT report -V4 $T/prof; echo ended \$?"
	until_true [ -e "$T/pager.runs" ]
	press_ctrl_c
	close_terminal
	kill $writer
	grep -q 'ended 0' "$T/terminal" || fail "it did not end well:" "$(cat "$T/terminal")"
	grep -q 'Global KERNEL Profile' "$T/pager.got" || fail "the pager lost its input"
}

test_tables_fit_the_terminal() {
	need script
	local status most options
	record "$T/prof" -- "$BIN/stacks" recursion 0.5 200
	for options in '--children' '--by symbol' '--by process,mode,image,symbol' '--columns mode' -V4 -V1 '-V4 -d' \
		'--hierarchy --by program,image,symbol' '--details --by image,symbol'; do
		on_terminal -- "$PROSPECT report --no-pager --color never $options $T/prof"
		[ $status = 0 ] || fail "$options: $status"
		grep -v '  pid [0-9]*, user ' "$T/shown" | awk 'length($0) > 80' > "$T/long"
		[ ! -s "$T/long" ] || fail "$options: lines that do not fit" "$(head -n 5 "$T/long")"
	done
	for options in 'graph --calls' "query 'SELECT samples, text FROM stacks ORDER BY length(text) DESC'"; do
		on_terminal -- "$PROSPECT $options $T/prof --no-pager"
		[ $status = 0 ] || fail "$options: $status" "$(tail -n 3 "$T/shown")"
		grep -v ' in /' "$T/shown" | awk 'length($0) > 80' > "$T/long"
		[ ! -s "$T/long" ] || fail "$options: lines that do not fit" "$(head -n 5 "$T/long")"
		grep -Fq ... "$T/shown" || fail "$options: nothing was long" "$(head -n 5 "$T/shown")"
		on_terminal -- "$PROSPECT $options $T/prof --no-pager --wide"
		awk 'length($0) > 80' "$T/shown" > "$T/long"
		[ -s "$T/long" ] || fail "$options: --wide is not wide"
	done
	"$PROSPECT" report --by image,symbol --no-header "$T/prof" > "$T/piped"
	on_terminal -- "$PROSPECT report --no-pager --color never --wide --by image,symbol --no-header $T/prof"
	tail -n +3 "$T/shown" | awk '{ $1 = $1; print }' > "$T/wide"
	tail -n +3 "$T/piped" | awk '{ $1 = $1; print }' | grep -v '^-*$' > "$T/whole"
	grep -v '^-*$' "$T/wide" | cmp - "$T/whole" || fail "--wide is not what is piped"
	on_terminal -- "COLUMNS=60 $PROSPECT report --no-pager --color never --by image,symbol --no-header $T/prof"
	# The line above the table is as long as its figures are.
	most=$(awk '!/^Event/ && length($0) > most { most = length($0) } END { print most }' "$T/shown")
	[ "$most" = 60 ] || fail "COLUMNS=60: lines of up to $most"
	COLUMNS=60 "$PROSPECT" report --by image,symbol --no-header "$T/prof" | cmp - "$T/piped" ||
		fail "what is piped depends on COLUMNS"
}

# wide_program FILE: a C++ program that spins in functions whose names have 400 letters and more, one
# of them in a template, with source lines that no screen shows whole.
wide_program() {
	local long
	long=$(printf 'and_spin_%.0s' {1..50} | head -c 400)
	cat > "$1.cc" <<- EOT
		#include <ctime>
		#include <map>
		#include <string>
		#include <vector>
		template <typename Key, typename Value> struct Table {
			std::map<Key, Value> rows;
			__attribute__((noinline)) long $long(long n) {
				for (long i = n, sum = n; i; i--) { sum += i ^ sum >> 3; asm volatile("" : "+r"(sum)); } /* $long */
				return n;
			}
		};
		__attribute__((noinline)) long wide_$long(long n) {
			Table<std::string, std::vector<std::map<std::string, std::vector<std::string>>>> table;
			for (long i = n; i; i--) asm volatile("");
			return table.$long(n) + 1;
		}
		int main() {
			while (clock() < CLOCKS_PER_SEC / 2)
				wide_$long(100000);
		}
	EOT
	need g++
	g++ -g -O1 -o "$1" "$1.cc" || fail "g++"
}

# widest FILE: the columns of its widest line.
widest() {
	LC_ALL=C.UTF-8 wc -L < "$1"
}

# fits_shown WHAT: of what the terminal showed no line is longer than it is wide.
fits_shown() {
	sed -i $'s/\033\\[[0-9;]*m//g' "$T/shown"
	[ "$(widest "$T/shown")" -le 80 ] ||
		fail "$1: lines that do not fit" "$(grep -E '^.{81}' "$T/shown" | head -n 5)"
}

# What every viewing command prints on a terminal of 80 columns, and in a pipe.
test_long_names_fit_everywhere() {
	need script
	local status command n=0
	local -x XDG_STATE_HOME=$T/state
	wide_program "$T/wide"
	on_terminal PROSPECT_PAGER= -- "$PROSPECT $T/wide"
	fits_shown "the first screen"
	record "$T/prof" -- "$T/wide"
	while read -r command; do
		n=$((n + 1))
		command=${command//PROF/$T/prof}
		on_terminal PROSPECT_PAGER= -- "$PROSPECT $command 2> $T/stderr"
		[ $status = 0 ] || fail "$command: $status" "$(cat "$T/stderr")"
		[ -s "$T/shown" ] || fail "$command prints nothing"
		fits_shown "$command"
		eval "$PROSPECT $command" > "$T/piped" || fail "$command in a pipe"
		[ "$(widest "$T/piped")" -le 200 ] ||
			fail "$command: lines of $(widest "$T/piped") columns in a pipe" \
				"$(grep -E '^.{201}' "$T/piped" | head -n 5)"
	done <<- 'EOT'
		report PROF
		report -V1 PROF
		report -V2 PROF
		report -V3 PROF
		report -V4 -d PROF
		report --quality PROF
		report --by symbol PROF
		report --by function PROF
		report --by stack PROF
		report --by inline,line PROF
		report --by image,symbol,address -d PROF
		report --by process,program,exe,image,symbol,mode,thread,cpu,context PROF
		report --children PROF
		report --columns symbol PROF
		report --hierarchy --by program,image,symbol PROF
		report --details --by image,symbol PROF
		graph PROF
		graph -i PROF
		graph --flat PROF
		graph --calls PROF
		graph --by symbol,line PROF
		graph 'wide_and*' PROF
		annotate 'wide_and*' PROF
		annotate 'Table<*' PROF
		annotate -a 'Table<*' PROF
		annotate -s 'Table<*' PROF
		diff PROF PROF
		diff --all PROF PROF
		diff --all --by process,stack PROF PROF
		diff --all --measure rate PROF PROF
		list
		events
		events --check cpu-clock,task-clock
	EOT
	[ $n = 33 ] || fail "$n commands"
	# Rows of a query that have no room even when shortened are lists.
	for command in 'SELECT * FROM samples_by_symbol LIMIT 9' 'SELECT text FROM stacks LIMIT 9' \
		'SELECT * FROM totals WHERE in_command ORDER BY weight DESC LIMIT 2'; do
		on_terminal PROSPECT_PAGER= -- "$PROSPECT query \"$command\" $T/prof"
		[ $status = 0 ] || fail "$command:" "$(cat "$T/shown")"
		fits_shown "$command"
	done
	grep -q '^-- row 2 -*$' "$T/shown" || fail "no list of rows:" "$(cat "$T/shown")"
	grep -q '^symbol  *_ZN5Table.*\.\.\.' "$T/shown" || fail "no shortened name:" "$(cat "$T/shown")"
	on_terminal PROSPECT_PAGER= -- "$PROSPECT query"
	fits_shown "the list of views"
}

# With --wide, and where programs read.
test_long_names_are_whole_on_demand() {
	local command whole
	wide_program "$T/wide"
	record "$T/prof" -- "$T/wide"
	whole=$(nm -C "$T/wide" | sed -n 's/^[0-9a-f]* [TW] \(wide_and.*\)/\1/p')
	[ ${#whole} -gt 400 ] || fail "the name is '$whole'"
	for command in 'report --children --wide' 'graph --wide' 'graph --calls --wide' \
		"annotate --wide -s 'wide_and*'" 'report --children --format csv' 'graph --format csv' \
		'graph --format json' 'export --format collapsed -o -'; do
		eval "$PROSPECT $command $T/prof" > "$T/printed" 2> "$T/stderr" || fail "$command" "$(cat "$T/stderr")"
		grep -Fq "$whole" "$T/printed" || fail "$command: the name is not whole" "$(head -n 20 "$T/printed")"
	done
	"$PROSPECT" query "SELECT function FROM frames WHERE function LIKE 'wide_and%'" "$T/prof" > "$T/printed"
	grep -Fq "$whole" "$T/printed" || fail "a query in a pipe" "$(cat "$T/printed")"
}

test_colours() {
	need script
	local status escape=$'\033' wanted when
	record "$T/prof" -- "$BIN/loop" 0.1
	while read -r wanted when; do
		on_terminal "${when%% *}" -- "$PROSPECT report --no-pager --by symbol $T/prof ${when#* }"
		grep -q "$escape" "$T/shown"
		[ $? = $((1 - wanted)) ] || fail "$when:" "$(cat -v "$T/shown" | head -n 20)"
	done <<-'EOT'
		1 NONE=1 --limit 5
		1 NONE=1 --color auto
		0 NONE=1 --color never
		0 NO_COLOR=1 --color auto
		1 NO_COLOR=1 --color always
		0 TERM=dumb --color auto
		0 NONE=1 | cat
		1 NONE=1 --color always | cat
	EOT
	expect_status 2 "$PROSPECT" report --color sometimes "$T/prof"
	expect_line 'auto, always or never'
}
