#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/heavy/damage.sh: every place where the store's tests damage a profile or kill its writer, every race
# for a file's name, and every beginning of every input in tests/fuzz/corpus. "make check" runs a part of
# them.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=../runner.sh
. tests/runner.sh
tools/build build-check all || exit 1
mapfile -t targets < <(meson test -C build-check --no-rebuild --list 2> /dev/null | sed -n 's|.*\bfuzz/|fuzz/|p')
[ ${#targets[@]} -gt 0 ] || { echo "no fuzz target was found" && exit 1; }
export ALL_CASES=1
run_unit_tests foreign/door store/reader_damage store/salvage/recover store/writer_crash "${targets[@]}" | sed -E 's/^(ok|not ok|skip) /&all cases of /'
