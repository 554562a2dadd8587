// SPDX-License-Identifier: GPL-2.0-or-later
// tree.mjs TREE.MJS: the arrays of a flame graph's page, against the slow way with objects.
import assert from "node:assert";
import { column, random, suite } from "./common.mjs";

const tree = await import(process.argv[2]);
const { test, end } = suite("page-tree");

// Random stacks of few names, as [names, weight].
function stacks(count) {
	return Array.from({ length: count }, () =>
		[Array.from({ length: 1 + random(9) }, () => random(6)), 500 + random(1000)]);
}

// The tree of some stacks, with objects.
function grow(list) {
	const root = { name: -1, self: 0, total: 0, children: new Map() };
	for (const [frames, weight] of list) {
		let at = root;
		at.total += weight;
		for (const name of frames) {
			if (!at.children.has(name))
				at.children.set(name, { name, self: 0, total: 0, children: new Map() });
			at = at.children.get(name);
			at.total += weight;
		}
		at.self += weight;
	}
	return root;
}

// The same as the data of a page.
function dataOf(root) {
	const columns = { rise: [], name: [], self: [], samples: [] };
	let last = 0;
	const visit = (node, depth) => {
		if (depth) {
			columns.rise.push(last + 1 - depth);
			columns.name.push(node.name);
			columns.self.push(node.self);
			columns.samples.push(node.self ? 1 : 0);
			last = depth;
		}
		for (const child of node.children.values())
			visit(child, depth + 1);
	};
	visit(root, 0);
	const packed = Object.entries(columns).map(([key, numbers]) => [key, column(numbers)]);
	return { nodes: columns.name.length, columns: Object.fromEntries(packed) };
}

// Paths with their totals, as text: what two trees must have in common.
function paths(root) {
	const found = [];
	const visit = (node, path) => {
		found.push(`${path}=${node.total}/${node.self}`);
		for (const child of node.children.values())
			visit(child, `${path}/${child.name}`);
	};
	visit(root, "");
	return found.sort();
}

function pathsOf(flat) {
	const found = [], path = [];
	for (let i = 0; i < flat.count; i++) {
		path[i] = i ? `${path[flat.parent[i]]}/${flat.name[i]}` : "";
		found.push(`${path[i]}=${flat.total[i]}/${flat.self[i]}`);
	}
	return found.sort();
}

const list = stacks(3000);
const flat = tree.layOut(tree.decodeTree(dataOf(grow(list))));

await test("numbers beyond 32 bits", () => {
	const numbers = [0, 127, 128, 2 ** 32, 2 ** 40 + 7, Number.MAX_SAFE_INTEGER];
	assert.deepEqual(Array.from(tree.decodeColumn(column(numbers), numbers.length)), numbers);
});

await test("a tree arrives as it was", () => assert.deepEqual(pathsOf(flat), paths(grow(list))));

await test("inverted is what inverted stacks give", () => {
	const turned = list.map(([frames, weight]) => [[...frames].reverse(), weight]);
	assert.deepEqual(pathsOf(tree.invert(flat)), paths(grow(turned)));
});

await test("boxes lie within their parents and beside their siblings", () => {
	for (const row of flat.rows) {
		for (let i = 0; i < row.length; i++) {
			const node = row[i], parent = flat.parent[node];
			assert.ok(flat.x[node] >= flat.x[parent]);
			assert.ok(flat.x[node] + flat.total[node] <= flat.x[parent] + flat.total[parent]);
			assert.ok(!i || flat.x[row[i - 1]] + flat.total[row[i - 1]] <= flat.x[node]);
		}
	}
});

await test("a box is found where it is", () => {
	for (let i = 0; i < 500; i++) {
		const node = random(flat.count), inside = flat.x[node] + flat.total[node] / 2;
		assert.equal(tree.nodeAt(flat, flat.depth[node], inside), node);
	}
	assert.equal(tree.nodeAt(flat, 1, flat.total[0] + 1), -1);
	assert.equal(tree.nodeAt(flat, 99, 0), -1);
});

await test("what is found counts once for each stack", () => {
	for (let name = 0; name < 6; name++) {
		const wanted = Array.from({ length: 6 }, (_, i) => i === name);
		const truth = list.filter(([frames]) => frames.includes(name))
			.reduce((sum, [, weight]) => sum + weight, 0);
		assert.equal(tree.weightOf(flat, wanted), truth);
	}
});

await test("deep stacks do not recurse", () => {
	const deep = 200000;
	const columns = {
		rise: column(new Array(deep).fill(0)),
		name: column(Array.from({ length: deep }, (_, i) => i % 3)),
		self: column([...new Array(deep - 1).fill(0), 5]),
		samples: column([...new Array(deep - 1).fill(0), 1]),
	};
	const chain = tree.layOut(tree.decodeTree({ nodes: deep, columns }));
	assert.equal(chain.rows.length, deep + 1);
	assert.equal(tree.invert(chain).count, deep + 1);
});

// --- trees that are made of stacks with fewer frames, or of a function ---

await test("folded, every function is once in a stack, at its outermost", () => {
	const once = list.map(([frames, weight]) => {
		const kept = [];
		for (const name of frames) {
			const at = kept.indexOf(name);
			kept.splice(at < 0 ? kept.length : at + 1, kept.length, ...at < 0 ? [name] : []);
		}
		return [kept, weight];
	});
	assert.deepEqual(pathsOf(tree.fold(flat)), paths(grow(once)));
	assert.ok(tree.fold(flat).rows.length <= 7);
});

await test("callers and callees are of the outermost of a function, each stack once", () => {
	for (let name = 0; name < 6; name++) {
		const having = list.filter(([frames]) => frames.includes(name));
		const below = having.map(([frames, weight]) => [frames.slice(frames.indexOf(name) + 1), weight]);
		const above = having.map(([frames, weight]) =>
			[frames.slice(0, frames.indexOf(name)).reverse(), weight]);
		assert.deepEqual(pathsOf(tree.calleesOf(flat, name)), paths(grow(below)));
		assert.deepEqual(pathsOf(tree.callersOf(flat, name)), paths(grow(above)));
		assert.equal(tree.callersOf(flat, name).all.weight, flat.total[0]);
	}
});

await test("a function's total has each of its stacks once", () => {
	const rows = tree.functionsOf(flat);
	assert.equal(rows.length, 6);
	for (const row of rows) {
		const sum = wanted => list.filter(wanted).reduce((all, [, weight]) => all + weight, 0);
		assert.equal(row.total, sum(([frames]) => frames.includes(row.name)));
		assert.equal(row.self, sum(([frames]) => frames[frames.length - 1] === row.name));
	}
});

await test("what is no pattern is looked for as it is", () => {
	assert.ok(tree.patternOf("operator(").test("x::operator()"));
	assert.ok(tree.patternOf("^MAIN$").test("main"));
});

end();
