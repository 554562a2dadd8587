#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/heavy/checks.sh PROSPECT: that each check can fail.
exec "$(dirname "$0")/../checks/run.sh" "$@"
