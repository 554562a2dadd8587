# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Are the numbers true? Against the clocks of the kernel, against perf, against objdump.

# decided_after COMMAND...: the status of a comparison that each round repeats, and the number of rounds.
decided_after() {
	local MEASURED=$T/measured status=0 rounds=0
	rm -f "$MEASURED"
	one_round() {
		rounds=$((rounds + 1))
		"$@"
	}
	in_rounds one_round "$@" > "$T/said" || status=$?
	echo "$status $rounds"
}

# expect_decision "STATUS ROUNDS" COMMAND...
expect_decision() {
	local decision
	decision=$(decided_after "${@:2}")
	[ "$decision" = "$1" ] || fail "$decision instead of $1: ${*:2}" "$(cat "$T/said")"
}

# How all shares and times are compared: 0 is right, 1 wrong, and 2 undecided.
test_measurements_are_decided_in_rounds() {
	LOST=0 MOST_ROUNDS=5
	expect_decision "0 3" check_share half 0.5 2500 5000 5000
	expect_decision "1 3" check_share half 0.5 2800 5000 5000
	expect_decision "2 5" check_share half 0.5 2650 5000 5000
	grep -q '^# undecided after 5 rounds:' "$T/said" || fail "nothing is said:" "$(cat "$T/said")"
	expect_decision "2 5" check_share half 0.5 0 0 0
	expect_decision "0 4" check_time second 1 1e9 5000
	expect_decision "1 3" check_time second 1 1.2e9 1000
	expect_decision "2 5" check_time second 1 0 0
	expect_decision "0 4" check_least "nine of ten" 0.9 195 200
	expect_decision "1 3" check_least "nine of ten" 0.9 160 200
	expect_decision "0 4" check_most "one of ten" 0.1 5 200
	LOST=500
	expect_decision "2 5" check_share half 0.5 2500 5000 5000
	grep -q 'half: too much was lost in each round' "$T/said" || fail "nothing is said:" "$(cat "$T/said")"
	expect_decision "0 4" half_after_a_round_with_losses 2500
	expect_decision "1 4" half_after_a_round_with_losses 2800
	expect_decision "1 1" measured "a column is missing" 1 1 1 1 1 1
}

# half_after_a_round_with_losses PART: of the samples of the first round most are lost, of the others none.
half_after_a_round_with_losses() {
	LOST=0
	[ -e "$MEASURED" ] || LOST=10000
	check_share half 0.5 "$1" 5000 5000
}

# A program in step with a millisecond, sampled every millisecond: without the jittered period this
# reads anything from 3 to 97 %. A period lasts for the 100 ms between two drains; should one be drawn
# that is in step, those samples are all of one half: 50 of them may be too many beside the interval.
test_millisecond_rhythm() {
	local whole n half
	record "$T/prof" -H 1000 --ring 32768 -- "$BIN/rhythm" 3
	own_rows "$T/prof" symbol --select program=rhythm > "$T/rows"
	whole=$(grep '^rhythm_' "$T/rows" | sum 4)
	n=$(grep '^rhythm_' "$T/rows" | sum 3)
	half=$(grep '^rhythm_even' "$T/rows" | sum 4)
	LOST=$(calc "${LOST:-0} + 50")
	TOLERANCE=0.05 check_share rhythm "$(awk -F '\t' '$1 == "share" { print $3 }' "$T/stdout")" "$half" "$whole" "$n"
	check_time rhythm "$(rusage "$T/stdout")" "$(sum 4 < "$T/rows")" "$(sum 3 < "$T/rows")"
}

test_time_of_a_process() {
	record "$T/prof" "${MEASURING[@]}" -- "$BIN/shares" 1.5
	own_rows "$T/prof" mode --select program=shares > "$T/rows"
	check_time "time of shares" "$(rusage "$T/stdout")" "$(sum 4 < "$T/rows")" \
		"$(sum 3 < "$T/rows")"
}

# getrusage itself splits by the kernel's tick, at least 100 a second: a finer comparison takes minutes.
test_user_and_system_time() {
	need_root
	local system whole n
	record "$T/prof" "${MEASURING[@]}" -- "$BIN/systime" 2
	own_rows "$T/prof" mode --select program=systime > "$T/rows"
	whole=$(sum 4 < "$T/rows")
	n=$(sum 3 < "$T/rows")
	system=$(grep '^kernel' "$T/rows" | sum 4)
	check_time "time of systime" "$(rusage "$T/stdout")" "$whole" "$n"
	TOLERANCE=0.1 check_share "system time" "$(awk '$1 == "rusage" { print $3 / ($2 + $3) }' "$T/stdout")" \
		"$system" "$whole" "$n" 200
}

# Seconds that the hypervisor took, of all CPUs.
stolen() {
	awk -v ticks="$(getconf CLK_TCK)" '$1 == "cpu" { print $9 / ticks }' /proc/stat
}

account_begins() {
	need_root
	STOLEN=$(stolen)
}

# account_closes: weights + idle + steal + lost = CPUs x wall time, but for 2 %. What a full ring lost stands
# for the period that was set then; before Linux 6.0 only for the mean. What was stolen (since
# account_begins) the kernel may count as idle too, and how much of it is only known by ticks. On a CPU
# that is idle now and then, chance decides how many samples find it busy: a binomial count, whose periods
# are drawn within +-50 % (1.04).
account_closes() {
	local off
	off=$(header "$T/prof" residue_s)
	[ -n "$off" ] || fail "the header has no residue_s"
	# shellcheck disable=SC2046 # several words
	measured "the account" $(awk -v off="$off" -v n="$(header "$T/prof" samples)" \
		-v sampled="$(header "$T/prof" sampled_s)" -v idle="$(header "$T/prof" idle_s)" \
		-v all="$(header "$T/prof" capacity_s)" -v stolen="$(calc "$(stolen) - $STOLEN")" \
		-v lost="$(header "$T/prof" ring_full)" 'BEGIN {
		one = sampled / n
		most = (0.02 + 0.2 * lost / (n + lost)) * all + stolen
		printf "%.9g %.9g %.9g %.9g %.9g %.9g 0", all, off, -most, most,
			(1.04 * one) ^ 2 * n * idle / all, 1.5 * one
	}')
}

test_account_closes_idle() {
	account_begins
	record "$T/prof" -H 1000 -- sleep 2
	account_closes
}

test_account_closes_busy() {
	account_begins
	# shellcheck disable=SC2016
	record "$T/prof" -H 1000 -- sh -c '"$0" 2 & "$0" 2 & wait' "$BIN/shares"
	account_closes
}

# has_ended FILE: the process whose number is in FILE has, and waits for its parent.
has_ended() {
	[ -s "$1" ] && grep -q '^State:[[:space:]]*Z' "/proc/$(cat "$1")/status"
}

# lost_of EVENT: how many of its samples found a ring full.
lost_of() {
	awk -v event="[$1]" '
		/^Lost/ { inside = 1; sub(/^Lost/, "") }
		inside && /^[^ ]/ { exit }
		inside { text = text $0 }
		END {
			parts = split(text, part, "[")
			for (i = 1; i < parts; i++)
				if (index("[" part[i + 1], event) == 1 && match(part[i], /[0-9,]+ +samples +the +kernel +dropped/)) {
					count = substr(part[i], RSTART, RLENGTH)
					gsub(/[^0-9]/, "", count)
				}
			print count + 0
		}' "$T/text"
}

# An event that comes much more often than the clock fills the ring for both: each loss is its own
# event's. Every page was touched once, and others only add to that.
test_full_rings_are_counted_by_event() {
	account_begins
	local pid clock faults seen ticks pages=300000
	"$PROSPECT" record -o "$T/prof" --ring 64 -e page-faults@1 "$HERE/programs/announced.sh" "$T/pid" \
		"$BIN/counted" $pages 0 2> "$T/stderr" &
	pid=$!
	until_true has_run "$T/pid" 0.05
	kill -STOP $pid
	until_true has_ended "$T/pid"
	kill -CONT $pid
	wait $pid || fail "record:" "$(cat "$T/stderr")"
	"$PROSPECT" report --quality "$T/prof" > "$T/text" || fail "report"
	"$PROSPECT" report "$T/prof" --by event --format csv | csv_to_tabs > "$T/events"
	clock=$(lost_of cpu-clock)
	faults=$(lost_of page-faults@1)
	seen=$(value page-faults@1 3 "$T/events")
	holds "$seen + $faults >= $pages" || fail "$pages faults are $seen and $faults lost"
	ticks=$(($(nproc) * 2 * 1000 * (SECONDS + 1)))
	[ "$clock" -le $ticks ] || fail "$clock ticks lost of at most $ticks"
	account_closes
}

# Wake-ups too fast for the timer and for /proc/stat: what is missing must be said.
test_ping_pong_names_what_is_missing() {
	account_begins
	local residue missed limit
	record "$T/prof" -H 4000 -- "$BIN/pingpong" 2
	residue=$(header "$T/prof" residue_percent)
	missed=$(header "$T/prof" missed_ticks)
	"$PROSPECT" report "$T/prof" -V2 > "$T/text" 2>&1 || fail "report -V2"
	[ -n "$residue" ] || fail "the header has no residue_percent"
	limit=$(calc "2 + 100 * ($(stolen) - $STOLEN) / $(header "$T/prof" capacity_s)")
	if ! holds "$residue >= -$limit && $residue <= $limit"; then
		[ "${missed:-0}" -gt 0 ] || grep -q 'falls short' "$T/text" ||
			fail "residue $residue %, and nothing says why"
	fi
}

# A clock without NMI samples sections with interrupts off where they end. The rows named after the function
# whose section it was take nothing away and add nothing: with the row of the place alone they are what the
# profile has of the place.
test_sections_with_interrupts_off() {
	need_root
	record "$T/prof" -- "$BIN/pingpong" 1
	rows "$T/prof" symbol --machine --select mode=kernel > "$T/rows"
	"$PROSPECT" query --format csv "SELECT symbol, SUM(samples), SUM(weight), SUM(kind = 'enables') FROM
		(SELECT t.*, f.kind FROM totals t JOIN frames f USING(frame)) WHERE event = 'cpu-clock' AND
		mode = 'kernel' GROUP BY symbol" "$T/prof" | csv_to_tabs > "$T/raw" || fail "no truth"
	awk -F '\t' '
		{ name = $1; ended = sub(/ \(end of interrupts-off section( in [^)]*)?\)$/, "", name) }
		NR == FNR { found += ended; named[name] = named[name] || ended; n[name] += $3; ns[name] += $4; next }
		{ raw_n[name] = $2; raw_ns[name] = $3; if ($4 && !named[name]) print "no row of " name }
		END {
			if (!found) print "no section ended"
			for (name in named)
				if (named[name] && (n[name] != raw_n[name] || ns[name] != raw_ns[name]))
					print name ": " n[name] " samples, " ns[name] " ns, not " raw_n[name] ", " raw_ns[name]
		}' "$T/rows" "$T/raw" > "$T/wrong"
	[ ! -s "$T/wrong" ] || fail "$(cat "$T/wrong")" "$(head -n 20 "$T/rows")"
	grep -q '(end of interrupts-off section in __schedule)' "$T/rows" || fail "whose section:" "$(head -n 20 "$T/rows")"
}

# perf's samples of the same run at the same rate: the shares of its functions agree. In two runs they
# need not: beside other work, what waits for memory takes longer.
test_same_shares_as_perf() {
	need_root
	need perf
	local name theirs all ours whole n
	perf record -q -B -N -e cpu-clock -F 4000 -o "$T/perf.data" true 2> "$T/stderr" ||
		skip "perf does not record here: $(head -n 1 "$T/stderr")"
	record "$T/prof" "${MEASURING[@]}" -- \
		perf record -q -B -N -e cpu-clock -F 4000 -o "$T/perf.data" -- "$BIN/btree" 1.5
	perf script -i "$T/perf.data" -F ip,sym,dso 2> /dev/null |
		awk '$NF ~ /btree\)$/ { print $2 }' > "$T/theirs"
	all=$(wc -l < "$T/theirs")
	[ "$all" -ge 100 ] || skip "perf script does not read its own recording here"
	own_rows "$T/prof" symbol --select 'program=btree image=*btree mode=user' > "$T/rows"
	whole=$(sum 4 < "$T/rows")
	n=$(sum 3 < "$T/rows")
	for name in insert search main; do
		theirs=$(grep -cx "$name" "$T/theirs")
		ours=$(awk -F '\t' -v name=$name '$1 == name { w += $4 } END { printf "%.0f", w }' \
			"$T/rows")
		check_share "btree: $name" "$(calc "$theirs / $all")" "$ours" "$whole" "$n" "$all"
	done
}

# starts PROGRAM: every sampled user address of it is where an instruction starts.
starts() {
	need objdump
	local n
	record "$T/prof" -H 4000 -- "$BIN/$1" 0.8
	own_rows "$T/prof" address --select "program=$1 image=*$1 mode=user" |
		awk -F '\t' '{ sub("^0x0*", "", $1); print $1 }' | sort -u > "$T/sampled"
	n=$(wc -l < "$T/sampled")
	[ "$n" -ge 2 ] || fail "only $n addresses"
	objdump -d --no-show-raw-insn "$BIN/$1" |
		sed -n 's/^ *\([0-9a-f]*\):\t.*/\1/p' | sort -u > "$T/starts"
	comm -23 "$T/sampled" "$T/starts" > "$T/wrong"
	[ ! -s "$T/wrong" ] || fail "$(wc -l < "$T/wrong") of $n are no instruction starts:" \
		"$(head -n 5 "$T/wrong")"
}

test_instruction_starts_loop() { starts loop; }
test_instruction_starts_call() { starts call; }
test_instruction_starts_btree() { starts btree; }

# While the recorder is stopped its rings run over: what is lost is counted, by its name, and the
# account still closes.
test_full_rings_are_counted() {
	account_begins
	local pid lost status=0
	"$PROSPECT" record -o "$T/prof" -H 4000 --ring 64 "$HERE/programs/announced.sh" "$T/pid" \
		"$BIN/loop" 600 2> "$T/stderr" &
	pid=$!
	until_true has_run "$T/pid" 0.3
	kill -STOP $pid
	until_true has_run "$T/pid" 1.8
	kill -CONT $pid
	until_true has_run "$T/pid" 2.5
	kill "$(cat "$T/pid")"
	wait $pid || status=$?
	[ $status = 143 ] || fail "record ended with $status:" "$(cat "$T/stderr")"
	lost=$(header "$T/prof" ring_full)
	[ "${lost:-0}" -gt 100 ] || fail "lost with full rings: ${lost:-nothing}"
	account_closes
	rows "$T/prof" image | grep -q '/loop	' || fail "the command is missing"
}

# The time of the recorder while it records is what its own row has; with what it takes once it is the
# processor time of the whole process, by the shell's getrusage. A tenth of it may be in bpf(2), where
# nothing is sampled: the kernel runs no BPF program on a processor that is working on a map. It is that
# little as long as few programs come and go.
test_own_cost() {
	need_root
	local times status=0 whole samples
	TIMEFORMAT='%U %S'
	times=$({ time "$PROSPECT" record -q -o "$T/prof" -H 8000 --ring 32768 -- "$BIN/shares" 1.5 \
		> "$T/stdout" 2> "$T/stderr"; } 2>&1) || status=$?
	[ $status = 0 ] || fail "record:" "$(cat "$T/stderr")"
	LOST=$(lost_samples "$T/prof")
	rows "$T/prof" pid --select "pid=$("$PROSPECT" query --format csv \
		"SELECT value FROM header WHERE name = 'prospect_pid'" "$T/prof" | tail -n 1)" > "$T/rows"
	samples=$(sum 3 < "$T/rows")
	check_time "own cost" "$(header "$T/prof" recording_cpu_s)" "$(sum 4 < "$T/rows")" "$samples" 0.1
	# The shell's time has the command's too; what comes after the last write is not in ours.
	whole=$(calc "$(header "$T/prof" recording_cpu_s) + $(header "$T/prof" once_cpu_s)")
	holds "$whole - $(header "$T/prof" cpu_s) < 1e-5 && $(header "$T/prof" cpu_s) - $whole < 1e-5" ||
		fail "the parts do not add up to $(header "$T/prof" cpu_s) s: $whole"
	times=$(calc "${times/ / + } - ($(rusage "$T/stdout"))")
	holds "$whole <= $times + 0.01 && $whole >= 0.6 * $times" ||
		fail "own cost is $whole s, the process took $times s"
}

# What is done before and after the recording is no part of its cost.
test_own_cost_of_a_short_recording() {
	record "$T/prof" -- true
	holds "$(header "$T/prof" recording_cpu_s) <= $(header "$T/prof" duration_s) + 0.01" ||
		fail "one thread took more time than there was"
	holds "$(header "$T/prof" once_cpu_s) > 0" || fail "starting took nothing"
}
