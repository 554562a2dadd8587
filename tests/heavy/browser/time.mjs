// SPDX-License-Identifier: GPL-2.0-or-later
// time.mjs TREE.MJS TIME.MJS: the arrays of a heat map's page, against the slow way.
import assert from "node:assert";
import { column, random, suite } from "./common.mjs";

const time = { ...await import(process.argv[2]), ...await import(process.argv[3]) };
const { test, end } = suite("page-time");

const COLUMNS = 7, ROWS = 10, NODES = 200, LANES = 5;
const whole = { count: NODES, parent: new Uint32Array(NODES), name: new Int32Array(NODES) };
whole.name[0] = -1;
for (let i = 1; i < NODES; i++) {
	whole.parent[i] = random(i);
	whole.name[i] = random(20);
}

// What is in each bucket: [lane, node, samples, weight], by lane and node; of what lasts until later there
// is only weight. Some are empty, the last ones
// too.
const buckets = Array.from({ length: COLUMNS * ROWS }, (_, bucket) => {
	const made = new Map();
	for (let i = bucket > 65 ? 0 : random(9); i > 0; i--) {
		const lane = random(LANES - 1), node = 1 + random(NODES - 1);
		made.set(lane * NODES + node, [lane, node, random(3), 1 + random(2 ** 30) * 2 ** 10]);
	}
	return [...made].sort((a, b) => a[0] - b[0]).map(([, entry]) => entry);
});

function packed() {
	const columns = { gap: [], length: [], lane: [], node: [], samples: [], weight: [] };
	let gap = 0, entries = 0;
	for (const made of buckets) {
		if (!made.length) {
			gap++;
			continue;
		}
		columns.gap.push(gap);
		columns.length.push(made.length);
		gap = 0;
		let last = [0, 0];
		for (const [lane, node, samples, weight] of made) {
			columns.lane.push(lane - last[0]);
			columns.node.push(node - (lane === last[0] ? last[1] : 0));
			columns.samples.push(samples);
			columns.weight.push(weight);
			last = [lane, node];
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
			found.push([times.lane[i], times.node[i], times.samples[i], times.weight[i]]);
		assert.deepEqual(found, made);
	});
	assert.equal(times.bucket_s, 0.1);
});

const sum = list => list.reduce((total, [, , , weight]) => total + weight, 0);

await test("heat is what is in a bucket, of what is wanted", () => {
	const wanted = Array.from({ length: 20 }, (_, name) => name % 7 === 0);
	const inside = time.insideOf(whole, wanted);
	const isInside = node => {
		for (; node; node = whole.parent[node])
			if (wanted[whole.name[node]])
				return true;
		return false;
	};
	const all = time.heatOf(times, null, -1), some = time.heatOf(times, inside, -1);
	const second = time.heatOf(times, null, 2);
	buckets.forEach((made, bucket) => {
		assert.equal(all[bucket], sum(made));
		assert.equal(some[bucket], sum(made.filter(([, node]) => isInside(node))));
		assert.equal(second[bucket], sum(made.filter(([lane]) => lane === 2)));
	});
	assert.ok(some.some(value => value > 0) && all.some((value, i) => value > some[i]));
});

await test("lanes have what is theirs, at its time", () => {
	const rows = time.lanesOf(times, LANES, 35, null);
	assert.equal(rows[LANES - 1], null);
	for (let lane = 0; lane < LANES - 1; lane++)
		for (let part = 0; part < 35; part++) {
			const theirs = buckets.slice(2 * part, 2 * part + 2).flat().filter(entry => entry[0] === lane);
			assert.equal(rows[lane][part], sum(theirs));
		}
	// Parts and buckets need not fit: a bucket is in each part that it meets, and leaves no gap.
	for (const parts of [1, 13, 70, 101, 600]) {
		const [row] = time.lanesOf(times, LANES, parts, null);
		const own = buckets.map(made => sum(made.filter(([lane]) => lane === 0)));
		for (let part = 0; part < parts; part++) {
			const [from, to] = [part, part + 1].map(at => at * buckets.length / parts);
			const wanted = own.reduce((all, weight, bucket) => all +
				weight * Math.max(Math.min(to, bucket + 1) - Math.max(from, bucket), 0), 0);
			assert.ok(Math.abs(row[part] - wanted) < 1e-6 * (1 + wanted), `${part} of ${parts}`);
		}
	}
});

const pathOf = (tree, node) => node ? `${pathOf(tree, tree.parent[node])}/${tree.name[node]}` : "";

await test("the tree of a part of the time, and of a lane, is what its buckets have", () => {
	for (let i = 0; i < 100; i++) {
		const from = random(buckets.length), to = from + 1 + random(buckets.length - from);
		const chosen = random(LANES) - 1;
		const tree = time.layOut(time.treeBetween(whole, times, from, to, chosen));
		const truth = new Map(), found = new Map();
		for (const [lane, node, samples, weight] of buckets.slice(from, to).flat()) {
			const path = pathOf(whole, node), old = truth.get(path) || [0, 0];
			if (chosen < 0 || lane === chosen)
				truth.set(path, [old[0] + samples, old[1] + weight]);
		}
		for (let node = 1; node < tree.count; node++) {
			assert.ok(tree.parent[node] < node && (tree.samples[node] > 0 || tree.total[node] > 0));
			const path = pathOf(tree, node), old = found.get(path) || [0, 0];
			if (tree.hits[node] || tree.self[node])
				found.set(path, [old[0] + tree.hits[node], old[1] + tree.self[node]]);
		}
		assert.deepEqual([...found].sort(), [...truth].sort());
		assert.equal(tree.total[0], [...truth.values()].reduce((all, [, weight]) => all + weight, 0));
	}
});

await test("steps of axes are round", () => {
	for (const [least, step] of [[0.7, 1], [1, 1], [1.1, 2], [3, 5], [6, 10], [0.012, 0.02], [70, 100]])
		assert.ok(Math.abs(time.roundStep(least) - step) < 1e-9 * step, `${least}`);
	assert.equal(time.fullHeat(Float64Array.from([0, 0])), 1);
	assert.equal(time.fullHeat(Float64Array.from([3, 0, 5])), 5);
});

end();
