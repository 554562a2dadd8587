# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
. /run/vm/guest/lib.sh
keep_names
record work -- $BIN/work
record_modules
record_module_code

if [ -x $BIN/kernel_text ]; then
	$BIN/kernel_text > $EXCHANGE/kernel_text.out 2>&1
	echo $? > $EXCHANGE/kernel_text.status
fi
unit sampler_stacks
unit off_cpu
