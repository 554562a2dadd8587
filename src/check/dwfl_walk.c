/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "check/dwfl_walk.h"

#include <dlfcn.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"

enum { ONE_THREAD = 1 }; /* libdwfl needs thread ids; any will do */

#define LIBDW "libdw.so.1"

/* Loaded only when needed, so a recording does not wait for it. */
#define FUNCTIONS(X)                     \
	X(dwarf_cfi_addrframe)           \
	X(dwfl_addrmodule)               \
	X(dwfl_attach_state)             \
	X(dwfl_begin)                    \
	X(dwfl_end)                      \
	X(dwfl_errmsg)                   \
	X(dwfl_frame_pc)                 \
	X(dwfl_getthread_frames)         \
	X(dwfl_module_dwarf_cfi)         \
	X(dwfl_module_eh_cfi)            \
	X(dwfl_report_elf)               \
	X(dwfl_report_end)               \
	X(dwfl_thread_state_register_pc) \
	X(dwfl_thread_state_registers)

struct libdwfl {
	void *library;
#define POINTER(name) typeof(&(name)) name;
	FUNCTIONS(POINTER)
#undef POINTER
};

struct dwfl_walk {
	struct libdwfl lib;
	Dwfl *dwfl;
	Dwfl_Callbacks callbacks;
	Dwfl_Thread_Callbacks thread_callbacks;
	bool attached;
	const struct dwfl_walk_input *input; /* of the current walk */
	bool read_beyond;
	uint64_t *addresses;
	size_t count, max;
};

static int load(struct libdwfl *lib, struct err *err)
{
	lib->library = dlopen(LIBDW, RTLD_NOW | RTLD_LOCAL);
	if (!lib->library)
		return err_set(err, -ENOENT, "%s; install libdw1", dlerror());
#define LOAD(name)                                                 \
	lib->name = (typeof(lib->name))dlsym(lib->library, #name); \
	if (!lib->name)                                            \
		return err_set(err, -ENOSYS, "%s has no %s: it is too old", LIBDW, #name);
	FUNCTIONS(LOAD)
#undef LOAD
	return 0;
}

/* The caller adds every file, so libdwfl need not search. */
static int find_no_file(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
			char **ret_file, Elf **ret_elf)
{
	return -1;
}

/* No separate debug files: the unwind tables are in the file itself. */
static int find_no_debug(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
			 const char *file, const char *link, GElf_Word crc, char **ret_file)
{
	return -1;
}

static pid_t next_thread(Dwfl *dwfl, void *context, void **thread)
{
	if (*thread)
		return 0;
	*thread = context;
	return ONE_THREAD;
}

static bool read_memory(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *ret_value, void *context)
{
	struct dwfl_walk *walk = context;
	const struct dwfl_walk_input *input = walk->input;
	uint64_t offset = address - input->stack_address;

	if (address < input->stack_address || input->stack_size < sizeof(*ret_value) ||
	    offset > input->stack_size - sizeof(*ret_value)) {
		walk->read_beyond = true;
		return false;
	}
	memcpy(ret_value, (const char *)input->stack + offset, sizeof(*ret_value));
	return true;
}

static bool set_registers(Dwfl_Thread *thread, void *context)
{
	const struct dwfl_walk_input *input = ((struct dwfl_walk *)context)->input;
	const struct libdwfl *lib = &((struct dwfl_walk *)context)->lib;
	size_t count = input->register_count < DWFL_WALK_REGISTERS ? input->register_count
								   : DWFL_WALK_REGISTERS;
	Dwarf_Word values[DWFL_WALK_REGISTERS];

	for (size_t i = 0; i < count; i++)
		values[i] = input->registers[i];
	/* Unwind expressions of linkage tables read the pc by its register number. */
	if (count > DWFL_WALK_PC)
		values[DWFL_WALK_PC] = input->pc;
	lib->dwfl_thread_state_register_pc(thread, input->pc);
	return lib->dwfl_thread_state_registers(thread, 0, (unsigned)count, values);
}

int dwfl_walk_new(struct dwfl_walk **ret_walk, struct err *err)
{
	_cleanup_(dwfl_walk_freep) struct dwfl_walk *walk = xcalloc(1, sizeof(*walk));
	int rc = load(&walk->lib, err);

	if (rc < 0)
		return rc;
	walk->callbacks =
		(Dwfl_Callbacks){ .find_elf = find_no_file, .find_debuginfo = find_no_debug };
	walk->thread_callbacks = (Dwfl_Thread_Callbacks){ .next_thread = next_thread,
							  .memory_read = read_memory,
							  .set_initial_registers = set_registers };
	walk->dwfl = walk->lib.dwfl_begin(&walk->callbacks);
	if (!walk->dwfl)
		return err_set(err, -ENOMEM, "libdwfl: %s", walk->lib.dwfl_errmsg(-1));
	*ret_walk = steal_ptr(walk);
	return 0;
}

void dwfl_walk_free(struct dwfl_walk *walk)
{
	if (!walk)
		return;
	if (walk->dwfl)
		walk->lib.dwfl_end(walk->dwfl);
	if (walk->lib.library)
		dlclose(walk->lib.library);
	free(walk);
}

int dwfl_walk_add(struct dwfl_walk *walk, const char *name, int fd, uint64_t bias, struct err *err)
{
	int own = dup(fd);

	if (own < 0)
		return err_set(err, -errno, "%s: %m", name);
	/* On success libdwfl owns the descriptor. */
	if (!walk->lib.dwfl_report_elf(walk->dwfl, name, name, own, bias, true)) {
		close(own);
		return err_set(err, -EINVAL, "%s: libdwfl: %s", name, walk->lib.dwfl_errmsg(-1));
	}
	return 0;
}

static int take_frame(Dwfl_Frame *frame, void *context)
{
	struct dwfl_walk *walk = context;
	Dwarf_Addr pc;

	if (walk->count == walk->max || !walk->lib.dwfl_frame_pc(frame, &pc, NULL) || pc == 0)
		return DWARF_CB_ABORT;
	walk->addresses[walk->count++] = pc;
	return DWARF_CB_OK;
}

static bool attach(struct dwfl_walk *walk)
{
	if (walk->attached)
		return true;
	if (walk->lib.dwfl_report_end(walk->dwfl, NULL, NULL) < 0)
		return false;
	walk->attached = walk->lib.dwfl_attach_state(walk->dwfl, NULL, ONE_THREAD,
						     &walk->thread_callbacks, walk);
	return walk->attached;
}

size_t dwfl_walk_run(struct dwfl_walk *walk, const struct dwfl_walk_input *input,
		     uint64_t *addresses, size_t max, bool *ret_read_beyond)
{
	walk->input = input;
	walk->read_beyond = false;
	walk->addresses = addresses;
	walk->count = 0;
	walk->max = max;
	if (attach(walk))
		(void)walk->lib.dwfl_getthread_frames(walk->dwfl, ONE_THREAD, take_frame, walk);
	walk->input = NULL;
	*ret_read_beyond = walk->read_beyond;
	return walk->count;
}

static bool describes(const struct libdwfl *lib, Dwarf_CFI *table, Dwarf_Addr address)
{
	Dwarf_Frame *frame = NULL;
	bool described = table && lib->dwarf_cfi_addrframe(table, address, &frame) == 0;

	free(frame);
	return described;
}

bool dwfl_walk_describes(const struct dwfl_walk *walk, uint64_t address)
{
	const struct libdwfl *lib = &walk->lib;
	Dwfl_Module *module = lib->dwfl_addrmodule(walk->dwfl, address);
	Dwarf_Addr bias = 0;
	Dwarf_CFI *table;

	if (!module)
		return false;
	table = lib->dwfl_module_eh_cfi(module, &bias);
	if (describes(lib, table, address - bias))
		return true;
	table = lib->dwfl_module_dwarf_cfi(module, &bias);
	return describes(lib, table, address - bias);
}
