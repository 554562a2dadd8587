/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Packets between us and the process that reads foreign files. The first byte says which side takes
 * them in: 'q' a question, 'a' an answer. */
#include <string.h>
#include <sys/stat.h>

#include "foreign/wire.h"
#include "target.h"

static volatile uint64_t sink;

static void try_question(const uint8_t *bytes, size_t size)
{
	static struct wire_question question;
	const char *root, *name;

	memset(&question, 0xff, sizeof(question));
	memcpy(&question, bytes, size < sizeof(question) ? size : sizeof(question));
	if (wire_check_question(&question, size, &root, &name))
		sink += strlen(name) + (root ? strlen(root) : 0) +
			question.uids[question.uid_count ? question.uid_count - 1 : 0];
}

static void try_answer(const uint8_t *bytes, size_t size)
{
	static struct wire_answer answer;
	struct stat st;

	memset(&answer, 0xff, sizeof(answer));
	memcpy(&answer, bytes, size < sizeof(answer) ? size : sizeof(answer));
	if (!wire_check_answer(&answer, size, answer.number))
		return;
	wire_get_stat(&answer, &st);
	sink += strlen(answer.reason) + (uint64_t)st.st_size;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	if (size && bytes[0] == 'q')
		try_question(bytes + 1, size - 1);
	if (size && bytes[0] == 'a')
		try_answer(bytes + 1, size - 1);
	return 0;
}
