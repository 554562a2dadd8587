# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# What the groups of VM tests share, on top of tests/system/lib.sh. A group is a guest that is
# started once (boot) and tests of what it left in $EXCHANGE, its /run/vm.

# The Debian release of the kernel; a group may choose another.
SUITE=bookworm

# boot SCRIPT [OPTION of vm-run...]: runs guest/SCRIPT.sh with the programs in bin/. A guest that hangs is ended
# after LIMIT_S; no other one may be, however slow its host is.
LIMIT_S=1500
boot() {
	local script=$1
	shift
	mkdir -p "$EXCHANGE/guest" "$EXCHANGE/bin"
	cp "$HERE/guest/$script.sh" "$HERE/guest/lib.sh" "$EXCHANGE/guest/"
	"$HERE/vm-run" -o "$EXCHANGE" -s "$SUITE" -t $LIMIT_S "$@" -- bash "/run/vm/guest/$script.sh"
}

# build OUTPUT SOURCE [FLAG...]: a program for the guest. CC may be a cross compiler.
build() {
	local output=$EXCHANGE/bin/$1 source=$2
	shift 2
	mkdir -p "$EXCHANGE/bin"
	${CC:-cc} -std=gnu11 -O2 -g -Wall -D_GNU_SOURCE -I"$SYSTEM/programs" -o "$output" \
		"$source" "$@"
}

# put OUTPUT PROGRAM: the same program under another name.
put() {
	mkdir -p "$EXCHANGE/bin"
	cp "$2" "$EXCHANGE/bin/$1"
}

# put_unit NAME ROOM: a unit test under its own name, where 'make check' has built it.
put_unit() {
	local program=$HERE/../../build-check/tests/unit/test_$2_$1
	[ ! -x "$program" ] || put "$1" "$program"
}

# unit_passes NAME: the guest's run of it, with nothing skipped.
unit_passes() {
	[ -x "$EXCHANGE/bin/$1" ] ||
		skip "the unit tests are not built ('make check' builds them)"
	[ "$(cat "$EXCHANGE/$1.status")" = 0 ] || fail "$(tail -n 12 "$EXCHANGE/$1.out")"
	! grep 'SKIPPED' "$EXCHANGE/$1.out" || fail "$(tail -n 12 "$EXCHANGE/$1.out")"
}

# recorded NAME: sets FILE to the profile that the guest recorded as NAME; fails with what was said.
recorded() {
	FILE=$EXCHANGE/$1.prof
	[ -e "$EXCHANGE/$1.status" ] || fail "the guest did not get as far as recording $1"
	[ "$(cat "$EXCHANGE/$1.status")" = 0 ] ||
		fail "recording $1 ended with $(cat "$EXCHANGE/$1.status"):" \
			"$(tail -n 5 "$EXCHANGE/$1.stderr")"
	[ -s "$FILE" ] || fail "recording $1 left no profile"
}

# refused NAME STATUS PATTERN: the guest's recording NAME ended so, with one line like PATTERN.
refused() {
	[ "$(cat "$EXCHANGE/$1.status")" = "$2" ] ||
		fail "recording $1 ended with $(cat "$EXCHANGE/$1.status"), not $2"
	cp "$EXCHANGE/$1.stderr" "$T/stderr"
	expect_line "$3"
}

# expect_no_rows WHAT, rows on stdin
expect_no_rows() {
	local found
	found=$(cat)
	[ -z "$found" ] || fail "$1:" "$found"
}

# check_kernel_names FILE KALLSYMS: each address of the kernel proper that was hit has the name of
# the last routine at or below it in the kernel's own list, where an address may have several. Which
# section with interrupts off ended there is said after the name.
check_kernel_names() {
	rows "$1" address,symbol --select 'image=\[kernel\]' > "$T/rows"
	awk '
	function hex(text, i, value) {
		for (i = 1; i <= length(text); i++)
			value = value * 16 + index("123456789abcdef", substr(text, i, 1))
		return value
	}
	# The place of the last routine at or below an address.
	function find(address, low, high, middle) {
		high = count
		while (low < high) {
			middle = int((low + high + 1) / 2)
			if (start[middle] <= address) low = middle
			else high = middle - 1
		}
		return low
	}
	FNR == 1 { file++ }
	file == 1 && !/\[/ && $2 ~ /^[tTwW]$/ {
		at = hex(substr($1, 8))
		if ($3 == "_text" || $3 == "_stext" && !text) text = at
		if (at != start[count]) start[++count] = at
		names[count] = names[count] " " $3 " "
	}
	file == 2 {
		checked++
		sub(/ \(end of interrupts-off section.*/, "", $2)
		place = find(text + hex(substr($1, 3)))
		if (!index(names[place], " " $2 " "))
			print $1 " is called " $2 ", and is in" names[place]
	}
	END { if (checked < 10) print "only " checked + 0 " addresses" }
	' "$2" FS='\t' "$T/rows" | expect_no_rows "names of the kernel"
}

# in_module MODULE FILE: the program hash-MODULE was never seen in another module than its own, nor
# the other program in this one; and what was hit there is called as nm calls it, or has no name.
in_module() {
	local kernel
	rows "$2" program,image,symbol --select mode=kernel > "$T/rows"
	awk -F '\t' -v program="hash-$1" -v image="[$1]" '
		$1 ~ /^hash/ && $2 ~ /rmd160|wp512/ && ($1 == program) != ($2 == image)
	' "$T/rows" | expect_no_rows "hits in the wrong module"
	kernel=$("$HERE/vm-kernel" amd64 "$SUITE")
	find "$kernel/lib/modules" -name "$1.ko" -exec nm {} + |
		awk '$2 ~ /^[tT]$/ { print $3 }' > "$T/functions"
	[ -s "$T/functions" ] || fail "nm finds nothing in $1.ko"
	awk -F '\t' -v image="[$1]" '
		NR == FNR { known[$1] = 1; next }
		{ sub(/ \(end of interrupts-off section.*/, "", $3) }
		$2 == image && $3 != image && !($3 in known)
	' "$T/functions" "$T/rows" | expect_no_rows "not a routine of $1"
}

# A guest records once. So its shares and times are compared once, and fail when they are further off than chance
# makes them once in a million times (4.9 standard deviations). The jitter of the period (+-50 %) divides
# the worth of samples by ln 3 (Kish).
#
# check_share WHAT TRUTH PART WHOLE SAMPLES
check_share() {
	local least most
	[ "$5" -ge 30 ] || fail "$1: only $5 samples"
	read -r least most <<< "$(surely "$3" "$4" "$(calc "$5 / 1.0986")")"
	holds "$2 >= $least && $2 <= $most" || fail "$1: a share of $2 was sampled as $least to $most"
}

# check_time WHAT TRUE_S WEIGHT_NS SAMPLES [SLACK]: SLACK is the fraction that may be missing for a reason.
check_time() {
	local got half
	[ "$4" -ge 30 ] || fail "$1: only $4 samples"
	got=$(calc "$3 / 1e9")
	half=$(calc "4.9 * $got / sqrt($4 / 1.0986) + ${5:-0.02} * $2")
	holds "$2 >= $got - $half && $2 <= $got + $half" || fail "$1: $got s sampled +- $half, true is $2 s"
}

# surely PART WHOLE SAMPLES: the least and the most that the share PART / WHOLE can be, by Wilson's interval
# at 4.9 deviations (1e-6): a guest whose host is busy has few samples.
surely() {
	awk -v part="$1" -v whole="$2" -v n="$3" -v z=4.9 'BEGIN {
		p = part / whole
		centre = (p + z * z / (2 * n)) / (1 + z * z / n)
		half = z / (1 + z * z / n) * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
		printf "%.6f %.6f\n", centre - half, centre + half }'
}

# check_modules_at_one_address LEAST: the guest ran hash-rmd160 and hash-wp512, each with its module
# loaded at the address where the other's was, or will be; nearly all their time is spent there, or
# the part LEAST where starting a program takes long.
check_modules_at_one_address() {
	local least=$1 first second module hit all samples most
	recorded modules
	first=$(awk '{ print $6 }' "$EXCHANGE/rmd160.loaded")
	second=$(awk '{ print $6 }' "$EXCHANGE/wp512.loaded")
	[ -n "$first" ] && [ -n "$second" ] || fail "a module was not loaded: $first, $second"
	[ "$first" = "$second" ] || skip "the modules were at different addresses: $first, $second"
	for module in rmd160 wp512; do
		in_module $module "$FILE"
		read -r hit all samples <<< "$(awk -F '\t' -v program="hash-$module" -v image="[$module]" '
			$1 == program { all += $6; n += $5 }
			$1 == program && $2 == image && $3 != image { hit += $6 }
			END { printf "%.0f %.0f %d", hit, all, n }' "$T/rows")"
		[ "$samples" -ge 30 ] || fail "only $samples hits of hash-$module"
		read -r _ most <<< "$(surely "$hit" "$all" "$samples")"
		holds "$most >= $least" ||
			fail "too little of hash-$module was in its module: $hit of $all in $samples hits"
	done
}

# prospect could not know when the second module took the place of the first, but may not guess.
check_modules_swapped_unseen() {
	recorded swap
	in_module rmd160 "$FILE"
	in_module wp512 "$FILE"
}

# not_visible FILE: what the report says that it could not see, one a line
not_visible() {
	"$PROSPECT" report "$1" --by mode --format json | tr -d '\n' |
		sed -n 's/.*"not_visible": *\[\([^]]*\)\].*/\1/p' | sed 's/", *"/"\n"/g'
}

# unseen PATTERN: the report of $FILE says so
unseen() {
	not_visible "$FILE" | grep -Eqi -e "$1" ||
		fail "nothing like '$1' is said to be not visible, only:" "$(not_visible "$FILE")"
}

# text FILE NAME: a word of the JSON header
text() {
	"$PROSPECT" report "$1" --by mode --format json | tr -d '\n' |
		sed -n "s/.*\"$2\": *\"\([^\"]*\)\".*/\1/p"
}

# event_rows FILE EVENT KEYS [REPORT OPTION...]: as rows, for any event
event_rows() {
	local file=$1 event=$2 keys=$3
	shift 3
	"$PROSPECT" report "$file" --by "$keys" --select "event=$event" "$@" --format csv |
		csv_to_tabs
}

# check_work TRUTH EVENT [REPORT OPTION...]: the program shares, whose own words are in TRUTH, is
# found in $FILE with its shares of an event.
check_work() {
	local truth=$1 event=$2
	shift 2
	event_rows "$FILE" "$event" symbol --select program=shares "$@" > "$T/rows"
	check_shares "$(basename "$FILE")" "$truth" "$T/rows"
}

# check_work_time TRUTH: all the time of the program shares was found, by cpu-clock. Only where
# timers are not late.
check_work_time() {
	event_rows "$FILE" cpu-clock program --select program=shares > "$T/rows"
	check_time "$(basename "$FILE")" "$(rusage "$1")" "$(sum 4 < "$T/rows")" \
		"$(sum 3 < "$T/rows")"
}

account_closes() {
	local residue
	residue=$(header "$FILE" residue_percent)
	holds "$residue > -2 && $residue < 2" || fail "residue of $residue %"
}
