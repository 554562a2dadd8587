// SPDX-License-Identifier: GPL-2.0-or-later
// page.mjs PAGE.html: pans a flame graph of which nearly everything is visible, a few pixels each frame,
// and prints: boxes, ms to load, then of 300 frames the median and the 95th percentile of their
// distance in ms, the share in percent that came in time for 60 a second, and what one of them cost in ms
// of CPU in all processes of the browser.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { chromium } from "playwright-core";

const browser = await chromium.launch({
	executablePath: execFileSync("sh", ["-c", "command -v chromium"], { encoding: "utf8" }).trim(),
	args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
});
const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
const began = performance.now();
await page.goto(`file://${process.argv[2]}`);
await page.waitForFunction(() => globalThis.prospect?.graphs.flame.drawn);
const loaded = performance.now() - began;

// The CPU time in ms of everything that this process started; the clock ticks 100 times a second.
function cpuTime() {
	const stats = fs.readdirSync("/proc").filter(name => /^\d+$/.test(name)).flatMap(pid => {
		try {
			const [, fields] = fs.readFileSync(`/proc/${pid}/stat`, "utf8").split(/\) (?=[^)]*$)/);
			const [, parent, , , , , , , , , , user, system] = fields.split(" ").map(Number);
			return [{ pid: Number(pid), parent, ticks: user + system }];
		} catch {
			return []; // it has ended meanwhile
		}
	});
	const ours = new Set([process.pid]);
	for (let size = 0; size !== ours.size;) {
		size = ours.size;
		stats.filter(({ parent }) => ours.has(parent)).forEach(({ pid }) => ours.add(pid));
	}
	ours.delete(process.pid);
	return 10 * stats.filter(({ pid }) => ours.has(pid)).reduce((sum, { ticks }) => sum + ticks, 0);
}

const pan = count => page.evaluate(async count => {
	const graph = prospect.graphs.flame, frames = [];
	const frame = () => new Promise(requestAnimationFrame);
	let last = await frame();
	for (let i = 0; i < count; i++) {
		graph.pan(i % 60 < 30 ? 4 : -4);
		const now = await frame();
		frames.push(now - last);
		last = now;
	}
	return frames;
}, count);

const boxes = await page.evaluate(() => {
	prospect.graphs.flame.stretch(0.9, 0.5);
	return prospect.graphs.flame.tree.count;
});
if (boxes < 100000)
	throw new Error(`the page has ${boxes} boxes, not 100,000`);
await pan(60);
const before = cpuTime(), frames = await pan(300), cpu = (cpuTime() - before) / frames.length;
await browser.close();
const at = (list, part) => [...list].sort((a, b) => a - b)[Math.floor(part * (list.length - 1))];
const inTime = frames.filter(time => time < 1.5 * 1000 / 60).length / frames.length;
console.log([boxes, loaded.toFixed(0), at(frames, 0.5).toFixed(1), at(frames, 0.95).toFixed(1),
	(100 * inTime).toFixed(0), cpu.toFixed(1)].join(" "));
