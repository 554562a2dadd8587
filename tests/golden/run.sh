#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/golden/run.sh PROSPECT [--update] [CASE...]: what is printed, letter by letter.
#
# A case is a folder with
#   cmd       shell commands; "prospect" is PROSPECT, NAME.prof are the profiles of make_profile.c
#             (exit 77 skips the case)
#   expected  what they print on stdout; then, if there is any, a line [stderr] and what they print
#             there; and a line [status N] when N is not 0
# They run in an empty folder of their own with these profiles. Files ending in .out that they leave
# behind are appended under their names. --update writes what is printed to expected.
set -u
export LC_ALL=C TZ=UTC
unset NO_COLOR SUDO_UID SUDO_GID SUDO_USER
[ $# -ge 1 ] || { echo "usage: $0 PROSPECT [--update] [CASE...]" >&2; exit 2; }
PROSPECT=$(realpath "$1")
make_profile=$(dirname "$PROSPECT")/tests/golden/make_profile
shift
update=false
[ "${1:-}" = --update ] && update=true && shift
cd "$(dirname "$0")" || exit 2
[ $# -gt 0 ] || set -- */
scratch=$(mktemp -d)
chmod 755 "$scratch" # source files in it are everybody's, which foreign profiles need
trap 'rm -rf "$scratch"' EXIT
export XDG_STATE_HOME=$scratch/state
# shellcheck source=../runner.sh
. ../runner.sh
passed=0 failed=0 skipped=0

[ -x "$PROSPECT" ] && [ -x "$make_profile" ] || { echo "$PROSPECT or $make_profile is missing" >&2; exit 2; }
mkdir "$scratch/profiles"
for name in $("$make_profile"); do
	"$make_profile" "$name" "$scratch/profiles/$name.prof" || exit 2
done

prospect() { "$PROSPECT" "$@"; }

# Runs the commands of the case $1 and prints all that came of it.
# shellcheck disable=SC1090 # the commands of a case are given by its name
run_case() {
	local folder=$scratch/run status file
	rm -rf "$folder"
	mkdir "$folder"
	cp "$scratch"/profiles/*.prof ./*.sh "$folder"
	(cd "$folder" && . "$OLDPWD/$1/cmd") 2>"$scratch/stderr" </dev/null
	status=$?
	for file in "$folder"/*.out; do
		[ -f "$file" ] && echo "[file ${file##*/}]" && cat "$file"
	done
	[ -s "$scratch/stderr" ] && echo "[stderr]" && cat "$scratch/stderr"
	[ $status = 0 ] || echo "[status $status]"
}

# What is different each time: where the scratch folder is.
steady() { sed "s|$scratch|SCRATCH|g"; }

for case in "$@"; do
	case=${case%/}
	timed "golden/$case" run_case "$case" | steady >"$scratch/printed"
	if grep -qx '\[status 77\]' "$scratch/printed"; then
		echo "skip $case"
		skipped=$((skipped + 1))
		continue
	fi
	$update && cp "$scratch/printed" "$case/expected"
	if diff -u "$case/expected" "$scratch/printed"; then
		echo "ok $case"
		passed=$((passed + 1))
	else
		echo "not ok $case"
		failed=$((failed + 1))
	fi
done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
