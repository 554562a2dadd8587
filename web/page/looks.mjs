// SPDX-License-Identifier: GPL-2.0-or-later
// How boxes look: a colour for each kind of code, a shade of it for each file and function.

// Hue, saturation, lightness and how far names of one kind spread in hue.
export const KINDS = {
	file: { text: "user", hue: 22, spread: 34, sat: 82, light: 66 },
	kernel: { text: "kernel", hue: 208, spread: 22, sat: 72, light: 68 },
	module: { text: "kernel module", hue: 248, spread: 22, sat: 62, light: 74 },
	bpf: { text: "BPF", hue: 292, spread: 20, sat: 55, light: 72 },
	vdso: { text: "vdso", hue: 178, spread: 16, sat: 48, light: 66 },
	anon: { text: "generated code", hue: 112, spread: 30, sat: 48, light: 64 },
	running: { text: "running", hue: 140, spread: 0, sat: 46, light: 66 },
	wait: { text: "waiting", hue: 266, spread: 44, sat: 34, light: 72 },
	several: { text: "in several files", hue: 54, spread: 10, sat: 46, light: 70 },
	bucket: { text: "no file", hue: 0, spread: 0, sat: 0, light: 76 },
	group: { text: "program or group", hue: 220, spread: 10, sat: 14, light: 82 },
	rest: { text: "smaller branches", hue: 40, spread: 0, sat: 12, light: 86 },
	cut: { text: "stack is truncated here", hue: 0, spread: 0, sat: 80, light: 60 },
};

// What image_of has for names without an image.
const WITHOUT = { [-1]: "several", [-2]: "group", [-3]: "rest" };

function hashOf(text) {
	let hash = 2166136261;
	for (let i = 0; i < text.length; i++)
		hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
	return (hash >>> 0) / 4294967296;
}

function hatch() {
	const tile = document.createElement("canvas");
	tile.width = tile.height = 8;
	const pen = tile.getContext("2d");
	pen.fillStyle = "#f6b1ab";
	pen.fillRect(0, 0, 8, 8);
	pen.strokeStyle = "#d22f27";
	pen.lineWidth = 2;
	for (const shift of [-8, 0, 8]) {
		pen.beginPath();
		pen.moveTo(shift - 1, 9);
		pen.lineTo(shift + 9, -1);
		pen.stroke();
	}
	return pen.createPattern(tile, "repeat");
}

// The looks of the names of a page's data.
export function makeLooks(data) {
	const hatched = hatch(), colours = new Array(data.names.length);
	const imageOf = name => name < 0 || data.image_of[name] < 0 ? null : data.images[data.image_of[name]];
	function kindOf(name) {
		if (name < 0)
			return "group";
		const image = imageOf(name);
		if (image?.path === "[running]" && image.kind === "wait")
			return "running";
		const kind = image?.kind ?? WITHOUT[data.image_of[name]];
		return KINDS[kind] ? kind : "bucket";
	}
	const kinds = data.names.map((_, name) => kindOf(name));
	function make(name) {
		const look = KINDS[kinds[name]], text = data.names[name];
		const hue = look.hue + look.spread * hashOf(imageOf(name)?.path ?? text);
		const light = look.light + 9 * hashOf(text);
		return kinds[name] === "cut" ? hatched :
			`hsl(${hue.toFixed(1)} ${look.sat}% ${light.toFixed(1)}%)`;
	}
	return {
		hatched,
		imageOf,
		kindOf: name => name < 0 ? "group" : kinds[name],
		// Of the root, which has no name, and of a name.
		colourOf: name => name < 0 ? "hsl(220 12% 80%)" : (colours[name] ??= make(name)),
		// Of many boxes of one kind.
		colourOfKind(kind) {
			const look = KINDS[kind];
			return kind === "cut" ? hatched :
				`hsl(${look.hue + look.spread / 2} ${look.sat * 0.7}% ${look.light + 6}%)`;
		},
	};
}
