# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What views of a large profile cost: 10 million samples, 500,000 distinct stacks (make_big.c).

views() {
	local rows=("view|wall, s|CPU, s|memory, MB") view i
	"$here/../tools/build" build bench/make_big -Dtests=disabled &&
		"$here/../build/bench/make_big" "$scratch/big.prof" || return
	local wanted=(
		"report"
		"report --by process"
		"report --by symbol"
		"report --by function"
		"report --by thread"
		"report --by cpu"
		"report --by time"
		"report --by cpu,symbol"
		"report --by stack"
		"report --by time,symbol"
		"report --by time,symbol --limit 20"
		"report --columns cpu --by program"
		"report --by symbol --since 100 --until 110"
		"report --by symbol --since 100 --until 50%"
		"report --children"
		"graph"
		"graph -i"
		"graph kernel_function_100"
		"graph --calls"
		"flame -o $scratch/page"
		"export --format pprof --no-lines -o $scratch/page"
		"heatmap -o $scratch/page"
		"diff $scratch/big.prof"
		"flame -o $scratch/page --diff $scratch/big.prof"
	)
	for view in "${wanted[@]}"; do
		rm -f "$scratch"/v-*
		for ((i = 0; i < 5; i++)); do
			# shellcheck disable=SC2086 # the words of a command
			"$scratch/measure" "$scratch/measures" "$prospect" $view "$scratch/big.prof" >"$scratch/view"
			measured 1 >>"$scratch/v-wall"
			awk '{ print $2 + $3 }' "$scratch/measures" >>"$scratch/v-cpu"
			measured 4 >"$scratch/v-memory"
		done
		rows+=("$view|$(median %.2f <"$scratch/v-wall")|$(median %.2f <"$scratch/v-cpu")|$(awk \
			'{ printf "%.0f", $1 / 1024 }' "$scratch/v-memory")")
	done
	rm -f "$scratch/big.prof"
	echo "== Views of 10 million samples"
	table "${rows[@]}"
}
