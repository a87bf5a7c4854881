// main.js - unpack the run that the address names, fill the page, follow the view.

function showFilters(run) {
	const option = (value, text) => h('option', { value }, text),
		states = new Map();
	for (let r = 1; r < run.n; r++) {
		const s = run.isOwn(r) ? OWN : STATES[run.state[r]];
		states.set(s, (states.get(s) ?? 0) + 1);
		if (s === 'suspended' && run.col.on_kind[run.last[r]]) {
			const on = s + ':' + ON[run.col.on_kind[run.last[r]]];
			states.set(on, (states.get(on) ?? 0) + 1);
		}
	}
	$('state').replaceChildren(
		option('', 'Any state'),
		...[...states]
			.sort((a, b) => (a[0] < b[0] ? -1 : 1))
			.map(([s, n]) => option(s, (s === OWN ? "the runtime's own" : s.replace(':', ' on ')) + ' (' + group3(n) + ')'))
	);
	$('group').replaceChildren(
		option('', 'Any finding'),
		...run.causes
			.filter(c => c.groups.length > 1)
			.map(c => option('c' + c.number, findingLabel(c.first, c.count) + ', ' + plural(c.groups.length, 'site'))),
		...run.groups.slice(0, 500).map(g => option(String(g.number), findingLabel(g, g.count)))
	);
	$('site').replaceChildren(
		option('', 'Any site'),
		...run.sites
			.map((p, i) => [p, i])
			.filter(([p, i]) => i && (p.now || p.suspends))
			.sort((a, b) => b[0].now - a[0].now || b[0].suspends - a[0].suspends)
			.slice(0, 500)
			.map(([, i]) => option(String(i), cutSite(run.site(i), 60)))
	);
}

const findingLabel = (g, n) => g.verdict + ', ' + g.certainty + ' (' + group3(n) + ')';

function showLegend(run) {
	const used = new Set();
	for (let i = 0; i < run.start.length; i++)
		if ((run.col.kind[i] & 15) === SUSPENDED) used.add(run.col.on_kind[i]);
	const entry = (name, cls) => h('span', {}, h('i', { class: 'swatch f-' + cls }), name);
	$('legend').replaceChildren(
		...[
			entry('running', 'running'),
			entry('runnable', 'runnable'),
			entry('created', 'created'),
			entry('parked', 'parked'),
			...[...used]
				.sort((a, b) => a - b)
				.map(k => entry('waits' + (k ? ' on ' + ON[k] : ''), onClass(k))),
			h('span', {}, '\u2192 wake ', h('span', { id: 'wakes', class: 'dim' })),
			run.health.gaps.length
				? h('span', {}, h('i', { class: 'swatch f-lost' }), plural(run.health.lost, 'event') + ' lost here')
				: null,
			run.findings.some(f => f.cause)
				? h('span', {}, h('span', { class: 'bad' }, '\u25c6'), ' cause of a finding')
				: null,
			h(
				'span',
				{ class: 'dim' },
				'wheel or +\u2212 zooms, drag or arrows move, Shift and drag choose a time, click shows a coroutine'
			),
		].filter(e => e)
	);
}

// What depends on the time is counted anew when that rests.
let panelTimer = 0;
function panelSoon(run) {
	clearTimeout(panelTimer);
	panelTimer = setTimeout(() => keepScroll($('panel'), () => showPanel(run)), 120);
}

function follow(run) {
	watch(changed => {
		const filter = ['q', 'state', 'group', 'site'].some(k => changed.has(k));
		if (changed.has('lanes')) {
			$('scroll').scrollTop = 0;
			line.focus = 0;
		}
		if (filter || changed.has('lanes') || changed.has('pins')) makeRows(run);
		if (changed.has('pins')) showDetails(run);
		if ((changed.has('t') || changed.has('span')) && (view.only || view.tab === 'span' || view.tab === 'flame')) panelSoon(run);
		if (filter || ['tab', 'sort', 'sel', 'only'].some(k => changed.has(k))) {
			if (!changed.has('sel') || changed.size > 1) table.page = 0;
			if (!(changed.size === 1 && changed.has('sel') && view.tab === 'tree'))
				keepScroll($('panel'), () => showPanel(run));
		}
		if (changed.has('sel')) {
			showDetails(run);
			if (view.sel && innerWidth < 1000) $('detail').scrollIntoView({ block: 'start' });
			if (view.sel && run.find(view.sel))
				announce(
					'Coroutine ' +
						run.label(run.find(view.sel)) +
						', ' +
						STATES[run.state[run.find(view.sel)]] +
						'. Its details are in the last pane.'
				);
		}
		if (filter) announce($('shown').textContent);
		showControls();
		repaint();
	});
}

// Redraw a pane; the focus stays on what has the same key.
function keepScroll(box, f) {
	const top = box.scrollTop,
		key = ['sel', 'sort', 'site']
			.map(
				k =>
					document.activeElement?.dataset?.[k] &&
					`[data-${k}="${CSS.escape(document.activeElement.dataset[k])}"]`
			)
			.find(k => k);
	const inside = box.contains(document.activeElement);
	f();
	box.scrollTop = top;
	if (inside && key) box.querySelector(key)?.focus({ preventScroll: true });
}

function showControls() {
	for (const b of $('lanes').children) {
		b.setAttribute('aria-checked', String(b.dataset.lanes === view.lanes));
		b.tabIndex = b.dataset.lanes === view.lanes ? 0 : -1;
	}
	for (const id of ['state', 'group', 'site']) $(id).value = view[id];
	$('only').checked = !!view.only;
	if ($('search').value !== view.q) $('search').value = view.q;
	for (const b of document.querySelectorAll('#findings [data-group]'))
		b.setAttribute('aria-pressed', String(b.dataset.group === view.group));
	for (const b of document.querySelectorAll('#findings [data-sel]'))
		b.toggleAttribute('aria-current', b.dataset.sel === view.sel);
	const what = { worker: 'worker threads', coroutine: 'coroutines', site: 'sites' }[view.lanes];
	$('canvas').setAttribute(
		'aria-label',
		'Timeline of ' + plural(line.rows.length, 'lane') + ', one for each of the ' + what
	);
}

function controls() {
	$('lanes').addEventListener('click', e => e.target.dataset.lanes && look({ lanes: e.target.dataset.lanes }));
	$('lanes').addEventListener('keydown', e => {
		const list = [...$('lanes').children],
			by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -1, ArrowDown: 1 }[e.key];
		if (!by) return;
		e.preventDefault();
		const next =
			list[(list.findIndex(b => b.dataset.lanes === view.lanes) + by + list.length) % list.length];
		look({ lanes: next.dataset.lanes });
		next.focus();
	});
	let typing = 0;
	$('search').addEventListener('input', () => {
		clearTimeout(typing);
		typing = setTimeout(() => look({ q: $('search').value }), 120);
	});
	for (const id of ['state', 'group', 'site'])
		$(id).addEventListener('change', () => look({ [id]: $(id).value }));
	$('only').addEventListener('change', () => look({ only: $('only').checked ? '1' : '' }));
	$('link').onclick = () => {
		writeAddress();
		copy(location.href);
	};
	$('theme').onclick = () => {
		const theme = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
		setTheme(theme);
		try {
			localStorage.setItem('corotrace-theme', theme);
		} catch {
			/* not for files */
		}
	};
	$('keys').onclick = showKeys;
	document.addEventListener('keydown', e => {
		if (/^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName) || e.ctrlKey || e.metaKey || e.altKey) return;
		if (e.key === '/') {
			e.preventDefault();
			$('search').focus();
		} else if (e.key === '?') {
			showKeys();
		} else if (e.key === 'Escape' && !$('help').open) {
			look(view.sel ? { sel: '' } : { span: '' });
		}
	});
	addEventListener('resize', layOut);
	addEventListener('scroll', () => showTip(), { passive: true });
}

function showKeys() {
	const list = [
		['\u2190 \u2192, A D', 'move in time'],
		['+ \u2212, W S', 'zoom'],
		['\u2191 \u2193', 'from lane to lane'],
		['Enter', 'show the coroutine in the middle of the lane'],
		['[ ]', 'to the stretch before, or after'],
		['Home End', 'to the beginning, to the end'],
		['0', 'the whole run'],
		['/', 'search'],
		['P', 'pin the lane on top, or let it go'],
		['M', 'choose the time shown, and count what happens in it'],
		['Esc', 'close the coroutine, then the chosen time'],
		['?', 'this list'],
	];
	$('help').replaceChildren(
		h('h2', { id: 'help-title' }, 'Keys'),
		h('p', { class: 'dim' }, 'In the timeline, when it has the focus:'),
		h(
			'dl',
			{},
			list.flatMap(([k, what]) => [h('dt', {}, h('kbd', {}, k)), h('dd', {}, what)])
		),
		h(
			'p',
			{ class: 'dim' },
			'Wheel zooms at the pointer, with Shift it moves; drag moves; along the time axis, or with Shift, it chooses a span of time; over the names the wheel scrolls; a double click fits a stretch.'
		),
		h('button', { type: 'button', onclick: () => $('help').close() }, 'Close')
	);
	$('help').showModal();
}

async function start() {
	const blocks = [...document.querySelectorAll('script.run')],
		wish = readAddress();
	const bad = b => Number(b.dataset.proven) * 1e6 + Number(b.dataset.suspected);
	const block =
		blocks.find(b => b.dataset.run === wish.run) ?? blocks.reduce((a, b) => (bad(b) > bad(a) ? b : a));
	let theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
	try {
		theme = localStorage.getItem('corotrace-theme') ?? theme;
	} catch {
		/* not for files */
	}
	setTheme(theme);
	const run = new Trace(await unpack(block));
	run.runs = blocks.length;
	Object.assign(view, wish);
	line.run = run;
	chartStart(run);
	showVerdict(run);
	showFindings(run);
	showHealth(run);
	showNumbers(run);
	showFilters(run);
	showLegend(run);
	makeRows(run);
	sendTo(run, wish.t, true); // before the tabs that are about the time shown
	showPanel(run);
	showDetails(run);
	showControls();
	chartEvents();
	pointerEvents();
	keyEvents();
	tabEvents();
	paneEvents();
	controls();
	follow(run);
	painters = [paintChart, paintTimeline];
	if (blocks.length > 1) {
		$('tab-compare').hidden = false;
		$('runs').hidden = false;
		$('run').replaceChildren(
			...blocks.map(b =>
				h(
					'option',
					{ value: b.dataset.run, selected: b === block },
					runName(b, ' of ' + blocks.length) +
						(bad(b)
							? ': ' +
								plural(
									Number(b.dataset.proven) +
										Number(b.dataset.suspected),
									'finding'
								)
							: '')
				)
			)
		);
		$('run').onchange = () => {
			location.hash = '#run=' + $('run').value;
			location.reload();
		};
	}
	addEventListener('hashchange', () => {
		const next = readAddress();
		if (next.run !== view.run) {
			location.reload();
			return;
		}
		look(next);
		sendTo(run, next.t);
	});
	const row = line.rowOf.get(run.find(view.sel));
	if (view.lanes === 'coroutine' && row !== undefined) focusRow(row);
	repaint();
	requestAnimationFrame(() =>
		setTimeout(() => {
			document.documentElement.dataset.ready = String(Math.round(performance.now()));
		})
	);
	return run;
}

start().catch(e => {
	document.body.dataset.level = 'bad';
	$('verdict').textContent = 'This page could not be unpacked: ' + e.message;
	throw e;
});
