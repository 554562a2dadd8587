/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hung_fs FOLDER FILE...: a file system that has copies of the files, under their own names, and
 * answers until SIGUSR1; from then on it never does, as a server that is gone. Says "serves" and
 * "hangs" on stdout. Without libfuse: /dev/fuse and linux/fuse.h. When it is killed the kernel ends
 * every process that waits for it; the mount is left to its caller. It ends by itself in the end:
 * what waits for it may keep the test from going on, and the whole machine from forking.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { MOST_FILES = 8, HANGS_FOR_S = 300, BUFFER = 1 << 20, LARGEST_WRITE = 65536 };

struct served {
	const char *name;
	struct stat st;
	char *bytes;
};

static struct served files[MOST_FILES];
static int file_count;
static int device;
static volatile sig_atomic_t hang;

static void take_signal(int number)
{
	(void)number;
	hang = 1;
}

static int load(const char *path)
{
	struct served *file = &files[file_count++];
	const char *slash = strrchr(path, '/');
	int fd = open(path, O_RDONLY);

	if (fd < 0 || fstat(fd, &file->st) < 0)
		return -1;
	file->name = slash ? slash + 1 : path;
	file->bytes = malloc((size_t)file->st.st_size);
	if (!file->bytes || read(fd, file->bytes, (size_t)file->st.st_size) != file->st.st_size)
		return -1;
	return close(fd);
}

static void reply(const struct fuse_in_header *in, int error, const void *bytes, size_t size)
{
	struct fuse_out_header out = { .len = (uint32_t)(sizeof(out) + size),
				       .error = error,
				       .unique = in->unique };
	struct iovec parts[2] = { { &out, sizeof(out) }, { (void *)(uintptr_t)bytes, size } };

	if (writev(device, parts, size ? 2 : 1) < 0 && errno != ENOENT)
		perror("hung_fs: reply");
}

/* Node 1 is the folder, 2 the first file. */
static struct fuse_attr attributes(uint64_t node)
{
	struct fuse_attr attr = { .ino = node, .mode = S_IFDIR | 0755, .nlink = 2 };

	if (node >= 2 && node < 2 + (uint64_t)file_count) {
		const struct stat *st = &files[node - 2].st;

		attr.mode = S_IFREG | 0755;
		attr.nlink = 1;
		attr.size = (uint64_t)st->st_size;
		attr.blocks = (attr.size + 511) / 512;
		attr.mtime = (uint64_t)st->st_mtim.tv_sec;
		attr.mtimensec = (uint32_t)st->st_mtim.tv_nsec;
	}
	return attr;
}

/* Nothing is remembered by the kernel, so that it asks for everything again. */
static void look_up(const struct fuse_in_header *in, const char *name)
{
	for (int i = 0; i < file_count; i++) {
		if (strcmp(files[i].name, name) == 0) {
			struct fuse_entry_out entry = { .nodeid = (uint64_t)i + 2,
							.attr = attributes((uint64_t)i + 2) };

			reply(in, 0, &entry, sizeof(entry));
			return;
		}
	}
	reply(in, -ENOENT, NULL, 0);
}

static void read_file(const struct fuse_in_header *in, const struct fuse_read_in *wanted)
{
	const struct served *file = &files[in->nodeid - 2];
	uint64_t size = (uint64_t)file->st.st_size;
	uint64_t from = wanted->offset < size ? wanted->offset : size;
	uint64_t count = wanted->size < size - from ? wanted->size : size - from;

	reply(in, 0, file->bytes + from, (size_t)count);
}

static void answer(const struct fuse_in_header *in, const void *body)
{
	switch (in->opcode) {
	case FUSE_INIT: {
		const struct fuse_init_in *init = body;
		struct fuse_init_out out = { .major = FUSE_KERNEL_VERSION,
					     .minor = init->minor < FUSE_KERNEL_MINOR_VERSION
							      ? init->minor
							      : FUSE_KERNEL_MINOR_VERSION,
					     .max_readahead = init->max_readahead,
					     .max_write = LARGEST_WRITE };

		reply(in, 0, &out, sizeof(out));
		break;
	}
	case FUSE_LOOKUP:
		look_up(in, body);
		break;
	case FUSE_GETATTR: {
		struct fuse_attr_out out = { .attr = attributes(in->nodeid) };

		reply(in, 0, &out, sizeof(out));
		break;
	}
	case FUSE_OPEN: {
		struct fuse_open_out out = { .open_flags = FOPEN_KEEP_CACHE };

		reply(in, 0, &out, sizeof(out));
		break;
	}
	case FUSE_READ:
		read_file(in, body);
		break;
	case FUSE_STATFS: {
		struct fuse_statfs_out out = { .st = { .bsize = 4096, .namelen = 255 } };

		reply(in, 0, &out, sizeof(out));
		break;
	}
	case FUSE_FLUSH:
	case FUSE_RELEASE:
	case FUSE_ACCESS:
		reply(in, 0, NULL, 0);
		break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		break; /* no answer is wanted */
	default:
		reply(in, -ENOSYS, NULL, 0);
	}
}

static void serve(void)
{
	static _Alignas(8) char buffer[BUFFER];
	struct fuse_in_header in;

	while (!hang) {
		ssize_t got = read(device, buffer, sizeof(buffer));

		if (got < 0 && (errno == EINTR || errno == ENOENT || errno == EAGAIN))
			continue;
		if (got < (ssize_t)sizeof(in))
			exit(0); /* unmounted */
		memcpy(&in, buffer, sizeof(in));
		answer(&in, buffer + sizeof(in));
	}
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = take_signal };
	char options[128];

	if (argc < 3 || argc > 2 + MOST_FILES)
		return 2;
	for (int i = 2; i < argc; i++) {
		if (load(argv[i]) < 0) {
			perror(argv[i]);
			return 1;
		}
	}
	device = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other",
		 device);
	if (device < 0 || mount("hung", argv[1], "fuse.hung", 0, options) < 0) {
		perror("hung_fs");
		return 77;
	}
	sigaction(SIGUSR1, &action, NULL);
	puts("serves");
	fflush(stdout);
	serve();
	alarm(HANGS_FOR_S);
	puts("hangs");
	fflush(stdout);
	for (;;)
		pause();
}
