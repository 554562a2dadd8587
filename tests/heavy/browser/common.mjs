// SPDX-License-Identifier: GPL-2.0-or-later
// What the tests of pages and of their scripts share.
import { execFileSync } from "node:child_process";
import fs from "node:fs";

// Tests of a name: test(NAME, RUN) says "ok" or "not ok"; end() leaves with 1 if one failed.
export function suite(what) {
	let failed = 0;
	return {
		async test(name, run) {
			try {
				await run();
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

// The functions of a page's scripts, which are no modules.
export function functionsOf(files, names) {
	const source = files.map(name => fs.readFileSync(name, "utf8")).join("\n");
	return new Function(`${source}; return { ${names.split(" ").join(", ")} };`)();
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

// Chromium, for the pages NAME.html of a folder. open(NAME, HEIGHT, READY) gives a page for which READY
// holds, what it asked for, and what went wrong in it.
export async function browserFor(folder, chromium) {
	const browser = await chromium.launch({
		executablePath: execFileSync("sh", ["-c", "command -v chromium"], { encoding: "utf8" }).trim(),
		args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
	});
	async function open(name, height, ready) {
		const context = await browser.newContext({ viewport: { width: 1200, height } });
		const page = await context.newPage();
		const seen = { requests: [], errors: [], dialogs: [] };
		page.on("request", request => seen.requests.push(request.url()));
		page.on("pageerror", error => seen.errors.push(String(error)));
		page.on("console", message => message.type() === "error" && seen.errors.push(message.text()));
		page.on("dialog", dialog => { seen.dialogs.push(dialog.message()); dialog.dismiss(); });
		await page.goto(`file://${folder}/${name}.html`);
		await page.waitForFunction(ready);
		return { page, seen };
	}
	return { open, close: () => browser.close() };
}
