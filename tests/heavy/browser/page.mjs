// SPDX-License-Identifier: GPL-2.0-or-later
// page.mjs FOLDER: opens the pages of the folder in Chromium and uses them as a person would. Oracles
// are the tables that the program printed of the same profiles.
import assert from "node:assert";
import fs from "node:fs";
import { chromium } from "playwright-core";
import { browserFor, suite } from "./common.mjs";

const folder = process.argv[2];
const { test, end } = suite("flame-page");
const browser = await browserFor(folder, chromium);
const open = name => browser.open(name, 800, () => globalThis.flame && flame.state.drawn > 0);

// Rows of a CSV file by column; no field here has a quote or a comma.
function table(name) {
	const [titles, ...rows] = fs.readFileSync(`${folder}/${name}.csv`, "utf8").trim().split("\n")
		.map(line => line.split(","));
	return rows.map(row => Object.fromEntries(row.map((field, i) => [titles[i], field])));
}

// Where the first box of this name is on the screen.
function placeOf(page, name) {
	return page.evaluate(wanted => {
		const { state, nameOf, rowTop } = flame, { tree } = state;
		const box = document.getElementById("canvas").getBoundingClientRect();
		for (let node = 0; node < tree.count; node++) {
			if (nameOf(node) !== wanted)
				continue;
			const middle = tree.x[node] + tree.total[node] / 2 - tree.x[state.focus];
			return { node, x: box.left + middle / tree.total[state.focus] * box.width,
				y: box.top + rowTop(tree.depth[node], box.height) + 9 };
		}
		return null;
	}, name);
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
	assert.equal(await page.textContent("#facts"), "2,034 samples of cpu-clock; lost 0; " +
		`${complete_percent.toFixed(2)} % of the stacks are complete`);
	assert.match(await page.textContent("#head"), /^Stacks .*no rows/m);
	assert.deepEqual(seen.requests, [`file://${folder}/stacks.html`]);
	assert.deepEqual(seen.errors, []);
	assert.match(await page.textContent("#legend"), /user.*kernel.*cut/);
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
	for (const error of seen.errors)
		assert.match(error, /Content Security Policy/);
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
		const sums = {}, inverted = {}, { state, nameOf } = flame;
		for (let i = 1; i < state.tree.count; i++)
			sums[nameOf(i)] = (sums[nameOf(i)] || 0) + 100 * state.tree.self[i] / state.tree.total[0];
		flame.setInverted(true);
		for (const node of state.tree.rows[1])
			inverted[nameOf(node)] = 100 * state.tree.total[node] / state.tree.total[0];
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

await test("a click zooms, names lead back, Escape too", async () => {
	const { page } = await open("stacks");
	const emit = await clickOn(page, "emit");
	assert.equal(await page.evaluate(() => flame.state.focus), emit);
	assert.equal(await page.textContent("#crumbs"),
		"all \u203a _start \u203a __libc_start_main \u203a main \u203a emit");
	await clickOn(page, "ksys_write");
	await page.keyboard.press("Backspace");
	assert.match(await page.textContent("#crumbs"), /entry_SYSCALL_64$/);
	await page.click("#crumbs button:nth-of-type(4)");
	assert.match(await page.textContent("#crumbs"), /main$/);
	await page.keyboard.press("Escape");
	assert.equal(await page.evaluate(() => flame.state.focus), 0);
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

await test("a stack that is cut is hatched red at its root", async () => {
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
	await page.keyboard.press("/");
	await page.keyboard.type("if");
	assert.equal(await page.inputValue("#search"), "if");
	await page.keyboard.press("Escape");
	assert.equal(await page.inputValue("#search"), "");
	await page.locator("#canvas").focus();
	await page.keyboard.press("i");
	assert.equal(await page.getAttribute("#invert", "aria-pressed"), "true");
	await page.keyboard.press("i");
	await page.keyboard.press("f");
	assert.equal(await page.evaluate(() => flame.rowTop(0, 500)), 0);
	await page.keyboard.press("ArrowDown");
	await page.keyboard.press("ArrowRight");
	assert.match(await page.textContent("#status"), /^clone3/);
	await page.keyboard.press("Enter");
	assert.match(await page.textContent("#crumbs"), /clone3$/);
});

await test("names of any kind are but names", async () => {
	const { page, seen } = await open("names");
	const names = await page.evaluate(() => flame.data.names);
	assert.deepEqual(seen.dialogs, []);
	assert.deepEqual(seen.errors, []);
	assert.equal(await page.evaluate(() => document.scripts.length), 2);
	assert.equal(await page.evaluate(() => globalThis.hacked), undefined);
	for (const wanted of ["</script><script>globalThis.hacked = 1</script>", "<!--<script>", "__proto__",
		"quote\"apostrophe'backslash\\", "&lt;b&gt;", "two\\x0alines", "\\xe2\\x80\\xa8separator",
		"\\xe2\\x80\\xaeleft", "bad\\xff", "caf\u00e9 \u6f22\u5b57"])
		assert.ok(names.includes(wanted), wanted);
	await page.evaluate(() => {
		for (let i = 0; i < flame.state.tree.count; i++)
			flame.zoom(i);
	});
	assert.match(await page.title(), /<\/title><script>/);
	assert.equal(await page.evaluate(() => document.scripts.length), 2);
});

await test("1,000 frames deep", async () => {
	const { page } = await open("deep");
	await page.evaluate(() => flame.zoom(flame.state.tree.rows[900][0]));
	await page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
	const { top, drawn } = await page.evaluate(() => ({ top: flame.state.top, drawn: flame.state.drawn }));
	assert.ok(top > 800 * 18 && drawn > 10);
	assert.match(await page.textContent("#crumbs"), /^all \u203a \u2026 \u203a descend/);
	await page.mouse.move(600, 500);
	await page.mouse.wheel(0, 1000);
	assert.ok(await page.evaluate(() => flame.state.top) < top);
});

await test("100,000 frames", async () => {
	const began = Date.now();
	const { page } = await open("wide");
	const loaded = Date.now() - began;
	const figures = await page.evaluate(() => {
		const times = [];
		const { tree } = flame.state;
		for (let i = 0; i < 60; i++) {
			flame.state.focus = i * 97 % tree.count;
			flame.draw();
			times.push(flame.state.drawTime);
		}
		flame.state.focus = 0;
		flame.draw();
		const whole = flame.state.drawTime, drawn = flame.state.drawn;
		const before = performance.now();
		flame.setInverted(true);
		times.sort((a, b) => a - b);
		return { count: tree.count, whole, drawn, median: times[30], most: times[59],
			inverted: performance.now() - before };
	});
	console.log(`flame-page: ${figures.count} frames loaded in ${loaded} ms, drawn in ` +
		`${figures.whole.toFixed(1)} ms (${figures.drawn} boxes); zoomed, median ` +
		`${figures.median.toFixed(1)}, at most ${figures.most.toFixed(1)} ms; inverted in ` +
		`${figures.inverted.toFixed(0)} ms`);
	assert.ok(figures.count > 100000);
	assert.ok(figures.drawn < 20000);
});

await test("what changed, in colours, on either side", async () => {
	const { page, seen } = await open("diff");
	const changes = () => page.evaluate(() => {
		const { state, nameOf, change, colourOf } = flame, nodes = {};
		for (let node = 1; node < state.tree.count; node++)
			nodes[nameOf(node)] = { ...change(node), colour: colourOf(node), width: state.tree.total[node],
				self: state.tree.self[node], other: state.tree.other.self[node] };
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
	await page.keyboard.press("i");
	await page.keyboard.press("o");
	const inverted = await changes();
	assert.equal(inverted.lex.width, drawnNew.lex.width);
	assert.equal(inverted.fold.width, 0);
	assert.deepEqual(seen.errors, []);
});

await browser.close();
end();
