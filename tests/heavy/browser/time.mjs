// SPDX-License-Identifier: GPL-2.0-or-later
// time.mjs TREE.JS TIME.JS: the arrays of a heat map's page, against the slow way.
import assert from "node:assert";
import { column, functionsOf, random, suite } from "./common.mjs";

const time = functionsOf(process.argv.slice(2),
	"decodeHeat heatOf insideOf treeBetween fullHeat roundStep layOut");
const { test, end } = suite("heatmap-time");

const COLUMNS = 7, ROWS = 10, NODES = 200;
const whole = { count: NODES, parent: new Uint32Array(NODES), name: new Int32Array(NODES) };
whole.name[0] = -1;
for (let i = 1; i < NODES; i++) {
	whole.parent[i] = random(i);
	whole.name[i] = random(20);
}

// What is in each bucket: a map of node to [samples, weight]; some are empty, the last ones too.
const buckets = Array.from({ length: COLUMNS * ROWS }, (_, bucket) => {
	const made = new Map();
	for (let i = bucket > 65 ? 0 : random(6); i > 0; i--)
		made.set(1 + random(NODES - 1), [1 + random(3), 1 + random(2 ** 30) * 2 ** 10]);
	return new Map([...made].sort((a, b) => a[0] - b[0]));
});

function packed() {
	const columns = { gap: [], length: [], node: [], samples: [], weight: [] };
	let gap = 0, entries = 0;
	for (const made of buckets) {
		if (!made.size) {
			gap++;
			continue;
		}
		columns.gap.push(gap);
		columns.length.push(made.size);
		gap = 0;
		let last = 0;
		for (const [node, [samples, weight]] of made) {
			columns.node.push(node - last);
			columns.samples.push(samples);
			columns.weight.push(weight);
			last = node;
			entries++;
		}
	}
	const heat = { origin_s: 2.5, bucket_ns: 1e8, rows: ROWS, columns: COLUMNS,
		buckets: columns.gap.length, entries };
	for (const [key, numbers] of Object.entries(columns))
		heat[key] = column(numbers);
	return heat;
}

const times = time.decodeHeat(packed());

await test("every bucket arrives as it was", () => {
	buckets.forEach((made, bucket) => {
		const found = [];
		for (let i = times.first[bucket]; i < times.first[bucket + 1]; i++)
			found.push([times.node[i], [times.samples[i], times.weight[i]]]);
		assert.deepEqual(found, [...made]);
	});
	assert.equal(times.bucket_s, 0.1);
});

await test("heat is what is in a bucket, of what is wanted", () => {
	const wanted = Array.from({ length: 20 }, (_, name) => name % 7 === 0);
	const inside = time.insideOf(whole, wanted);
	const isInside = node => {
		for (; node; node = whole.parent[node])
			if (wanted[whole.name[node]])
				return true;
		return false;
	};
	const all = time.heatOf(times, null), some = time.heatOf(times, inside);
	buckets.forEach((made, bucket) => {
		const sum = list => list.reduce((total, [, [, weight]]) => total + weight, 0);
		assert.equal(all[bucket], sum([...made]));
		assert.equal(some[bucket], sum([...made].filter(([node]) => isInside(node))));
	});
	assert.ok(some.some(value => value > 0) && all.some((value, i) => value > some[i]));
});

const pathOf = (tree, node) => node ? `${pathOf(tree, tree.parent[node])}/${tree.name[node]}` : "";

await test("the tree of a part of the time is what its buckets have", () => {
	for (let i = 0; i < 100; i++) {
		const from = random(buckets.length), to = from + 1 + random(buckets.length - from);
		const tree = time.layOut(time.treeBetween(whole, times, from, to));
		const truth = new Map(), found = new Map();
		for (const made of buckets.slice(from, to))
			for (const [node, [samples, weight]] of made) {
				const path = pathOf(whole, node), old = truth.get(path) || [0, 0];
				truth.set(path, [old[0] + samples, old[1] + weight]);
			}
		for (let node = 1; node < tree.count; node++) {
			assert.ok(tree.parent[node] < node && tree.samples[node] > 0);
			const path = pathOf(tree, node), old = found.get(path) || [0, 0];
			if (tree.hits[node])
				found.set(path, [old[0] + tree.hits[node], old[1] + tree.self[node]]);
		}
		assert.deepEqual([...found].sort(), [...truth].sort());
		assert.equal(tree.total[0], [...truth.values()].reduce((sum, [, weight]) => sum + weight, 0));
	}
});

await test("steps of axes are round", () => {
	for (const [least, step] of [[0.7, 1], [1, 1], [1.1, 2], [3, 5], [6, 10], [0.012, 0.02], [70, 100]])
		assert.ok(Math.abs(time.roundStep(least) - step) < 1e-9 * step, `${least}`);
	assert.equal(time.fullHeat(Float64Array.from([0, 0])), 1);
	assert.equal(time.fullHeat(Float64Array.from([3, 0, 5])), 5);
});

end();
