-- SPDX-License-Identifier: GPL-2.0-or-later
-- Layer 3: views for people. Only SQL reads them. The file has them for any SQLite program, and
-- `prospect query` creates its own with the same columns (store/schema.h): a line that ends in
-- "-- file" or "-- query" belongs to that variant only. The text after AS introduces the view.
--
-- Names come from subqueries, not joins: SQLite skips the subqueries of columns that are not used.

CREATE VIEW frame_total AS -- totals by innermost frame
SELECT frame, event, samples, weight, mode, context FROM frame_sum; -- query
SELECT stack.frame, total.event, sum(total.samples) AS samples, sum(total.weight) AS weight, -- file
	total.mode, total.context -- file
FROM total JOIN stack ON stack.id = total.stack -- file
GROUP BY stack.frame, total.event, total.mode, total.context; -- file

CREATE VIEW task_total AS -- totals by thread
SELECT task, event, samples, weight, mode, context FROM task_sum; -- query
SELECT task, event, sum(samples) AS samples, sum(weight) AS weight, mode, context -- file
FROM total -- file
GROUP BY task, event, mode, context; -- file

CREATE VIEW stack_total AS -- totals by stack
SELECT stack, event, samples, weight FROM stack_sum; -- query
SELECT stack, event, sum(samples) AS samples, sum(weight) AS weight -- file
FROM total -- file
GROUP BY stack, event; -- file

CREATE VIEW threads AS -- threads, each under one name, with the process they are in
SELECT CASE process.id WHEN 0 THEN '[unknown]' ELSE process.program || '#' || process.instance END
		AS process, process.program,
	(SELECT text.text FROM executable JOIN text ON text.id = executable.exe
		WHERE executable.id = process.id) AS exe,
	process.pid, task.tid, task.comm AS thread, process.uid, task.id AS task,
	process.id AS process_id,
	process.in_command
FROM task
JOIN process ON process.id = task.process;

CREATE VIEW images AS -- files, the kernel and its modules, whose code ran
SELECT image.path AS image, image.kind, image.state, lower(hex(image.build_id)) AS build_id,
	image.size, image.mtime_ns, image.id AS image_id
FROM image
WHERE image.id > 0;

CREATE VIEW functions AS -- functions; code that no symbol covers is FILE+0xSTART
SELECT image.path AS image, symbol.name AS symbol,
	CASE WHEN image.kind = 'file' AND (kind.name = 'bracket' OR kind.name = 'none' AND symbol.start)
		THEN substr(image.path, 1 + length(rtrim(image.path, replace(image.path, '/', '')))) ||
			printf('+0x%x', symbol.start)
		ELSE coalesce(nullif(symbol.name, ''), '[unknown]') -- file
		ELSE coalesce(nullif(demangle(symbol.name), ''), '[unknown]') -- query
	END AS function,
	kind.name AS symbol_kind, symbol.start, symbol.size, symbol.id AS symbol_id,
	symbol.image AS image_id
FROM symbol
LEFT JOIN image ON image.id = symbol.image
LEFT JOIN word AS kind ON kind.list = 'symbol_kind' AND kind.id = symbol.kind;

CREATE VIEW frames AS -- places in images, with the function they are in
SELECT (SELECT path FROM image WHERE image.id = frame.image) AS image,
	(SELECT name FROM symbol WHERE symbol.id = frame.symbol) AS symbol,
	(SELECT function FROM functions WHERE symbol_id = frame.symbol) AS function,
	(SELECT word.name FROM symbol JOIN word ON word.list = 'symbol_kind' AND word.id = symbol.kind
		WHERE symbol.id = frame.symbol) AS symbol_kind,
	frame.address,
	(SELECT frame.address - start FROM symbol WHERE symbol.id = frame.symbol) AS symbol_offset,
	frame.offset,
	(SELECT name FROM word WHERE list = 'frame_kind' AND word.id = frame.kind) AS kind,
	frame.id AS frame, frame.symbol AS symbol_id, frame.image AS image_id
FROM frame;

CREATE VIEW totals AS -- samples alike in all but time and processor, added up
SELECT (SELECT name FROM event WHERE event.id = total.event) AS event,
	(SELECT process FROM threads WHERE threads.task = total.task) AS process,
	(SELECT program FROM threads WHERE threads.task = total.task) AS program,
	(SELECT exe FROM threads WHERE threads.task = total.task) AS exe,
	(SELECT pid FROM threads WHERE threads.task = total.task) AS pid,
	(SELECT tid FROM task WHERE task.id = total.task) AS tid,
	(SELECT comm FROM task WHERE task.id = total.task) AS thread,
	(SELECT name FROM word WHERE list = 'mode' AND word.id = total.mode) AS mode,
	(SELECT name FROM word WHERE list = 'context' AND word.id = total.context) AS context,
	(SELECT image FROM frames JOIN stack ON stack.frame = frames.frame
		WHERE stack.id = total.stack) AS image,
	(SELECT symbol FROM frames JOIN stack ON stack.frame = frames.frame
		WHERE stack.id = total.stack) AS symbol,
	(SELECT function FROM frames JOIN stack ON stack.frame = frames.frame
		WHERE stack.id = total.stack) AS function,
	(SELECT address FROM frames JOIN stack ON stack.frame = frames.frame
		WHERE stack.id = total.stack) AS address,
	total.samples, total.weight, total.weight_squared, total.stack,
	(SELECT frame FROM stack WHERE stack.id = total.stack) AS frame, total.task,
	(SELECT process FROM task WHERE task.id = total.task) AS process_id,
	(SELECT in_command FROM threads WHERE threads.task = total.task) AS in_command
FROM total;

CREATE VIEW sample AS -- every sample, with its time; fast between two times -- query
SELECT s.time_ns, s.time_s, s.second, s.cpu, -- query
	(SELECT name FROM event WHERE event.id = s.event) AS event, -- query
	(SELECT process FROM threads WHERE threads.task = s.task) AS process, -- query
	(SELECT program FROM threads WHERE threads.task = s.task) AS program, -- query
	(SELECT exe FROM threads WHERE threads.task = s.task) AS exe, -- query
	(SELECT pid FROM threads WHERE threads.task = s.task) AS pid, -- query
	(SELECT tid FROM task WHERE task.id = s.task) AS tid, -- query
	(SELECT comm FROM task WHERE task.id = s.task) AS thread, -- query
	(SELECT name FROM word WHERE list = 'mode' AND word.id = s.mode) AS mode, -- query
	(SELECT name FROM word WHERE list = 'context' AND word.id = s.context) AS context, -- query
	(SELECT image FROM frames JOIN stack ON stack.frame = frames.frame -- query
		WHERE stack.id = s.stack) AS image, -- query
	(SELECT symbol FROM frames JOIN stack ON stack.frame = frames.frame -- query
		WHERE stack.id = s.stack) AS symbol, -- query
	(SELECT function FROM frames JOIN stack ON stack.frame = frames.frame -- query
		WHERE stack.id = s.stack) AS function, -- query
	(SELECT address FROM frames JOIN stack ON stack.frame = frames.frame -- query
		WHERE stack.id = s.stack) AS address, -- query
	s.weight, s.stack, (SELECT frame FROM stack WHERE stack.id = s.stack) AS frame, -- query
	s.task, (SELECT process FROM task WHERE task.id = s.task) AS process_id, -- query
	(SELECT in_command FROM threads WHERE threads.task = s.task) AS in_command -- query
FROM sample_row AS s; -- query

CREATE VIEW stacks AS -- stacks that were hit, as text, the outermost function first
SELECT (SELECT name FROM event WHERE event.id = t.event) AS event,
	(WITH RECURSIVE up(stack, text) AS ( -- file
		SELECT t.stack, NULL -- file
		UNION ALL -- file
		SELECT stack.parent, (SELECT function FROM frames -- file
			WHERE frames.frame = stack.frame) || coalesce(';' || up.text, '') -- file
		FROM up JOIN stack ON stack.id = up.stack -- file
		WHERE up.stack > 0 AND stack.up > 0) -- file
	SELECT text FROM up WHERE up.stack = 0) AS text, -- file
	stack_text(t.stack) AS text, -- query
	t.samples, t.weight, t.stack
FROM stack_total AS t;

CREATE VIEW samples_by_symbol AS -- functions by what they were hit themselves, the most first
SELECT (SELECT name FROM event WHERE event.id = t.event) AS event,
	(SELECT path FROM image WHERE image.id = t.image) AS image,
	(SELECT name FROM symbol WHERE symbol.id = t.symbol) AS symbol,
	(SELECT function FROM functions WHERE symbol_id = t.symbol) AS function,
	t.samples, t.weight, t.percent, t.symbol AS symbol_id
FROM (SELECT hit.event, frame.image, frame.symbol, sum(hit.samples) AS samples,
		sum(hit.weight) AS weight,
		100.0 * sum(hit.weight) / sum(sum(hit.weight)) OVER (PARTITION BY hit.event)
			AS percent
	FROM frame_total AS hit
	JOIN frame ON frame.id = hit.frame
	GROUP BY hit.event, frame.image, frame.symbol) AS t
ORDER BY t.event, t.weight DESC;

CREATE VIEW samples_by_image AS -- images, the most first
SELECT (SELECT name FROM event WHERE event.id = t.event) AS event,
	(SELECT path FROM image WHERE image.id = t.image) AS image,
	t.samples, t.weight, t.percent, t.image AS image_id
FROM (SELECT hit.event, frame.image, sum(hit.samples) AS samples, sum(hit.weight) AS weight,
		100.0 * sum(hit.weight) / sum(sum(hit.weight)) OVER (PARTITION BY hit.event)
			AS percent
	FROM frame_total AS hit
	JOIN frame ON frame.id = hit.frame
	GROUP BY hit.event, frame.image) AS t
ORDER BY t.event, t.weight DESC;

CREATE VIEW samples_by_thread AS -- threads, the most first
SELECT (SELECT name FROM event WHERE event.id = t.event) AS event,
	(SELECT process FROM threads WHERE threads.task = t.task) AS process,
	(SELECT comm FROM task WHERE task.id = t.task) AS thread,
	(SELECT pid FROM threads WHERE threads.task = t.task) AS pid,
	(SELECT tid FROM task WHERE task.id = t.task) AS tid,
	t.samples, t.weight, t.percent, t.task,
	(SELECT in_command FROM threads WHERE threads.task = t.task) AS in_command
FROM (SELECT hit.event, hit.task, sum(hit.samples) AS samples, sum(hit.weight) AS weight,
		100.0 * sum(hit.weight) / sum(sum(hit.weight)) OVER (PARTITION BY hit.event)
			AS percent
	FROM task_total AS hit
	GROUP BY hit.event, hit.task) AS t
ORDER BY t.event, t.weight DESC;

CREATE VIEW processes AS -- processes, and what they took of each event
WITH known AS (
	SELECT (SELECT id FROM word WHERE list = 'mode' AND name = 'user') AS user,
		(SELECT id FROM word WHERE list = 'context' AND name = 'task') AS task),
used AS (
	SELECT task.process, hit.event, sum(hit.samples) AS samples,
		sum(hit.samples) FILTER (WHERE hit.mode = known.user) AS user_samples,
		sum(hit.samples) FILTER (
			WHERE hit.mode <> known.user AND hit.context = known.task) AS system_samples,
		sum(hit.samples) FILTER (WHERE hit.context <> known.task) AS interrupt_samples,
		sum(hit.weight) AS weight
	FROM task_total AS hit
	JOIN task ON task.id = hit.task
	JOIN known
	GROUP BY task.process, hit.event)
SELECT process.program || '#' || process.instance AS process, process.program,
	(SELECT text.text FROM executable JOIN text ON text.id = executable.exe
		WHERE executable.id = process.id) AS exe,
	process.pid,
	CASE parents.id WHEN 0 THEN NULL ELSE parents.program || '#' || parents.instance END AS parent,
	process.uid,
	(SELECT text FROM text WHERE text.id = process.cgroup) AS cgroup,
	(SELECT text FROM text WHERE text.id = process.container) AS container,
	(process.start_ns - begin.value) / 1e9 AS start_s,
	CASE process.end_ns WHEN 0 THEN NULL
		ELSE (process.end_ns - begin.value) / 1e9 END AS end_s,
	process.in_command, (SELECT name FROM event WHERE event.id = used.event) AS event,
	coalesce(used.samples, 0) AS samples, coalesce(used.user_samples, 0) AS user_samples,
	coalesce(used.system_samples, 0) AS system_samples,
	coalesce(used.interrupt_samples, 0) AS interrupt_samples,
	coalesce(used.weight, 0) AS weight, process.id AS process_id
FROM process
JOIN process AS parents ON parents.id = process.parent
JOIN header AS begin ON begin.name = 'start_ns'
LEFT JOIN used ON used.process = process.id
WHERE process.id > 0;

CREATE VIEW seconds AS -- samples of each second and processor
SELECT second.second - begin.value / 1000000000 AS second, second.cpu,
	(SELECT name FROM event WHERE event.id = second.event) AS event,
	(SELECT name FROM word WHERE list = 'mode' AND word.id = second.mode) AS mode,
	second.samples, second.weight
FROM second
JOIN header AS begin ON begin.name = 'start_ns';

CREATE VIEW losses AS -- what was lost, and why
SELECT event.name AS event, loss.reason, loss.count, loss.weight,
	100.0 * loss.count / nullif(loss.count + event.samples, 0) AS percent
FROM loss
JOIN event ON event.id = loss.event
ORDER BY loss.count DESC;

CREATE VIEW branches AS -- in imports, the branches that were recorded
SELECT event.name AS event, a.image AS from_image, a.symbol AS from_symbol,
	a.address AS from_address, b.image AS to_image, b.symbol AS to_symbol,
	b.address AS to_address, branch.count, branch.mispredicted, branch.cycles
FROM branch
JOIN event ON event.id = branch.event
JOIN frames AS a ON a.frame = branch.from_frame
JOIN frames AS b ON b.frame = branch.to_frame
ORDER BY branch.count DESC;

CREATE VIEW marks AS -- what was noted while it was recorded
SELECT (mark.time_ns - begin.value) / 1e9 AS time_s, mark.text, mark.time_ns
FROM mark
JOIN header AS begin ON begin.name = 'start_ns'
ORDER BY mark.time_ns, mark.id;
