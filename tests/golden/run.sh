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
export PROSPECT_HISTORY=/nowhere
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
all=$(mktemp -d)
trap 'rm -rf "$all"' EXIT
held=$all/held
# shellcheck source=../runner.sh
. ../runner.sh

[ -x "$PROSPECT" ] && [ -x "$make_profile" ] || { echo "$PROSPECT or $make_profile is missing" >&2; exit 2; }
mkdir "$held" "$all/profiles"
for name in $("$make_profile"); do
	"$make_profile" "$name" "$all/profiles/$name.prof" || exit 2
done

prospect() { "$PROSPECT" "$@"; }

# Runs the commands of the case $1 in the folder $scratch and prints all that came of it.
# shellcheck disable=SC1090 # the commands of a case are given by its name
run_case() {
	local folder=$scratch/run status file
	mkdir "$folder"
	cp "$all"/profiles/*.prof ./*.sh "$folder"
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

# The case $1, in a folder and with a state of its own. It ends a process of its own.
try_case() {
	local case=$1
	scratch=$(mktemp -d)
	trap 'rm -rf "$scratch"' EXIT
	chmod 755 "$scratch" # source files in it are everybody's, which foreign profiles need
	export XDG_STATE_HOME=$scratch/state
	timed "golden/$case" run_case "$case" | steady >"$scratch/printed"
	if grep -qx '\[status 77\]' "$scratch/printed"; then
		echo "skip $case"
		return
	fi
	$update && cp "$scratch/printed" "$case/expected"
	if diff -u "$case/expected" "$scratch/printed"; then
		echo "ok $case"
	else
		echo "not ok $case"
	fi
}

for case in "$@"; do
	begin try_case "${case%/}"
done
finish >"$all/lines"
cat "$all/lines"
sum_up "$all/lines"
