# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
. /run/vm/guest/lib.sh
keep_names
record map_right -K $EXCHANGE/right.map -- $BIN/work
record map_wrong -K $EXCHANGE/wrong.map -- $BIN/work
record vmlinux_right -L $EXCHANGE/right.vmlinux -- $BIN/work
record vmlinux_wrong -L $EXCHANGE/wrong.vmlinux -- $BIN/work
record vmlinux_stripped -L $EXCHANGE/stripped.vmlinux -- $BIN/work
