// SPDX-License-Identifier: GPL-2.0-or-later
// heat.mjs FOLDER PROSPECT: opens heat maps in Chromium and uses them as a person would. What they
// show of a part of the time is compared with what the program itself says of it.
import assert from "node:assert";
import { execFileSync } from "node:child_process";
import { chromium } from "playwright-core";
import { browserFor, suite } from "./common.mjs";

const [folder, prospect] = process.argv.slice(2);
const { test, end } = suite("heatmap-page");
const browser = await browserFor(folder, chromium);
const open = name =>
	browser.open(name, 900, () => globalThis.heatmap && flame.state.drawn > 0);

// Where a bucket is on the screen.
function placeOf(page, column, row) {
	return page.evaluate(([column, row]) => {
		const canvas = document.getElementById("heat").getBoundingClientRect();
		const box = heatmap.field(), { times } = heatmap;
		return { x: canvas.left + box.left + (column + 0.5) / times.columns * box.width,
			y: canvas.top + box.top + (1 - (row + 0.5) / times.rows) * box.height };
	}, [column, row]);
}

// What the program says of the stacks of this time: a map of the path to its samples and weight. A
// backslash in a name is \x5c there, and itself in a page.
function truth(name, since, until, more = []) {
	const csv = execFileSync(prospect, ["report", `${folder}/${name}.prof`, "--by", "stack", "--format",
		"csv", "--since", since, "--until", until, ...more], { encoding: "utf8" });
	return new Map(csv.trim().split("\n").slice(1).map(line => line.split(","))
		.map(([stack, , samples, weight]) => [stack.replaceAll("\\x5c", "\\"), [Number(samples), Number(weight)]]));
}

function shown(page) {
	return page.evaluate(() => {
		const { state, nameOf } = flame, { tree } = state, found = {};
		const paths = [""], escaped = name => name.replaceAll(";", "\\x3b");
		for (let node = 1; node < tree.count; node++) {
			const above = paths[tree.parent[node]];
			paths[node] = (above ? `${above};` : "") + escaped(nameOf(node));
			if (tree.hits[node])
				found[paths[node]] = [tree.hits[node], tree.self[node]];
		}
		return found;
	});
}

// The part of the time that the page says it shows.
async function chosen(page) {
	const [, since, until] = (await page.textContent("#command")).match(/--since (\S+) --until (\S+)/);
	return [since, until];
}

async function compare(page, name, more) {
	const [since, until] = await chosen(page);
	const wanted = truth(name, since, until, more), found = await shown(page);
	assert.deepEqual(Object.entries(found).sort(), [...wanted].sort(), `${since} to ${until}`);
	const sum = [...wanted.values()].reduce((total, [samples]) => total + samples, 0);
	assert.ok((await page.textContent("#when")).includes(`: ${sum.toLocaleString("en")} samples`));
	return sum;
}

await test("loads alone, without an error, and shows everything", async () => {
	const { page, seen } = await open("stacks");
	assert.deepEqual(seen.requests, [`file://${folder}/stacks.html`]);
	assert.deepEqual(seen.errors, []);
	assert.equal(await compare(page, "stacks"), 2034);
});

await test("a click chooses a part of a column", async () => {
	const { page } = await open("stacks");
	for (const [column, row] of [[0, 0], [3, 17], [12, 49]]) {
		const { x, y } = await placeOf(page, column, row);
		await page.mouse.click(x, y);
		const [since, until] = (await chosen(page)).map(Number);
		assert.ok(Math.abs(since - (column * 0.1 + row * 0.002)) < 1e-9);
		assert.ok(Math.abs(until - since - 0.002) < 1e-9);
		assert.ok(await compare(page, "stacks") > 0);
	}
});

await test("dragging chooses all between, either way, and shift goes on", async () => {
	const { page } = await open("stacks");
	const first = await placeOf(page, 2, 30), last = await placeOf(page, 9, 11);
	await page.mouse.move(first.x, first.y);
	await page.mouse.down();
	await page.mouse.move(last.x, last.y, { steps: 5 });
	await page.mouse.up();
	const forward = await chosen(page);
	assert.deepEqual(forward.map(Number), [0.26, 0.924]);
	assert.ok(await compare(page, "stacks") > 600);
	await page.mouse.move(last.x, last.y);
	await page.mouse.down();
	await page.mouse.move(first.x, first.y, { steps: 5 });
	await page.mouse.up();
	assert.deepEqual(await chosen(page), forward);
	const later = await placeOf(page, 15, 0);
	await page.keyboard.down("Shift");
	await page.mouse.click(later.x, later.y);
	await page.keyboard.up("Shift");
	assert.deepEqual((await chosen(page)).map(Number), [0.922, 1.502]);
	await compare(page, "stacks");
});

await test("below the map whole columns are chosen, and all of the time again", async () => {
	const { page } = await open("stacks");
	const { x } = await placeOf(page, 5, 0), { y } = await placeOf(page, 5, 0);
	await page.mouse.click(x, y + 12);
	assert.deepEqual((await chosen(page)).map(Number), [0.5, 0.6]);
	await compare(page, "stacks");
	await page.click("#everything");
	assert.equal(await compare(page, "stacks"), 2034);
});

await test("keys", async () => {
	const { page } = await open("stacks");
	await page.locator("#heat").focus();
	await page.keyboard.press("ArrowRight");
	await page.keyboard.press("ArrowUp");
	assert.deepEqual((await chosen(page)).map(Number), [0.102, 0.104]);
	await page.keyboard.press("Shift+ArrowRight");
	assert.deepEqual((await chosen(page)).map(Number), [0.102, 0.204]);
	await compare(page, "stacks");
	await page.keyboard.press("c");
	assert.deepEqual((await chosen(page)).map(Number), [0.2, 0.3]);
	await page.keyboard.press("Enter");
	assert.deepEqual((await chosen(page)).map(Number), [0.202, 0.204]);
	await page.keyboard.press("a");
	assert.equal(await compare(page, "stacks"), 2034);
});

await test("search shows when it was, and the flame graph takes it over", async () => {
	const { page } = await open("stacks");
	await page.fill("#search", "^crunch$");
	const share = await page.evaluate(() => {
		const { heat, times } = heatmap;
		return heat.reduce((sum, value) => sum + value, 0) / times.weight.reduce((sum, value) => sum + value, 0);
	});
	const all = [...truth("stacks", "0", "100%")];
	const wanted = all.filter(([stack]) => stack.split(";").includes("crunch"))
		.reduce((sum, [, [, weight]]) => sum + weight, 0);
	const whole = all.reduce((sum, [, [, weight]]) => sum + weight, 0);
	assert.ok(Math.abs(share - wanted / whole) < 1e-9, `${share}`);
	const { x, y } = await placeOf(page, 4, 20);
	await page.mouse.click(x, y);
	assert.match(await page.textContent("#matched"), /matched/);
});

await test("the inverted graph stays inverted", async () => {
	const { page } = await open("stacks");
	await page.click("#invert");
	await page.evaluate(() => heatmap.chooseColumns(3, 5));
	assert.equal(await page.getAttribute("#invert", "aria-pressed"), "true");
	const [since, until] = await chosen(page);
	const leaves = await page.evaluate(() => flame.state.tree.rows[1].length);
	const wanted = new Set([...truth("stacks", since, until).keys()].map(stack => stack.split(";").pop()));
	assert.equal(leaves, wanted.size);
});

await test("what was selected and from when", async () => {
	const { page } = await open("part");
	assert.equal((await chosen(page))[0], "0.25");
	assert.ok(await compare(page, "stacks", ["--select", "mode=user"]) > 500);
});

await test("names of any kind are but names", async () => {
	const { page, seen } = await open("names");
	assert.deepEqual(seen.dialogs, []);
	assert.deepEqual(seen.errors, []);
	assert.equal(await page.evaluate(() => document.scripts.length), 2);
	assert.equal(await page.evaluate(() => globalThis.hacked), undefined);
});

await test("100,000 frames", async () => {
	const began = Date.now();
	const { page } = await open("wide");
	const loaded = Date.now() - began;
	const figures = await page.evaluate(() => {
		const { size, rows } = heatmap.times, pieces = [], halves = [];
		for (let i = 0; i < 40; i++) {
			const from = i * 97 % size;
			heatmap.choose(from, Math.min(from + 2 * rows, size));
			pieces.push(heatmap.showTime);
		}
		for (let i = 0; i < 5; i++) {
			heatmap.choose(0, size - 1 - i);
			halves.push(heatmap.showTime);
		}
		pieces.sort((a, b) => a - b);
		halves.sort((a, b) => a - b);
		return { count: heatmap.whole.count, columns: heatmap.times.columns, median: pieces[20],
			most: pieces[39], all: halves[2] };
	});
	console.log(`heatmap-page: ${figures.count} frames in ${figures.columns} columns loaded in ${loaded} ms; ` +
		`the graph of two columns in ${figures.median.toFixed(1)} ms (median, at most ` +
		`${figures.most.toFixed(1)}), of nearly everything in ${figures.all.toFixed(1)} ms`);
	assert.ok(figures.count > 50000);
	assert.ok(figures.median < 2000);
});

await browser.close();
end();
