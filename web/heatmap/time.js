// SPDX-License-Identifier: GPL-2.0-or-later
// What was hit when, as flat arrays: entries by bucket, a bucket being a row of a column of time. No
// DOM here.
"use strict";

// The numbers of a column of the page, in the array that is given.
function decodeInto(base64, numbers) {
	numbers.set(decodeColumn(base64, numbers.length));
	return numbers;
}

// first[b] to first[b + 1] are the entries of bucket b: node, samples, weight.
function decodeHeat(heat) {
	const size = heat.columns * heat.rows;
	const gap = decodeColumn(heat.gap, heat.buckets);
	const length = decodeColumn(heat.length, heat.buckets);
	const times = {
		size,
		rows: heat.rows,
		columns: heat.columns,
		bucket_s: heat.bucket_ns / 1e9,
		origin_s: heat.origin_s,
		first: new Uint32Array(size + 1),
		node: decodeInto(heat.node, new Uint32Array(heat.entries)),
		samples: decodeInto(heat.samples, new Float64Array(heat.entries)),
		weight: decodeInto(heat.weight, new Float64Array(heat.entries)),
	};
	let bucket = 0, entry = 0;
	for (let i = 0; i < heat.buckets; i++) {
		for (let empty = 0; empty < gap[i]; empty++)
			times.first[bucket++] = entry;
		times.first[bucket++] = entry;
		const end = entry + length[i];
		for (let last = 0; entry < end; entry++) {
			last += times.node[entry];
			times.node[entry] = last;
		}
	}
	times.first.fill(entry, bucket);
	return times;
}

// The weight of each bucket, or only of what is inside (by node: 1).
function heatOf(times, inside) {
	const heat = new Float64Array(times.size);
	for (let bucket = 0; bucket < times.size; bucket++) {
		let sum = 0;
		for (let i = times.first[bucket]; i < times.first[bucket + 1]; i++) {
			if (!inside || inside[times.node[i]])
				sum += times.weight[i];
		}
		heat[bucket] = sum;
	}
	return heat;
}

// By node: is it, or one of its callers, of a wanted name?
function insideOf(tree, wanted) {
	const inside = new Uint8Array(tree.count);
	for (let i = 1; i < tree.count; i++)
		inside[i] = inside[tree.parent[i]] || wanted[tree.name[i]] ? 1 : 0;
	return inside;
}

// The tree of what was hit in the buckets from @from up to, but not including, @to: of the whole
// tree those nodes that were.
function treeBetween(whole, times, from, to) {
	const self = new Float64Array(whole.count), hits = new Float64Array(whole.count);
	for (let i = times.first[from]; i < times.first[to]; i++) {
		self[times.node[i]] += times.weight[i];
		hits[times.node[i]] += times.samples[i];
	}
	const place = new Uint32Array(whole.count);
	for (let i = whole.count - 1; i > 0; i--) {
		if (hits[i] || place[i])
			place[i] = place[whole.parent[i]] = 1;
	}
	let count = 1;
	place[0] = 0;
	for (let i = 1; i < whole.count; i++)
		place[i] = place[i] ? count++ : 0;
	const tree = emptyTree(count);
	for (let i = 0; i < whole.count; i++) {
		const at = place[i];
		if (i && !at)
			continue;
		tree.parent[at] = place[whole.parent[i]];
		tree.name[at] = whole.name[i];
		tree.self[at] = self[i];
		tree.hits[at] = hits[i];
	}
	return tree;
}

// What counts as full: nearly the most, so that one odd bucket does not make all others pale.
function fullHeat(heat) {
	const sorted = Float64Array.from(heat).filter(value => value > 0).sort();
	return sorted.length ? sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.995))] : 1;
}

// A round number of seconds between marks, at least @least.
function roundStep(least) {
	const scale = 10 ** Math.floor(Math.log10(least));
	for (const factor of [1, 2, 5])
		if (factor * scale >= least * 0.999999)
			return factor * scale;
	return 10 * scale;
}
