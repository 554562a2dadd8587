-- SPDX-License-Identifier: GPL-2.0-or-later
-- The tables of a profile; prospect-profile(5) explains them. SQLite keeps comments inside a
-- statement in the file, so .schema shows them. views.sql has the views.

CREATE TABLE header( -- facts of the run, one value each
	name TEXT NOT NULL PRIMARY KEY,
	value ANY
) STRICT, WITHOUT ROWID;

CREATE TABLE word( -- what the numbers of mode, context and kind columns mean
	list TEXT NOT NULL,
	id INTEGER NOT NULL,
	name TEXT NOT NULL,
	PRIMARY KEY(list, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE text( -- long texts that many processes share
	id INTEGER PRIMARY KEY, -- with gaps
	text TEXT NOT NULL
) STRICT;

CREATE TABLE layer( -- which samples layer 1 (block) and layer 2 (total, second) cover
	id INTEGER PRIMARY KEY, -- 1 or 2
	samples INTEGER NOT NULL, -- if these differ, total and second are behind
	last_block INTEGER NOT NULL -- the last block that is covered
) STRICT;

CREATE TABLE event( -- what was sampled
	id INTEGER PRIMARY KEY,
	name TEXT NOT NULL,
	unit TEXT NOT NULL, -- of weight and period: ns or count
	clock TEXT NOT NULL, -- pmu-nmi, pmu-irq, timer, software
	rate_hz REAL NOT NULL, -- asked for, per CPU; 0: a fixed period
	period INTEGER NOT NULL, -- asked for; 0: a rate
	samples INTEGER NOT NULL,
	user_samples INTEGER NOT NULL,
	kernel_samples INTEGER NOT NULL,
	weight INTEGER NOT NULL
) STRICT;

CREATE TABLE loss( -- what was lost, and why
	event INTEGER NOT NULL REFERENCES event,
	reason TEXT NOT NULL,
	count INTEGER NOT NULL, -- samples, ticks or records
	weight INTEGER NOT NULL, -- in the event's unit
	PRIMARY KEY(event, reason)
) STRICT, WITHOUT ROWID;

CREATE TABLE image( -- files (or kernel, modules ...) whose code ran
	id INTEGER PRIMARY KEY, -- 0: none
	kind TEXT NOT NULL, -- file, kernel, module, bpf, vdso, anon, bucket
	state TEXT NOT NULL, -- why its addresses have names or not
	path TEXT NOT NULL,
	build_id BLOB NOT NULL, -- empty: unknown
	dev INTEGER NOT NULL,
	inode INTEGER NOT NULL,
	size INTEGER NOT NULL, -- bytes
	mtime_ns INTEGER NOT NULL
) STRICT;

CREATE TABLE process( -- program runs: fork and exec each make a new one
	id INTEGER PRIMARY KEY, -- 0: none
	pid INTEGER NOT NULL,
	exec_count INTEGER NOT NULL,
	start_ns INTEGER NOT NULL, -- CLOCK_MONOTONIC
	end_ns INTEGER NOT NULL, -- 0: still there at the end
	parent INTEGER NOT NULL REFERENCES process,
	uid INTEGER NOT NULL,
	program TEXT NOT NULL,
	instance INTEGER NOT NULL, -- program || '#' || instance is its name
	cgroup INTEGER NOT NULL REFERENCES text,
	container INTEGER NOT NULL REFERENCES text,
	kernel_thread INTEGER NOT NULL, -- 0 or 1
	in_command INTEGER NOT NULL -- 1: the profiled command, one chosen with -p, or a descendant
) STRICT;

CREATE TABLE executable( -- what processes execute
	id INTEGER PRIMARY KEY, -- of the process
	exe INTEGER NOT NULL REFERENCES text -- a path; empty: unknown, or none
) STRICT;

CREATE TABLE task( -- threads under one name
	id INTEGER PRIMARY KEY, -- 0: none
	process INTEGER NOT NULL REFERENCES process,
	tid INTEGER NOT NULL,
	comm TEXT NOT NULL
) STRICT;

CREATE TABLE symbol( -- functions
	id INTEGER PRIMARY KEY, -- 0: not resolved
	image INTEGER NOT NULL REFERENCES image,
	name TEXT NOT NULL, -- mangled
	start INTEGER NOT NULL,
	size INTEGER NOT NULL, -- bytes; 0: unknown
	kind INTEGER NOT NULL -- word list symbol_kind
) STRICT;

CREATE TABLE frame( -- places in images
	id INTEGER PRIMARY KEY, -- 0: none
	image INTEGER NOT NULL REFERENCES image,
	offset INTEGER NOT NULL, -- in the file
	address INTEGER NOT NULL, -- as objdump shows it
	address_known INTEGER NOT NULL, -- 0: address is only the offset
	kind INTEGER NOT NULL, -- word list frame_kind
	symbol INTEGER NOT NULL REFERENCES symbol
) STRICT;

CREATE TABLE stack( -- the trie of stacks: a node is the innermost frame, its parent the caller
	id INTEGER PRIMARY KEY, -- 0: root
	up INTEGER NOT NULL, -- id - parent: small numbers take no room
	frame INTEGER NOT NULL REFERENCES frame,
	parent INTEGER GENERATED ALWAYS AS (id - up) VIRTUAL
) STRICT;

CREATE TABLE code( -- the bytes of functions that were sampled often
	id INTEGER PRIMARY KEY, -- 0: none
	image INTEGER NOT NULL REFERENCES image,
	start INTEGER NOT NULL, -- as frame.offset in images of the kind anon, else as frame.address
	address INTEGER NOT NULL, -- as frame.address
	machine INTEGER NOT NULL, -- e_machine of ELF
	is_64 INTEGER NOT NULL, -- 0 or 1
	bytes BLOB NOT NULL
) STRICT;

CREATE TABLE line( -- lines of JIT code, as the runtime announced them
	id INTEGER PRIMARY KEY, -- 0: none
	image INTEGER NOT NULL REFERENCES image,
	start INTEGER NOT NULL, -- as frame.offset
	size INTEGER NOT NULL, -- bytes
	file INTEGER NOT NULL REFERENCES text,
	line INTEGER NOT NULL
) STRICT;

CREATE TABLE mark( -- what a person noted while it was recorded; older files have none
	id INTEGER PRIMARY KEY, -- from 0, in the order in which they were set
	time_ns INTEGER NOT NULL, -- CLOCK_MONOTONIC
	text TEXT NOT NULL -- at most 1024 bytes
) STRICT;

CREATE TABLE cpu_time( -- what the kernel says of all CPUs, part by part; older files have none
	id INTEGER PRIMARY KEY, -- from 0
	from_ns INTEGER NOT NULL, -- CLOCK_MONOTONIC
	to_ns INTEGER NOT NULL,
	capacity_ns INTEGER NOT NULL, -- CPUs x time
	idle_ns INTEGER NOT NULL,
	iowait_ns INTEGER NOT NULL,
	steal_ns INTEGER NOT NULL,
	lost_ns INTEGER NOT NULL -- of samples that did not fit into a ring
) STRICT;

CREATE TABLE block( -- layer 1: every sample, packed
	id INTEGER PRIMARY KEY, -- second << 20 | part
	samples INTEGER NOT NULL,
	data BLOB NOT NULL,
	second INTEGER GENERATED ALWAYS AS (id >> 20) VIRTUAL -- CLOCK_MONOTONIC
) STRICT;

CREATE TABLE total( -- layer 2: samples alike in all but time and CPU, added up
	stack INTEGER NOT NULL REFERENCES stack,
	task INTEGER NOT NULL REFERENCES task,
	event INTEGER NOT NULL REFERENCES event,
	mode INTEGER NOT NULL, -- word list mode
	context INTEGER NOT NULL, -- word list context
	samples INTEGER NOT NULL,
	weight INTEGER NOT NULL,
	weight_squared REAL NOT NULL, -- sum of squares
	PRIMARY KEY(stack, task, event, mode, context)
) STRICT, WITHOUT ROWID;

CREATE TABLE second( -- layer 2: samples of each second and CPU
	second INTEGER NOT NULL, -- CLOCK_MONOTONIC
	cpu INTEGER NOT NULL,
	event INTEGER NOT NULL REFERENCES event,
	mode INTEGER NOT NULL,
	samples INTEGER NOT NULL,
	weight INTEGER NOT NULL,
	PRIMARY KEY(second, cpu, event, mode)
) STRICT, WITHOUT ROWID;

CREATE TABLE branch( -- what the processor recorded of branches; only in imports
	event INTEGER NOT NULL REFERENCES event,
	from_frame INTEGER NOT NULL REFERENCES frame,
	to_frame INTEGER NOT NULL REFERENCES frame,
	count INTEGER NOT NULL,
	mispredicted INTEGER NOT NULL,
	cycles INTEGER NOT NULL, -- since the branch before; 0: not told
	PRIMARY KEY(event, from_frame, to_frame)
) STRICT, WITHOUT ROWID;

CREATE TABLE checksum( -- CRC-32 of what was written, to find damage; older files have none
	name TEXT NOT NULL, -- of the table
	part INTEGER NOT NULL, -- which of its rows: prospect-profile(5)
	rows INTEGER NOT NULL, -- how many; of block: samples
	crc INTEGER NOT NULL,
	PRIMARY KEY(name, part)
) STRICT, WITHOUT ROWID;
