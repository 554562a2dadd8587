#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/heavy/units.sh: the unit tests that "make check" leaves out, long simulations and probes that are
# attached to the running kernel.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=../runner.sh
. tests/runner.sh
tools/build build-check all || exit 1
run_unit_tests --suite long
