# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
. /run/vm/guest/lib.sh
keep_names
record work -- $BIN/work
