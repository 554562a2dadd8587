// SPDX-License-Identifier: GPL-2.0-or-later
// A row for each thread with what it did when, on a canvas.
import { CHOSEN, clearCanvas, drawTimes, paintCells } from "./heat.mjs";
import { fullHeat, lanesOf } from "./time.mjs";

const LANE = 18; // pixels
const AXIS = 20;
const PARTS = 600; // of the time, each distinct
const WIDEST = 240; // pixels of a name

export class Lanes {
	// names: of all lanes. chosen(from, to): buckets were chosen; picked(lane): one of the lanes was.
	constructor(canvas, names, chosen, picked) {
		this.canvas = canvas;
		this.names = names;
		this.chosen = chosen;
		this.picked = picked;
		this.times = null;
		this.rows = []; // the lanes that have anything
		this.cells = []; // of each row: alone, so that no other shines through
		this.from = 0;
		this.to = 0;
		this.lane = -1;
		this.cursor = 0; // the row where the keyboard is
		this.anchor = -1;
		this.drawing = 0;
		this.listen();
	}

	// inside: by node, what counts; null: all. The thread with the most is the first, the others together
	// are the last.
	show(times, inside) {
		const heat = lanesOf(times, this.names.length, PARTS, inside);
		const sum = lane => heat[lane].reduce((all, value) => all + value, 0);
		this.times = times;
		this.rows = heat.map((_, lane) => lane).filter(lane => heat[lane])
			.map(lane => ({ lane, sum: lane ? sum(lane) : -1 }))
			.sort((a, b) => b.sum - a.sum || a.lane - b.lane).map(({ lane }) => lane);
		this.cursor = 0;
		this.heat = heat;
		this.canvas.style.height = `${this.rows.length * LANE + AXIS}px`;
		this.repaint();
	}

	// Call it too when colours changed.
	repaint() {
		const { heat, rows } = this;
		if (!this.times)
			return;
		const full = fullHeat(rows.flatMap(lane => Array.from(heat[lane])));
		this.cells = rows.map(lane => {
			const cells = document.createElement("canvas");
			paintCells(cells, PARTS, 1, column => heat[lane][column] / full);
			return cells;
		});
		this.redraw();
	}

	mark(from, to, lane) {
		this.from = from;
		this.to = to;
		this.lane = lane;
		this.redraw();
	}

	field() {
		const width = this.canvas.clientWidth, left = Math.min(WIDEST, width * 0.34);
		return { left, top: 0, width: Math.max(width - left, 1), height: Math.max(this.rows.length, 1) * LANE };
	}

	redraw() {
		if (!this.drawing)
			this.drawing = requestAnimationFrame(() => this.draw());
	}

	draw() {
		this.drawing = 0;
		if (!this.times || !this.canvas.clientWidth)
			return;
		const pen = clearCanvas(this.canvas), box = this.field(), { times } = this;
		const duration = times.size * times.bucket_s;
		pen.imageSmoothingEnabled = box.width < PARTS;
		this.rows.forEach((lane, row) => {
			pen.globalAlpha = this.lane >= 0 && this.lane !== lane ? 0.3 : 1;
			pen.drawImage(this.cells[row], box.left, row * LANE + 1, box.width, LANE - 2);
			this.drawName(pen, lane, row, box);
		});
		pen.globalAlpha = 1;
		if (this.from > 0 || this.to < times.size) {
			pen.fillStyle = CHOSEN;
			pen.fillRect(box.left + this.from / times.size * box.width, 0,
				Math.max((this.to - this.from) / times.size * box.width, 2), box.height);
		}
		drawTimes(pen, box, this.canvas.clientWidth, { origin: times.origin_s, duration,
			least: times.bucket_s });
	}

	// The beginning of it that fits.
	drawName(pen, lane, row, box) {
		let name = this.names[lane];
		pen.fillStyle = getComputedStyle(document.body).color;
		pen.textBaseline = "middle";
		pen.textAlign = "left";
		while (name.length > 1 && pen.measureText(name).width > box.left - 10)
			name = `${name.slice(0, name.endsWith("\u2026") ? -2 : -1)}\u2026`;
		pen.fillText(name, 4, row * LANE + LANE / 2 + 1);
		if (document.activeElement === this.canvas && row === this.cursor) {
			pen.strokeStyle = "#3b82f6";
			pen.strokeRect(1, row * LANE + 1, box.left - 4, LANE - 2);
		}
	}

	// --- choosing ---

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

	// The row under the mouse, and the bucket; -1: it is over a name.
	under(event) {
		const canvas = this.canvas.getBoundingClientRect(), box = this.field(), { times } = this;
		const x = event.clientX - canvas.left - box.left;
		const bucket = Math.floor(x / box.width * times.size);
		return { row: Math.floor((event.clientY - canvas.top) / LANE),
			bucket: x < 0 ? -1 : Math.min(Math.max(bucket, 0), times.size - 1) };
	}

	pick(row) {
		if (row >= 0 && row < this.rows.length)
			this.picked(this.rows[row] === this.lane ? -1 : this.rows[row]);
	}

	press(event) {
		const { bucket, row } = this.under(event);
		if (event.button)
			return;
		if (bucket < 0)
			return this.pick(row);
		this.canvas.setPointerCapture(event.pointerId);
		this.anchor = bucket;
	}

	span(event) {
		const bucket = Math.max(this.under(event).bucket, 0);
		return [Math.min(this.anchor, bucket), Math.max(this.anchor, bucket) + 1];
	}

	drag(event) {
		if (this.canvas.hasPointerCapture(event.pointerId))
			this.mark(...this.span(event), this.lane);
	}

	release(event) {
		if (this.canvas.hasPointerCapture(event.pointerId))
			this.chosen(...this.span(event));
	}

	onKey(event) {
		if (event.ctrlKey || event.metaKey || event.altKey)
			return;
		if (event.key === "ArrowDown" || event.key === "ArrowUp")
			this.cursor = Math.min(Math.max(this.cursor + (event.key === "ArrowDown" ? 1 : -1), 0),
				this.rows.length - 1);
		else if (event.key === "Enter" || event.key === " ")
			this.pick(this.cursor);
		else
			return;
		this.redraw();
		event.preventDefault();
		event.stopPropagation();
	}
}
