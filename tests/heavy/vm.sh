#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/heavy/vm.sh PROSPECT: other kernels, other machines, less privilege; tests/vm has it all.
exec "$(dirname "$0")/../vm/run.sh" "$@"
