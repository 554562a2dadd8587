// SPDX-License-Identifier: GPL-2.0-or-later
// heat.mjs FOLDER PROSPECT: opens heat maps in Chromium and uses them as a person would. What they
// show of a part of the time is compared with what the program itself says of it.
import assert from "node:assert";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { chromium } from "playwright-core";
import { browserFor, press, settle, suite } from "./common.mjs";

const [folder, prospect] = process.argv.slice(2);
const browser = await browserFor(folder, chromium);
const { test, end } = suite("heatmap-page", browser.finish);
const open = (name, address) => browser.open(`${name}-heat`, { height: 900, address });

// Where a bucket is on the screen.
function placeOf(page, column, row) {
	return page.evaluate(([column, row]) => {
		const canvas = document.getElementById("heat-canvas").getBoundingClientRect();
		const box = prospect.heatMap.field(), times = prospect.timesNow();
		return { x: canvas.left + box.left + (column + 0.5) / times.columns * box.width,
			y: canvas.top + box.top + (1 - (row + 0.5) / times.rows) * box.height };
	}, [column, row]);
}

// What the program says of the stacks of this time: a map of the path to its samples and weight. A
// backslash in a name is \x5c there, and itself in a page.
function truth(name, since, until, more = []) {
	const csv = execFileSync(prospect, ["report", `${folder}/${name}.prof`, "--by", "stack", "--machine",
		"--format", "csv", "--since", since, "--until", until, ...more], { encoding: "utf8" });
	return new Map(csv.trim().split("\n").slice(1).map(line => line.split(","))
		.map(([stack, , samples, weight]) => [stack.replaceAll("\\x5c", "\\"), [Number(samples), Number(weight)]]));
}

function shown(page) {
	return page.evaluate(() => {
		const { nameOf } = prospect, tree = prospect.baseTree(), found = {};
		const paths = [""], escaped = name => name.replaceAll(";", "\\x3b");
		for (let node = 1; node < tree.count; node++) {
			if (tree.depth[node] === 1) { // a program
				paths[node] = "";
				continue;
			}
			const above = paths[tree.parent[node]];
			paths[node] = (above ? `${above};` : "") + escaped(nameOf(tree, node));
			if (tree.hits[node]) {
				const [hits, self] = found[paths[node]] || [0, 0];
				found[paths[node]] = [hits + tree.hits[node], self + tree.self[node]];
			}
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

// The samples that the page says it shows.
async function compareCount(page) {
	return Number((await page.textContent("#when")).match(/: ([\d,]+) samples/)[1].replaceAll(",", ""));
}

await test("loads alone, without an error, and shows everything", async () => {
	const { page, seen } = await open("stacks");
	assert.deepEqual(seen.requests, [`file://${folder}/stacks-heat.html`]);
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
	await page.click("#span");
	assert.equal(await compare(page, "stacks"), 2034);
});

await test("keys", async () => {
	const { page } = await open("stacks");
	await page.locator("#heat-canvas").focus();
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
		const { heat, times } = prospect.heatMap;
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
	await page.evaluate(() => prospect.heatMap.chooseColumns(3, 5));
	assert.equal(await page.getAttribute("#invert", "aria-pressed"), "true");
	const [since, until] = await chosen(page);
	const leaves = await page.evaluate(() => prospect.graphs.flame.tree.rows[1].length);
	const wanted = new Set([...truth("stacks", since, until).keys()].map(stack => stack.split(";").pop()));
	assert.equal(leaves, wanted.size);
});

await test("what was selected and from when", async () => {
	const { page } = await open("part");
	assert.equal((await chosen(page))[0], "0.25");
	assert.ok(await compare(page, "stacks", ["--select", "mode=user"]) > 500);
});

await test("a thread that is chosen is all that is left", async () => {
	const { page } = await open("stacks");
	await page.click("#lanes");
	await settle(page);
	const threads = await page.evaluate(() => prospect.data.lanes.map(({ name, tid }) => [name, tid]));
	for (const [name, tid] of threads.slice(1)) {
		const row = await page.evaluate(tid =>
			prospect.lanes.rows.findIndex(lane => prospect.data.lanes[lane].tid === tid), tid);
		const box = await page.locator("#lanes-canvas").boundingBox();
		await page.mouse.click(box.x + 20, box.y + 18 * row + 9);
		assert.ok((await page.textContent("#lane")).startsWith(`${name} ${tid}`));
		await compare(page, "stacks", ["--select", `tid=${tid}`]);
	}
	await press(page, "a");
	await compare(page, "stacks");
	const box = await page.locator("#lanes-canvas").boundingBox();
	await page.mouse.move(box.x + 500, box.y + 9);
	await page.mouse.down();
	await page.mouse.move(box.x + 700, box.y + 9, { steps: 3 });
	await page.mouse.up();
	const [since, until] = (await chosen(page)).map(Number);
	assert.ok(since > 0 && until > since && until < 3);
	await page.click("#table");
	const shares = await page.locator("#functions tbody td:first-child").allTextContents();
	assert.ok(Math.abs(shares.reduce((sum, text) => sum + parseFloat(text), 0) - 100) < 0.5);
});

// Which labels of the time axis end beyond the canvas or meet: none may.
await test("labels of the time are whole, and apart", async () => {
	for (const width of [390, 700, 1200, 1203]) {
		const { page } = await browser.open("stacks-heat", { width });
		const wrong = await page.evaluate(async () => {
			const kind = CanvasRenderingContext2D.prototype, fillText = kind.fillText, wrong = [];
			let free = 0, count = 0;
			kind.fillText = function (text, x, y) {
				if (this.canvas.id === "heat-canvas" && this.textAlign === "left" && text.endsWith(" s")) {
					const end = x + this.measureText(text).width;
					if (x < free || end > this.canvas.clientWidth)
						wrong.push([text, x, end]);
					free = end;
					count++;
				}
				return fillText.call(this, text, x, y);
			};
			prospect.heatMap.draw();
			kind.fillText = fillText;
			return count > 1 ? wrong : "no labels";
		});
		assert.deepEqual(wrong, [], String(width));
	}
});

await test("names of any kind are but names", async () => {
	const { page, seen } = await open("names");
	assert.deepEqual(seen.dialogs, []);
	assert.equal(await page.evaluate(() => document.scripts.length), 2);
	assert.equal(await page.evaluate(() => globalThis.hacked), undefined);
});

await test("more than 100,000 frames", async () => {
	const { page } = await open("wide");
	await page.evaluate(() => prospect.heatMap.chooseColumns(1, 2));
	assert.ok(await compareCount(page) > 100);
});

await browser.close();
end();
