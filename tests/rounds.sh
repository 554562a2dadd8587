# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Comparisons of what was sampled, in rounds: more is sampled until a comparison is decided (tests/decide). A
# test records once, and hands its counts to check_share, check_time, check_least, check_most or measured;
# in_rounds repeats it. A comparison errs once in a million times, however many rounds it takes.
#
# The caller sets MEASURED, a file that is not there yet: the comparisons of all rounds.

# TOLERANCE: by how much of the whole an expected share or time may be off.
TOLERANCE=0.03
MOST_ROUNDS=30

# in_rounds COMMAND...: repeats the command until all that it measured is decided. Fails with the command, or
# with a comparison that failed or that MOST_ROUNDS leave undecided.
in_rounds() {
	local round verdict said
	for ((round = 1; round <= MOST_ROUNDS; round++)); do
		"$@" || return
		[ -e "$MEASURED" ] || return 0
		verdict=0
		said=$(decide) || verdict=$?
		[ $verdict = 2 ] || break
	done
	[ $verdict != 2 ] || echo "# undecided after $MOST_ROUNDS rounds:"
	[ $verdict = 0 ] || printf '%s\n' "$said"
	return $verdict
}

# decide: ends a round. Prints what failed or is undecided; the status is that of tests/decide.
decide() {
	echo round >> "$MEASURED"
	"$(dirname "${BASH_SOURCE[0]}")/decide" "$MEASURED"
}

# calc EXPRESSION: a number by awk.
calc() {
	awk "BEGIN { printf \"%.9g\", $1 }"
}

# measured WHAT WHOLE GOT LOW HIGH VARIANCE LARGEST LOSS: a comparison of this round, for tests/decide.
measured() {
	(IFS=$'\t'; printf 'measured\t%s\n' "$*") >> "$MEASURED"
}

# check_least WHAT LEAST PART WHOLE: of WHOLE independent cases PART are right. The expected share is LEAST
# or more, LEAST at least 0.5.
check_least() {
	measured "$1" "$4" "$3" "$(calc "$2 * $4")" - "$(calc "$2 * (1 - $2) * $4")" 1 0
}

# check_most WHAT MOST PART WHOLE: the expected share is MOST or less, MOST at most 0.5.
check_most() {
	measured "$1" "$4" "$3" - "$(calc "$2 * $4")" "$(calc "$2 * (1 - $2) * $4")" 1 0
}

# check_share WHAT TRUTH PART WHOLE SAMPLES [OTHER_SAMPLES]: the sampled share PART / WHOLE is TRUTH. The
# jitter of the period (+-50 %) divides the worth of samples by ln 3 (Kish). OTHER_SAMPLES: the truth was
# itself sampled that many times. LOST: so many samples are missing. The variance is the highest of
# shares within the tolerance.
check_share() {
	# shellcheck disable=SC2046 # several words
	measured "$1" $(awk -v truth="$2" -v part="$3" -v whole="$4" -v n="$5" -v other="${6:-0}" \
		-v tolerance="$TOLERANCE" -v lost="${LOST:-0}" 'BEGIN {
		loss = n + lost > 0 ? lost / (n + lost) : 0
		worth = n / 1.0986
		if (other > 0 && n > 0)
			worth = 1 / (1 / worth + 1 / other)
		edge = truth < 0.5 ? truth + tolerance : truth - tolerance
		if ((edge < 0.5) != (truth < 0.5))
			edge = 0.5
		if (n < 1)
			whole = worth = 1 # as good as nothing
		printf "%.9g %.9g %.9g %.9g %.9g %.9g %.9g", whole, part, (truth - tolerance) * whole,
			(truth + tolerance) * whole, whole * whole * edge * (1 - edge) / worth,
			1.5 * whole / worth, loss * whole
	}')
}

# check_time WHAT TRUE_S WEIGHT_NS SAMPLES [SLACK]: sampled time against a clock. The number of
# samples in a stretch of time is at least as even as a Poisson count. SLACK: a fraction that may be
# missing for a reason (the account's residue).
check_time() {
	# shellcheck disable=SC2046 # several words
	measured "$1" $(awk -v truth="$2" -v weight="$3" -v n="$4" -v slack="${5:-0.02}" \
		-v tolerance="$TOLERANCE" -v lost="${LOST:-0}" 'BEGIN {
		got = weight / 1e9
		one = n > 0 ? 1.0986 * got / n : truth
		off = (slack + tolerance) * truth
		loss = n + lost > 0 ? lost / (n + lost) : 0
		printf "%.9g %.9g %.9g %.9g %.9g %.9g %.9g", truth, got, truth - off, truth + off,
			one * (truth + off), 1.5 * one, loss * truth
	}')
}
