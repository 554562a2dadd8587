// SPDX-License-Identifier: GPL-2.0-or-later
// The page of a flame graph: draws the tree of #data on a canvas. Names come from files and processes
// anybody may have made; they only ever become text of the canvas or of a node, never markup.
"use strict";

const ROW = 18;
const FONT = "12px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace";
const LEAST_WIDTH = 1; // of a box; what is narrower is drawn together
const FOUND = "#e879f9";
const TEXT_WIDTH = 30; // of a box that has room for a name

// Hue, saturation, lightness and how far names of one kind spread in hue.
const KINDS = {
	file: { text: "user", hue: 22, spread: 34, sat: 82, light: 66 },
	kernel: { text: "kernel", hue: 208, spread: 22, sat: 72, light: 68 },
	module: { text: "kernel module", hue: 248, spread: 22, sat: 62, light: 74 },
	bpf: { text: "BPF", hue: 292, spread: 20, sat: 55, light: 72 },
	vdso: { text: "vdso", hue: 178, spread: 16, sat: 48, light: 66 },
	anon: { text: "generated code", hue: 112, spread: 30, sat: 48, light: 64 },
	bucket: { text: "no file", hue: 0, spread: 0, sat: 0, light: 76 },
	group: { text: "group", hue: 220, spread: 10, sat: 14, light: 82 },
	cut: { text: "stack is cut here", hue: 0, spread: 0, sat: 80, light: 60 },
};

const data = JSON.parse(document.getElementById("data").textContent);
const element = id => document.getElementById(id);
const canvas = element("canvas");
const context = canvas.getContext("2d", { alpha: false });

const MISSING = 100; // so many boxes that have no width are listed

const state = {
	sides: [{ normal: layOut(decodeTree(data)), inverted: null }, null], // new, old
	old: false, // boxes are as wide as on the old side
	trees: null, // of the side that is drawn
	tree: null,
	focus: 0, // the node that is as wide as the canvas
	selected: -1,
	hovered: -1,
	top: 0, // pixels that are scrolled away, from the root on
	icicle: false,
	wanted: null, // by name: found by the search
	drawn: 0,
	drawing: 0,
	drawTime: 0,
	searched: null, // is told when something else is searched for
};
state.trees = state.sides[0];
state.tree = state.trees.normal;

// --- words ---

function nameOf(node) {
	return node ? data.names[state.tree.name[node]] : "all";
}

function imageOf(node) {
	const image = node ? data.image_of[state.tree.name[node]] : -1;
	return image < 0 ? null : data.images[image];
}

function kindOf(node) {
	if (!node)
		return "group";
	const image = imageOf(node);
	return image ? image.kind : "group";
}

function percent(part, whole) {
	return whole ? (100 * part / whole).toFixed(2) + " %" : "0 %";
}

function amount(weight) {
	return data.unit === "ns" ? (weight / 1e9).toPrecision(4) + " s" : weight.toLocaleString("en");
}

function count(number) {
	return number.toLocaleString("en");
}

function describe(node) {
	const tree = state.tree, all = tree.total[0], focus = tree.total[state.focus];
	const lines = [];
	const image = imageOf(node);
	if (image)
		lines.push(image.path);
	if (kindOf(node) === "cut" && data.cuts[nameOf(node)])
		lines.push("The stack is not complete: " + data.cuts[nameOf(node)]);
	lines.push(`${count(tree.samples[node])} samples, ${amount(tree.total[node])}, ` +
		`${percent(tree.total[node], all)} of all` +
		(state.focus ? `, ${percent(tree.total[node], focus)} of what is zoomed to` : ""));
	if (data.diff)
		lines.push(...describeChange(node));
	if (tree === state.trees.normal)
		lines.push(`itself ${count(tree.hits[node])} samples, ${percent(tree.self[node], all)}`);
	return lines;
}

function points(part) {
	return (part < 0 ? "" : "+") + (100 * part).toFixed(2);
}

function describeChange(node) {
	const change = changeOf(state.tree, node, state.old);
	const { difference, reach, before, after } = change;
	return [`${percent(before, 1)}, then ${percent(after, 1)}: ${points(difference)} points, 95 % within ` +
		`${points(difference - reach)} to ${points(difference + reach)}` +
		(change.real ? "" : "; within noise")];
}

// --- colours ---

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
	return context.createPattern(tile, "repeat");
}

const hatched = hatch();
const colours = new Array(data.names.length);

// Of many boxes of one kind.
function colourOfKind(kind) {
	const look = KINDS[kind];
	return kind === "cut" ? hatched :
		`hsl(${look.hue + look.spread / 2} ${look.sat * 0.7}% ${look.light + 6}%)`;
}

function colourOf(node) {
	if (data.diff)
		return kindOf(node) === "cut" ? hatched : colourOfChange(changeOf(state.tree, node, state.old));
	const name = state.tree.name[node];
	if (name < 0)
		return "hsl(220 12% 80%)";
	if (!colours[name]) {
		const kind = kindOf(node), look = KINDS[kind] || KINDS.bucket;
		const image = imageOf(node);
		const hue = look.hue + look.spread * hashOf(image ? image.path : nameOf(node));
		const light = look.light + 9 * hashOf(nameOf(node));
		colours[name] = kind === "cut" ? hatched :
			`hsl(${hue.toFixed(1)} ${look.sat}% ${light.toFixed(1)}%)`;
	}
	return colours[name];
}

function addSwatch(colour, text) {
	const item = document.createElement("span"), swatch = document.createElement("canvas");
	const pen = swatch.getContext("2d");
	swatch.width = swatch.height = 12;
	pen.fillStyle = colour;
	pen.fillRect(0, 0, 12, 12);
	item.append(swatch, text);
	element("legend").append(item);
}

// How a share changed.
function makeScale() {
	addSwatch(colourOfDegree(-1), "half or less, gone");
	addSwatch(colourOfDegree(-0.4), "less");
	addSwatch(colourOfChange({ real: false }), "within noise");
	addSwatch(colourOfDegree(0.4), "more");
	addSwatch(colourOfDegree(1), "twice or more, new");
}

function makeLegend() {
	if (data.diff)
		return makeScale();
	const there = new Set(data.image_of.map(image => image < 0 ? "group" : data.images[image].kind));
	for (const [kind, look] of Object.entries(KINDS)) {
		if (!there.has(kind))
			continue;
		addSwatch(colourOfKind(kind), look.text);
	}
}

// --- drawing ---

function size() {
	return { width: canvas.clientWidth, height: canvas.clientHeight };
}

// Where the row of a depth begins on the canvas.
function rowTop(depth, height) {
	const from = depth * ROW - state.top;
	return state.icicle ? from : height - ROW - from;
}

function depthAt(y, height) {
	const from = state.icicle ? y : height - y;
	return Math.floor((from + state.top) / ROW);
}

function span() {
	const tree = state.tree;
	return { from: tree.x[state.focus], whole: tree.total[state.focus] || 1 };
}

function drawBox(node, x, y, width, faded) {
	context.globalAlpha = faded ? 0.35 : 1;
	context.fillStyle = state.wanted && node && state.wanted[state.tree.name[node]] ?
		FOUND : colourOf(node);
	context.fillRect(x, y, Math.max(width - 1, 0.6), ROW - 1);
	state.drawn++;
	if (node === state.selected) {
		context.strokeStyle = "#1d4ed8";
		context.lineWidth = 2;
		context.strokeRect(x + 1, y + 1, Math.max(width - 3, 1), ROW - 3);
	}
	if (width < TEXT_WIDTH)
		return;
	const room = Math.floor((width - 8) / state.letter);
	const name = nameOf(node);
	context.fillStyle = "#17171a";
	context.fillText(name.length <= room ? name : name.slice(0, room - 1) + "\u2026", x + 4,
		y + ROW / 2);
}

// Boxes too narrow to be told apart: one, as bright as the share of it that the search found.
function drawThin(thin, y) {
	const width = Math.max(thin.to - thin.from, 0.6);
	context.globalAlpha = state.wanted ? 0.35 : 1;
	context.fillStyle = data.diff ? colourOfChange({ real: false }) : colourOfKind(thin.kind);
	context.fillRect(thin.from, y, width, ROW - 1);
	if (thin.found) {
		context.globalAlpha = Math.min(Math.max(thin.found / width, 0.3), 1);
		context.fillStyle = FOUND;
		context.fillRect(thin.from, y, width, ROW - 1);
	}
	state.drawn++;
}

// Does a narrow box end those that are drawn together? They are of one kind, unless that is too
// narrow itself, and while something is searched for they are a pixel or two.
function endsThin(thin, kind, right) {
	const width = right - thin.from;
	return kind !== thin.kind ? width > LEAST_WIDTH : state.wanted && width > 2 * LEAST_WIDTH;
}

// One row. Narrow boxes are drawn together up to the next that is not.
function drawRow(depth, from, whole, width, y) {
	const tree = state.tree, row = tree.rows[depth];
	const scale = width / whole, end = from + whole;
	let thin = null;
	for (let i = firstInRow(tree, row, from); i < row.length && tree.x[row[i]] < end; i++) {
		const node = row[i];
		const left = Math.max((tree.x[node] - from) * scale, 0);
		const right = Math.min((tree.x[node] + tree.total[node] - from) * scale, width);
		const found = state.wanted && state.wanted[tree.name[node]];
		const kind = kindOf(node);
		if (thin && (right - left >= LEAST_WIDTH || left - thin.to > LEAST_WIDTH ||
			endsThin(thin, kind, right))) {
			drawThin(thin, y);
			thin = null;
		}
		if (right - left >= LEAST_WIDTH) {
			drawBox(node, left, y, right - left,
				(state.wanted && !found) || depth < tree.depth[state.focus]);
			continue;
		}
		thin = thin || { from: left, to: right, found: 0, kind };
		thin.to = right;
		thin.found += found ? right - left : 0;
	}
	if (thin)
		drawThin(thin, y);
}

function draw() {
	const began = performance.now();
	const { width, height } = size();
	const { from, whole } = span();
	const ratio = window.devicePixelRatio || 1;
	state.drawing = 0;
	state.drawn = 0;
	if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
		canvas.width = Math.round(width * ratio);
		canvas.height = Math.round(height * ratio);
	}
	context.setTransform(ratio, 0, 0, ratio, 0, 0);
	context.globalAlpha = 1;
	context.fillStyle = getComputedStyle(document.body).backgroundColor;
	context.fillRect(0, 0, width, height);
	context.font = FONT;
	context.textBaseline = "middle";
	state.letter = context.measureText("mmmmmmmmmm").width / 10;
	const first = Math.max(Math.floor(state.top / ROW), 0);
	const last = Math.min(Math.ceil((state.top + height) / ROW), state.tree.rows.length - 1);
	for (let depth = first; depth <= last; depth++)
		drawRow(depth, from, whole, width, rowTop(depth, height));
	state.drawTime = performance.now() - began;
}

function redraw() {
	if (!state.drawing)
		state.drawing = requestAnimationFrame(draw);
}

// --- moving ---

function scrollTo(pixels) {
	const most = Math.max(state.tree.rows.length * ROW - size().height, 0);
	state.top = Math.min(Math.max(pixels, 0), most);
	redraw();
}

function scrollIntoView(node) {
	const at = state.tree.depth[node] * ROW, { height } = size();
	if (at < state.top + ROW || at > state.top + height - 3 * ROW)
		scrollTo(at - 2 * ROW);
}

function makeCrumbs() {
	const path = [];
	for (let node = state.focus; ; node = state.tree.parent[node]) {
		path.unshift(node);
		if (!node)
			break;
	}
	const shown = path.length > 12 ? [path[0], -1, ...path.slice(-10)] : path;
	const crumbs = shown.map(node => {
		if (node < 0)
			return "\u2026";
		const button = document.createElement("button");
		button.textContent = nameOf(node);
		button.addEventListener("click", () => zoom(node));
		return button;
	});
	element("crumbs").replaceChildren(...crumbs.flatMap((crumb, i) => i ? [" \u203a ", crumb] : [crumb]));
}

function zoom(node) {
	state.focus = node;
	makeCrumbs();
	showMatched();
	scrollIntoView(node);
	redraw();
}

function select(node) {
	state.selected = node;
	if (node >= 0) {
		scrollIntoView(node);
		say(node);
	}
	redraw();
}

// --- search ---

function search(text) {
	const pattern = text ? patternOf(text) : null;
	state.wanted = pattern && data.names.map(name => pattern.test(name));
	showMatched();
	redraw();
	if (state.searched)
		state.searched();
}

function matchedWeight() {
	return state.wanted ? weightOf(state.tree, state.wanted) : 0;
}

function showMatched() {
	const output = element("matched");
	output.textContent = state.wanted ?
		`${percent(matchedWeight(), state.tree.total[0])} matched` : "";
}

// --- modes ---

function setInverted(on) {
	if (on && !state.trees.inverted)
		state.trees.inverted = invert(state.trees.normal);
	state.tree = on ? state.trees.inverted : state.trees.normal;
	element("invert").setAttribute("aria-pressed", String(on));
	state.selected = state.hovered = -1;
	state.top = 0;
	hideTip();
	zoom(0);
}

// Shows another tree of the same names.
function show(tree) {
	const inverted = state.tree !== state.trees.normal;
	state.trees = { normal: tree, inverted: null };
	setInverted(inverted);
}

// Boxes as wide as on the old side.
function setOld(on) {
	const inverted = state.tree === state.trees.inverted;
	if (on && !state.sides[1])
		state.sides[1] = { normal: layOut(decodeTree(data, true)), inverted: null };
	state.trees = state.sides[on ? 1 : 0];
	state.old = on;
	element("old").setAttribute("aria-pressed", String(on));
	listMissing();
	setInverted(inverted);
}

// What has no width on the side that is drawn.
function listMissing() {
	const tree = state.trees.normal, nodes = missing(tree);
	const lines = nodes.slice(0, MISSING).map(node =>
		`${percent(tree.other.total[node], tree.other.total[0])}  ${data.names[tree.name[node]]}` +
		(tree.parent[node] ? `, called from ${data.names[tree.name[tree.parent[node]]]}` : ""));
	if (nodes.length > MISSING)
		lines.push(`and ${count(nodes.length - MISSING)} more`);
	element("missing").hidden = !nodes.length;
	element("missing-title").textContent = (state.old ? "New: not on the old side" :
		"Gone: on the old side only") + ` (${count(nodes.length)})`;
	element("missing-list").textContent = lines.join("\n");
}

function setIcicle(on) {
	state.icicle = on;
	element("flip").setAttribute("aria-pressed", String(on));
	redraw();
}

// --- what is pointed at ---

function say(node) {
	element("status").textContent = node < 0 ? "" :
		[nameOf(node), ...describe(node)].join("  \u00b7  ");
}

function hideTip() {
	element("tip").hidden = true;
}

function showTip(node, x, y) {
	const tip = element("tip"), name = document.createElement("b");
	name.textContent = nameOf(node);
	tip.replaceChildren(name, describe(node).join("\n"));
	tip.hidden = false;
	const left = Math.min(x + 14, window.innerWidth - tip.offsetWidth - 6);
	const below = y + 16 + tip.offsetHeight < window.innerHeight;
	tip.style.left = Math.max(left, 4) + "px";
	tip.style.top = (below ? y + 16 : Math.max(y - tip.offsetHeight - 10, 4)) + "px";
}

function nodeUnder(event) {
	const box = canvas.getBoundingClientRect();
	const { from, whole } = span();
	const depth = depthAt(event.clientY - box.top, box.height);
	if (depth < 0)
		return -1;
	return nodeAt(state.tree, depth, from + (event.clientX - box.left) / box.width * whole);
}

function onMove(event) {
	const node = nodeUnder(event);
	if (node !== state.hovered)
		say(node);
	state.hovered = node;
	canvas.style.cursor = node < 0 ? "default" : "pointer";
	if (node < 0)
		hideTip();
	else
		showTip(node, event.clientX, event.clientY);
}

function onWheel(event) {
	event.preventDefault();
	hideTip();
	scrollTo(state.top + (state.icicle ? event.deltaY : -event.deltaY));
}

// --- keys ---

function sibling(node, step) {
	const row = state.tree.rows[state.tree.depth[node]];
	const at = firstInRow(state.tree, row, state.tree.x[node]);
	return row[Math.min(Math.max(at + step, 0), row.length - 1)];
}

function child(node) {
	const below = nodeAt(state.tree, state.tree.depth[node] + 1, state.tree.x[node]);
	return below >= 0 && state.tree.parent[below] === node ? below : node;
}

function move(key) {
	const node = state.selected < 0 ? state.focus : state.selected;
	const up = state.icicle ? "ArrowDown" : "ArrowUp";
	if (key === "ArrowLeft")
		return sibling(node, -1);
	if (key === "ArrowRight")
		return sibling(node, 1);
	return key === up ? child(node) : state.tree.parent[node];
}

const KEYS = {
	"/": () => element("search").focus(),
	i: () => setInverted(state.tree === state.trees.normal),
	f: () => setIcicle(!state.icicle),
	o: () => data.diff && setOld(!state.old),
	Escape: () => {
		element("search").value = "";
		search("");
		select(-1);
		zoom(0);
	},
	Enter: () => zoom(state.selected < 0 ? state.focus : state.selected),
	Backspace: () => zoom(state.tree.parent[state.focus]),
	PageUp: () => scrollTo(state.top + (state.icicle ? -1 : 1) * size().height / 2),
	PageDown: () => scrollTo(state.top + (state.icicle ? 1 : -1) * size().height / 2),
	Home: () => scrollTo(0),
	End: () => scrollTo(Infinity),
};

function onKey(event) {
	if (event.ctrlKey || event.metaKey || event.altKey)
		return;
	const typing = event.target === element("search");
	if (typing && event.key !== "Escape")
		return;
	if (event.target instanceof HTMLButtonElement && event.key === "Enter")
		return;
	if (event.key.startsWith("Arrow"))
		select(move(event.key));
	else if (KEYS[event.key])
		KEYS[event.key]();
	else
		return;
	event.preventDefault();
}

// --- the page ---

function start() {
	document.title = data.title;
	element("title").textContent = data.title;
	element("facts").textContent = data.facts;
	element("head").textContent = data.head;
	makeLegend();
	makeCrumbs();
	element("search").addEventListener("input", event => search(event.target.value));
	element("invert").addEventListener("click", KEYS.i);
	element("flip").addEventListener("click", KEYS.f);
	if (data.diff) {
		element("old").hidden = false;
		element("old").addEventListener("click", KEYS.o);
		listMissing();
	}
	element("reset").addEventListener("click", () => zoom(0));
	canvas.addEventListener("mousemove", onMove);
	canvas.addEventListener("mouseleave", hideTip);
	canvas.addEventListener("click", event => {
		const node = nodeUnder(event);
		if (node >= 0)
			zoom(node);
	});
	canvas.addEventListener("wheel", onWheel, { passive: false });
	document.addEventListener("keydown", onKey);
	window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
	new ResizeObserver(redraw).observe(canvas);
	if (data.inverted)
		setInverted(true);
	draw();
}

start();
// For the console, and for tests.
globalThis.flame = { state, data, zoom, search, setInverted, setIcicle, show, draw, nameOf, matchedWeight, rowTop,
	setOld, change: node => changeOf(state.tree, node, state.old), colourOf };
