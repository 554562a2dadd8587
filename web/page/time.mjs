// SPDX-License-Identifier: GPL-2.0-or-later
// What was hit when, as flat arrays: entries by bucket, a bucket being a row of a column of time. No
// DOM here.
import { decodeColumn, emptyTree } from "./tree.mjs";

// The numbers of a column of the page, in the array that is given.
function decodeInto(base64, numbers) {
	numbers.set(decodeColumn(base64, numbers.length));
	return numbers;
}

// first[b] to first[b + 1] are the entries of bucket b: lane, node, samples, weight.
export function decodeHeat(heat) {
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
		lane: decodeInto(heat.lane, new Uint8Array(heat.entries)),
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
		let lane = 0;
		for (let last = 0; entry < end; entry++) {
			if (times.lane[entry])
				last = 0;
			lane += times.lane[entry];
			last += times.node[entry];
			times.lane[entry] = lane;
			times.node[entry] = last;
		}
	}
	times.first.fill(entry, bucket);
	return times;
}

// The weight of each bucket, or only of what is inside (by node: 1) and of one lane (-1: of all).
export function heatOf(times, inside, lane) {
	const heat = new Float64Array(times.size);
	for (let bucket = 0; bucket < times.size; bucket++) {
		let sum = 0;
		for (let i = times.first[bucket]; i < times.first[bucket + 1]; i++) {
			if ((!inside || inside[times.node[i]]) && (lane < 0 || times.lane[i] === lane))
				sum += times.weight[i];
		}
		heat[bucket] = sum;
	}
	return heat;
}

// Adds a weight to the equal parts of the time that a bucket covers.
function addOver(row, bucket, size, weight) {
	const length = row.length / size, from = bucket * length, to = Math.min(from + length, row.length);
	for (let part = Math.floor(from); part < to; part++)
		row[part] += weight * (Math.min(part + 1, to) - Math.max(part, from)) / length;
}

// The weight of each lane in each of so many equal parts of the time; null: the lane has none.
export function lanesOf(times, lanes, parts, inside) {
	const rows = new Array(lanes).fill(null);
	for (let bucket = 0; bucket < times.size; bucket++) {
		for (let i = times.first[bucket]; i < times.first[bucket + 1]; i++) {
			const lane = times.lane[i];
			rows[lane] ??= new Float64Array(parts);
			if (!inside || inside[times.node[i]])
				addOver(rows[lane], bucket, times.size, times.weight[i]);
		}
	}
	return rows;
}

// By node: is it, or one of its callers, of a wanted name?
export function insideOf(tree, wanted) {
	const inside = new Uint8Array(tree.count);
	for (let i = 1; i < tree.count; i++)
		inside[i] = inside[tree.parent[i]] || wanted[tree.name[i]] ? 1 : 0;
	return inside;
}

// The tree of what was hit in the buckets from @from up to, but not including, @to, in one lane or (-1)
// in all: of the whole tree those nodes that were.
export function treeBetween(whole, times, from, to, lane) {
	const self = new Float64Array(whole.count), hits = new Float64Array(whole.count);
	for (let i = times.first[from]; i < times.first[to]; i++) {
		if (lane >= 0 && times.lane[i] !== lane)
			continue;
		self[times.node[i]] += times.weight[i];
		hits[times.node[i]] += times.samples[i];
	}
	const place = new Uint32Array(whole.count);
	for (let i = whole.count - 1; i > 0; i--) {
		if (self[i] || hits[i] || place[i]) // of what lasted, the samples are elsewhere
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
export function fullHeat(heat) {
	const sorted = Float64Array.from(heat).filter(value => value > 0).sort();
	return sorted.length ? sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.995))] : 1;
}

// A round number of seconds between marks, at least @least.
export function roundStep(least) {
	const scale = 10 ** Math.floor(Math.log10(least));
	for (const factor of [1, 2, 5])
		if (factor * scale >= least * 0.999999)
			return factor * scale;
	return 10 * scale;
}
