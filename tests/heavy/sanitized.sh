#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/heavy/sanitized.sh PROSPECT K N: the K-th of N shares of the system tests, with the program built with the
# address and undefined-behaviour sanitizers, except those in tests/system/not_sanitized. A test fails only
# when a sanitizer reports something; "make check" runs the same tests in full, on the installed program.
set -u -o pipefail
top=$(cd "$(dirname "$0")/../.." && pwd)
"$top/tools/build" build-check all || exit 1
share=$("$top/tests/system/run.sh" "$top/build-check/prospect" --list --except "$top/tests/system/not_sanitized" |
	awk -v k="$2" -v n="$3" 'NR % n == k % n')
# shellcheck disable=SC2086 # several words
"$top/tests/system/run.sh" "$top/build-check/prospect" --unjudged $share |
	sed -E 's/^(ok|not ok|skip) /&sanitized_/'
