/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The process that reads foreign files is this program again, which answers as $FOREIGN_TEST says:
 * as it should, or as one would over which a hostile file has got power.
 */
#include "foreign/foreign.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static const char manner[] = "FOREIGN_TEST";

enum { LIMIT = 100, PLACE = 7 };

/* ---- the process ---- */

static int sealed(const char *text)
{
	int fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (write(fd, text, strlen(text)) < 0 ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK) < 0)
		_exit(1);
	return fd;
}

/* Room for one packet that is too long. */
struct reply {
	struct wire_answer answer;
	char rest[16];
	size_t size;
	int fd;
	int times;
};

static void number_is_wrong(struct reply *reply)
{
	reply->answer.number++;
}

static void magic_is_wrong(struct reply *reply)
{
	reply->answer.magic++;
}

static void too_short(struct reply *reply)
{
	reply->size--;
}

static void too_long(struct reply *reply)
{
	reply->size++;
}

static void success_is_positive(struct reply *reply)
{
	reply->answer.rc = WIRE_AT_WORK + 1;
}

static void no_such_error(struct reply *reply)
{
	reply->answer.rc = INT32_MIN;
}

static void no_descriptor(struct reply *reply)
{
	reply->fd = -1;
}

static void may_change(struct reply *reply)
{
	reply->fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (write(reply->fd, "text", 4) < 0)
		_exit(1);
}

static void larger_than_told(struct reply *reply)
{
	reply->answer.size = 3;
}

static void smaller_than_told(struct reply *reply)
{
	reply->answer.size = 5;
}

static void larger_than_wanted(struct reply *reply)
{
	char text[LIMIT + 2];

	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	reply->fd = sealed(text);
	reply->answer.size = LIMIT + 1;
}

/* Who reads such a thing may wait, or change something. */
static void is_a_device(struct reply *reply)
{
	reply->fd = open("/dev/null", O_RDONLY);
	reply->answer.copy = 0;
	reply->answer.size = 0;
}

/* A memfd is on a mount that is not listed. */
static void is_of_no_local_mount(struct reply *reply)
{
	reply->answer.copy = 0;
}

static void ends_at_once(struct reply *reply)
{
	_exit(0);
}

static void ends_half_way(struct reply *reply)
{
	reply->answer.rc = WIRE_AT_WORK;
	(void)wire_send(FOREIGN_SOCKET, &reply->answer, sizeof(reply->answer), -1);
	_exit(0);
}

static void answers_twice(struct reply *reply)
{
	reply->times = 2;
}

/* Its other end is closed when it is given up for good. */
static void is_silent(struct reply *reply)
{
	char byte;

	(void)recv(FOREIGN_SOCKET, &byte, 1, 0);
	_exit(0);
}

static const struct hostile {
	const char *name;
	void (*spoil)(struct reply *reply);
	int wanted; /* of the question */
} hostiles[] = {
#define ROW(name, wanted)           \
	{                           \
#name, name, wanted \
	}
	ROW(number_is_wrong, -EIO),	ROW(magic_is_wrong, -EIO),
	ROW(too_short, -EIO),		ROW(too_long, -EIO),
	ROW(success_is_positive, -EIO), ROW(no_such_error, -EIO),
	ROW(no_descriptor, -EPROTO),	ROW(may_change, -EPROTO),
	ROW(larger_than_told, -EPROTO), ROW(smaller_than_told, -EPROTO),
	ROW(is_a_device, -EPROTO),	ROW(larger_than_wanted, -EPROTO),
	ROW(ends_at_once, -EIO),	ROW(is_of_no_local_mount, -EPROTO),
	ROW(ends_half_way, -EIO),	ROW(answers_twice, 0),
	ROW(is_silent, -ETIMEDOUT),
#undef ROW
};

static void answer_badly(const struct hostile *hostile)
{
	static struct wire_question question;
	int fd;

	while (wire_receive(FOREIGN_SOCKET, &question, sizeof(question), &fd) > 0) {
		struct reply reply = { .answer = { .magic = WIRE_MAGIC,
						   .number = question.number,
						   .size = 4,
						   .copy = 1 },
				       .size = sizeof(reply.answer),
				       .fd = sealed("text"),
				       .times = 1 };

		hostile->spoil(&reply);
		while (reply.times--)
			(void)wire_send(FOREIGN_SOCKET, &reply.answer, reply.size, reply.fd);
	}
}

static int be_the_process(void)
{
	const char *how = getenv(manner);

	for (size_t i = 0; how && i < sizeof(hostiles) / sizeof(*hostiles); i++) {
		if (strcmp(how, hostiles[i].name) == 0) {
			answer_badly(&hostiles[i]);
			return 0;
		}
	}
	foreign_serve(FOREIGN_SOCKET);
	return 0;
}

/* ---- the tests ---- */

static int ask_of(struct foreign *foreign, uint64_t place, struct foreign_answer *ret_answer)
{
	const struct foreign_question question = {
		.kind = WIRE_READ, .name = "/proc/self/stat", .limit = 4096, .place = place
	};

	return foreign_ask(foreign, &question, ret_answer, NULL);
}

static int ask(struct foreign *foreign)
{
	const struct foreign_question question = {
		.kind = WIRE_READ, .name = "/proc/self/stat", .limit = LIMIT, .place = PLACE
	};
	struct foreign_answer answer = { .fd = -1 };
	int rc = foreign_ask(foreign, &question, &answer, NULL);

	if (rc == 0)
		close(answer.fd);
	return rc;
}

static void answers_well(struct foreign *foreign, uint64_t place)
{
	struct foreign_answer answer;
	char text[64] = "";

	setenv(manner, "", 1);
	assert_int_equal(ask_of(foreign, place, &answer), 0);
	assert_true(answer.copy);
	assert_true(read(answer.fd, text, sizeof(text) - 1) > 0);
	assert_true(atoi(text) > 0 && atoi(text) != getpid());
	close(answer.fd);
}

/* Whatever it says is refused, and the next one is asked as if nothing had been. */
static void bad_answers(void **state)
{
	for (size_t i = 0; i < sizeof(hostiles) / sizeof(*hostiles); i++) {
		struct foreign *foreign = foreign_new((struct pause){ 0 });
		int rc;

		setenv(manner, hostiles[i].name, 1);
		rc = ask(foreign);
		if (rc != hostiles[i].wanted)
			fail_msg("%s: %d", hostiles[i].name, rc);
		foreign_free(foreign);
	}
}

/* The answer to the question before is none to this one. */
static void old_answers(void **state)
{
	struct foreign *foreign = foreign_new((struct pause){ 0 });

	setenv(manner, "answers_twice", 1);
	assert_int_equal(ask(foreign), 0);
	assert_int_equal(ask(foreign), -EIO);
	answers_well(foreign, PLACE);
	foreign_free(foreign);
}

static void another_one_is_started(void **state)
{
	struct foreign *foreign = foreign_new((struct pause){ 0 });

	setenv(manner, "ends_half_way", 1);
	assert_int_equal(ask(foreign), -EIO);
	answers_well(foreign, PLACE);
	foreign_free(foreign);
}

/* What hangs is not asked for again, everything else is. */
static void places_that_hang(void **state)
{
	struct foreign *foreign = foreign_new((struct pause){ 0 });
	struct foreign_answer answer;

	setenv(manner, "is_silent", 1);
	assert_int_equal(ask(foreign), -ETIMEDOUT);
	answers_well(foreign, PLACE + 1);
	assert_int_equal(ask_of(foreign, PLACE, &answer), -ETIMEDOUT);
	answers_well(foreign, PLACE + 1);
	foreign_free(foreign);
}

/* A descriptor that was not requested. */
static void unasked_descriptors(void **state)
{
	struct foreign *foreign = foreign_new((struct pause){ 0 });
	const struct foreign_question question = { .kind = WIRE_STAT, .name = "/", .place = PLACE };
	struct foreign_answer answer;

	setenv(manner, "answers_twice", 1);
	assert_int_equal(foreign_ask(foreign, &question, &answer, NULL), -EPROTO);
	foreign_free(foreign);
}

static void memory_and_links(void **state)
{
	static const char text[] = "what is in memory";
	struct foreign *foreign = foreign_new((struct pause){ 0 });
	char path[64], copy[sizeof(text)] = "";
	struct stat st, wanted;

	setenv(manner, "", 1);
	assert_int_equal(
		door_read_memory(foreign, getpid(), (uint64_t)(uintptr_t)text, copy, sizeof(text)),
		sizeof(text));
	assert_string_equal(copy, text);
	assert_int_equal(door_read_memory(foreign, getpid(), 0, copy, 1), -EIO);
	snprintf(path, sizeof(path), "/proc/%d/exe", getpid());
	assert_int_equal(door_stat_magic(foreign, path, getpid(), &st), 0);
	assert_int_equal(stat("/proc/self/exe", &wanted), 0);
	assert_true(st.st_ino == wanted.st_ino && st.st_dev == wanted.st_dev &&
		    st.st_size == wanted.st_size);
	foreign_free(foreign);
}

/* ---- questions ---- */

/* Does a process that is asked this go on? It answers, then. */
static bool is_answered(const struct wire_question *question, size_t size)
{
	struct wire_answer answer;
	int ends[2], fd = -1, got;
	pid_t child;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
	child = fork();
	if (child == 0) {
		close(ends[0]);
		foreign_serve(ends[1]);
		_exit(0);
	}
	close(ends[1]);
	assert_int_equal(wire_send(ends[0], question, size, -1), 0);
	got = wire_receive(ends[0], &answer, sizeof(answer), &fd);
	if (fd >= 0)
		close(fd);
	close(ends[0]);
	waitpid(child, NULL, 0);
	return got > 0 && wire_check_answer(&answer, (size_t)got, question->number);
}

static void bad_questions(void **state)
{
	static struct wire_question good, bad;
	const size_t head = offsetof(struct wire_question, text);
	size_t size;

	good = (struct wire_question){ .kind = WIRE_OPEN, .number = 5, .limit = 10 };
	assert_true(wire_ask(&good, "/", "etc/hostname", &size));
	assert_true(is_answered(&good, size));
	for (size_t cut = 1; cut < size; cut += cut < head ? 16 : 1)
		assert_false(is_answered(&good, cut));
	assert_false(is_answered(&good, size + 1));
#define SPOILT(field, value)                           \
	do {                                           \
		bad = good;                            \
		bad.field = value;                     \
		assert_false(is_answered(&bad, size)); \
	} while (0)
	SPOILT(magic, 1);
	SPOILT(kind, WIRE_KIND_COUNT);
	SPOILT(uid_count, READERS_MOST + 1);
	SPOILT(root_size, 0);
	SPOILT(root_size, 1);
	SPOILT(root_size, UINT32_MAX);
	SPOILT(name_size, 0);
	SPOILT(name_size, UINT32_MAX);
	SPOILT(text[0], '\0');
	SPOILT(text[size - head - 1], 'x');
#undef SPOILT
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bad_answers),	    cmocka_unit_test(old_answers),
		cmocka_unit_test(places_that_hang), cmocka_unit_test(another_one_is_started),
		cmocka_unit_test(memory_and_links), cmocka_unit_test(unasked_descriptors),
		cmocka_unit_test(bad_questions),
	};

	if (argc == 2 && strcmp(argv[1], FOREIGN_OPTION) == 0)
		return be_the_process();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
