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

// A tree of so many nodes, which nobody has filled in but for the root's name.
function emptyTree(count) {
	const tree = {
		count,
		parent: new Uint32Array(count),
		name: new Int32Array(count),
		self: new Float64Array(count),
		hits: new Float64Array(count),
	};
	tree.name[0] = -1;
	return tree;
}

// The tree of a page's data; of a page that compares two sides that of one of them, whose `other` has
// the other's numbers. Nodes stand before their children and these before its next sibling;
// `rise` says how many levels a node is above the child that could follow.
function decodeTree(data, old) {
	const count = data.nodes + 1;
	const rise = decodeColumn(data.columns.rise, data.nodes);
	const names = decodeColumn(data.columns.name, data.nodes);
	const sides = [{ weights: data.columns.self, samples: data.columns.samples }];
	if (data.diff)
		sides.push({ weights: data.columns.old_self, samples: data.columns.old_samples });
	if (old)
		sides.reverse();
	const [side, otherSide] = sides.map(columns => ({
		weights: decodeColumn(columns.weights, data.nodes),
		samples: decodeColumn(columns.samples, data.nodes),
	}));
	const tree = emptyTree(count);
	if (otherSide)
		tree.other = { self: new Float64Array(count), hits: new Float64Array(count) };
	const path = [0];
	for (let i = 1; i < count; i++) {
		path.length -= rise[i - 1];
		tree.parent[i] = path[path.length - 1];
		tree.name[i] = names[i - 1];
		tree.self[i] = side.weights[i - 1];
		tree.hits[i] = side.samples[i - 1];
		if (otherSide) {
			tree.other.self[i] = otherSide.weights[i - 1];
			tree.other.hits[i] = otherSide.samples[i - 1];
		}
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

// Adds to what a node has what is below it.
function addUp(values, parent) {
	const sums = Float64Array.from(values);
	for (let i = sums.length - 1; i > 0; i--)
		sums[parent[i]] += sums[i];
	return sums;
}

// Adds what is drawn: total (weight) and samples with what is below, depth, and x, where a node
// begins in units of weight; rows[depth] are the nodes there from left to right.
function layOut(tree) {
	const { count, parent } = tree;
	tree.total = addUp(tree.self, parent);
	tree.samples = addUp(tree.hits, parent);
	if (tree.other) {
		tree.other.total = addUp(tree.other.self, parent);
		tree.other.samples = addUp(tree.other.hits, parent);
	}
	tree.depth = new Uint32Array(count);
	tree.x = new Float64Array(count);
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
	return { parent: [0], name: [-1], self: [0], hits: [0], otherSelf: [0], otherHits: [0] };
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
		child.weight += walker.weight + walker.otherWeight;
		child.walkers.push(walker);
	}
	for (const [key, child] of children) {
		const small = child.weight < least || made.parent.length >= MOST_NODES;
		child.id = made.parent.length;
		made.parent.push(Math.floor(key / names));
		made.name.push(key % names);
		made.self.push(0);
		made.hits.push(0);
		made.otherSelf.push(0);
		made.otherHits.push(0);
		for (const walker of child.walkers) {
			const up = tree.parent[walker.at];
			if (up && !small) {
				next.push({ ...walker, node: child.id, at: up });
			} else {
				made.self[child.id] += walker.weight;
				made.hits[child.id] += walker.hits;
				made.otherSelf[child.id] += walker.otherWeight;
				made.otherHits[child.id] += walker.otherHits;
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
		const otherWeight = tree.other ? tree.other.self[i] : 0;
		const otherHits = tree.other ? tree.other.hits[i] : 0;
		if (tree.self[i] > 0 || otherWeight > 0)
			walkers.push({ node: 0, at: i, weight: tree.self[i], hits: tree.hits[i],
				otherWeight, otherHits });
	}
	const all = tree.total[0] + (tree.other ? tree.other.total[0] : 0);
	while (walkers.length)
		walkers = invertLevel(tree, made, walkers, all * LEAST_SHARE);
	const inverted = {
		count: made.parent.length,
		parent: Uint32Array.from(made.parent),
		name: Int32Array.from(made.name),
		self: Float64Array.from(made.self),
		hits: Float64Array.from(made.hits),
	};
	if (tree.other)
		inverted.other = { self: Float64Array.from(made.otherSelf),
			hits: Float64Array.from(made.otherHits) };
	return layOut(inverted);
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
