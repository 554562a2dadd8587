// SPDX-License-Identifier: GPL-2.0-or-later
// Trees as flat arrays: every node is a number, and its parent's is smaller. No DOM here.

// The numbers of a column: LEB128 in base64. They may be above 2^32, so nothing is shifted.
export function decodeColumn(base64, count) {
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

// A tree of so many nodes that has nothing but the root's name.
export function emptyTree(count, twoSides) {
	const tree = {
		count,
		parent: new Uint32Array(count),
		name: new Int32Array(count),
		self: new Float64Array(count),
		hits: new Float64Array(count),
		upward: false, // children are callers
	};
	if (twoSides)
		tree.other = { self: new Float64Array(count), hits: new Float64Array(count) };
	tree.name[0] = -1;
	return tree;
}

// The tree of an event; if it has two sides, that of one of them, whose `other` has the other's
// numbers. Nodes stand before their children and these before its next sibling; `rise` says how many
// levels a node is above the child that could follow.
export function decodeTree({ nodes, columns }, old) {
	const count = nodes + 1;
	const rise = decodeColumn(columns.rise, nodes), names = decodeColumn(columns.name, nodes);
	const sides = [{ weights: columns.self, samples: columns.samples }];
	if (columns.old_self)
		sides.push({ weights: columns.old_self, samples: columns.old_samples });
	if (old)
		sides.reverse();
	const [side, otherSide] = sides.map(({ weights, samples }) => ({
		weights: decodeColumn(weights, nodes),
		samples: decodeColumn(samples, nodes),
	}));
	const tree = emptyTree(count, Boolean(otherSide));
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

function addSums(side, parent) {
	side.total = addUp(side.self, parent);
	side.samples = addUp(side.hits, parent);
	side.all = { weight: side.total[0], samples: side.samples[0] };
}

// Adds what is drawn: total (weight) and samples with what is below, depth, and x, where a node
// begins in units of weight; rows[depth] are the nodes there from left to right, starts[depth] and
// ends[depth] where they begin and end. `all` is what shares are of.
export function layOut(tree) {
	const { count, parent } = tree;
	addSums(tree, parent);
	if (tree.other)
		addSums(tree.other, parent);
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
	tree.starts = tree.rows.map(row => Float64Array.from(row, node => tree.x[node]));
	tree.ends = tree.rows.map(row => Float64Array.from(row, node => tree.x[node] + tree.total[node]));
	return tree;
}

// --- trees made of a tree ---

const NAMES = 2 ** 21; // more than there are

// A tree that grows: child() gives the child of a name, add() adds numbers to a node.
class Growing {
	constructor(twoSides, rootName, upward) {
		this.parent = [0];
		this.name = [rootName];
		this.sums = twoSides ? [[0], [0], [0], [0]] : [[0], [0]];
		this.upward = upward;
		this.index = new Map();
	}

	child(parent, name) {
		const key = parent * NAMES + name, known = this.index.get(key);
		if (known)
			return known;
		const node = this.parent.push(parent) - 1;
		this.name.push(name);
		for (const sum of this.sums)
			sum.push(0);
		this.index.set(key, node);
		return node;
	}

	add(node, ...numbers) {
		for (let i = 0; i < this.sums.length; i++)
			this.sums[i][node] += numbers[i];
	}

	// What ends at a node of a tree, and what is below it too.
	addSelf(node, { self, hits, other }, from) {
		this.add(node, self[from], hits[from], other?.self[from], other?.hits[from]);
	}

	addTotal(node, { total, samples, other }, from) {
		this.add(node, total[from], samples[from], other?.total[from], other?.samples[from]);
	}

	// Without nodes that nothing was added to, nor to any below.
	finish() {
		const used = this.parent.map((_, node) => this.sums.some(sum => sum[node]));
		for (let node = used.length - 1; node > 0; node--)
			used[this.parent[node]] ||= used[node];
		const kept = [0], place = new Uint32Array(used.length);
		for (let node = 1; node < used.length; node++)
			if (used[node])
				place[node] = kept.push(node) - 1;
		const tree = emptyTree(kept.length, this.sums.length > 2);
		const sides = [tree.self, tree.hits, tree.other?.self, tree.other?.hits];
		kept.forEach((node, at) => {
			tree.parent[at] = place[this.parent[node]];
			tree.name[at] = this.name[node];
			this.sums.forEach((sum, i) => { sides[i][at] = sum[node]; });
		});
		tree.upward = this.upward;
		return layOut(tree);
	}
}

// What is too small to be found again is not inverted further, nor more than this many nodes made.
const LEAST_SHARE = 1e-6;
const MOST_NODES = 2e6;

// The children one level further up the stacks. A walker is at a node of the tree on its way to the
// root and carries what was hit where it began.
function invertLevel(tree, made, walkers, least) {
	const found = new Map();
	for (const walker of walkers) {
		const child = made.child(walker.node, tree.name[walker.at]);
		if (!found.has(child))
			found.set(child, { weight: 0, walkers: [] });
		const here = found.get(child);
		here.weight += tree.self[walker.begun] + (tree.other?.self[walker.begun] ?? 0);
		here.walkers.push(walker);
	}
	const next = [];
	for (const [child, here] of found) {
		const small = here.weight < least || made.parent.length >= MOST_NODES;
		for (const { begun, at } of here.walkers) {
			const up = tree.parent[at];
			if (up && !small)
				next.push({ node: child, at: up, begun });
			else
				made.addSelf(child, tree, begun);
		}
	}
	return next;
}

// The same stacks from what was hit to its callers.
export function invert(tree) {
	const made = new Growing(tree.other, tree.name[0], true);
	let walkers = [];
	for (let i = 1; i < tree.count; i++) {
		if (tree.self[i] > 0 || tree.other?.self[i] > 0)
			walkers.push({ node: 0, at: i, begun: i });
	}
	const all = tree.total[0] + (tree.other ? tree.other.total[0] : 0);
	while (walkers.length)
		walkers = invertLevel(tree, made, walkers, all * LEAST_SHARE);
	return made.finish();
}

// The same stacks with every function once in each: what a function calls on the way back to itself is
// left out.
export function fold(tree) {
	const made = new Growing(tree.other, tree.name[0], false);
	const place = new Uint32Array(tree.count);
	for (let i = 1; i < tree.count; i++) {
		let at = place[tree.parent[i]];
		while (at && made.name[at] !== tree.name[i])
			at = made.parent[at];
		place[i] = at || made.child(place[tree.parent[i]], tree.name[i]);
		made.addSelf(place[i], tree, i);
	}
	return made.finish();
}

// By node: is it the outermost of its name in its stacks? Nodes must be in depth-first order.
function outermostOf(tree) {
	const outermost = new Uint8Array(tree.count), inside = new Map(), path = [];
	for (let i = 1; i < tree.count; i++) {
		while (path.length && path[path.length - 1] !== tree.parent[i]) {
			const left = tree.name[path.pop()];
			inside.set(left, inside.get(left) - 1);
		}
		const times = inside.get(tree.name[i]) || 0;
		outermost[i] = times ? 0 : 1;
		inside.set(tree.name[i], times + 1);
		path.push(i);
	}
	return outermost;
}

// A tree of a function, with shares of what the tree it was made of has.
function ofFunction(made, { all, other }) {
	const tree = made.finish();
	tree.all = all;
	if (other)
		tree.other.all = other.all;
	return tree;
}

// What a function calls, from the outermost of it in each stack on: the function is the root.
export function calleesOf(tree, name) {
	const made = new Growing(tree.other, name, false);
	const place = new Int32Array(tree.count).fill(-1);
	for (let i = 1; i < tree.count; i++) {
		const above = place[tree.parent[i]];
		if (above >= 0)
			place[i] = made.child(above, tree.name[i]);
		else if (tree.name[i] === name)
			place[i] = 0;
		if (place[i] >= 0)
			made.addSelf(place[i], tree, i);
	}
	return ofFunction(made, tree);
}

// Who calls it: the function is the root, its callers are the children.
export function callersOf(tree, name) {
	const made = new Growing(tree.other, name, true);
	const inside = new Uint8Array(tree.count);
	for (let i = 1; i < tree.count; i++) {
		const outer = inside[tree.parent[i]];
		inside[i] = outer || tree.name[i] === name ? 1 : 0;
		if (outer || !inside[i])
			continue;
		let at = 0;
		for (let up = tree.parent[i]; up; up = tree.parent[up])
			at = made.child(at, tree.name[up]);
		made.addTotal(at, tree, i);
	}
	return ofFunction(made, tree);
}

// Each name with its own weight and that of all stacks it is in, each stack counted once; of both
// sides, if there are two.
export function functionsOf(tree) {
	const rows = new Map(), outermost = outermostOf(tree), { other } = tree;
	for (let i = 1; i < tree.count; i++) {
		let row = rows.get(tree.name[i]);
		if (!row) {
			row = { name: tree.name[i], self: 0, hits: 0, total: 0, samples: 0,
				otherSelf: 0, otherTotal: 0, otherSamples: 0 };
			rows.set(row.name, row);
		}
		row.self += tree.self[i];
		row.hits += tree.hits[i];
		row.otherSelf += other ? other.self[i] : 0;
		if (!outermost[i])
			continue;
		row.total += tree.total[i];
		row.samples += tree.samples[i];
		row.otherTotal += other ? other.total[i] : 0;
		row.otherSamples += other ? other.samples[i] : 0;
	}
	return [...rows.values()];
}

// --- what is where ---

// The weight of all stacks that have a node whose name is wanted (a bool for each name), once each.
export function weightOf(tree, wanted) {
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

// The nodes from the root to this one.
export function pathTo(tree, node) {
	const path = [node];
	for (; node; node = tree.parent[node])
		path.unshift(tree.parent[node]);
	return path;
}

// The place in its row of the first node of a depth that ends behind x, from one on.
export function firstBehind(tree, depth, x, from = 0) {
	const ends = tree.ends[depth];
	let low = from, step = 1;
	while (low + step < ends.length && ends[low + step] <= x)
		step *= 2;
	let high = Math.min(low + step, ends.length);
	while (low < high) {
		const middle = (low + high) >> 1;
		if (ends[middle] > x)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

// The node at a depth and a place, or -1.
export function nodeAt(tree, depth, x) {
	const row = tree.rows[depth];
	if (!row)
		return -1;
	const at = firstBehind(tree, depth, x);
	return at < row.length && tree.starts[depth][at] <= x ? row[at] : -1;
}

// A pattern as a regular expression, ignoring case; what is none is looked for as it is.
export function patternOf(text) {
	try {
		return new RegExp(text, "i");
	} catch {
		return new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "i");
	}
}
