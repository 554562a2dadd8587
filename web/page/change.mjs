// SPDX-License-Identifier: GPL-2.0-or-later
// What changed between the two sides of a page: how much, whether that may be chance, and in what
// colour. No DOM here.

const CERTAIN = 2.576; // deviations: 99 % lies within
const FULL = 2; // a change by this factor has the full colour

// The change of the share of a node or a row. Each side has a weight and samples. tree: of one
// side, with the other's numbers; old: it is of the old side. The deviation is that of independent
// samples.
export function changeBetween(tree, here, there, old) {
	const side = shareOf(here, tree.all), other = shareOf(there, tree.other.all);
	const [before, after] = old ? [side, other] : [other, side];
	const hits = before.hits + after.hits, all = before.all + after.all;
	const pooled = all ? hits / all : 0;
	const deviation = before.all && after.all ?
		Math.sqrt(pooled * (1 - pooled) * (1 / before.all + 1 / after.all)) : 0;
	const difference = after.share - before.share;
	return {
		before: before.share,
		after: after.share,
		difference,
		reach: 1.96 * deviation,
		real: deviation > 0 && Math.abs(difference) > CERTAIN * deviation,
	};
}

export function changeOf(tree, node, old) {
	const { other } = tree;
	return changeBetween(tree, { weight: tree.total[node], samples: tree.samples[node] },
		{ weight: other.total[node], samples: other.samples[node] }, old);
}

function shareOf({ weight, samples }, all) {
	return { share: all.weight ? weight / all.weight : 0, hits: samples, all: all.samples };
}

// From -1 (half or less of what it was) over 0 to 1 (twice or more): by the logarithm.
function degreeOf(change) {
	if (!change.before || !change.after)
		return change.after ? 1 : change.before ? -1 : 0;
	return Math.max(-1, Math.min(1, Math.log(change.after / change.before) / Math.log(FULL)));
}

// Red is more, blue is less, grey is within noise.
export function colourOfChange(change) {
	if (!change.real)
		return "hsl(40 8% 84%)";
	return colourOfDegree(degreeOf(change));
}

export function colourOfDegree(degree) {
	const strength = Math.abs(degree);
	return `hsl(${degree > 0 ? 8 : 212} ${(35 + 50 * strength).toFixed(0)}% ` +
		`${(86 - 24 * strength).toFixed(0)}%)`;
}

// Nodes that are on the side that is not drawn only, the outermost of each stack, the largest first.
export function missing(tree) {
	const nodes = [];
	for (let i = 1; i < tree.count; i++) {
		if (!tree.total[i] && tree.other.total[i] > 0 && tree.total[tree.parent[i]] > 0)
			nodes.push(i);
	}
	return nodes.sort((a, b) => tree.other.total[b] - tree.other.total[a]);
}
