// SPDX-License-Identifier: GPL-2.0-or-later
// A heat map of time on a canvas: a column is a stretch of time, from the bottom to the top, the next
// one goes on where it ends.
import { fullHeat, roundStep } from "./time.mjs";

const MARGIN = { left: 52, top: 4, bottom: 18 }; // pixels, for the axes
const AXIS_FONT = "11px system-ui, sans-serif";
export const CHOSEN = "rgb(59 130 246 / 45%)";
const CURSOR = "#3b82f6";
const LABEL_GAP = 8; // pixels between the labels of an axis
const LABEL_WIDTH = 70; // enough for most of them

const HEAT_COLOURS = {
	light: [[255, 255, 255], [255, 237, 160], [254, 153, 41], [217, 30, 24], [110, 0, 20]],
	dark: [[27, 27, 30], [92, 32, 20], [190, 60, 20], [253, 160, 60], [255, 250, 200]],
};

// Any heat at all differs from none.
function heatColour(colours, share) {
	const at = share > 0 ? Math.min(0.12 + 0.88 * share, 1) * (colours.length - 1) : 0;
	const low = Math.min(Math.floor(at), colours.length - 2), part = at - low;
	return colours[low].map((value, i) => value + (colours[low + 1][i] - value) * part);
}

// Paints so many cells, the colour of each by at(column, row), 0 to 1.
export function paintCells(canvas, columns, rows, at) {
	const dark = window.matchMedia("(prefers-color-scheme: dark)").matches;
	const colours = HEAT_COLOURS[dark ? "dark" : "light"];
	canvas.width = columns;
	canvas.height = rows;
	const pen = canvas.getContext("2d"), image = pen.createImageData(columns, rows);
	for (let row = 0; row < rows; row++) {
		for (let column = 0; column < columns; column++) {
			const [red, green, blue] = heatColour(colours, at(column, row));
			image.data.set([red, green, blue, 255], 4 * (row * columns + column));
		}
	}
	pen.putImageData(image, 0, 0);
}

// Makes the canvas as fine as the screen and empty, and gives what to draw with.
export function clearCanvas(canvas) {
	const pen = canvas.getContext("2d", { alpha: false }), ratio = window.devicePixelRatio || 1;
	const { clientWidth: width, clientHeight: height } = canvas;
	canvas.width = Math.round(width * ratio);
	canvas.height = Math.round(height * ratio);
	pen.setTransform(ratio, 0, 0, ratio, 0, 0);
	pen.fillStyle = getComputedStyle(document.body).backgroundColor;
	pen.fillRect(0, 0, width, height);
	pen.font = AXIS_FONT;
	return pen;
}

// Seconds without digits that say nothing.
export function timeText(seconds) {
	return String(Number(seconds.toFixed(9)));
}

// The times below a field, from an origin on, at round steps of at least @least seconds. A label that
// would be cut off at the edge of the canvas ends there, unless it would meet the one before it.
export function drawTimes(pen, box, edge, { origin, duration, least }) {
	const step = roundStep(Math.max(LABEL_WIDTH * duration / box.width, least));
	let free = 0;
	pen.fillStyle = getComputedStyle(document.body).color;
	pen.textBaseline = "top";
	pen.textAlign = "left";
	for (let i = 0; i * step < duration * (1 - 1e-9); i++) {
		const x = box.left + i * step / duration * box.width, text = timeText(origin + i * step) + " s";
		const { width } = pen.measureText(text), left = Math.min(x + 3, edge - width - 1);
		pen.fillRect(x, box.top + box.height, 1, 4);
		if (left < free)
			continue;
		pen.fillText(text, left, box.top + box.height + 4);
		free = left + width + LABEL_GAP;
	}
}

const STEPS = {
	ArrowLeft: rows => -rows,
	ArrowRight: rows => rows,
	ArrowUp: () => 1,
	ArrowDown: () => -1,
};

export class HeatMap {
	// chosen(from, to): is called when buckets from @from up to, but not including, @to are chosen.
	constructor(canvas, chosen) {
		this.canvas = canvas;
		this.chosen = chosen;
		this.times = null;
		this.cells = document.createElement("canvas"); // a pixel for each bucket
		this.from = 0;
		this.to = 0;
		this.anchor = -1; // where choosing began
		this.cursor = 0; // where the keyboard is
		this.drawing = 0;
		this.byColumn = false;
		this.listen();
	}

	// heat: weight by bucket.
	show(times, heat) {
		if (this.times !== times) {
			this.anchor = -1;
			this.cursor = 0;
		}
		this.times = times;
		this.heat = heat;
		this.repaint();
	}

	// Call it too when colours changed.
	repaint() {
		const { times, heat } = this;
		if (!times)
			return;
		const full = fullHeat(heat);
		paintCells(this.cells, times.columns, times.rows, (column, row) =>
			heat[column * times.rows + times.rows - 1 - row] / full);
		this.redraw();
	}

	mark(from, to) {
		this.from = from;
		this.to = to;
		this.redraw();
	}

	// Where the cells are on the canvas.
	field() {
		const width = this.canvas.clientWidth - MARGIN.left;
		const height = this.canvas.clientHeight - MARGIN.bottom - MARGIN.top;
		return { left: MARGIN.left, top: MARGIN.top, width: Math.max(width, 1), height: Math.max(height, 1) };
	}

	// --- drawing ---

	redraw() {
		if (!this.drawing)
			this.drawing = requestAnimationFrame(() => this.draw());
	}

	draw() {
		this.drawing = 0;
		if (!this.times || !this.canvas.clientWidth)
			return;
		const pen = clearCanvas(this.canvas), box = this.field(), { times } = this;
		const column_s = times.rows * times.bucket_s;
		pen.imageSmoothingEnabled = box.width < times.columns;
		pen.drawImage(this.cells, box.left, box.top, box.width, box.height);
		this.drawChosen(pen, box);
		this.drawCursor(pen, box);
		this.drawParts(pen, box, column_s);
		drawTimes(pen, box, this.canvas.clientWidth, { origin: times.origin_s,
			duration: times.columns * column_s, least: column_s });
	}

	// The axis of one column.
	drawParts(pen, box, column_s) {
		const small = column_s < 1;
		pen.fillStyle = getComputedStyle(document.body).color;
		pen.textBaseline = "middle";
		pen.textAlign = "right";
		for (let part = 0; part <= 4; part++) {
			const y = box.top + box.height * (1 - part / 4);
			const text = timeText(part / 4 * column_s * (small ? 1000 : 1));
			pen.fillRect(box.left - 4, Math.min(y, box.top + box.height - 1), 4, 1);
			pen.fillText(`${text} ${small ? "ms" : "s"}`, box.left - 6,
				Math.min(Math.max(y, box.top + 6), box.top + box.height - 5));
		}
	}

	// What is chosen: parts of the first and the last column, all of those between.
	drawChosen(pen, box) {
		const { times, from, to } = this;
		if (from === 0 && to === times.size)
			return;
		const width = box.width / times.columns, height = box.height / times.rows;
		pen.fillStyle = CHOSEN;
		for (let bucket = from; bucket < to;) {
			const column = Math.floor(bucket / times.rows), row = bucket % times.rows;
			const end = Math.min(times.rows, row + to - bucket);
			pen.fillRect(box.left + column * width, box.top + box.height - end * height,
				Math.max(width, 2), Math.max((end - row) * height, 2));
			bucket += end - row;
		}
	}

	drawCursor(pen, box) {
		const { times, cursor } = this;
		if (document.activeElement !== this.canvas)
			return;
		const width = box.width / times.columns, height = box.height / times.rows;
		const column = Math.floor(cursor / times.rows), row = cursor % times.rows;
		pen.strokeStyle = CURSOR;
		pen.lineWidth = 2;
		pen.strokeRect(box.left + column * width - 1, box.top + box.height - (row + 1) * height - 1,
			Math.max(width, 3) + 2, Math.max(height, 3) + 2);
	}

	// --- choosing ---

	// Both buckets and all between, whichever comes first.
	chooseBuckets(one, other) {
		this.chosen(Math.min(one, other), Math.max(one, other) + 1);
	}

	chooseColumns(one, other) {
		const { rows } = this.times;
		this.chosen(Math.min(one, other) * rows, (Math.max(one, other) + 1) * rows);
	}

	listen() {
		const { canvas } = this;
		canvas.addEventListener("pointerdown", event => this.press(event));
		canvas.addEventListener("pointermove", event => this.drag(event));
		canvas.addEventListener("pointerup", event => this.release(event));
		canvas.addEventListener("keydown", event => this.onKey(event));
		canvas.addEventListener("focus", () => this.redraw());
		canvas.addEventListener("blur", () => this.redraw());
		new ResizeObserver(() => this.redraw()).observe(canvas);
	}

	// The bucket under the mouse; below the cells, at the axis, the whole column.
	under(event) {
		const canvas = this.canvas.getBoundingClientRect(), box = this.field(), { times } = this;
		const x = event.clientX - canvas.left - box.left, y = event.clientY - canvas.top - box.top;
		const limit = (value, size) => Math.min(Math.max(Math.floor(value * size), 0), size - 1);
		const column = limit(x / box.width, times.columns);
		return { bucket: column * times.rows + limit(1 - y / box.height, times.rows), column,
			atAxis: y > box.height };
	}

	press(event) {
		const place = this.under(event);
		if (event.button)
			return;
		this.canvas.setPointerCapture(event.pointerId);
		this.byColumn = place.atAxis;
		if (!event.shiftKey || this.anchor < 0)
			this.anchor = place.bucket;
		this.drag(event);
	}

	chosenBy(place) {
		const { rows } = this.times, { anchor } = this;
		return this.byColumn ?
			[Math.min(Math.floor(anchor / rows), place.column) * rows,
				(Math.max(Math.floor(anchor / rows), place.column) + 1) * rows] :
			[Math.min(anchor, place.bucket), Math.max(anchor, place.bucket) + 1];
	}

	drag(event) {
		if (!this.canvas.hasPointerCapture(event.pointerId))
			return;
		const place = this.under(event);
		this.cursor = place.bucket;
		this.mark(...this.chosenBy(place));
	}

	release(event) {
		if (this.canvas.hasPointerCapture(event.pointerId))
			this.chosen(...this.chosenBy(this.under(event)));
	}

	// --- keys ---

	onKey(event) {
		const { times, cursor } = this;
		if (event.ctrlKey || event.metaKey || event.altKey || !times)
			return;
		if (STEPS[event.key]) {
			const next = cursor + STEPS[event.key](times.rows);
			if (next >= 0 && next < times.size)
				this.cursor = next;
			if (!event.shiftKey || this.anchor < 0)
				this.anchor = this.cursor;
			this.chooseBuckets(this.anchor, this.cursor);
		} else if (event.key === "Enter" || event.key === " ") {
			this.anchor = cursor;
			this.chooseBuckets(cursor, cursor);
		} else if (event.key === "c") {
			this.chooseColumns(Math.floor(cursor / times.rows), Math.floor(cursor / times.rows));
		} else {
			return;
		}
		event.preventDefault();
		event.stopPropagation();
	}
}
