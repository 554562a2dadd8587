// SPDX-License-Identifier: GPL-2.0-or-later
// What the tests of pages and of their scripts share.
import { execFileSync } from "node:child_process";

// Tests of a name: test(NAME, RUN) says "ok" or "not ok"; end() leaves with 1 if one failed. after()
// may fail a test too.
export function suite(what, after = () => {}) {
	let failed = 0;
	return {
		async test(name, run) {
			try {
				await run();
				await after();
				console.log(`ok ${what} ${name}`);
			} catch (error) {
				console.log(`not ok ${what} ${name}\n${error.stack}`);
				failed++;
			}
		},
		end() {
			process.exit(failed ? 1 : 0);
		},
	};
}

// The same numbers every time, below the limit.
let seed = 20261121;
export function random(limit) {
	seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
	return (seed >>> 8) % limit;
}

function leb(value) {
	const bytes = [];
	do {
		const rest = Math.floor(value / 128);
		bytes.push(value % 128 + (rest ? 128 : 0));
		value = rest;
	} while (value);
	return bytes;
}

// Numbers as a page has them.
export const column = numbers => Buffer.from(numbers.flatMap(leb)).toString("base64");

// Chromium, for the pages NAME.html of a folder. open() gives a page that has drawn, what it asked for,
// and what went wrong in it. finish() closes the pages, and throws if a script failed in one; a test that
// wants errors takes them out of seen.errors.
export async function browserFor(folder, chromium) {
	const browser = await chromium.launch({
		executablePath: execFileSync("sh", ["-c", "command -v chromium"], { encoding: "utf8" }).trim(),
		args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
	});
	let opened = [];
	async function open(name, { width = 1200, height = 800, address = "", dark = false } = {}) {
		const context = await browser.newContext({ viewport: { width, height },
			colorScheme: dark ? "dark" : "light", permissions: ["clipboard-read", "clipboard-write"] });
		const page = await context.newPage();
		const seen = { requests: [], errors: [], dialogs: [] };
		opened.push({ context, page, seen });
		page.on("request", request => seen.requests.push(request.url()));
		page.on("pageerror", error => seen.errors.push(String(error)));
		page.on("console", message => message.type() === "error" && seen.errors.push(message.text()));
		page.on("dialog", dialog => { seen.dialogs.push(dialog.message()); dialog.dismiss(); });
		await page.goto(`file://${folder}/${name}.html${address}`);
		await page.waitForFunction(() => globalThis.prospect).catch(error => {
			throw new Error([error.message, ...seen.errors].join("; "));
		});
		await settle(page);
		return { page, seen };
	}
	async function finish() {
		const pages = opened;
		opened = [];
		for (const { context, page } of pages) {
			await settle(page);
			await context.close();
		}
		const errors = pages.flatMap(({ seen }) => seen.errors);
		if (errors.length)
			throw new Error(`a script failed: ${errors.join("; ")}`);
	}
	return { open, finish, close: () => browser.close() };
}

// Until everything that was to be drawn is.
export function settle(page) {
	return page.evaluate(() => new Promise(done =>
		requestAnimationFrame(() => requestAnimationFrame(done))));
}

// Presses keys, one after the other.
export async function press(page, ...keys) {
	for (const key of keys)
		await page.keyboard.press(key);
}

// Where the first box of this name is on the screen.
export function placeOf(page, name, graph = "flame") {
	return page.evaluate(([wanted, name]) => {
		const graph = prospect.graphs[name], { tree } = graph;
		for (let node = 0; node < tree.count; node++)
			if (prospect.nameOf(tree, node) === wanted)
				return { node, ...graph.placeOf(node) };
		return null;
	}, [name, graph]);
}
