// flame.js - suspended time by await chain, as a flame graph: from who is awaited by nobody down to where it waits.

const FLAMES = 600; // so many are drawn
const flame = { path: [] };

// Who awaits a coroutine, and from when to when: items by the coroutine awaited, as they begin, and the latest end
// of those up to each.
Trace.prototype.awaiting = function () {
	if (this.awaitItems) return this.awaitItems;
	this.awaitItems = new Map();
	for (const i of this.stretch.subarray(0, this.stretchFrom[this.n])) {
		const on = this.col.on_kind[i];
		if (this.kind(i) !== SUSPENDED || (on !== 1 && on !== 8) || !(this.col.kind[i] & KNOWN)) continue;
		const r = this.find(digits(this.col.on, i));
		if (r) addTo(this.awaitItems, r, i);
	}
	for (const list of this.awaitItems.values()) {
		list.sort((a, b) => this.start[a] - this.start[b] || a - b);
		let latest = -Infinity;
		list.until = list.map(i => (latest = Math.max(latest, this.stop[i])));
	}
	return this.awaitItems;
};

// The first that awaits r at that time: many may have, one after another.
function awaiterOf(run, r, t) {
	const list = run.awaiting().get(r);
	if (!list) return undefined;
	let a = 0,
		b = list.length;
	while (a < b) {
		const m = (a + b) >> 1;
		if (list.until[m] < t) a = m + 1;
		else b = m;
	}
	return run.start[list[a]] <= t ? list[a] : undefined;
}

// Where those stand that await it at that time, the outermost first.
function awaitChain(run, i, t) {
	const chain_ = [],
		seen = new Set();
	for (let at = i; at !== undefined && chain_.length < 40 && !seen.has(run.rec[at]); ) {
		seen.add(run.rec[at]);
		chain_.unshift(run.col.site[at]);
		at = awaiterOf(run, run.rec[at], t);
	}
	return chain_;
}

// A tree of sites, each with the time suspended below it; its leaves are kinds of things waited on.
function flameTree(run, a, b) {
	const root = { time: 0, n: 0, kids: new Map() },
		grow = (node, key, t) => {
			if (!node.kids.has(key)) node.kids.set(key, { key, time: 0, n: 0, kids: new Map() });
			const kid = node.kids.get(key);
			kid.time += t;
			kid.n++;
			return kid;
		};
	for (let k = 0; k < run.stretchFrom[run.n]; k++) {
		const i = run.stretch[k],
			on = run.col.on_kind[i],
			from = Math.max(a, run.start[i]),
			t = Math.min(b, run.stop[i]) - from;
		if (run.kind(i) !== SUSPENDED || run.col.kind[i] & TORN || t <= 0) continue;
		if (line.mask && !line.mask[run.rec[i]]) continue;
		// Who awaits a coroutine that the page knows waits where that one does.
		if ((on === 1 || on === 8) && run.col.kind[i] & KNOWN && run.find(digits(run.col.on, i))) continue;
		root.time += t;
		root.n++;
		let node = root;
		for (const p of awaitChain(run, i, from + t / 2)) node = grow(node, 'p' + p, t);
		grow(node, 'o' + on, t);
	}
	return root;
}

function flameName(run, key) {
	const n = Number(key.slice(1));
	return key[0] === 'o' ? 'on ' + (ON[n] || 'what is not known') : run.site(n) || 'site not known';
}

function flameBox(run, node, x, width, depth, all, path) {
	const name = flameName(run, node.key),
		share_ = ((100 * node.time) / all).toFixed(1) + '\u202f%',
		text = name + ': ' + duration(node.time) + ', ' + share_ + ', ' + plural(node.n, 'wait');
	const room = ($('panel').clientWidth * width) / 100;
	const box = h(
		'button',
		{
			type: 'button',
			class: 'flame' + (node.key[0] === 'o' ? ' f-leaf' : '') + (room < 30 ? ' thin' : ''),
			title: text,
			'aria-label': text,
			onclick: () => {
				flame.path = path;
				showPanel(run);
				$('panel').focus();
			},
		},
		room < 30 ? null : h('span', {}, cutSite(name, Math.max(8, Math.round(room / 6))))
	);
	box.style.left = x + '%';
	box.style.width = width + '%';
	box.style.top = depth * 21 + 'px';
	return box;
}

function flameTab(run) {
	const [a, b] = countedSpan(run),
		root = flameTree(run, a, b),
		boxes = [];
	let node = root,
		deep = 0;
	for (const key of flame.path) node = node.kids.get(key) ?? root;
	if (node === root) flame.path = [];
	const draw = (n, x, width, depth, path) => {
		if (n !== root) {
			if (width < 0.15 || boxes.length >= FLAMES) return;
			boxes.push(flameBox(run, n, x, width, depth, root.time, path));
			deep = Math.max(deep, depth + 1);
			depth++;
		}
		let at = x;
		for (const kid of [...n.kids.values()].sort((p, q) => q.time - p.time)) {
			draw(kid, at, (width * kid.time) / n.time, depth, [...path, kid.key]);
			at += (width * kid.time) / n.time;
		}
	};
	draw(node, 0, 100, 0, flame.path);
	const box = h('div', { class: 'flames' }, boxes);
	box.style.height = deep * 21 + 4 + 'px';
	return [
		h(
			'p',
			{ class: 'spanhead' },
			h('b', {}, duration(root.time)),
			' suspended in ' + plural(root.n, 'wait') + ' within ' + duration(b - a),
			view.span ? ' chosen' : ' shown',
			', by who awaits whom. ',
			node === root
				? null
				: h(
						'button',
						{
							type: 'button',
							class: 'chip',
							onclick: () => {
								flame.path = [];
								showPanel(run);
							},
						},
						'All'
					),
			h('span', { class: 'dim' }, ' Above: who awaits; below: whom, and last what is waited on. A click enlarges.')
		),
		boxes.length ? box : h('p', { class: 'none' }, 'Nobody was suspended in it.'),
	];
}
