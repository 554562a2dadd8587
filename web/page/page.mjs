// SPDX-License-Identifier: GPL-2.0-or-later
// The page of a profile: its state, which is in the address too, and what shows it. Names come from
// files and processes anybody may have made; they only ever become text of a canvas or of a node,
// never markup.
import { changeBetween, changeOf, colourOfChange, colourOfDegree, missing } from "./change.mjs";
import { Graph } from "./graph.mjs";
import { HeatMap, timeText } from "./heat.mjs";
import { Lanes } from "./lanes.mjs";
import { KINDS, makeLooks } from "./looks.mjs";
import { Table } from "./table.mjs";
import { decodeHeat, heatOf, insideOf, treeBetween } from "./time.mjs";
import { calleesOf, callersOf, decodeTree, fold, functionsOf, invert, layOut, pathTo, patternOf, weightOf } from "./tree.mjs";

const data = JSON.parse(document.getElementById("data").textContent);
const element = id => document.getElementById(id);
const looks = makeLooks(data);
const MISSING = 100; // so many boxes that have no width are listed

// What a person chose. It has a place in the address unless it is as in here.
const DEFAULTS = {
	event: data.event,
	view: "flame",
	time: data.view === "heat" ? "heat" : "",
	span: null, // seconds: [since, until]; null: all
	lane: -1, // a thread; -1: all
	inverted: data.inverted,
	icicle: false,
	fold: false,
	old: false, // boxes are as wide as on the old side
	search: "",
	function: -1, // whose callers and callees are shown: a name
	zoom: 0, // a node of the flame graph
	selected: -1, // likewise
};
const state = { ...DEFAULTS };

// --- words ---

function nameOf(tree, node) {
	return tree.name[node] < 0 ? "all" : data.names[tree.name[node]];
}

const event = () => data.events[state.event];

function percent(part, whole) {
	return whole ? (100 * part / whole).toFixed(2) + " %" : "0 %";
}

function count(number) {
	return number.toLocaleString("en");
}

const TIMES = [["s", 1e9], ["ms", 1e6], ["us", 1e3], ["ns", 1]];

function amount(weight) {
	const { unit, name } = event();
	if (unit !== "ns")
		return `${count(weight)} ${unit === "count" ? name : unit}`;
	const [letters, size] = TIMES.find(([, size]) => weight >= size / 10) ?? TIMES[0];
	return `${(weight / size).toLocaleString("en", { maximumSignificantDigits: 4 })} ${letters}`;
}

const NOUNS = { scheduler: "ended waits", exact: "counts" };
const samplesText = number => `${count(number)} ${NOUNS[event().clock] ?? "samples"}`;

// What is no code: what it means. Code: the file.
function whereIs(name) {
	const text = data.names[name];
	switch (looks.kindOf(name)) {
	case "cut":
		return "The stack is not complete: " + data.cuts[text];
	case "running":
		return "Runs " + data.waits[text];
	case "wait":
		return (text === "[runnable]" ? "Is " : "Waits for ") + data.waits[text];
	default:
		return looks.imageOf(name)?.path ?? "";
	}
}

function describe(graph, node) {
	const { tree, focus } = graph, lines = [];
	if (whereIs(tree.name[node]))
		lines.push(whereIs(tree.name[node]));
	lines.push(`${samplesText(tree.samples[node])}, ${amount(tree.total[node])}, ` +
		`${percent(tree.total[node], tree.all.weight)} of all` +
		(focus ? `, ${percent(tree.total[node], tree.total[focus])} of what is zoomed to` : ""));
	if (data.diff)
		lines.push(...describeChange(changeOf(tree, node, state.old)));
	if (!tree.upward)
		lines.push(`itself ${samplesText(tree.hits[node])}, ${percent(tree.self[node], tree.all.weight)}`);
	return lines;
}

function points(part) {
	return (part < 0 ? "" : "+") + (100 * part).toFixed(2);
}

function describeChange({ difference, reach, before, after, real }) {
	return [`${percent(before, 1)}, then ${percent(after, 1)}: ${points(difference)} points, 95 % within ` +
		`${points(difference - reach)} to ${points(difference + reach)}` + (real ? "" : "; within noise")];
}

// --- trees ---

// What takes long is made once and kept until something else is wanted.
function keep(make) {
	let known = null, made;
	return (...wanted) => {
		if (!known || known.some((value, i) => value !== wanted[i])) {
			made = make(...wanted);
			known = wanted;
		}
		return made;
	};
}

const wholes = data.events.map(one => [keep(() => layOut(decodeTree(one, false))),
	keep(() => layOut(decodeTree(one, true)))]);
const times = data.events.map(one => keep(() => one.heat ? decodeHeat(one.heat) : null));
const wholeTree = () => wholes[state.event][state.old ? 1 : 0]();
const timesNow = () => times[state.event]();

// The buckets that are chosen: from, up to but not including to.
function chosenBuckets() {
	const { origin_s, bucket_s, size } = timesNow();
	if (!state.span)
		return [0, size];
	const [since, until] = state.span.map(seconds => (seconds - origin_s) / bucket_s);
	const from = Math.min(Math.max(Math.floor(since + 1e-4), 0), size - 1);
	return [from, Math.min(Math.max(Math.ceil(until - 1e-4), from + 1), size)];
}

const between = keep((whole, all, from, to, lane) =>
	from === 0 && to === all.size && lane < 0 ? whole : layOut(treeBetween(whole, all, from, to, lane)));
const folded = keep((tree, on) => on ? fold(tree) : tree);
const turned = keep((tree, on) => on ? invert(tree) : tree);

// The stacks that are chosen, from the roots.
function baseTree() {
	const all = timesNow(), whole = wholeTree();
	return folded(all ? between(whole, all, ...chosenBuckets(), state.lane) : whole, state.fold);
}

const flameTree = () => turned(baseTree(), state.inverted);
const tableRows = keep(tree => functionsOf(tree)
	.filter(({ name }) => !["group", "rest"].includes(looks.kindOf(name))));
const sandwichTrees = keep((tree, name) => [callersOf(tree, name), calleesOf(tree, name)]);
const wantedBy = keep(text => {
	const pattern = text && patternOf(text);
	return pattern ? data.names.map(name => pattern.test(name)) : null;
});
const wanted = () => wantedBy(state.search);

// --- graphs ---

function pageOf(place) {
	return {
		nameOf,
		kindOf: (tree, node) => looks.kindOf(tree.name[node]),
		colourOf(tree, node) {
			const kind = looks.kindOf(tree.name[node]);
			if (data.diff && kind !== "cut")
				return colourOfChange(changeOf(tree, node, state.old));
			return looks.colourOf(tree.name[node]);
		},
		thinColour: kind => data.diff ? colourOfChange({ real: false }) : looks.colourOfKind(kind),
		zoomed: () => place() === graphs.flame && showZoom(),
		pointed: (node, event) => point(place(), node, event),
		clicked: node => pressed(place(), node),
	};
}

const graphs = {};
for (const [name, id] of [["flame", "canvas"], ["callers", "callers"], ["callees", "callees"]])
	graphs[name] = new Graph(element(id), pageOf(() => graphs[name]));
graphs.callees.icicle = true;

// What keys and buttons are about: a node of a graph, or a row of the table.
const current = { graph: null, node: -1, name: -1 };

function attend(graph, node, name = node < 0 ? -1 : graph.tree.name[node]) {
	Object.assign(current, { graph, node, name });
	element("actions").hidden = name < 0;
	element("copy-stack").hidden = node < 0;
	element("show-function").hidden = name < 0 || looks.kindOf(name) === "group" ||
		looks.kindOf(name) === "rest";
}

function say(text) {
	element("status").textContent = text;
}

function sayNode(graph, node) {
	say(node < 0 ? "" : [nameOf(graph.tree, node), ...describe(graph, node)].join("  \u00b7  "));
}

// The mouse is over a node, or (-1) over none.
function point(graph, node, event) {
	graph.canvas.style.cursor = node < 0 ? "default" : "pointer";
	if (node < 0) {
		element("tip").hidden = true;
		return;
	}
	showTip(graph, node, event.clientX, event.clientY);
	sayNode(graph, node);
	if (graph.selected < 0)
		attend(graph, node);
}

function showTip(graph, node, x, y) {
	const tip = element("tip"), name = document.createElement("b");
	name.textContent = nameOf(graph.tree, node);
	tip.replaceChildren(name, describe(graph, node).join("\n"));
	tip.hidden = false;
	const left = Math.min(x + 14, window.innerWidth - tip.offsetWidth - 6);
	const below = y + 16 + tip.offsetHeight < window.innerHeight;
	tip.style.left = Math.max(left, 4) + "px";
	tip.style.top = (below ? y + 16 : Math.max(y - tip.offsetHeight - 10, 4)) + "px";
}

function pressed(graph, node) {
	select(graph, node);
	zoom(graph, node);
}

function select(graph, node) {
	for (const other of Object.values(graphs))
		other.select(other === graph ? node : -1);
	attend(graph, node);
	sayNode(graph, node);
	state.selected = graphs.flame.selected;
	writeAddress(false);
}

function zoom(graph, node) {
	graph.zoom(node);
	state.zoom = graphs.flame.focus;
	writeAddress(true);
}

function showZoom() {
	const { tree, focus } = graphs.flame, path = pathTo(tree, focus);
	const shown = path.length > 12 ? [path[0], -1, ...path.slice(-10)] : path;
	const crumbs = shown.map(node => {
		if (node < 0)
			return "\u2026";
		const button = document.createElement("button");
		button.textContent = nameOf(tree, node);
		button.addEventListener("click", () => zoom(graphs.flame, node));
		return button;
	});
	element("crumbs").replaceChildren(...!focus ? ["Click a box to zoom to it."] : crumbs.flatMap((crumb, i) => i ? [" \u203a ", crumb] : [crumb]));
	element("crumbs").scrollLeft = element("crumbs").scrollWidth;
}

// --- copying ---

// Innermost first, as debuggers print it.
function stackOf(tree, node) {
	const path = pathTo(tree, node).filter(at => tree.name[at] >= 0);
	if (!tree.upward)
		path.reverse();
	return path.map(at => nameOf(tree, at)).join("\n");
}

// Where a page may not use the clipboard, as over plain HTTP, what is selected can still be copied.
async function copy(text) {
	try {
		await navigator.clipboard.writeText(text);
	} catch {
		const area = document.createElement("textarea");
		area.value = text;
		document.body.append(area);
		area.select();
		document.execCommand("copy");
		area.remove();
	}
	say(`Copied: ${text.replaceAll("\n", " \u203a ")}`);
}

function copyName() {
	if (current.name >= 0)
		copy(data.names[current.name]);
}

function copyStack() {
	if (current.node >= 0)
		copy(stackOf(current.graph.tree, current.node));
}

// --- the table ---

const shareColumn = (title, help, number, whole, more) => ({
	title, help, number, ...more,
	text: row => percent(number(row), whole()),
	bar: row => whole() ? number(row) / whole() : 0,
});
const all = () => baseTree().all.weight;
const otherAll = () => baseTree().other.all.weight;
const changeOfRow = row => changeBetween(baseTree(), { weight: row.total, samples: row.samples },
	{ weight: row.otherTotal, samples: row.otherSamples }, state.old);
const nameColumns = [
	{ title: "Function", help: "", name: true, number: row => data.names[row.name],
		text: row => data.names[row.name] },
	{ title: "File", help: "", name: true, wide: true, number: row => whereIs(row.name),
		text: row => whereIs(row.name) },
];
const columns = data.diff ? [
	shareColumn("Total", "with what it calls, on the side that is drawn", row => row.total, all),
	shareColumn("Other", "the same on the other side", row => row.otherTotal, otherAll, { wide: true }),
	{ title: "Change", help: "in percentage points", first: true,
		number: row => Math.abs(changeOfRow(row).difference),
		text: row => points(changeOfRow(row).difference), colour: tintOfRow },
	...nameColumns,
] : [
	shareColumn("Self", "without what it calls", row => row.self, all, { first: true }),
	shareColumn("Total", "with what it calls", row => row.total, all),
	{ title: "Self samples", help: "without those of what it calls", wide: true, number: row => row.hits, text: row => count(row.hits) },
	...nameColumns,
];

// A colour behind text, in the light as in the dark.
function tintOfRow(row) {
	const change = changeOfRow(row);
	return change.real ? `hsl(${change.difference > 0 ? 8 : 212} 80% 55% / 35%)` : "";
}

const table = new Table(element("functions"), columns, {
	selected: row => {
		attend(null, -1, row.name);
		say(`${data.names[row.name]}  \u00b7  ${samplesText(row.samples)}, ${amount(row.total)}, ` +
			`${percent(row.total, all())} of all  \u00b7  itself ${percent(row.self, all())}`);
	},
	opened: row => showFunction(row.name),
	order: (a, b) => b.total - a.total || a.name - b.name,
});

function showFunction(name) {
	if (name >= 0)
		change({ view: "sandwich", function: name }, true);
}

// --- time ---

function choose(from, to) {
	const { size, origin_s, bucket_s } = timesNow();
	const first = Math.max(from, 0), last = Math.min(to, size);
	change({ span: first === 0 && last === size ? null :
		[origin_s + first * bucket_s, origin_s + last * bucket_s] }, true);
}

function laneName({ program, name, pid, tid }, lane) {
	if (!lane)
		return "other threads";
	return `${name}${name === program ? "" : ` (${program})`} ${tid === pid ? pid : `${pid}/${tid}`}`;
}

const heatMap = new HeatMap(element("heat-canvas"), choose);
const lanes = new Lanes(element("lanes-canvas"), (data.lanes || []).map(laneName), choose,
	lane => change({ lane }, true));

const showHeat = keep((map, found, lane) => {
	const inside = found && insideOf(wholeTree(), found);
	heatMap.show(map, heatOf(map, inside, lane));
});
const showLanes = keep((map, found) => lanes.show(map, found && insideOf(wholeTree(), found)));

function showTimes() {
	const map = timesNow(), { time } = state;
	element("time-views").hidden = !map;
	element("times").hidden = !map || !time;
	element("heat-canvas").hidden = time !== "heat";
	element("lanes-box").hidden = time !== "lanes";
	element("span").hidden = !map || !state.span;
	element("lane").hidden = !map || state.lane < 0;
	if (!map)
		return;
	const [from, to] = chosenBuckets(), tree = baseTree();
	const since = map.origin_s + from * map.bucket_s, until = map.origin_s + to * map.bucket_s;
	if (time === "heat")
		showHeat(map, wanted(), state.lane);
	if (time === "lanes")
		showLanes(map, wanted());
	heatMap.mark(from, to);
	lanes.mark(from, to, state.lane);
	element("span").textContent = `${timeText(since)} s to ${timeText(until)} s`;
	element("lane").textContent = lanes.names[state.lane] ?? "";
	element("when").textContent = `${timeText(since)} s to ${timeText(until)} s: ` +
		`${samplesText(tree.all.samples)}, ${amount(tree.all.weight)}`;
	element("how").textContent = time === "lanes" ?
		"Drag to choose a part of the time, click a name to choose a thread." :
		`A column is ${timeText(map.rows * map.bucket_s)} s, from the bottom to the top; drag to choose a part.`;
	element("command").hidden = !state.span;
	element("how").hidden = Boolean(state.span);
	element("command").textContent = `--since ${timeText(since)} --until ${timeText(until)}`;
}

// --- what the state says ---

function press(id, on) {
	element(id).setAttribute("aria-pressed", String(Boolean(on)));
}

function showButtons() {
	for (const view of ["flame", "table", "sandwich"]) {
		press(view, state.view === view);
		element(`${view}-box`).hidden = state.view !== view;
	}
	press("heat", state.time === "heat");
	press("lanes", state.time === "lanes");
	press("invert", state.inverted);
	press("icicle", state.icicle);
	press("fold", state.fold);
	press("old", state.old);
	for (const id of ["invert", "icicle", "reset", "crumbs"])
		element(id).hidden = state.view !== "flame";
	element("event").value = String(state.event);
	element("facts").textContent = event().facts;
	if (element("search").value !== state.search)
		element("search").value = state.search;
}

function showFlame() {
	const graph = graphs.flame, tree = flameTree();
	if (graph.tree !== tree) {
		graph.show(tree);
		if (graph === current.graph)
			attend(null, -1);
	}
	if (graph.icicle !== state.icicle) {
		graph.icicle = state.icicle;
		graph.redraw();
	}
	if (graph.focus !== state.zoom)
		graph.zoom(state.zoom < tree.count ? state.zoom : 0);
	if (graph.selected !== state.selected)
		graph.select(state.selected < tree.count ? state.selected : -1);
	state.zoom = graph.focus;
	state.selected = graph.selected;
}

function showTable() {
	const found = wanted();
	table.show(tableRows(baseTree()).filter(row => !found || found[row.name]));
}

// Without a choice, the function that took most itself.
function showSandwich() {
	const tree = baseTree();
	if (state.function < 0)
		state.function = tableRows(tree).reduce((most, row) => row.self > (most?.self ?? -1) ? row : most,
			null)?.name ?? -1;
	if (state.function < 0)
		return;
	const [callers, callees] = sandwichTrees(tree, state.function);
	const row = tableRows(tree).find(({ name }) => name === state.function);
	element("function").textContent = `${data.names[state.function]}: self ` +
		`${percent(row?.self ?? 0, tree.all.weight)}, total ${percent(row?.total ?? 0, tree.all.weight)}; ` +
		"callers above, callees below";
	for (const [graph, made] of [[graphs.callers, callers], [graphs.callees, callees]])
		if (graph.tree !== made)
			graph.show(made);
}

function showMatched() {
	const found = wanted(), tree = state.view === "flame" ? flameTree() : baseTree();
	for (const graph of Object.values(graphs)) {
		graph.wanted = found;
		graph.redraw();
	}
	element("matched").textContent = found ? `${percent(weightOf(tree, found), tree.all.weight)} matched` : "";
}

function addSwatch(colour, text) {
	const item = document.createElement("span"), swatch = document.createElement("canvas");
	const pen = swatch.getContext("2d");
	swatch.width = swatch.height = 12;
	pen.fillStyle = colour;
	pen.fillRect(0, 0, 12, 12);
	item.append(swatch, text);
	element("legend").append(item);
}

// How a share changed.
function showScale() {
	addSwatch(colourOfDegree(-1), "half or less, gone");
	addSwatch(colourOfDegree(-0.4), "less");
	addSwatch(colourOfChange({ real: false }), "within noise");
	addSwatch(colourOfDegree(0.4), "more");
	addSwatch(colourOfDegree(1), "twice or more, new");
}

const showLegend = keep(tree => {
	element("legend").replaceChildren();
	if (data.diff)
		return showScale();
	const there = new Set(Array.from(tree.name.subarray(1), name => looks.kindOf(name)));
	for (const [kind, look] of Object.entries(KINDS))
		if (there.has(kind))
			addSwatch(looks.colourOfKind(kind), look.text);
});

// What has no width on the side that is drawn.
const listMissing = keep(tree => {
	const nodes = missing(tree);
	const lines = nodes.slice(0, MISSING).map(node =>
		`${percent(tree.other.total[node], tree.other.all.weight)}  ${nameOf(tree, node)}` +
		(tree.parent[node] ? `, called from ${nameOf(tree, tree.parent[node])}` : ""));
	if (nodes.length > MISSING)
		lines.push(`and ${count(nodes.length - MISSING)} more`);
	element("missing").hidden = !nodes.length;
	element("missing-title").textContent = (state.old ? "New: not on the old side" :
		"Gone: on the old side only") + ` (${count(nodes.length)})`;
	element("missing-list").textContent = lines.join("\n");
});

const SHOW = { flame: showFlame, table: showTable, sandwich: showSandwich };

function show() {
	showButtons();
	showLegend(wholeTree());
	showTimes();
	SHOW[state.view]();
	showMatched();
	if (data.diff)
		listMissing(wholeTree());
}

// Nodes are numbers in one tree: in another they would be other boxes.
const OF_TREES = ["event", "span", "lane", "inverted", "fold", "old"];

function change(values, push) {
	if (OF_TREES.some(key => key in values && values[key] !== state[key]))
		Object.assign(state, { zoom: 0, selected: -1 });
	Object.assign(state, values);
	show();
	writeAddress(push);
}

// --- the address ---

const WRITE = {
	event: value => data.events[value].name,
	span: value => value.map(timeText).join("-"),
	function: value => data.names[value],
};

function addressOf() {
	const words = new URLSearchParams();
	for (const [key, value] of Object.entries(state))
		if (value !== DEFAULTS[key])
			words.set(key, WRITE[key] ? WRITE[key](value) : String(value));
	return `#${words}`;
}

function writeAddress(push) {
	const address = addressOf();
	if (address === (location.hash || "#"))
		return;
	if (push)
		history.pushState(null, "", address);
	else
		history.replaceState(null, "", address);
}

const flag = text => text === "true";
const oneOf = (...words) => text => words.includes(text) ? text : undefined;
const within = (least, end) => text => {
	const number = Number(text);
	return Number.isInteger(number) && number >= least && number < end ? number : undefined;
};
const indexIn = list => text => list.indexOf(text) < 0 ? undefined : list.indexOf(text);

// What a word of the address means; undefined: nothing.
const READ = {
	event: indexIn(data.events.map(({ name }) => name)),
	view: oneOf("flame", "table", "sandwich"),
	time: oneOf("", "heat", "lanes"),
	span(text) {
		const [, since, until] = text.match(/^(-?[\d.]+)-([\d.]+)$/) || [];
		return Number(since) < Number(until) ? [Number(since), Number(until)] : undefined;
	},
	lane: within(0, (data.lanes || []).length),
	inverted: flag,
	icicle: flag,
	fold: flag,
	old: text => flag(text) && Boolean(data.diff),
	search: text => text,
	function: indexIn(data.names),
	zoom: within(0, Infinity),
	selected: within(0, Infinity),
};

function readAddress() {
	const words = new URLSearchParams(location.hash.slice(1));
	Object.assign(state, DEFAULTS);
	for (const [key, text] of words)
		if (Object.hasOwn(READ, key))
			state[key] = READ[key](text) ?? DEFAULTS[key];
}

// --- keys ---

const graphNow = () => state.view === "flame" ? graphs.flame :
	current.graph && current.graph !== graphs.flame ? current.graph : graphs.callees;
const toggle = key => change({ [key]: !state[key] }, true);
const toggleTime = time => timesNow() && change({ time: state.time === time ? "" : time }, true);
const page = part => graphNow().scrollTo(graphNow().top + part * (graphNow().icicle ? 1 : -1) *
	graphNow().size().height / 2);

const ARROWS = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"];

// Keys, what they do, and in words; a row without words is not listed. What the maps of time do while
// they have the focus is theirs.
const KEYS = [
	[["1"], () => change({ view: "flame" }, true), "flame graph"],
	[["2"], () => change({ view: "table" }, true), "table of functions"],
	[["3"], () => change({ view: "sandwich" }, true), "callers and callees of a function"],
	[["h"], () => toggleTime("heat"), "heat map of time: click or drag in it to choose a part; the graph and the table follow"],
	[["t"], () => toggleTime("lanes"), "threads: drag to choose a part of the time, click a name to choose a thread"],
	[["a"], () => change({ span: null, lane: -1 }, true), "all of the time, all threads"],
	[["e"], () => change({ event: (state.event + 1) % data.events.length }, true), "next event"],
	[["/"], () => element("search").focus(), "search, by a regular expression"],
	[["i"], () => toggle("inverted"), "inverted: from what was hit to its callers"],
	[["f"], () => toggle("icicle"), "icicle: root at the top"],
	[["r"], () => toggle("fold"), "fold recursion: every function once in a stack"],
	[["o"], () => data.diff && toggle("old"), data.diff ? "widths of the old side" : ""],
	[["Enter"], () => zoom(graphNow(), Math.max(graphNow().selected, 0)), "zoom to the box (or click it)"],
	[["Backspace"], () => zoom(graphNow(), graphNow().tree.parent[graphNow().focus]), "zoom out to the caller"],
	[["Escape"], () => reset(), "zoom out, end the search"],
	[["+", "-"], key => graphNow().stretch(key === "+" ? 0.8 : 1.25, 0.5),
		"wider, narrower (or Ctrl and wheel, or two fingers)"],
	[["PageUp", "PageDown"], key => page(key === "PageUp" ? -1 : 1), "scroll (or turn the wheel, or drag)"],
	[["Home", "End"], key => graphNow().scrollTo(key === "Home" ? 0 : Infinity), "scroll to the root, to the tips"],
	[ARROWS, onArrow, "from box to box, from row to row; with Shift they move the graph", "arrows"],
	[["s"], () => showFunction(current.name), "callers and callees of the box or the row"],
	[["c"], copyName, "copy the name"],
	[["C"], copyStack, "copy the stack"],
	[["?"], () => element("keys").showModal(), "these keys"],
	[[], null, "choose a cell; with Shift all cells up to it", "arrows in the heat map"],
	[[], null, "choose the cell, its column", "Enter, c in the heat map"],
	[[], null, "go to a thread; choose it", "arrows, Enter in the threads"],
];

function reset() {
	const graph = graphNow();
	select(graph, -1);
	if (graph.tree)
		graph.zoom(0);
	change({ search: "", zoom: 0 }, true);
}

function onArrow(key, shift) {
	const graph = graphNow(), step = graph.size().width / 10;
	if (!shift)
		return select(graph, graph.neighbour(key));
	if (key === "ArrowLeft" || key === "ArrowRight")
		return graph.pan(key === "ArrowLeft" ? -step : step);
	return page(key === "ArrowUp" ? -0.2 : 0.2);
}

// Keys for a graph that is seen.
const OF_GRAPHS = /^(Arrow|Page|Home$|End$|Enter$|Backspace$|[-+]$)/;

function onKey(event) {
	const typing = event.target.matches("input, select");
	if (event.ctrlKey || event.metaKey || event.altKey || element("keys").open ||
		(typing && event.key !== "Escape") || (event.target.matches("button") && event.key === "Enter"))
		return;
	const [, act] = KEYS.find(([keys]) => keys.includes(event.key)) || [];
	if (OF_GRAPHS.test(event.key) && (state.view === "table" || !graphNow().tree))
		return;
	if (!act)
		return;
	act(event.key, event.shiftKey);
	event.preventDefault();
}

// --- the page ---

function listKeys() {
	for (const [keys, , words, label = keys.join(", ")] of KEYS) {
		if (!words)
			continue;
		const row = element("key-list").insertRow();
		row.insertCell().textContent = label;
		row.insertCell().textContent = words;
	}
}

function listEvents() {
	data.events.forEach(({ name }, i) => element("event").add(new Option(name, i)));
	element("event").hidden = data.events.length < 2;
	element("event").addEventListener("change", event => change({ event: Number(event.target.value) }, true));
}

function onClick(id, act) {
	element(id).addEventListener("click", act);
}

function listen() {
	for (const view of ["flame", "table", "sandwich"])
		onClick(view, () => change({ view }, true));
	for (const [id, key] of [["invert", "inverted"], ["icicle", "icicle"], ["fold", "fold"], ["old", "old"]])
		onClick(id, () => toggle(key));
	onClick("heat", () => toggleTime("heat"));
	onClick("lanes", () => toggleTime("lanes"));
	onClick("span", () => change({ span: null }, true));
	onClick("lane", () => change({ lane: -1 }, true));
	onClick("reset", () => zoom(graphs.flame, 0));
	onClick("help", () => element("keys").showModal());
	onClick("copy-name", copyName);
	onClick("copy-stack", copyStack);
	onClick("show-function", () => showFunction(current.name));
	element("search").addEventListener("input", event => change({ search: event.target.value }, false));
	document.addEventListener("keydown", onKey);
	window.addEventListener("popstate", () => {
		readAddress();
		show();
	});
	window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
		heatMap.repaint();
		lanes.repaint();
		for (const graph of Object.values(graphs))
			graph.redraw();
	});
}

function start() {
	document.title = data.title;
	element("title").textContent = element("title").title = data.title;
	element("head").textContent = data.head;
	element("old").hidden = !data.diff;
	listKeys();
	listEvents();
	listen();
	readAddress();
	show();
}

start();
// For the console, and for tests.
globalThis.prospect = { data, state, graphs, heatMap, lanes, looks, KINDS, nameOf, change, zoom, choose, timesNow, baseTree,
	tableRows, changeOf: (tree, node) => changeOf(tree, node, state.old) };
