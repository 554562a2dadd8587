// SPDX-License-Identifier: GPL-2.0-or-later
// Trees as flat arrays: every node is a number, and its parent's is smaller. No DOM here.
"use strict";

// The numbers of a column: LEB128 in base64. They may be above 2^32, so nothing is shifted.
function decodeColumn(base64, count) {
	const bytes = atob(base64);
	const numbers = new Float64Array(count);
	let at = 0;
	for (let i = 0; i < count; i++) {
		let value = 0, scale = 1, byte;
		do {
			byte = bytes.charCodeAt(at++);
			value += (byte & 127) * scale;
			scale *= 128;
		} while (byte & 128);
		numbers[i] = value;
	}
	return numbers;
}

// The tree of a page's data. Nodes stand before their children and these before its next sibling;
// `rise` says how many levels a node is above the child that could follow.
function decodeTree(data) {
	const count = data.nodes + 1;
	const rise = decodeColumn(data.columns.rise, data.nodes);
	const names = decodeColumn(data.columns.name, data.nodes);
	const weights = decodeColumn(data.columns.self, data.nodes);
	const samples = decodeColumn(data.columns.samples, data.nodes);
	const tree = {
		count,
		parent: new Uint32Array(count),
		name: new Int32Array(count),
		self: new Float64Array(count),
		hits: new Float64Array(count),
	};
	const path = [0];
	tree.name[0] = -1;
	for (let i = 1; i < count; i++) {
		path.length -= rise[i - 1];
		tree.parent[i] = path[path.length - 1];
		tree.name[i] = names[i - 1];
		tree.self[i] = weights[i - 1];
		tree.hits[i] = samples[i - 1];
		path.push(i);
	}
	return tree;
}

// Node numbers by depth and, within one, by parent and weight, the heaviest first.
function rowsOf(tree) {
	const sizes = [];
	for (let i = 0; i < tree.count; i++)
		sizes[tree.depth[i]] = (sizes[tree.depth[i]] || 0) + 1;
	const rows = sizes.map(size => new Uint32Array(size));
	sizes.fill(0);
	for (let i = 0; i < tree.count; i++)
		rows[tree.depth[i]][sizes[tree.depth[i]]++] = i;
	return rows;
}

// Adds what is drawn: total (weight) and samples with what is below, depth, and x, where a node
// begins in units of weight; rows[depth] are the nodes there from left to right.
function layOut(tree) {
	const { count, parent } = tree;
	tree.total = Float64Array.from(tree.self);
	tree.samples = Float64Array.from(tree.hits);
	tree.depth = new Uint32Array(count);
	tree.x = new Float64Array(count);
	for (let i = count - 1; i > 0; i--) {
		tree.total[parent[i]] += tree.total[i];
		tree.samples[parent[i]] += tree.samples[i];
	}
	for (let i = 1; i < count; i++)
		tree.depth[i] = tree.depth[parent[i]] + 1;
	tree.rows = rowsOf(tree);
	const used = new Float64Array(count);
	for (let depth = 1; depth < tree.rows.length; depth++) {
		const row = tree.rows[depth];
		row.sort((a, b) => tree.x[parent[a]] - tree.x[parent[b]] || parent[a] - parent[b] ||
			tree.total[b] - tree.total[a] || a - b);
		for (const node of row) {
			tree.x[node] = tree.x[parent[node]] + used[parent[node]];
			used[parent[node]] += tree.total[node];
		}
	}
	return tree;
}

// What is too small to be found again is not inverted further, nor more than this many nodes made.
const LEAST_SHARE = 1e-6;
const MOST_NODES = 2e6;

function growable() {
	return { parent: [0], name: [-1], self: [0], hits: [0] };
}

// The children one level further up the stacks. A walker is at a node of the tree on its way to the
// root and carries what was hit where it began.
function invertLevel(tree, made, walkers, least) {
	const children = new Map(), names = 2 ** 21;
	const next = [];
	for (const walker of walkers) {
		const key = walker.node * names + tree.name[walker.at];
		let child = children.get(key);
		if (!child) {
			child = { id: 0, weight: 0, walkers: [] };
			children.set(key, child);
		}
		child.weight += walker.weight;
		child.walkers.push(walker);
	}
	for (const [key, child] of children) {
		const small = child.weight < least || made.parent.length >= MOST_NODES;
		child.id = made.parent.length;
		made.parent.push(Math.floor(key / names));
		made.name.push(key % names);
		made.self.push(0);
		made.hits.push(0);
		for (const walker of child.walkers) {
			const up = tree.parent[walker.at];
			if (up && !small) {
				next.push({ node: child.id, at: up, weight: walker.weight, hits: walker.hits });
			} else {
				made.self[child.id] += walker.weight;
				made.hits[child.id] += walker.hits;
			}
		}
	}
	return next;
}

// The same stacks from what was hit to its callers.
function invert(tree) {
	const made = growable();
	let walkers = [];
	for (let i = 1; i < tree.count; i++) {
		if (tree.self[i] > 0)
			walkers.push({ node: 0, at: i, weight: tree.self[i], hits: tree.hits[i] });
	}
	while (walkers.length)
		walkers = invertLevel(tree, made, walkers, tree.total[0] * LEAST_SHARE);
	return layOut({
		count: made.parent.length,
		parent: Uint32Array.from(made.parent),
		name: Int32Array.from(made.name),
		self: Float64Array.from(made.self),
		hits: Float64Array.from(made.hits),
	});
}

// The weight of all stacks that have a node whose name is wanted (a bool for each name), once each.
function weightOf(tree, wanted) {
	const inside = new Uint8Array(tree.count);
	let weight = 0;
	for (let i = 1; i < tree.count; i++) {
		const outer = inside[tree.parent[i]];
		inside[i] = outer || wanted[tree.name[i]] ? 1 : 0;
		if (inside[i] && !outer)
			weight += tree.total[i];
	}
	return weight;
}

// The first node of a row that ends behind x.
function firstInRow(tree, row, x) {
	let low = 0, high = row.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (tree.x[row[middle]] + tree.total[row[middle]] > x)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

// The node at a depth and a place, or -1.
function nodeAt(tree, depth, x) {
	const row = tree.rows[depth];
	if (!row)
		return -1;
	const at = firstInRow(tree, row, x);
	return at < row.length && tree.x[row[at]] <= x ? row[at] : -1;
}

// A pattern as a regular expression, ignoring case; what is none is looked for as it is.
function patternOf(text) {
	try {
		return new RegExp(text, "i");
	} catch {
		return new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "i");
	}
}
