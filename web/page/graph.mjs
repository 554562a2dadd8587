// SPDX-License-Identifier: GPL-2.0-or-later
// A tree on a canvas: boxes that can be zoomed, panned, selected and found. What the page does with
// that is in the callbacks that it gives.
import { firstBehind, nodeAt } from "./tree.mjs";

export const ROW = 18;
const FONT = "12px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace";
const LEAST_WIDTH = 1; // of a box; what is narrower is drawn together
const TEXT_WIDTH = 30; // of a box that has room for a name
const FOUND = "#e879f9";
const STILL = 5; // pixels: a press that moves less is a click
const CLOSEST = 1e-9; // of the whole width, zoomed in

export class Graph {
	// page: nameOf(tree, node), colourOf(tree, node), kindOf(tree, node), thinColour(kind), and what it
	// wants to know: zoomed(node), pointed(node, event), clicked(node).
	constructor(canvas, page) {
		this.canvas = canvas;
		this.pen = canvas.getContext("2d", { alpha: false });
		this.page = page;
		this.tree = null;
		this.focus = 0; // the node that was zoomed to
		this.from = 0; // what is visible, in units of weight
		this.whole = 1;
		this.top = 0; // pixels that are scrolled away, from the root on
		this.icicle = false;
		this.selected = -1;
		this.wanted = null; // by name: found by the search
		this.drawn = 0;
		this.more = false; // than fits on the screen
		this.drawTime = 0; // of the last drawing, in ms
		this.drawing = 0;
		this.fingers = new Map();
		this.pressed = null;
		this.listen();
	}

	// --- what is shown ---

	show(tree) {
		this.tree = tree;
		this.selected = -1;
		this.zoom(0);
	}

	zoom(node) {
		this.focus = node;
		this.from = this.tree.x[node];
		this.whole = this.tree.total[node] || 1;
		this.scrollIntoView(node);
		this.redraw();
		this.page.zoomed(node);
	}

	select(node) {
		this.selected = node;
		if (node >= 0)
			this.scrollIntoView(node);
		this.redraw();
	}

	// Makes what is visible wider (below 1: narrower) by a factor, and leaves what is at this part of the
	// width in its place.
	stretch(factor, at) {
		const all = this.tree.total[0] || 1;
		const whole = Math.min(Math.max(this.whole * factor, all * CLOSEST), all);
		this.look(this.from + at * (this.whole - whole), whole);
	}

	pan(pixels) {
		this.look(this.from + pixels / this.size().width * this.whole, this.whole);
	}

	look(from, whole) {
		const all = this.tree.total[0] || 1;
		this.whole = whole;
		this.from = Math.min(Math.max(from, 0), all - whole);
		this.redraw();
	}

	scrollTo(pixels) {
		const most = Math.max(this.tree.rows.length * ROW - this.size().height, 0);
		this.top = Math.min(Math.max(pixels, 0), most);
		this.redraw();
	}

	scrollIntoView(node) {
		const at = this.tree.depth[node] * ROW, { height } = this.size();
		if (at < this.top + ROW || at > this.top + height - 3 * ROW)
			this.scrollTo(at - 2 * ROW);
	}

	// --- where things are ---

	size() {
		return { width: this.canvas.clientWidth, height: this.canvas.clientHeight };
	}

	// Where the row of a depth begins on the canvas.
	rowTop(depth, height) {
		const from = depth * ROW - this.top;
		return this.icicle ? from : height - ROW - from;
	}

	// Where the middle of a node is on the screen.
	placeOf(node) {
		const box = this.canvas.getBoundingClientRect(), { tree } = this;
		const x = (tree.x[node] + tree.total[node] / 2 - this.from) / this.whole * box.width;
		return { x: box.left + x, y: box.top + this.rowTop(tree.depth[node], box.height) + ROW / 2 };
	}

	nodeUnder(event) {
		const box = this.canvas.getBoundingClientRect();
		const x = event.clientX - box.left, y = event.clientY - box.top;
		const depth = Math.floor(((this.icicle ? y : box.height - y) + this.top) / ROW);
		return depth < 0 ? -1 : nodeAt(this.tree, depth, this.from + x / box.width * this.whole);
	}

	// --- drawing ---

	redraw() {
		if (!this.drawing)
			this.drawing = requestAnimationFrame(() => this.draw());
	}

	draw() {
		const began = performance.now(), { width, height } = this.size();
		const ratio = window.devicePixelRatio || 1;
		const { pen, canvas } = this;
		this.drawing = 0;
		this.drawn = 0;
		if (!this.tree || !width)
			return;
		if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
			canvas.width = Math.round(width * ratio);
			canvas.height = Math.round(height * ratio);
		}
		pen.setTransform(ratio, 0, 0, ratio, 0, 0);
		pen.globalAlpha = 1;
		const { backgroundColor, color } = getComputedStyle(document.body);
		this.ink = color;
		pen.fillStyle = backgroundColor;
		pen.fillRect(0, 0, width, height);
		pen.font = FONT;
		pen.textBaseline = "middle";
		this.letter = pen.measureText("mmmmmmmmmm").width / 10;
		const first = Math.max(Math.floor(this.top / ROW), 0);
		const last = Math.min(Math.ceil((this.top + height) / ROW), this.tree.rows.length - 1);
		for (let depth = first; depth <= last; depth++)
			this.drawRow(depth, width, this.rowTop(depth, height));
		this.drawMore(width, height);
		this.drawTime = performance.now() - began;
	}

	// Says that there is more to scroll to, away from the root.
	drawMore(width, height) {
		const { pen, tree, from, whole, icicle } = this, text = icicle ? "\u25bc more" : "\u25b2 more";
		const depth = Math.ceil((this.top + height) / ROW);
		this.more = depth < tree.rows.length && tree.starts[depth][firstBehind(tree, depth, from)] < from + whole;
		if (!this.more)
			return;
		const room = pen.measureText(text).width + 10, y = icicle ? height - ROW : 0;
		pen.globalAlpha = 1;
		pen.fillStyle = "#17171a";
		pen.fillRect(width - room, y, room, ROW);
		pen.fillStyle = "#fff";
		pen.fillText(text, width - room + 5, y + ROW / 2);
	}

	// One row. Narrow boxes are drawn together up to the next that is not. Of those that share a pixel the
	// first decides, unless the search looks at each.
	drawRow(depth, width, y) {
		const { tree, from, whole, wanted, page } = this;
		const row = tree.rows[depth], starts = tree.starts[depth], ends = tree.ends[depth];
		const scale = width / whole, end = from + whole, pixel = LEAST_WIDTH / scale;
		const faded = depth < tree.depth[this.focus];
		let thin = null;
		for (let i = firstBehind(tree, depth, from); i < row.length && starts[i] < end;) {
			const node = row[i], kind = page.kindOf(tree, node), found = wanted && wanted[tree.name[node]];
			const left = Math.max((starts[i] - from) * scale, 0);
			let right = Math.min((ends[i] - from) * scale, width);
			const wide = right - left >= LEAST_WIDTH;
			if (thin && (wide || left - thin.to > LEAST_WIDTH || this.endsThin(thin, kind, right))) {
				this.drawThin(thin, y);
				thin = null;
			}
			if (wide) {
				this.drawBox(node, left, y, right - left, (wanted && !found) || faded);
				i++;
				continue;
			}
			thin = thin || { from: left, to: right, found: 0, kind };
			thin.found += found ? right - left : 0;
			const next = starts[i] + pixel;
			if (!wanted && i + 1 < row.length && ends[i + 1] <= next) {
				i = firstBehind(tree, depth, next, i + 1);
				right = Math.min((ends[i - 1] - from) * scale, width);
			} else {
				i++;
			}
			thin.to = right;
		}
		if (thin)
			this.drawThin(thin, y);
	}

	drawBox(node, x, y, width, faded) {
		const { pen, tree, wanted } = this;
		pen.globalAlpha = faded ? 0.35 : 1;
		pen.fillStyle = wanted && node && wanted[tree.name[node]] ? FOUND : this.page.colourOf(tree, node);
		pen.fillRect(x, y, Math.max(width - 1, 0.6), ROW - 1);
		this.drawn++;
		if (node === this.selected) {
			pen.strokeStyle = "#1d4ed8";
			pen.lineWidth = 2;
			pen.strokeRect(x + 1, y + 1, Math.max(width - 3, 1), ROW - 3);
		}
		if (width < TEXT_WIDTH)
			return;
		const room = Math.floor((width - 8) / this.letter), name = this.page.nameOf(tree, node);
		pen.globalAlpha = faded ? 0.8 : 1;
		pen.fillStyle = faded ? this.ink : "#17171a";
		pen.fillText(name.length <= room ? name : name.slice(0, room - 1) + "\u2026", x + 4, y + ROW / 2);
	}

	// Boxes too narrow to be told apart: one, as bright as the share of it that the search found.
	drawThin(thin, y) {
		const { pen } = this, width = Math.max(thin.to - thin.from, 0.6);
		pen.globalAlpha = this.wanted ? 0.35 : 1;
		pen.fillStyle = this.page.thinColour(thin.kind);
		pen.fillRect(thin.from, y, width, ROW - 1);
		if (thin.found) {
			pen.globalAlpha = Math.min(Math.max(thin.found / width, 0.3), 1);
			pen.fillStyle = FOUND;
			pen.fillRect(thin.from, y, width, ROW - 1);
		}
		this.drawn++;
	}

	// Does a narrow box end those that are drawn together? They are of one kind, unless that is too
	// narrow itself, and while something is searched for they are a pixel or two.
	endsThin(thin, kind, right) {
		const width = right - thin.from;
		return kind !== thin.kind ? width > LEAST_WIDTH : this.wanted && width > 2 * LEAST_WIDTH;
	}

	// --- mouse and fingers ---

	listen() {
		const { canvas } = this;
		canvas.addEventListener("pointerdown", event => this.press(event));
		canvas.addEventListener("pointermove", event => this.move(event));
		canvas.addEventListener("pointerup", event => this.release(event));
		canvas.addEventListener("pointercancel", event => this.forget(event));
		canvas.addEventListener("pointerleave", () => this.page.pointed(-1));
		canvas.addEventListener("wheel", event => this.wheel(event), { passive: false });
		new ResizeObserver(() => this.redraw()).observe(canvas);
	}

	press(event) {
		if (event.button)
			return;
		this.canvas.setPointerCapture(event.pointerId);
		this.fingers.set(event.pointerId, event);
		this.pressed = { x: event.clientX, y: event.clientY, moved: this.fingers.size > 1 };
		this.page.pointed(-1);
	}

	move(event) {
		const before = this.fingers.get(event.pointerId);
		if (!this.tree)
			return;
		if (!before) {
			if (event.pointerType !== "touch")
				this.page.pointed(this.nodeUnder(event), event);
			return;
		}
		if (this.fingers.size === 2)
			this.pinch(event);
		this.fingers.set(event.pointerId, event);
		if (Math.hypot(event.clientX - this.pressed.x, event.clientY - this.pressed.y) > STILL)
			this.pressed.moved = true;
		if (!this.pressed.moved || this.fingers.size > 1)
			return;
		this.pan(before.clientX - event.clientX);
		this.scrollTo(this.top + (before.clientY - event.clientY) * (this.icicle ? 1 : -1));
	}

	// Two fingers: how far they are apart is how wide it is.
	pinch(event) {
		const box = this.canvas.getBoundingClientRect();
		const [one, other] = [...this.fingers.values()];
		const moved = one.pointerId === event.pointerId ? [event, other] : [one, event];
		const apart = pair => Math.max(Math.abs(pair[0].clientX - pair[1].clientX), 10);
		this.stretch(apart([one, other]) / apart(moved),
			((moved[0].clientX + moved[1].clientX) / 2 - box.left) / box.width);
	}

	release(event) {
		const { pressed } = this, alone = this.fingers.size === 1;
		if (!this.fingers.has(event.pointerId))
			return;
		this.forget(event);
		if (alone && !pressed.moved) {
			const node = this.nodeUnder(event);
			if (node >= 0)
				this.page.clicked(node);
		}
	}

	forget(event) {
		this.fingers.delete(event.pointerId);
	}

	wheel(event) {
		const box = this.canvas.getBoundingClientRect();
		const unit = event.deltaMode === 1 ? ROW : event.deltaMode === 2 ? box.height : 1;
		if (event.ctrlKey)
			this.stretch(Math.exp(event.deltaY * unit / 300), (event.clientX - box.left) / box.width);
		else if (event.shiftKey)
			this.pan((event.deltaX || event.deltaY) * unit);
		else
			this.pan(event.deltaX * unit);
		if (!event.ctrlKey && !event.shiftKey)
			this.scrollTo(this.top + event.deltaY * unit * (this.icicle ? 1 : -1));
		event.preventDefault();
		this.page.pointed(-1);
	}

	// --- keys ---

	// The node in this direction from the one that is selected; -1: none.
	neighbour(key) {
		const { tree } = this, node = this.selected < 0 ? this.focus : this.selected;
		const away = this.icicle ? "ArrowDown" : "ArrowUp";
		if (key === "ArrowLeft" || key === "ArrowRight") {
			const row = tree.rows[tree.depth[node]];
			return row[row.indexOf(node) + (key === "ArrowLeft" ? -1 : 1)] ?? node;
		}
		return key === away ? this.childOf(node) : tree.parent[node];
	}

	childOf(node) {
		const { tree } = this, below = nodeAt(tree, tree.depth[node] + 1, tree.x[node]);
		return below >= 0 && tree.parent[below] === node ? below : node;
	}
}
