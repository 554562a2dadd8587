// SPDX-License-Identifier: GPL-2.0-or-later
// The page of a heat map: a column is a stretch of time, from the bottom to the top, the next one goes
// on where it ends. What is chosen in it is shown as a flame graph by flame.js.
"use strict";

const MARGIN = { left: 52, bottom: 18 }; // pixels, for the axes

const heatCanvas = element("heat");
const heatPen = heatCanvas.getContext("2d", { alpha: false });

const heatmap = {
	whole: state.trees.normal, // the tree of all of the time
	times: decodeHeat(data.heat),
	heat: null, // weight by bucket, of what is searched for
	full: 1,
	cells: document.createElement("canvas"), // a pixel for each bucket
	from: 0, // the buckets that are chosen: from, up to but not including to
	to: 0,
	anchor: -1, // where choosing began
	cursor: 0, // where the keyboard is
	drawing: 0,
	showTime: 0, // what the last flame graph took, in ms
};

// --- colours ---

const HEAT_COLOURS = {
	light: [[255, 255, 255], [255, 237, 160], [254, 153, 41], [217, 30, 24], [110, 0, 20]],
	dark: [[27, 27, 30], [92, 32, 20], [190, 60, 20], [253, 160, 60], [255, 250, 200]],
};

function isDark() {
	return window.matchMedia("(prefers-color-scheme: dark)").matches;
}

// Any heat at all is told from none.
function heatColour(colours, share) {
	const at = share > 0 ? Math.min(0.06 + 0.94 * share, 1) * (colours.length - 1) : 0;
	const low = Math.min(Math.floor(at), colours.length - 2), part = at - low;
	return colours[low].map((value, i) => value + (colours[low + 1][i] - value) * part);
}

function paintCells() {
	const { times, heat, full, cells } = heatmap;
	const colours = HEAT_COLOURS[isDark() ? "dark" : "light"];
	cells.width = times.columns;
	cells.height = times.rows;
	const pen = cells.getContext("2d"), image = pen.createImageData(times.columns, times.rows);
	for (let bucket = 0; bucket < times.size; bucket++) {
		const column = Math.floor(bucket / times.rows), row = bucket % times.rows;
		const at = 4 * ((times.rows - 1 - row) * times.columns + column);
		const [red, green, blue] = heatColour(colours, heat[bucket] / full);
		image.data[at] = red;
		image.data[at + 1] = green;
		image.data[at + 2] = blue;
		image.data[at + 3] = 255;
	}
	pen.putImageData(image, 0, 0);
}

function updateHeat() {
	const inside = state.wanted && insideOf(heatmap.whole, state.wanted);
	heatmap.heat = heatOf(heatmap.times, inside);
	heatmap.full = fullHeat(heatmap.heat);
	paintCells();
	redrawHeat();
}

// --- drawing ---

// Where the cells are on the canvas.
function field() {
	const width = heatCanvas.clientWidth - MARGIN.left, height = heatCanvas.clientHeight - MARGIN.bottom;
	return { left: MARGIN.left, top: 4, width: Math.max(width, 1), height: Math.max(height - 4, 1) };
}

function drawAxes(box) {
	const { times } = heatmap, style = getComputedStyle(document.body);
	const column_s = times.rows * times.bucket_s;
	heatPen.fillStyle = style.color;
	heatPen.font = "11px system-ui, sans-serif";
	heatPen.textBaseline = "top";
	const step = Math.max(Math.round(roundStep(Math.max(70 * times.columns * column_s / box.width,
		column_s)) / column_s), 1);
	for (let column = 0; column < times.columns; column += step) {
		const x = box.left + column / times.columns * box.width;
		heatPen.fillRect(x, box.top + box.height, 1, 4);
		heatPen.fillText(timeText(times.origin_s + column * column_s) + " s", x + 3,
			box.top + box.height + 4);
	}
	heatPen.textBaseline = "middle";
	heatPen.textAlign = "right";
	for (let part = 0; part <= 4; part++) {
		const y = box.top + box.height * (1 - part / 4);
		const text = timeText(part / 4 * column_s * (column_s < 1 ? 1000 : 1));
		heatPen.fillRect(box.left - 4, Math.min(y, box.top + box.height - 1), 4, 1);
		heatPen.fillText(`${text} ${column_s < 1 ? "ms" : "s"}`, box.left - 6,
			Math.min(Math.max(y, box.top + 6), box.top + box.height - 5));
	}
	heatPen.textAlign = "left";
}

// What is chosen: parts of the first and the last column, all of those between.
function drawChosen(box) {
	const { times, from, to } = heatmap;
	if (from === 0 && to === times.size)
		return;
	const width = box.width / times.columns, height = box.height / times.rows;
	heatPen.fillStyle = "rgb(59 130 246 / 45%)";
	for (let bucket = from; bucket < to;) {
		const column = Math.floor(bucket / times.rows), row = bucket % times.rows;
		const end = Math.min(times.rows, row + to - bucket);
		heatPen.fillRect(box.left + column * width, box.top + box.height - end * height,
			Math.max(width, 2), Math.max((end - row) * height, 2));
		bucket += end - row;
	}
}

function drawCursor(box) {
	const { times, cursor } = heatmap;
	if (document.activeElement !== heatCanvas)
		return;
	const width = box.width / times.columns, height = box.height / times.rows;
	const column = Math.floor(cursor / times.rows), row = cursor % times.rows;
	heatPen.strokeStyle = "#3b82f6";
	heatPen.lineWidth = 2;
	heatPen.strokeRect(box.left + column * width - 1, box.top + box.height - (row + 1) * height - 1,
		Math.max(width, 3) + 2, Math.max(height, 3) + 2);
}

function drawHeat() {
	const ratio = window.devicePixelRatio || 1, box = field();
	heatmap.drawing = 0;
	heatCanvas.width = Math.round(heatCanvas.clientWidth * ratio);
	heatCanvas.height = Math.round(heatCanvas.clientHeight * ratio);
	heatPen.setTransform(ratio, 0, 0, ratio, 0, 0);
	heatPen.fillStyle = getComputedStyle(document.body).backgroundColor;
	heatPen.fillRect(0, 0, heatCanvas.clientWidth, heatCanvas.clientHeight);
	heatPen.imageSmoothingEnabled = box.width < heatmap.times.columns;
	heatPen.drawImage(heatmap.cells, box.left, box.top, box.width, box.height);
	drawChosen(box);
	drawCursor(box);
	drawAxes(box);
}

function redrawHeat() {
	if (!heatmap.drawing)
		heatmap.drawing = requestAnimationFrame(drawHeat);
}

// --- choosing ---

// Seconds without digits that say nothing.
function timeText(seconds) {
	return String(Number(seconds.toFixed(9)));
}

function sayChosen() {
	const { times, from, to } = heatmap, tree = state.trees.normal;
	const since = times.origin_s + from * times.bucket_s, until = times.origin_s + to * times.bucket_s;
	element("when").textContent = `${timeText(since)} s to ${timeText(until)} s: ` +
		`${count(tree.samples[0])} samples, ${amount(tree.total[0])}`;
	element("command").textContent =
		`--since ${timeText(since)} --until ${timeText(until)}`;
}

// Shows the flame graph of these buckets.
function choose(from, to) {
	const began = performance.now(), { whole, times } = heatmap;
	heatmap.from = Math.max(Math.min(from, to), 0);
	heatmap.to = Math.min(Math.max(from, to), times.size);
	const everything = heatmap.from === 0 && heatmap.to === times.size;
	show(everything ? whole : layOut(treeBetween(whole, times, heatmap.from, heatmap.to)));
	heatmap.showTime = performance.now() - began;
	sayChosen();
	redrawHeat();
}

// Both buckets and all between, whichever comes first.
function chooseBuckets(one, other) {
	choose(Math.min(one, other), Math.max(one, other) + 1);
}

function chooseColumns(one, other) {
	const { rows } = heatmap.times;
	choose(Math.min(one, other) * rows, (Math.max(one, other) + 1) * rows);
}

function chooseEverything() {
	choose(0, heatmap.times.size);
}

// The bucket under the mouse; below the cells, at the axis, the whole column.
function under(event) {
	const canvasBox = heatCanvas.getBoundingClientRect(), box = field(), { times } = heatmap;
	const x = event.clientX - canvasBox.left - box.left, y = event.clientY - canvasBox.top - box.top;
	const limit = (value, size) => Math.min(Math.max(Math.floor(value * size), 0), size - 1);
	const column = limit(x / box.width, times.columns);
	return { bucket: column * times.rows + limit(1 - y / box.height, times.rows), column,
		atAxis: y > box.height };
}

function onDown(event) {
	const place = under(event);
	if (event.button)
		return;
	heatCanvas.setPointerCapture(event.pointerId);
	heatmap.byColumn = place.atAxis;
	if (!event.shiftKey || heatmap.anchor < 0)
		heatmap.anchor = place.bucket;
	onDrag(event);
}

function chosenBy(place) {
	const { rows } = heatmap.times, anchor = heatmap.anchor;
	return heatmap.byColumn ?
		[Math.min(Math.floor(anchor / rows), place.column) * rows,
			(Math.max(Math.floor(anchor / rows), place.column) + 1) * rows] :
		[Math.min(anchor, place.bucket), Math.max(anchor, place.bucket) + 1];
}

function onDrag(event) {
	if (!heatCanvas.hasPointerCapture(event.pointerId))
		return;
	const place = under(event);
	heatmap.cursor = place.bucket;
	[heatmap.from, heatmap.to] = chosenBy(place);
	redrawHeat();
}

function onUp(event) {
	if (heatCanvas.hasPointerCapture(event.pointerId))
		choose(...chosenBy(under(event)));
}

// --- keys ---

const STEPS = {
	ArrowLeft: rows => -rows,
	ArrowRight: rows => rows,
	ArrowUp: () => 1,
	ArrowDown: () => -1,
};

function onHeatKey(event) {
	const { times, cursor } = heatmap;
	if (event.ctrlKey || event.metaKey || event.altKey)
		return;
	if (STEPS[event.key]) {
		const next = cursor + STEPS[event.key](times.rows);
		if (next >= 0 && next < times.size)
			heatmap.cursor = next;
		if (!event.shiftKey || heatmap.anchor < 0)
			heatmap.anchor = heatmap.cursor;
		chooseBuckets(heatmap.anchor, heatmap.cursor);
	} else if (event.key === "Enter" || event.key === " ") {
		heatmap.anchor = cursor;
		chooseBuckets(cursor, cursor);
	} else if (event.key === "c") {
		chooseColumns(Math.floor(cursor / times.rows), Math.floor(cursor / times.rows));
	} else {
		return;
	}
	event.preventDefault();
	event.stopPropagation();
}

KEYS.a = chooseEverything;

// --- the page ---

function startHeatmap() {
	heatmap.to = heatmap.times.size;
	state.searched = updateHeat;
	heatCanvas.addEventListener("pointerdown", onDown);
	heatCanvas.addEventListener("pointermove", onDrag);
	heatCanvas.addEventListener("pointerup", onUp);
	heatCanvas.addEventListener("keydown", onHeatKey);
	heatCanvas.addEventListener("focus", redrawHeat);
	heatCanvas.addEventListener("blur", redrawHeat);
	element("everything").addEventListener("click", chooseEverything);
	window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", updateHeat);
	new ResizeObserver(redrawHeat).observe(heatCanvas);
	updateHeat();
	sayChosen();
	drawHeat();
}

startHeatmap();
// For the console, and for tests.
globalThis.heatmap = Object.assign(heatmap, { choose, chooseBuckets, chooseColumns, chooseEverything,
	field });
