// SPDX-License-Identifier: GPL-2.0-or-later
// page.mjs FOLDER: opens the pages of the folder in Chromium and uses them as a person would. Oracles
// are the tables that the program printed of the same profiles.
import assert from "node:assert";
import fs from "node:fs";
import { chromium } from "playwright-core";
import { browserFor, placeOf, press, settle, suite } from "./common.mjs";

const folder = process.argv[2];
const browser = await browserFor(folder, chromium);
const { test, end } = suite("page", browser.finish);
const { open } = browser;

// Rows of a CSV file by column; no field here has a quote or a comma.
function table(name) {
	const [titles, ...rows] = fs.readFileSync(`${folder}/${name}.csv`, "utf8").trim().split("\n")
		.map(line => line.split(","));
	return rows.map(row => Object.fromEntries(row.map((field, i) => [titles[i], field])));
}

async function clickOn(page, name) {
	const place = await placeOf(page, name);
	await page.mouse.click(place.x, place.y);
	return place.node;
}

await test("loads alone, without an error", async () => {
	const { page, seen } = await open("stacks");
	assert.equal(await page.title(), "./worker");
	const { complete_percent } = JSON.parse(fs.readFileSync(`${folder}/head.json`)).header.stacks;
	assert.equal(await page.textContent("#facts"), "2,034 samples of cpu-clock of the machine; lost 0; " +
		`${complete_percent.toFixed(2)} % of the stacks are complete`);
	assert.match(await page.textContent("#head"), /^Stacks .*no rows/m);
	assert.deepEqual(seen.requests, [`file://${folder}/stacks.html`]);
	assert.match(await page.textContent("#legend"), /user.*kernel.*truncated/);
	assert.ok(await page.evaluate(() => prospect.graphs.flame.drawn) > 20);
});

await test("the policy lets nothing else run or be loaded", async () => {
	const { page, seen } = await open("stacks");
	await page.evaluate(() => {
		const script = document.createElement("script");
		script.textContent = "globalThis.foreign = true";
		document.body.append(script);
		const image = document.createElement("img");
		image.src = "http://127.0.0.1:9/x.png";
		document.body.append(image);
	});
	await page.waitForTimeout(200);
	assert.equal(await page.evaluate(() => globalThis.foreign), undefined);
	assert.equal(seen.errors.length, 2);
	for (const error of seen.errors.splice(0))
		assert.match(error, /Content Security Policy/);
});

// The kinds of the names of the page that is shown, with their colours; each is zoomed to, and its callers
// and callees are drawn.
function drawKinds(page) {
	return page.evaluate(() => {
		const { graphs: { flame: { tree } }, looks, data } = prospect, kinds = {}, wrong = [];
		for (let node = 1; node < tree.count; node++) {
			const name = tree.name[node], kind = looks.kindOf(name), own = looks.imageOf(name)?.kind;
			const colour = looks.colourOf(name);
			kinds[kind] = colour === looks.hatched ? "hatched" : colour;
			if (own && own !== kind && !(kind === "running" && own === "wait"))
				wrong.push(`${own} is drawn as ${kind}`);
			if (["cut", "wait", "running"].includes(kind) && !data[kind === "cut" ? "cuts" : "waits"][data.names[name]])
				wrong.push(`nothing says what ${data.names[name]} means`);
			prospect.zoom(prospect.graphs.flame, node);
			prospect.change({ function: name });
		}
		return { kinds, wrong };
	});
}

await test("every kind of frame, of every kind of event, in every view", async () => {
	const { page } = await open("kinds");
	const events = fs.readFileSync(`${folder}/events`, "utf8").trim().split("\n");
	const seen = new Set();
	assert.ok(events.length > 6);
	assert.deepEqual(await page.evaluate(() => prospect.data.events.map(event => event.name).sort()),
		[...events].sort());
	for (const event of events) {
		await page.selectOption("#event", { label: event });
		const { kinds, wrong } = await drawKinds(page);
		assert.equal(wrong.join("; "), "", event);
		Object.keys(kinds).forEach(kind => seen.add(kind));
		assert.equal(new Set(Object.values(kinds)).size, Object.keys(kinds).length, JSON.stringify(kinds));
		assert.match(await page.textContent("#legend"),
			/user.*kernel.*module.*BPF.*vdso.*generated.*running.*waiting.*no file.*truncated/);
		const { unit, timed } = await page.evaluate(name => {
			const { unit, heat } = prospect.data.events.find(event => event.name === name);
			return { unit, timed: Boolean(heat) };
		}, event);
		assert.equal(timed, event !== "exact");
		if (timed)
			assert.match(await page.textContent("#when"), unit === "ns" ? /, [\d.]+ m?s$/ :
				new RegExp(`, [\\d,]+ ${event}$`));
		for (const key of ["2", "3", "h", "t", "t", "1"]) {
			await press(page, key);
			await settle(page);
		}
	}
	const { page: few } = await open("few");
	for (const kind of Object.keys((await drawKinds(few)).kinds))
		seen.add(kind);
	assert.deepEqual([...seen].sort(), (await page.evaluate(() => Object.keys(prospect.KINDS))).sort());
});

await test("every kind of frame, of every kind of event, in a comparison", async () => {
	const { page: alone } = await open("kinds");
	const events = fs.readFileSync(`${folder}/events`, "utf8").trim().split("\n");
	const seen = new Set();
	for (const [number, event] of events.entries()) {
		await alone.selectOption("#event", { label: event });
		const { page } = await open(`kinds-diff-${number}`);
		const { kinds, wrong } = await drawKinds(page);
		assert.equal(wrong.join("; "), "", event);
		assert.deepEqual(Object.keys(kinds).sort(), Object.keys((await drawKinds(alone)).kinds).sort(), event);
		Object.keys(kinds).forEach(kind => seen.add(kind));
		for (const key of ["2", "3", "o", "o", "1"]) {
			await press(page, key);
			await settle(page);
		}
	}
	for (const kind of ["cut", "wait", "running", "anon", "bucket"])
		assert.ok(seen.has(kind), kind);
});

await test("a wait is where it lasted, in the lanes and in the heat map", async () => {
	const { page } = await open("kinds", { address: "#event=scheduler&time=lanes&search=wait_for_long" });
	const { parts, heat, buckets, total } = await page.evaluate(() => {
		const { lanes, heatMap, change, timesNow, graphs: { flame } } = prospect;
		const lane = prospect.data.lanes.findIndex(({ name }) => name === "sleeper");
		const parts = Array.from(lanes.heat[lane]);
		change({ time: "heat" });
		return { parts, heat: Array.from(heatMap.heat), buckets: 1 / timesNow().bucket_s, total: flame.tree.total[0] };
	});
	assert.equal(heat.reduce((all, weight) => all + weight, 0), 1e9);
	const covered = heat.filter(weight => weight > 0);
	assert.ok(covered.length >= buckets && covered.length <= buckets + 1, `${covered.length} of ${buckets}`);
	assert.equal(Math.max(...heat), 1e9 / buckets);
	assert.ok(Math.abs(parts.reduce((all, weight) => all + weight, 0) - 1e9) < 1);
	assert.ok(parts.findLastIndex(part => part) - parts.findIndex(part => part) + 1 - parts.filter(part => part).length === 0);
	const middle = heat.findIndex(weight => weight > 0) + Math.floor(buckets / 2);
	await page.evaluate(middle => prospect.choose(middle, middle + 1), middle);
	assert.match(await page.textContent("#when"), /: 0 ended waits, /);
	assert.equal(await page.evaluate(() => prospect.baseTree().total[0]), 1e9 / buckets);
	assert.ok(total > 1e9);
	await page.selectOption("#event", { label: "exact" }); // counted, and not known when
	assert.equal(await page.isVisible("#time-views") || await page.isVisible("#span"), false);
});

await test("search tells the share of the stacks that match", async () => {
	const { page } = await open("stacks");
	for (const pattern of ["parse|lex", "^crunch$", "WRITE", "cut:", "nosuch", "operator("]) {
		let regexp = /operator\(/;
		try { regexp = new RegExp(pattern, "i"); } catch { /* looked for as it is */ }
		const truth = table("stacks").filter(row => row.stack.split(";").some(name => regexp.test(name)))
			.reduce((sum, row) => sum + Number(row.percent), 0);
		await page.fill("#search", pattern);
		const text = await page.textContent("#matched");
		assert.ok(Math.abs(parseFloat(text) - truth) < 0.011, `${pattern}: ${text}, not ${truth}`);
	}
});

await test("shares are those of the program's own tables", async () => {
	const { page } = await open("stacks");
	const found = await page.evaluate(() => {
		const sums = {}, inverted = {}, { graphs: { flame }, nameOf } = prospect, all = flame.tree.total[0];
		for (let i = 1; i < flame.tree.count; i++)
			sums[nameOf(flame.tree, i)] = (sums[nameOf(flame.tree, i)] || 0) + 100 * flame.tree.self[i] / all;
		prospect.change({ inverted: true });
		for (const node of flame.tree.rows[1])
			inverted[nameOf(flame.tree, node)] = 100 * flame.tree.total[node] / all;
		return { sums, inverted };
	});
	let rows = 0;
	for (const row of table("flat")) {
		if (row.function.includes("\\"))
			continue;
		assert.ok(Math.abs(found.sums[row.function] - row.self_percent) < 1e-3, row.function);
		assert.ok(Math.abs((found.inverted[row.function] || 0) - row.self_percent) < 1e-3, row.function);
		rows++;
	}
	assert.ok(rows > 20);
});

// What the table shows: a map of the function to its numbers.
async function shownTable(page) {
	const rows = await page.locator("#functions tbody tr").allTextContents();
	const cells = await page.evaluate(() => [...document.querySelectorAll("#functions tbody tr")]
		.map(row => [...row.cells].map(cell => cell.textContent)));
	assert.equal(cells.length, rows.length);
	return new Map(cells.map(([self, total, samples, name]) =>
		[name, { self: parseFloat(self), total: parseFloat(total), samples }]));
}

await test("the table is the program's, own and inclusive", async () => {
	const { page } = await open("stacks", { address: "#view=table" });
	const shown = await shownTable(page), flat = table("flat"), children = table("children");
	let rows = 0;
	for (const row of flat.filter(({ function: name }) => !name.includes("\\"))) {
		assert.ok(Math.abs(shown.get(row.function).self - row.self_percent) < 0.006, row.function);
		rows++;
	}
	for (const row of children.filter(({ function: name }) => !name.includes("\\")))
		assert.ok(Math.abs(shown.get(row.function).total - row.percent) < 0.006, row.function);
	assert.ok(rows > 20);
	const selves = [...shown.values()].map(({ self }) => self);
	assert.deepEqual(selves, [...selves].sort((a, b) => b - a));
	const callers = [...shown.values()].filter(({ self, samples }) => !self && samples === "0").map(({ total }) => total);
	assert.ok(callers.length > 3);
	assert.deepEqual(callers, [...callers].sort((a, b) => b - a));
	await page.click("#functions th:nth-child(2) button");
	const totals = [...(await shownTable(page)).values()].map(({ total }) => total);
	assert.deepEqual(totals, [...totals].sort((a, b) => b - a));
	await page.fill("#search", "^parse$");
	assert.deepEqual([...(await shownTable(page)).keys()], ["parse"]);
});

await test("callers and callees are those of the program's graph", async () => {
	const { page } = await open("calls", { address: "#view=table" });
	await page.dblclick("#functions tr:has-text('odd') td:nth-child(4)");
	assert.match(await page.textContent("#function"), /^odd: self/);
	for (const graph of ["callees", "callers"]) {
		const found = await page.evaluate(name => {
			const { tree } = prospect.graphs[name], names = {};
			for (const node of tree.rows[1] || [])
				if (prospect.looks.kindOf(tree.name[node]) !== "group")
					names[prospect.nameOf(tree, node)] = 100 * tree.total[node] / tree.all.weight;
			return names;
		}, graph);
		const truth = table("odd").filter(({ part, depth, event }) =>
			part === graph && depth === "2" && event === "cpu-clock");
		for (const row of truth)
			assert.ok(Math.abs((found[row.function] || 0) - row.percent) < 1e-3,
				`${graph}: ${row.function} ${JSON.stringify(found)}`);
		assert.equal(Object.keys(found).length, truth.length, graph);
	}
	await page.goBack();
	assert.equal(await page.isVisible("#functions"), true);
});

await test("a click zooms, names lead back, Escape too", async () => {
	const { page } = await open("stacks");
	const emit = await clickOn(page, "emit");
	const focus = () => page.evaluate(() => prospect.graphs.flame.focus);
	assert.equal(await focus(), emit);
	assert.equal(await page.textContent("#crumbs"),
		"all \u203a worker \u203a _start \u203a __libc_start_main \u203a main \u203a emit");
	await clickOn(page, "ksys_write");
	await press(page, "Backspace");
	assert.match(await page.textContent("#crumbs"), /entry_SYSCALL_64$/);
	await page.click("#crumbs button:nth-of-type(5)");
	assert.match(await page.textContent("#crumbs"), /main$/);
	await press(page, "Escape");
	assert.equal(await focus(), 0);
});

await test("the address has what is shown, and the browser's way back works", async () => {
	const { page } = await open("stacks");
	await clickOn(page, "main");
	const emit = await clickOn(page, "emit");
	await page.fill("#search", "write");
	await press(page, "Tab");
	await page.evaluate(() => prospect.choose(0, 75));
	const lex = await clickOn(page, "lex");
	const address = await page.evaluate(() => location.hash);
	const { page: other } = await open("stacks", { address });
	const stateOf = one => one.evaluate(() => [prospect.state, prospect.graphs.flame.focus,
		prospect.graphs.flame.selected]);
	assert.deepEqual(await stateOf(other), await stateOf(page));
	assert.equal((await stateOf(other))[1], lex);
	assert.equal(await other.inputValue("#search"), "write");
	await page.goBack();
	await page.goBack();
	assert.equal(await page.evaluate(() => prospect.graphs.flame.focus), emit);
	assert.equal(await page.evaluate(() => prospect.state.span), null);
	for (const wrong of ["#zoom=99999&selected=-5&view=x&event=none&span=9-1&lane=77&x=y", "#%", "#zoom=1.5",
		"#function=__proto__&constructor=1", "#span=-Infinity-NaN"]) {
		const { page: odd } = await open("stacks", { address: wrong });
		assert.equal(await odd.evaluate(() => prospect.graphs.flame.drawn > 20), true, wrong);
	}
});

await test("a drag pans, the wheel scrolls and zooms", async () => {
	const { page } = await open("stacks");
	await clickOn(page, "parse");
	const look = () => page.evaluate(() => {
		const { from, whole, top, focus } = prospect.graphs.flame;
		return { from, whole, top, focus };
	});
	const before = await look();
	await page.mouse.move(600, 700);
	await page.mouse.down();
	await page.mouse.move(480, 700, { steps: 4 });
	await page.mouse.up();
	const after = await look();
	assert.ok(Math.abs((after.from - before.from) / before.whole - 0.1) < 1e-6);
	assert.equal(after.focus, before.focus);
	await page.keyboard.down("Control");
	await page.mouse.wheel(0, -300);
	await page.keyboard.up("Control");
	await settle(page);
	assert.ok(Math.abs((await look()).whole / after.whole - Math.exp(-1)) < 1e-6);
});

await test("names and stacks are copied", async () => {
	const { page } = await open("stacks");
	const copied = () => page.evaluate(() => navigator.clipboard.readText());
	await clickOn(page, "emit");
	await press(page, "c");
	assert.equal(await copied(), "emit");
	await press(page, "C");
	assert.equal(await copied(), "emit\nmain\n__libc_start_main\n_start\nworker");
	await page.click("#copy-name");
	assert.equal(await copied(), "emit");
	await press(page, "i");
	await clickOn(page, "vfs_write");
	await clickOn(page, "emit");
	await page.click("#copy-stack");
	assert.equal(await copied(), "vfs_write\nksys_write\nentry_SYSCALL_64\nwrite\nemit");
	await page.goto(`file://${folder}/stacks.html#view=table`);
	await page.reload();
	await page.click("#functions tr:has-text('crunch') td:nth-child(4)");
	await page.click("#copy-name");
	assert.equal(await copied(), "crunch");
});

await test("recursion is folded", async () => {
	const { page } = await open("deep");
	const rows = () => page.evaluate(() => prospect.graphs.flame.tree.rows.length);
	const before = await rows(), share = await page.evaluate(() => prospect.baseTree().all);
	assert.ok(before > 1000);
	await press(page, "r");
	assert.equal(await rows(), 6);
	assert.deepEqual(await page.evaluate(() => prospect.baseTree().all), share);
	assert.equal(await page.getAttribute("#fold", "aria-pressed"), "true");
});

await test("what is pointed at is described", async () => {
	const { page } = await open("stacks");
	let place = await placeOf(page, "vfs_write");
	await page.mouse.move(place.x, place.y);
	const tip = await page.textContent("#tip");
	assert.match(tip, /^vfs_write\[kernel\]\n440 samples, 0\.4401 s, 21\.63 % of all\nitself 440 samples/);
	place = await placeOf(page, "[cut:no rows]");
	await page.mouse.move(place.x, place.y);
	assert.match(await page.textContent("#tip"), /not complete: no unwind table covers an address/);
	assert.match(await page.textContent("#status"), /^\[cut:no rows\]/);
});

await test("a stack that is truncated is hatched red at its root", async () => {
	const { page } = await open("stacks");
	const { x, y } = await placeOf(page, "[cut:no rows]");
	const red = await page.evaluate(([x, y]) => {
		const canvas = document.getElementById("canvas"), box = canvas.getBoundingClientRect();
		const pixels = canvas.getContext("2d").getImageData(x - box.left - 8, y - box.top - 7, 16, 14).data;
		const seen = new Set();
		let red = 0;
		for (let i = 0; i < pixels.length; i += 4) {
			red += pixels[i] > pixels[i + 1] + 25 && pixels[i] > pixels[i + 2] + 25;
			seen.add(pixels[i + 1] >> 5);
		}
		return { share: red / (pixels.length / 4), tones: seen.size };
	}, [x, y]);
	assert.ok(red.share > 0.6 && red.tones > 1, JSON.stringify(red));
});

await test("keys", async () => {
	const { page } = await open("stacks");
	await press(page, "/");
	await page.keyboard.type("if");
	assert.equal(await page.inputValue("#search"), "if");
	await press(page, "Escape");
	assert.equal(await page.inputValue("#search"), "");
	await page.locator("#canvas").focus();
	await press(page, "i");
	assert.equal(await page.getAttribute("#invert", "aria-pressed"), "true");
	await press(page, "i", "f");
	assert.equal(await page.evaluate(() => prospect.graphs.flame.rowTop(0, 500)), 0);
	await press(page, "ArrowDown", "ArrowDown", "ArrowRight");
	assert.match(await page.textContent("#status"), /^clone3/);
	await press(page, "Enter");
	assert.match(await page.textContent("#crumbs"), /clone3$/);
	await press(page, "?");
	assert.match(await page.textContent("#keys"), /\?these keys/);
	assert.equal(await page.evaluate(() => document.getElementById("keys").open), true);
	await press(page, "Escape");
	assert.equal(await page.evaluate(() => document.getElementById("keys").open), false);
	assert.match(await page.textContent("#crumbs"), /clone3$/);
	await press(page, "2", "Tab");
	await page.locator("#functions tbody tr").first().focus();
	const first = await page.textContent("#status");
	await press(page, "ArrowDown");
	assert.notEqual(await page.textContent("#status"), first);
	await press(page, "Enter");
	assert.equal(await page.evaluate(() => prospect.state.view), "sandwich");
});

// What can be seen of the page's state.
function look(page) {
	return page.evaluate(async () => {
		const { state, graphs: { flame }, heatMap, lanes, baseTree } = prospect;
		const { from, whole, top, focus, selected, tree, more } = flame;
		return { ...state, from, whole, top, focus, selected, more, upward: tree.upward, rows: baseTree().rows.length,
			name: selected < 0 ? null : prospect.nameOf(tree, selected), parent: tree.parent[focus],
			rootTop: flame.rowTop(0, flame.size().height), all: tree.total[0],
			cells: [heatMap.from, heatMap.to], column: prospect.timesNow()?.rows, thread: lanes.cursor,
			active: document.activeElement.id, dialog: document.getElementById("keys").open,
			shown: ["flame-box", "table-box", "sandwich-box", "heat-canvas", "lanes-box"]
				.filter(id => document.getElementById(id).checkVisibility()),
			function: state.function < 0 ? null : prospect.data.names[state.function],
			clipboard: document.hasFocus() ? await navigator.clipboard.readText() : "" };
	});
}

const part = page => page.evaluate(() => prospect.choose(0, 75));
const box = page => clickOn(page, "main").then(() => press(page, "ArrowUp"));
const focusOn = id => page => page.locator(id).focus();

// By what the page's list of keys says: [profile, keys and acts before, the keys, what then must be].
// Each test is given what was seen before the first key and after each of them.
const EFFECTS = {
	1: ["stacks", ["2"], ["1"], (was, now) => was.shown[0] === "table-box" && now.shown[0] === "flame-box"],
	2: ["stacks", [], ["2"], (was, now) => now.shown[0] === "table-box"],
	3: ["stacks", [], ["3"], (was, now) => now.shown[0] === "sandwich-box" && now.function],
	h: ["stacks", [], ["h", "h"], (was, on, off) => on.shown.includes("heat-canvas") && off.shown.length === 1],
	t: ["stacks", [], ["t", "t"], (was, on, off) => on.shown.includes("lanes-box") && off.shown.length === 1],
	a: ["stacks", [part], ["a"], (was, now) => was.span && was.all < now.all && now.span === null && now.lane === -1],
	e: ["kinds", [], ["e", "e"], (was, one, two) => new Set([was, one, two].map(({ event }) => event)).size === 3],
	"/": ["stacks", [], ["/"], (was, now) => now.active === "search"],
	i: ["stacks", [], ["i", "i"], (was, on, off) => on.upward && !off.upward],
	f: ["stacks", [], ["f", "f"], (was, on, off) => on.rootTop === 0 && off.rootTop > 0],
	r: ["deep", [], ["r"], (was, now) => was.rows > 1000 && now.rows < 10],
	o: ["diff", [], ["o", "o"], (was, on, off) => on.old && on.all !== was.all && off.all === was.all],
	Enter: ["stacks", [box], ["Enter"], (was, now) => now.focus === was.selected && now.focus !== was.focus],
	Backspace: ["stacks", [box], ["Backspace"], (was, now) => was.focus && now.focus === was.parent],
	Escape: ["stacks", [box, page => page.fill("#search", "parse"), focusOn("#canvas")], ["Escape"],
		(was, now) => was.focus && was.search && !now.focus && !now.search && now.whole === now.all],
	"+, -": ["stacks", [], ["+", "-"], (was, near, far) => near.whole === 0.8 * was.whole && far.whole === was.whole],
	"PageUp, PageDown": ["deep", [], ["PageUp", "PageUp", "PageDown"], (was, one, two, back) =>
		one.top > was.top && two.top > one.top && back.top === one.top],
	"Home, End": ["deep", [], ["End", "Home"], (was, end, home) => was.more && end.top > 10000 && !end.more && home.top === 0],
	arrows: ["stacks", [box], ["ArrowDown", "ArrowUp", "ArrowRight", "ArrowLeft", "Shift+ArrowRight"],
		(was, down, up, right, left, moved) => down.name === "main" && up.selected === was.selected &&
			right.selected !== up.selected && left.selected === up.selected && moved.from > left.from],
	s: ["stacks", [box], ["s"], (was, now) => now.view === "sandwich" && now.function === was.name],
	c: ["stacks", [box], ["c"], (was, now) => now.clipboard === was.name],
	C: ["stacks", [box], ["C"], (was, now) => now.clipboard.startsWith(`${was.name}\nmain\n__libc_start_main\n`)],
	"?": ["stacks", [], ["?"], (was, now) => !was.dialog && now.dialog],
	"arrows in the heat map": ["stacks", ["h", focusOn("#heat-canvas")],
		["ArrowRight", "ArrowUp", "Shift+ArrowRight"], (was, right, up, grown) => right.cells[0] === was.column &&
			up.cells[0] === was.column + 1 && grown.cells[1] - grown.cells[0] === was.column + 1],
	"Enter, c in the heat map": ["stacks", ["h", focusOn("#heat-canvas")], ["Enter", "c"], (was, cell, column) =>
		cell.cells[1] === 1 && column.cells[1] === was.column],
	"arrows, Enter in the threads": ["stacks", ["t", focusOn("#lanes-canvas")], ["ArrowDown", "Enter"],
		(was, down, chosen) => down.thread === was.thread + 1 && was.lane === -1 && chosen.lane > 0],
};

await test("each key of the page's own list does what it says", async () => {
	const listed = new Set();
	for (const name of ["stacks", "diff"]) {
		const { page } = await open(name);
		for (const label of await page.locator("#key-list td:first-child").allTextContents())
			listed.add(label);
	}
	assert.deepEqual([...listed].sort(), Object.keys(EFFECTS).sort());
	for (const [label, [profile, before, keys, isDone]] of Object.entries(EFFECTS)) {
		const { page } = await open(profile);
		const states = [];
		for (const step of before)
			await (typeof step === "string" ? press(page, step) : step(page));
		await settle(page);
		states.push(await look(page));
		for (const key of keys) {
			await press(page, key);
			await settle(page);
			states.push(await look(page));
		}
		assert.ok(isDone(...states), `${label}: ${JSON.stringify(states)}`);
	}
});

await test("every key in every view, also of a profile without samples", async () => {
	for (const name of ["stacks", "empty", "diff"]) {
		const { page } = await open(name);
		for (const view of ["2", "3", "1"])
			await press(page, view, "Enter", "Backspace", "+", "-", "PageUp", "PageDown", "End", "Home",
				"ArrowUp", "ArrowLeft", "Shift+ArrowRight", "Shift+ArrowUp", "Enter", "s", view, "c", "C",
				"i", "r", "f", "o", "e", "h", "t", "t", "a", "Escape", "i", "f", "r");
		assert.equal(await page.evaluate(() => prospect.state.view), "flame");
	}
});

// Of what is read: how far texts stand out, and what does not fit.
function readable(page) {
	return page.evaluate(() => {
		// Colours that a style can have, each over those before, as 0 to 255 for each part.
		const pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
		const paint = colours => {
			for (const colour of colours) {
				pen.fillStyle = colour;
				pen.fillRect(0, 0, 1, 1);
			}
			return [...pen.getImageData(0, 0, 1, 1).data.slice(0, 3)];
		};
		// Of the Web Content Accessibility Guidelines.
		const light = (...colours) => {
			const [red, green, blue] = paint(colours).map(part => part / 255)
				.map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
			return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
		};
		const contrast = (ink, ...papers) => {
			const [low, high] = [light(...papers), light(...papers, ink)].sort((a, b) => a - b);
			return (high + 0.05) / (low + 0.05);
		};
		const behind = node => node ? [...behind(node.parentElement), getComputedStyle(node).backgroundColor] : [];
		const wrong = [], { looks, data, graphs: { flame } } = prospect;
		for (const node of document.body.querySelectorAll("*")) {
			const own = [...node.childNodes].some(child => child.nodeType === 3 && child.data.trim());
			const { left, right, width } = node.getBoundingClientRect();
			if (!node.checkVisibility() || !width || node.closest("canvas, option, script"))
				continue;
			const { color, fontSize } = getComputedStyle(node), text = node.textContent.slice(0, 30);
			if (own && parseFloat(fontSize) < 12)
				wrong.push(`${text}: ${fontSize}`);
			if (own && contrast(color, ...behind(node)) < 4.5)
				wrong.push(`${text}: ${color} on ${behind(node).join(", ")}`);
			if (!node.closest("#crumbs, pre") && (left < 0 || right > innerWidth))
				wrong.push(`${text || node.id}: from ${left} to ${right}`);
		}
		for (const name of data.names.keys())
			if (looks.colourOf(name) !== looks.hatched && contrast("#17171a", looks.colourOf(name)) < 4.5)
				wrong.push(`${data.names[name]}: dark on ${looks.colourOf(name)}`);
		if (data.diff)
			for (let node = 0; node < flame.tree.count; node++)
				if (contrast("#17171a", flame.page.colourOf(flame.tree, node)) < 4.5)
					wrong.push(`dark on ${flame.page.colourOf(flame.tree, node)}`);
		return { wrong, dark: light(getComputedStyle(document.body).backgroundColor) < 0.05,
			width: document.documentElement.scrollWidth, main: document.querySelector("main").clientHeight };
	});
}

await test("light and dark, on a desk and on a phone, all can be read", async () => {
	for (const name of ["stacks", "kinds", "diff", "names", "deep", "empty"]) {
		for (const width of [1200, 390]) {
			const { page } = await open(name, { width, height: 844, address: "#time=heat" });
			for (const [view, dark] of [["1", false], ["2", false], ["3", false], ["t", false], ["t", true],
				["h", true], ["1", true], ["2", true]]) {
				await page.emulateMedia({ colorScheme: dark ? "dark" : "light" });
				await press(page, view);
				await settle(page);
				const seen = await readable(page), what = `${name}, ${width}, ${dark ? "dark" : "light"}, ${view}`;
				assert.equal(seen.wrong.join("; "), "", what);
				assert.equal(seen.width, width, what);
				assert.equal(seen.dark, dark, what);
				assert.ok(seen.main > 200, `${what}: ${seen.main}`);
			}
		}
	}
});

await test("names of any kind are but names", async () => {
	const { page, seen } = await open("names");
	const names = await page.evaluate(() => prospect.data.names);
	assert.deepEqual(seen.dialogs, []);
	assert.equal(await page.evaluate(() => document.scripts.length), 2);
	assert.equal(await page.evaluate(() => globalThis.hacked), undefined);
	for (const wanted of ["</script><script>globalThis.hacked = 1</script>", "<!--<script>", "__proto__",
		"quote\"apostrophe'backslash\\", "&lt;b&gt;", "two\\x0alines", "\\xe2\\x80\\xa8separator",
		"\\xe2\\x80\\xaeleft", "bad\\xff", "caf\u00e9 \u6f22\u5b57"])
		assert.ok(names.includes(wanted), wanted);
	await page.evaluate(() => {
		for (let i = 0; i < prospect.graphs.flame.tree.count; i++)
			prospect.zoom(prospect.graphs.flame, i);
	});
	for (const key of ["2", "3", "t", "h", "?"])
		await press(page, key);
	assert.ok(!(await page.content()).includes("<img src=x onerror"));
	assert.match(await page.title(), /<\/title><script>/);
	assert.equal(await page.evaluate(() => document.scripts.length), 2);
});

await test("1,000 frames deep", async () => {
	const { page } = await open("deep");
	await page.evaluate(() => prospect.zoom(prospect.graphs.flame, prospect.graphs.flame.tree.rows[900][0]));
	await settle(page);
	const { top, drawn } = await page.evaluate(() => prospect.graphs.flame);
	assert.ok(top > 800 * 18 && drawn > 10);
	assert.match(await page.textContent("#crumbs"), /^all \u203a \u2026 \u203a descend/);
	await page.mouse.move(600, 500);
	await page.mouse.wheel(0, 1000);
	await page.waitForFunction(top => prospect.graphs.flame.top < top, top);
});

await test("more than 100,000 frames", async () => {
	const { page } = await open("wide");
	const { count, drawn } = await page.evaluate(() => {
		const { flame } = prospect.graphs;
		return { count: flame.tree.count, drawn: flame.drawn };
	});
	assert.ok(count > 100000);
	assert.ok(drawn < 20000);
	await press(page, "i", "r", "2", "3");
});

await test("what changed, in colours, on either side", async () => {
	const { page } = await open("diff");
	const changes = () => page.evaluate(() => {
		const { graphs: { flame: { tree, page } }, nameOf, changeOf } = prospect, nodes = {};
		for (let node = 1; node < tree.count; node++)
			nodes[nameOf(tree, node)] = { ...changeOf(tree, node), colour: page.colourOf(tree, node),
				width: tree.total[node], self: tree.self[node], other: tree.other.self[node] };
		return nodes;
	});
	const drawnNew = await changes();
	for (const row of table("diff")) {
		const node = drawnNew[row.function];
		assert.equal(node.self, Number(row.new_weight), row.function);
		assert.equal(node.other, Number(row.old_weight), row.function);
	}
	assert.equal(drawnNew.fold.width, 0);
	assert.equal(drawnNew.fold.colour, drawnNew.intern.colour.replace("8 ", "212 "));
	assert.ok(drawnNew.lex.real && drawnNew.lex.difference < -0.08 && drawnNew.lex.colour.includes("(212"));
	assert.ok(drawnNew.parse.real && drawnNew.parse.colour.includes("(8 "));
	assert.ok(!drawnNew.main.real);
	assert.match(await page.textContent("#missing"), /Gone.*\(1\).*fold, called from main/s);
	assert.match(await page.textContent("#legend"), /gone.*noise.*new/);
	await page.click("#old");
	const drawnOld = await changes();
	assert.equal(drawnOld.intern.width, 0);
	assert.equal(drawnOld.lex.self, drawnNew.lex.other);
	assert.equal(drawnOld.lex.colour, drawnNew.lex.colour);
	assert.equal(drawnOld.lex.difference, drawnNew.lex.difference);
	assert.match(await page.textContent("#missing"), /New.*\(1\).*intern, called from main/s);
	await press(page, "i", "o");
	const inverted = await changes();
	assert.equal(inverted.lex.width, drawnNew.lex.width);
	assert.equal(inverted.fold.width, 0);
	await press(page, "2");
	// These call nothing, so what they took themselves is all.
	for (const row of table("diff").filter(({ function: name }) => ["lex", "copy", "fold", "intern"].includes(name))) {
		const cells = await page.locator(`#functions tr:has-text("${row.function}") td`).allTextContents();
		assert.ok(Math.abs(parseFloat(cells[2]) - Number(row.percent_change)) < 0.006, row.function);
	}
	await press(page, "3");
	assert.match(await page.textContent("#function"), /self.*total/);
});

await browser.close();
end();
