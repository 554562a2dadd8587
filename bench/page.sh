# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# How smoothly a page of more than 100,000 boxes moves in a browser: 60 frames a second are 16.7 ms apart.
# The profile is a small one of the tests, whose stacks are all different: with more samples boxes would
# be put together, so that their times fit into the page.

page() {
	local rows=("boxes|loaded, ms|frame, ms|of 20 the slowest, ms|in time, %|CPU, ms a frame") i
	if ! command -v chromium >/dev/null || ! command -v npm >/dev/null; then
		echo "the page is left out: chromium and npm are not both there"
		return
	fi
	mkdir "$scratch/browser"
	(cd "$scratch/browser" && npm install --no-audit --no-fund --silent playwright-core@1.65.1) || return
	cp "$here/page.mjs" "$scratch/browser"
	"$here/../tools/build" build-check tests/golden/make_profile &&
		"$here/../build-check/tests/golden/make_profile" wide "$scratch/wide.prof" &&
		"$prospect" flame --machine -o "$scratch/page.html" "$scratch/wide.prof" || return
	for ((i = 0; i < 3; i++)); do
		rows+=("$(cd "$scratch/browser" && node page.mjs "$scratch/page.html" | tr ' ' '|')")
	done
	echo "== The page of 100,000 boxes, panned"
	table "${rows[@]}"
}
