#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/heavy/fuzz.sh: every parser of foreign bytes is searched for inputs that break it, half a minute
# each (FUZZ_SECONDS; 10 seconds where CI is true, as machines do it for each change), two at a time. What
# is found is a fault of ours, whenever it is found.
set -u
cd "$(dirname "$0")/../.." || exit 1
[ "${CI:-}" = true ] && seconds=10 || seconds=30
FUZZ_SECONDS=${FUZZ_SECONDS:-$seconds} FUZZ_JOBS=2 tools/fuzz
