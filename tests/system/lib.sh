# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# What the system tests share. A test is a function test_NAME in one of the *.sh files beside this
# one; it runs in a subshell of its own with $PROSPECT, $BIN (the test programs), $TEST (its name) and
# $T (an empty folder, gone afterwards). It passes by returning; fail and skip end it.
#
# A test that compares shares or times (check_share, check_time) is one round of those comparisons: the runner
# repeats it until each is decided.
# shellcheck source-path=SCRIPTDIR source=../rounds.sh
. "$HERE/../rounds.sh"

# How many samples record() lost. Losses come in bursts, on a machine that is busy with other things,
# so they may all be of what is compared, and of one kind of it: shares and times may be that far off.
LOST=0

# How to record what is compared: with many samples, which find room in the rings on a busy machine.
MEASURING=(-H 4000 --ring 32768)

fail() {
	printf '%s\n' "$@" | sed 's/^/# /'
	exit 1
}

skip() {
	printf '%s\n' "$1" > "$T/.skip"
	exit 77
}

# check_said FILE TOTAL...: FILE has what a program prints about its calls (programs/timed.h). The command
# "TOTAL... FUNCTION METRIC" prints what a watch counted of them.
check_said() {
	local file=$1 kind name third wanted got
	shift
	grep -q '^count ' "$file" || fail "the program prints no counts" "$(cat "$file")"
	while read -r kind name third wanted; do
		case $kind in
		count)
			got=$("$@" "$name" "$third")
			[ "$got" = "$wanted" ] ||
				fail "$third of $name is '$got', not $wanted" "$(cat "$file")"
			;;
		inner | outer)
			got=$("$@" "$name" walltime)
			if [ "$kind" = inner ]; then holds "$got >= $third"; else holds "$got <= $third"; fi ||
				fail "walltime of $name is $got s, $kind is $third" "$(cat "$file")"
			;;
		esac
	done < "$file"
}

# until_true COMMAND...: waits until it succeeds. The two minutes are for machines that hardly get on:
# what is tested must not depend on how long it took.
until_true() {
	local end=$((SECONDS + 120))
	until "$@"; do
		[ $SECONDS -lt $end ] || fail "this did not come true: $*"
		sleep 0.05
	done
}

# has_run FILE SECONDS: the process whose number is in FILE has used so much processor time.
has_run() {
	[ -s "$1" ] && awk -v least="$2" -v ticks="$(getconf CLK_TCK)" '
		{ sub(/.*\) /, ""); exit !(($12 + $13) / ticks >= least) }' \
		"/proc/$(cat "$1")/stat" 2> /dev/null
}

# runs PID PROGRAM: the process has become that program.
runs() {
	[ "/proc/$1/exe" -ef "$2" ]
}

ended() {
	! kill -0 "$1" 2> /dev/null
}

# has_spoken PID FILE: there is something in the file that the process writes, or it has ended.
has_spoken() {
	[ -s "$2" ] || ended "$1"
}

has_lines() {
	[ "$(wc -l < "$2")" -ge "$1" ]
}

# is_attached PID CSV: the first interval of a watcher is over, or it has ended.
is_attached() {
	grep -q '^interval' "$2" || ended "$1"
}

need_root() {
	[ "$(id -u)" = 0 ] || skip "needs root"
}

need() {
	command -v "$1" > /dev/null || skip "needs $1"
}

# expect_status WANTED COMMAND...: runs it, its stderr goes to $T/stderr as well.
expect_status() {
	local wanted=$1 got=0
	shift
	"$@" 2> "$T/stderr" || got=$?
	[ "$got" = "$wanted" ] ||
		fail "exit status $got instead of $wanted: $*" "$(tail -n 5 "$T/stderr")"
}

# Where tracefs is mounted nowhere, the test $TEST begins anew in a mount namespace that has it: the
# machine's own mounts stay as they are.
need_tracefs() {
	[ ! -r /sys/kernel/tracing/events/sched/sched_switch/id ] || return 0
	need_root
	need unshare
	[ -z "${began_anew:-}" ] && unshare -m mount -t tracefs tracefs /sys/kernel/tracing 2> /dev/null ||
		skip "tracefs cannot be mounted"
	begin_anew 'mount -t tracefs tracefs /sys/kernel/tracing'
}

# begin_anew MOUNTS: the test $TEST begins anew in a mount namespace of its own, in which the shell
# command MOUNTS has run. There $began_anew is set.
begin_anew() {
	local began_anew=1
	{ declare -f; declare -p began_anew TEST T TOP BIN HERE MEASURED MEASURING TOLERANCE LOST; } > "$T/.test"
	# shellcheck disable=SC2016 # for the other shell
	exec unshare -m bash -uc "$1"' && . "$0" && "test_$TEST"' "$T/.test"
}

# One line on stderr that has the pattern (extended, any case) in it.
expect_line() {
	[ "$(wc -l < "$T/stderr")" -le 1 ] || fail "more than one line:" "$(cat "$T/stderr")"
	expect_told "$1"
}

expect_told() {
	grep -Eqi -e "$1" "$T/stderr" || fail "nothing like '$1' was said:" "$(cat "$T/stderr")"
}

# record FILE [OPTION...] -- COMMAND...: a recording that must go well. The command's stdout goes to
# $T/stdout.
record() {
	local file=$1 status=0
	shift
	"$PROSPECT" record -o "$file" "$@" > "$T/stdout" 2> "$T/stderr" || status=$?
	[ $status = 0 ] || fail "record ended with $status: $*" "$(tail -n 5 "$T/stderr")"
	[ -s "$file" ] || fail "record made no $file"
	LOST=$(lost_samples "$file")
}

# CSV on stdin to tabs between, quotes resolved, without the line of titles.
csv_to_tabs() {
	awk '
	NR == 1 { next }
	{
		out = ""; quoted = 0; length_ = length($0)
		for (i = 1; i <= length_; i++) {
			c = substr($0, i, 1)
			if (c == "\"") {
				if (quoted && substr($0, i + 1, 1) == "\"") { out = out c; i++ }
				else quoted = !quoted
			} else if (c == "," && !quoted) out = out "\t"
			else out = out c
		}
		print out
	}'
}

# rows FILE KEYS [REPORT OPTION...]: key columns, then event, samples, weight, percent, low, high;
# tabs between; of the clock event only, whose weight is nanoseconds. A selection that nothing matches gives no rows, so what is asked for must be checked
# to be there.
rows() {
	local file=$1 keys=$2
	shift 2
	if ! "$PROSPECT" report "$file" --by "$keys" "$@" --format csv > "$T/.csv" 2> "$T/.csv.err"
	then
		grep -qi 'select\|match' "$T/.csv.err" ||
			fail "report --by $keys $*:" "$(cat "$T/.csv.err")" >&2
		: > "$T/.csv"
	fi
	csv_to_tabs < "$T/.csv" | awk -F '\t' '$(NF - 5) ~ /clock/'
}

# own_rows FILE KEYS [REPORT OPTION...]: of the recorded command and what it started. Others may run a program
# of the same name at this moment.
own_rows() {
	rows "$@" --command
}

# json_header FILE: the lines of the JSON header, one for each number.
json_header() {
	"$PROSPECT" report "$1" --by mode --format json > "$T/.json" 2> "$T/.json.err" ||
		fail "report --format json:" "$(cat "$T/.json.err")" >&2
	sed 's/[,{}]/\n/g' "$T/.json"
}

# header FILE NAME: a number of the JSON header, the first of this name.
header() {
	json_header "$1" |
		sed -n "s/^[[:space:]]*\"$2\"[[:space:]]*:[[:space:]]*\([-+0-9.eE]\{1,\}\)[[:space:]]*$/\1/p" |
		head -n 1
}

# lost_samples FILE: those of all events.
lost_samples() {
	json_header "$1" | awk '/"events": \[/ { inside = 1 } /"cpus":/ { inside = 0 }
		inside && $1 == "\"lost\":" { lost += $2 } END { print lost + 0 }'
}

# holds CONDITION: true or false by awk.
holds() {
	awk "BEGIN { exit !($1) }"
}

# The lines "share NAME FRACTION" of a program against rows of NAME and numbers (as from rows with
# one key): check_shares WHAT TRUTH_FILE ROWS_FILE
check_shares() {
	local whole samples name truth part
	awk -F '\t' '$1 == "share" { print $2 "\t" $3 }' "$2" > "$T/.truth"
	[ -s "$T/.truth" ] || fail "$1: the program printed no shares"
	read -r whole samples <<< "$(awk -F '\t' 'NR == FNR { known[$1] = 1; next }
		$1 in known { w += $4; n += $3 } END { printf "%.0f %d", w, n }' "$T/.truth" "$3")"
	while IFS=$'\t' read -r name truth; do
		part=$(awk -F '\t' -v name="$name" '$1 == name { w += $4 } END { printf "%.0f", w }' "$3")
		check_share "$1: $name" "$truth" "$part" "$whole" "$samples"
	done < "$T/.truth"
}

# sum COLUMN of rows on stdin.
sum() {
	awk -F '\t' -v column="$1" '{ s += $column } END { printf "%.0f", s }'
}

# rusage FILE: user + system seconds that a program printed.
rusage() {
	awk '$1 == "rusage" { printf "%.6f", $2 + $3 }' "$1"
}

# compile OUTPUT SOURCE [FLAG...]
compile() {
	local output=$1 source=$2
	shift 2
	${CC:-cc} -std=gnu11 -O2 -g -Wall -D_GNU_SOURCE -o "$BIN/.$output.$BASHPID" \
		"$HERE/programs/$source" "$@" && mv "$BIN/.$output.$BASHPID" "$BIN/$output"
}

# compile_inlined [FLAG...]: programs/inlined.c as $T/inlined, with its source beside it.
compile_inlined() {
	cp "$HERE/programs/inlined.c" "$T/"
	(cd "$T" && ${CC:-cc} -O2 -g "$@" inlined.c -o inlined) || fail "inlined.c does not compile"
}

# line_of FILE TEXT: the number of the first line that has it.
line_of() {
	grep -n -m 1 -F -e "$2" "$1" | cut -d : -f 1
}

compile_programs() {
	local name
	for name in short callers children forker systime pingpong loop call btree rhythm refuse; do
		compile $name $name.c &
	done
	compile threads threads.c -pthread &
	compile odd_names odd_names.c -pthread &
	compile births births.c -pthread &
	compile waits waits.c -pthread &
	compile pauses pauses.c -pthread &
	compile counted counted.c -pthread &
	compile ended ended.c -pthread &
	for name in brief interrupted overflows restricts signals ways; do
		compile $name $name.c -pthread -Wno-infinite-recursion &
	done
	compile loader loader.c -ldl &
	compile jit jit.c &
	compile moments moments.c &
	compile stacks stacks.c -pthread -fomit-frame-pointer -fno-builtin &
	compile storm storm.c -pthread -ldl -fno-omit-frame-pointer &
	compile stacks-fp stacks.c -pthread -fno-omit-frame-pointer -fno-builtin &
	compile liba.so library.c -shared -fPIC -fno-toplevel-reorder -DFIRST=a_first -DLAST=a_last &
	compile libb.so library.c -shared -fPIC -fno-toplevel-reorder -DFIRST=b_first -DLAST=b_last &
	compile shares shares.c -fPIE -pie &
	compile shares-nopie shares.c -fno-PIE -no-pie &
	compile shares-static shares.c -static &
	compile shares-static-pie shares.c -fPIE -static-pie &
	compile other shares.c -DPREFIX=other &
	wait
	strip -o "$BIN/libstripped.so" "$BIN/liba.so"
	for name in short callers children forker systime pingpong loop call btree rhythm refuse threads odd_names births waits pauses moments ended counted loader \
		brief interrupted overflows restricts signals ways \
		stacks stacks-fp storm \
		liba.so libb.so libstripped.so shares shares-nopie shares-static \
		shares-static-pie other; do
		[ -s "$BIN/$name" ] || { echo "# could not build $name" >&2; return 1; }
	done
}
