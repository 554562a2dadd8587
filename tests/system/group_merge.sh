# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Merged profiles. The truth is what the same views show of their parts.

# The part of the profiles that is compared.
scope=--machine

# Options of views that leave out what cannot be compared.
left_out=()

# leave_out_half_known FILE...: processes of which one file has the executable and another has not, because they
# were ending when it began. The merged profile knows it, also for the samples of the other.
leave_out_half_known() {
	local file pids
	pids=$(for file; do
		"$PROSPECT" report "$scope" --format csv --by pid,exe "$file" | csv_to_tabs |
			awk -F '\t' -v file="$file" '{ print $1 "\t" ($2 ~ "^/") "\t" file }'
	done | awk -F '\t' '
		$2 { known[$1] }
		!$2 { unknown[$1] }
		!(($1, $3) in seen) { files[$1]++; seen[$1, $3] }
		END { for (pid in known) if (pid in unknown && files[pid] > 1) print pid }' | paste -sd , -)
	left_out=()
	[ -z "$pids" ] || left_out=(--select "pid!=$pids")
}

# sums_by KEYS FILE...: what the files have together, "KEYS SAMPLES WEIGHT", sorted.
sums_by() {
	local keys=$1 file
	shift
	for file; do
		"$PROSPECT" report "$scope" "${left_out[@]}" --format csv --by "$keys" "$file" | csv_to_tabs
	done | awk -F '\t' -v keys="$keys" '
		{
			key = keys
			for (i = 1; i <= NF - 5; i++) key = key "\t" $i
			samples[key] += $(NF - 4); weight[key] += $(NF - 3)
		}
		END { for (key in samples) printf "%s\t%d\t%.0f\n", key, samples[key], weight[key] }' | sort
}

# The same of each stack.
sums_of_stacks() {
	local file
	for file; do
		"$PROSPECT" export -q --format collapsed --by program,tid "$scope" "$file"
	done | awk '
		{ count = $NF; sub(/ [0-9]+$/, ""); sum[$0] += count }
		END { for (stack in sum) printf "%s %.0f\n", stack, sum[stack] }' | sort
}

# expect_sum MERGED PART...: views of the merged profile show the sum of those of its parts.
expect_sum() {
	local keys merged=$1
	shift
	leave_out_half_known "$@"
	for keys in pid,tid,comm cpu,mode exe,user,container,cgroup program,context; do
		sums_by $keys "$@" > "$T/parts"
		sums_by $keys "$merged" | diff "$T/parts" - > "$T/diff" ||
			fail "by $keys it is not the sum" "$(head "$T/diff")"
	done
}

# The same of code, whose names and addresses all parts know.
expect_sum_of_code() {
	local keys merged=$1
	shift
	for keys in program,symbol,image image,address,mode; do
		sums_by $keys "$@" > "$T/parts"
		sums_by $keys "$merged" | diff "$T/parts" - > "$T/diff" ||
			fail "by $keys it is not the sum" "$(head "$T/diff")"
	done
	sums_of_stacks "$@" > "$T/parts"
	sums_of_stacks "$merged" | diff "$T/parts" - > "$T/diff" ||
		fail "stacks are not the sum" "$(head "$T/diff")"
	[ "$(wc -l < "$T/parts")" -gt 20 ] || fail "there are hardly any stacks" "$(cat "$T/parts")"
}

# One recording of the machine after another, and one of a command: processes that go on are one, and what was
# not recorded is in the account.
test_merge_recordings() {
	local i rows
	sleep 100 &
	rows="SELECT count(*) FROM process WHERE program = 'sleep' AND pid = $!"
	for i in 1 2; do
		record "$T/$i.prof" -a --duration 0.5
	done
	record "$T/3.prof" sh -c "i=0; while [ \$i -lt 200000 ]; do i=\$((i + 1)); done"
	kill $! && wait $! 2> /dev/null
	expect_status 0 "$PROSPECT" merge -o "$T/all.prof" "$T/3.prof" "$T/1.prof" "$T/2.prof"
	grep -q 'merged 3 profiles of 1 machine, [0-9]* samples, into' "$T/stderr" ||
		fail "said" "$(cat "$T/stderr")"
	expect_sum "$T/all.prof" "$T/1.prof" "$T/2.prof" "$T/3.prof"
	"$PROSPECT" query --format csv "$rows" "$T/all.prof" | tail -n 1 > "$T/count"
	[ "$(cat "$T/count")" = 1 ] || fail "a process that goes on is $(cat "$T/count") rows"
	"$PROSPECT" report --quality "$T/all.prof" | grep -q 'not recorded [1-9]' || fail "no gap in the account"
}

test_merge_runs_of_a_command() {
	local scope=--command i
	for i in 1 2; do
		record "$T/$i.prof" sh -c "i=0; while [ \$i -lt 100000 ]; do i=\$((i + 1)); done"
	done
	expect_status 0 "$PROSPECT" merge -q -o "$T/all.prof" "$T/1.prof" "$T/2.prof"
	expect_sum "$T/all.prof" "$T/1.prof" "$T/2.prof"
	expect_sum_of_code "$T/all.prof" "$T/1.prof" "$T/2.prof"
	mkdir "$T/folder"
	mv "$T/1.prof" "$T/2.prof" "$T/folder"
	expect_sum "$T/folder" "$T/all.prof"
	expect_sum_of_code "$T/folder" "$T/all.prof"
}

# Parts that were cut short, which may know less of the same code, and a merged one.
test_merge_what_was_cut_short() {
	"$PROSPECT" record -q -a -o "$T/1.prof" &
	until_true has_samples "$T/1.prof"
	kill -9 $!
	wait $! 2> /dev/null
	record "$T/2.prof" sh -c "i=0; while [ \$i -lt 200000 ]; do i=\$((i + 1)); done"
	expect_status 0 "$PROSPECT" merge -q -o "$T/3.prof" "$T/1.prof" "$T/2.prof"
	expect_status 0 "$PROSPECT" merge -q -o "$T/4.prof" "$T/3.prof" "$T/2.prof"
	expect_sum "$T/3.prof" "$T/1.prof" "$T/2.prof"
	expect_sum "$T/4.prof" "$T/1.prof" "$T/2.prof" "$T/2.prof"
}

has_samples() {
	"$PROSPECT" report --format csv --by pid "$1" 2> /dev/null | grep -q '^[0-9]*,[^,]*,[1-9]'
}

# Errors leave no file, and name what is wrong.
test_merge_errors() {
	record "$T/1.prof" true
	echo no profile > "$T/text"
	expect_status 2 "$PROSPECT" merge -o "$T/new" "$T/1.prof"
	expect_status 1 "$PROSPECT" merge -o "$T/new" "$T/1.prof" "$T/text"
	grep -q "$T/text" "$T/stderr" || fail "said" "$(cat "$T/stderr")"
	expect_status 1 "$PROSPECT" merge -o "$T/new" "$T/1.prof" "$T/none"
	[ ! -e "$T/new" ] || fail "a file is left"
	expect_status 1 "$PROSPECT" merge -o "$T/text" "$T/1.prof" "$T/1.prof"
	[ "$(cat "$T/text")" = "no profile" ] || fail "the file was replaced"
}
