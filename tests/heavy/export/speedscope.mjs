// SPDX-License-Identifier: GPL-2.0-or-later
// speedscope.mjs FILE: is it what speedscope's own schema says?
import fs from "fs";
import Ajv from "ajv";

const schema = JSON.parse(
	fs.readFileSync("node_modules/speedscope/dist/release/file-format-schema.json"));
delete schema["$schema"]; // an older draft; nothing that changed since is used
const validate = new Ajv({ strict: false }).compile(schema);
const file = process.argv[2];
const profile = JSON.parse(fs.readFileSync(file));
const frames = profile.shared.frames.length;
let bad = !validate(profile);

for (const thread of profile.profiles) {
	const sum = thread.weights.reduce((a, b) => a + b, 0);
	bad ||= sum !== thread.endValue || thread.samples.length !== thread.weights.length ||
		thread.samples.some((stack) => stack.some((frame) => frame < 0 || frame >= frames));
}
if (bad) {
	console.log("# " + JSON.stringify(validate.errors).slice(0, 300));
	process.exit(1);
}
console.log(`ok export speedscope ${file}: ${profile.profiles.length} threads`);
