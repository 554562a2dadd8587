# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What views of a large profile cost: 10 million samples, 500,000 distinct stacks (make_big.c).

views() {
	local rows=("view|wall, s|CPU, s|memory, MB") view
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
		rows+=("$(view_row "$view" "$scratch/big.prof")")
	done
	rm -f "$scratch/big.prof"
	echo "== Views of 10 million samples"
	table "${rows[@]}"
}
