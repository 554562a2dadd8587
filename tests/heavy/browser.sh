#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/heavy/browser.sh PROSPECT: the pages of flame graphs and heat maps in a real browser (headless
# Chromium, driven by playwright-core, which npm puts into a scratch folder), compared with what the
# program itself prints; and the arithmetic of their scripts alone, in node.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
prospect=$(realpath "$1")
here=$top/tests/heavy/browser
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

skip() {
	echo "skip browser: $1"
	exit 0
}

command -v node >/dev/null || skip "node is not installed"
status=0
pages=$top/web/page
node "$here/tree.mjs" "$pages/tree.mjs" || status=1
node "$here/time.mjs" "$pages/tree.mjs" "$pages/time.mjs" || status=1
command -v chromium >/dev/null || skip "chromium is not installed"
(cd "$scratch" && npm install --no-audit --no-fund --silent playwright-core@1.65.1) >"$scratch/npm" 2>&1 ||
	skip "npm could not install playwright-core: $(tail -n 1 "$scratch/npm")"
"$top/tools/build" build-check tests/golden/make_profile || exit 1

make_profile=$top/build-check/tests/golden/make_profile
for name in stacks deep wide names kinds calls empty; do
	"$make_profile" $name "$scratch/$name.prof" &&
		"$prospect" flame --machine -o "$scratch/$name.html" "$scratch/$name.prof" || exit 1
done
# Functions that are in several files, and branches that are too small.
"$prospect" flame --machine --by symbol --boxes 8 -o "$scratch/few.html" "$scratch/kinds.prof" || exit 1
for name in before after; do
	"$make_profile" $name "$scratch/$name.prof" || exit 1
done
"$prospect" flame --diff -o "$scratch/diff.html" "$scratch/before.prof" "$scratch/after.prof" || exit 1
"$prospect" diff "$scratch/before.prof" "$scratch/after.prof" --by function --all --format csv \
	>"$scratch/diff.csv"
"$prospect" report --by event --format csv "$scratch/kinds.prof" | sed '1d; s/,.*//' >"$scratch/events"
number=0
while read -r event; do
	"$prospect" flame --diff --machine --select "event=$event" -o "$scratch/kinds-diff-$number.html" \
		"$scratch/kinds.prof" "$scratch/kinds.prof" || exit 1
	number=$((number + 1))
done <"$scratch/events"
"$prospect" report --by stack --format csv "$scratch/stacks.prof" >"$scratch/stacks.csv"
"$prospect" report --by function --children --format csv "$scratch/stacks.prof" >"$scratch/children.csv"
"$prospect" report --by mode --format json "$scratch/stacks.prof" >"$scratch/head.json"
"$prospect" graph --flat --by function --format csv "$scratch/stacks.prof" >"$scratch/flat.csv"
"$prospect" graph odd --by function --format csv "$scratch/calls.prof" >"$scratch/odd.csv"
cp "$here"/*.mjs "$scratch"
cd "$scratch" && node page.mjs "$scratch" || status=1

for name in stacks wide names; do
	"$prospect" heatmap --machine -o "$scratch/$name-heat.html" --by program,symbol --column 100ms \
		"$scratch/$name.prof" || exit 1
done
"$prospect" heatmap --machine -o "$scratch/part-heat.html" --by program,symbol --column 100ms \
	--since 0.25 --select mode=user "$scratch/stacks.prof" || exit 1
node heat.mjs "$scratch" "$prospect" || status=1
exit $status
