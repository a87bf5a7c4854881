// tree.js - who awaits whom, among the coroutines that live and are not the runtime's own; those that nobody awaits stand under who created them.

const MANY = 6; // so many alike, of one parent, become one line

Trace.prototype.family = function () {
	if (this.children) return;
	this.awaiters = new Map();
	this.children = new Map();
	this.roots = [];
	for (let r = 1; r < this.n; r++) {
		const a = this.awaits(r);
		if (a) addTo(this.awaiters, a, r);
	}
	for (let r = 1; r < this.n; r++) {
		if (this.state[r] === ENDED) continue;
		const parent = this.col.parent[r] ? this.find(digits(this.col.parent, r)) : 0;
		const under = this.awaiters.has(r)
			? -1
			: parent && this.state[parent] !== ENDED && parent !== r && !this.isOwn(parent)
				? parent
				: 0;
		if (under > 0) addTo(this.children, under, r);
		else if (!under && !this.isOwn(r)) this.roots.push(r);
	}
	this.addCircles();
};

// Circles have no root: their first member becomes one. So do those that hang on nothing else.
Trace.prototype.addCircles = function () {
	const seen = new Set(),
		visit = start => {
			const stack = [start];
			while (stack.length) {
				const r = stack.pop();
				if (!r || seen.has(r)) continue;
				seen.add(r);
				stack.push(this.awaits(r));
				for (const child of this.children.get(r) ?? []) stack.push(child);
			}
		};
	this.roots.forEach(visit);
	for (let r = 1; r < this.n; r++)
		if (this.state[r] !== ENDED && !seen.has(r) && !this.isOwn(r)) {
			this.roots.push(r);
			visit(r);
		}
};

Trace.prototype.awaitersOf = function (r) {
	this.family();
	return this.awaiters.get(r) ?? [];
};

function awaitTree(run) {
	run.family();
	if (!run.roots.length) return [h('p', { class: 'none' }, 'No coroutine is alive at the end.')];
	const tree = h('ul', { role: 'tree', class: 'tree', 'aria-label': 'Await tree of the live coroutines' });
	fill(run, tree, run.roots, [], 1);
	tree.addEventListener('keydown', treeKey);
	const first = tree.querySelector('[role=treeitem]');
	if (first) first.tabIndex = 0;
	return [
		h(
			'p',
			{ class: 'note' },
			'Under each coroutine stands whom it awaits (\u2192), and those that it created and nobody awaits. ' +
				plural(run.live, 'live coroutine') +
				'.'
		),
		tree,
	];
}

// Alike: same site, same kind of thing, nobody below them.
function alike(run, r) {
	return run.awaits(r) || run.children.has(r)
		? ''
		: [run.siteOf(r), run.state[r], run.col.on_kind[run.last[r]], run.col.group[r]].join();
}

function fill(run, list, members, path, level) {
	const groups = new Map();
	for (const r of members) addTo(groups, alike(run, r) || 'r' + r, r);
	let shownHere = 0;
	for (const same of groups.values()) {
		if (shownHere++ > 300) {
			list.append(
				h('li', { role: 'none', class: 'note' }, 'More of them are in the table of coroutines.')
			);
			return;
		}
		if (same.length > MANY) list.append(manyItem(run, same, path, level));
		else same.forEach(r => list.append(treeItem(run, r, path, level)));
	}
}

function manyItem(run, same, path, level) {
	const r = same[0],
		i = run.last[r];
	return branch(
		level,
		false,
		[
			h('b', {}, '\u00d7\u202f' + group3(same.length) + ' '),
			stateBadge(run, r),
			' ',
			run.col.on_kind[i] ? ON[run.col.on_kind[i]] + ' ' : '',
			siteCell(run.site(run.siteOf(r))),
			badgeOf(run, r),
		],
		list => same.slice(0, 300).forEach(x => list.append(treeItem(run, x, path, level + 1)))
	);
}

const badgeOf = (run, r) =>
	run.col.group[r]
		? [
				' ',
				h(
					'span',
					{ class: 'badge ' + run.groups[run.col.group[r] - 1].certainty },
					run.groups[run.col.group[r] - 1].verdict
				),
			]
		: null;

function treeItem(run, r, path, level, sign = '') {
	const awaited = run.awaits(r),
		children = run.children.get(r) ?? [],
		cycle = path.includes(r);
	const text = [
		sign,
		h('bdi', { title: run.label(r) }, cut(run.shortLabel(r), 60)),
		' ',
		stateBadge(run, r),
		run.state[r] === SUSPENDED && run.on(run.last[r])
			? [' on ', h('code', {}, h('bdi', {}, cut(run.on(run.last[r]), 60)))]
			: null,
		h('span', { class: 'dim' }, ' ' + cutSite(run.site(run.siteOf(r)), 80)),
		badgeOf(run, r),
		cycle ? h('span', { class: 'bad' }, ' \u21ba back to here: a cycle') : null,
	];
	const below =
		!cycle && (awaited || children.length)
			? list => {
					if (awaited)
						list.append(treeItem(run, awaited, [...path, r], level + 1, '\u2192 '));
					fill(run, list, children, [...path, r], level + 1);
				}
			: null;
	return branch(level, level < 3, text, below, () => showCoroutine(run, r));
}

// Opened when it is first looked into.
function branch(level, open, text, below, pick) {
	const row = h('div', { class: 'leaf' }, text),
		item = h(
			'li',
			{
				role: 'treeitem',
				'aria-level': String(level),
				tabindex: '-1',
				'aria-expanded': below ? 'false' : null,
			},
			row
		);
	item.pick = pick;
	item.expand = want => {
		if (!below || want === (item.getAttribute('aria-expanded') === 'true')) return;
		item.setAttribute('aria-expanded', String(want));
		if (want && !item.list) {
			item.list = h('ul', { role: 'group' });
			below(item.list);
			item.append(item.list);
		}
	};
	row.addEventListener('click', () => {
		focusItem(item);
		pick ? pick() : item.expand(item.getAttribute('aria-expanded') !== 'true');
		if (pick) item.expand(true);
	});
	if (open && below) item.expand(true);
	return item;
}

function focusItem(item) {
	item.closest('[role=tree]')
		.querySelectorAll('[tabindex="0"]')
		.forEach(e => {
			e.tabIndex = -1;
		});
	item.tabIndex = 0;
	item.focus();
}

function treeKey(e) {
	const item = e.target.closest('[role=treeitem]'),
		all = [...e.currentTarget.querySelectorAll('[role=treeitem]')].filter(i => i.offsetParent !== null);
	const at = all.indexOf(item),
		open = item?.getAttribute('aria-expanded');
	const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[e.key];
	if (!item || !(to !== undefined || ['ArrowLeft', 'ArrowRight', 'Enter', ' '].includes(e.key))) return;
	e.preventDefault();
	if (to !== undefined && all[to]) focusItem(all[to]);
	else if (e.key === 'ArrowRight')
		open === 'false'
			? item.expand(true)
			: item.list?.firstElementChild && focusItem(item.list.firstElementChild);
	else if (e.key === 'ArrowLeft')
		open === 'true'
			? item.expand(false)
			: item.parentElement.closest('[role=treeitem]') &&
				focusItem(item.parentElement.closest('[role=treeitem]'));
	else if (e.key === 'Enter' || e.key === ' ') item.pick ? item.pick() : item.expand(open === 'false');
}
