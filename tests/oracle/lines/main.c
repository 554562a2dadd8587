/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>

#include "loops.h"

int main(int argc, char **argv)
{
	printf("%s %d %d\n", argv[0], work(argc * 10), fold(argc));
	return 0;
}
