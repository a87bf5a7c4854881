// timeline.js - lanes over time: which rows there are, and what they look like; paint.js makes the pixels.

const FONT = 'ui-sans-serif, system-ui, "Segoe UI", "DejaVu Sans", sans-serif';
const AXIS = 22,
	FOOT = 16,
	ROW = { worker: 26, coroutine: 17, site: 34 },
	MOST_ARROWS = 400;
const line = { pinned: 0, rows: [], rowOf: new Map(), mask: null, focus: 0, hover: null, drag: null };

// ---- rows and filters ----

function filtered() {
	return view.q || view.state || view.group || view.site;
}

// What a search finds: id, name, site, what it waits on, its finding's words, the culprit's site and thread, and
// the thread that it was last on.
function searched(run, q) {
	const has = s => s.toLowerCase().includes(q),
		sites = run.sites.map((p, i) => has(run.site(i)) || has(run.site(i).replace('()', ''))),
		threads = new Set(run.threads.filter(t => t.tid === q || (t.name && has(t.name))).map(t => t.tid));
	const groups = run.groups.map(
		g => has(g.verdict) || has(g.certainty) || !!sites[g.cause_site]
	);
	return r =>
		sites[run.siteOf(r)] ||
		run.idOf(r).includes(q) ||
		has(run.name[r]) ||
		(run.last[r] >= 0 && (has(run.on(run.last[r])) || threads.has(digits(run.col.tid, run.last[r])))) ||
		(run.col.group[r] && groups[run.col.group[r] - 1]) ||
		threads.has(run.findingOf.get(r)?.cause?.[2]);
}

// The runtime's own coroutines are in no list, but where one asks for them as for a state, or searches.
const OWN = 'runtime';
const isListed = (run, r) => (line.mask ? !!line.mask[r] : !run.isOwn(r));

// Which coroutines the filters leave; null: all that are listed.
function makeMask(run) {
	if (!filtered()) return null;
	const mask = new Uint8Array(run.n),
		groups = groupsOf(run, view.group),
		q = view.q.trim().toLowerCase(),
		found = q ? searched(run, q) : () => true,
		[state, on] = view.state.split(':');
	for (let r = 1; r < run.n; r++) {
		mask[r] =
			(view.q || view.site || run.isOwn(r) === (state === OWN)) &&
			(!view.group || groups.has(run.col.group[r])) &&
			(!view.site || run.siteOf(r) === Number(view.site)) &&
			(!state ||
				state === OWN ||
				(STATES[run.state[r]] === state && (!on || ON[run.col.on_kind[run.last[r]]] === on))) &&
			!!found(r);
	}
	return mask;
}

// Accused first, then those that live, then the rest, each in order of time.
function makeRows(run) {
	line.mask = makeMask(run);
	if (view.lanes === 'worker') {
		line.rows = run.worker.map((w, i) => i);
	} else if (view.lanes === 'site') {
		line.rows = run.sites
			.map((p, i) => i)
			.filter(i => i && run.sites[i].cells)
			.sort(
				(a, b) =>
					run.sites[b].now - run.sites[a].now || run.sites[b].most - run.sites[a].most
			);
	} else {
		const rows = [];
		for (let r = 1; r < run.n; r++) if (isListed(run, r)) rows.push(r);
		const weight = r => (run.col.group[r] ? 0 : run.flags[r] & LIVES ? 1 : 2);
		line.rows = rows.sort((a, b) => weight(a) - weight(b) || run.began(a) - run.began(b) || a - b);
	}
	pinFirst(run);
	line.rowOf = new Map(line.rows.map((r, i) => [r, i]));
	line.focus = Math.min(line.focus, Math.max(0, line.rows.length - 1));
	const all = run.n - 1 - (view.state === OWN || view.q || view.site ? 0 : run.own);
	$('shown').textContent = line.mask
		? group3(line.mask.reduce((a, b) => a + b, 0)) + ' of ' + plural(all, 'coroutine')
		: plural(all, 'coroutine') + (run.own ? ', ' + group3(run.own) + ' of the runtime' : '');
	layOut();
}

// Under the lanes, where it says which part of them is summed up.
const footOf = run => (run.dropped && view.lanes === 'worker' ? FOOT : 0);

function layOut() {
	const box = $('scroll'),
		h = ROW[view.lanes],
		foot = footOf(line.run);
	const most = Math.max(
		100,
		Math.min(
			line.rows.length * h + AXIS + 8 + foot,
			innerWidth < 1000 ? 420 : (line.height ?? Math.max(240, innerHeight * 0.42))
		)
	);
	box.style.height = most + 'px';
	$('tall').style.height = Math.max(0, line.rows.length * h + AXIS + 4 + foot - most) + 'px';
	repaint();
}

function rowLabel(run, row) {
	if (view.lanes === 'coroutine')
		return [
			run.idOf(row) + (run.name[row] ? ' ' + run.shortName(row) : ''),
			run.state[row] === ENDED ? run.endWord(row) : STATES[run.state[row]],
		];
	if (view.lanes === 'site')
		return [
			run.site(row),
			'\u2264\u202f' + count(run.sites[row].most) + ' waiting, now ' + count(run.sites[row].now),
		];
	const w = run.worker[row];
	return [w.name ? shown(w.name) : 'thread ' + w.tid, w.name ? w.tid : (w.role ?? '')];
}

// ---- painting ----

function geometry() {
	const box = $('scroll'),
		width = box.clientWidth,
		foot = footOf(line.run),
		height = box.clientHeight - foot,
		g = gutter();
	return {
		width,
		height,
		foot,
		g,
		ratio: devicePixelRatio || 1,
		top: box.scrollTop,
		h: ROW[view.lanes],
		scale: (width - g) / (range.to - range.from),
	};
}

// Which lanes are to be painted, those that are pinned last, over the others.
function shownRows(m, from, last) {
	const list = [];
	for (let i = Math.max(from, line.pinned); i < last; i++) if (rowShown(m, i)) list.push(i);
	for (let i = 0; i < line.pinned; i++) list.push(i);
	return list;
}

function paintTimeline() {
	const run = line.run,
		m = geometry(),
		c = fitCanvas($('canvas'), m.width, m.height + m.foot),
		labels = {
			least: 46 * m.ratio,
			list: [],
			add(...args) {
				if (this.list.length < 400) this.list.push(args);
			},
		};
	const w = Math.round((m.width - m.g) * m.ratio),
		plotH = Math.round((m.height - AXIS) * m.ratio);
	if (!line.plot || line.plot.width !== w || line.plot.height !== plotH) line.plot = new Plot(w, plotH);
	const plot = line.plot,
		from = Math.floor(m.top / m.h),
		last = Math.min(line.rows.length, Math.ceil((m.top + m.height) / m.h));
	plot.word.fill(pixel.ground);
	for (const i of shownRows(m, from, last)) {
		const row = line.rows[i],
			y = Math.round(rowTop(m, i) * m.ratio),
			h = Math.round(m.h * m.ratio),
			gap = Math.round(m.ratio * (m.h > 20 ? 3 : 2));
		plot.fill(0, y, w, h, i % 2 ? pixel.zebra : pixel.ground);
		if (view.lanes === 'coroutine' && run.idOf(row) === view.sel) plot.fill(0, y, w, h, pixel.rule);
		if (view.lanes === 'worker')
			paintWorker(
				plot,
				run,
				run.worker[row],
				y + gap,
				h - 2 * gap,
				range.from,
				m.scale * m.ratio,
				line.mask,
				labels
			);
		else if (view.lanes === 'coroutine')
			paintCoroutine(plot, run, row, y + gap, h - 2 * gap, range.from, m.scale * m.ratio, labels);
		else
			paintSite(
				plot,
				run.sites[row],
				y + gap,
				h - 2 * gap,
				range.from,
				m.scale * m.ratio,
				view.site && Number(view.site) !== row
			);
	}
	c.fillStyle = ink.ground;
	c.fillRect(0, 0, m.width, m.height);
	c.putImageData(plot.image, Math.round(m.g * m.ratio), Math.round(AXIS * m.ratio));
	paintWords(c, run, labels.list, m);
	paintEdges(c, run, m);
	paintArrows(c, run, m, from, last);
	paintCauses(c, run, m, from, last);
	paintChosen(c, run, m);
	paintGutter(c, run, m, from, last);
	paintFoot(c, run, m);
	c.fillStyle = ink.panel;
	c.fillRect(0, 0, m.width, AXIS);
	paintAxis(c, run, range.from, range.to, m.g, m.width - m.g, 0, AXIS);
	paintSpan(c, m);
	c.fillStyle = ink.dim;
	c.textAlign = 'left';
	c.font = '11px ' + FONT;
	c.fillText(duration(range.to - range.from) + ' shown', 8, AXIS / 2 + 1);
	if ($('wakes').textContent !== line.note) $('wakes').textContent = line.note;
	c.fillStyle = ink.rule;
	c.fillRect(0, AXIS - 1, m.width, 1);
	if (line.pinned) {
		c.fillStyle = ink.accent;
		c.fillRect(0, AXIS + line.pinned * m.h - 1, m.width, 1);
	}
}

// As much of a text as there is room for.
function fitText(c, full, room, shorten = cut) {
	let text = shorten(full, 120);
	for (let w = c.measureText(text).width; w > room && text.length > 1; w = c.measureText(text).width) {
		const n = Math.min(text.length - 1, Math.max(1, Math.floor((text.length * room) / w))),
			shorter = shorten(full, n);
		text = shorter.length < text.length ? shorter : cut(text, n);
	}
	return text;
}

function paintWords(c, run, list, m) {
	c.font = (m.h > 20 ? 11 : 10) + 'px ' + FONT;
	c.textBaseline = 'middle';
	c.textAlign = 'left';
	for (const [i, x, y, w] of list) {
		const kind = run.kind(i),
			room = w / m.ratio - 8;
		let text =
			kind === RUNNING
				? run.rec[i]
					? run.shortName(run.rec[i]) || run.idOf(run.rec[i])
					: ''
				: run.on(i) || run.site(run.col.site[i]);
		text = room < 24 ? '' : fitText(c, text, room);
		if (text.length < 3) continue;
		c.fillStyle = kind === RUNNING ? ink.ground : ink.text;
		c.fillText(
			text,
			m.g + x / m.ratio + 4,
			AXIS + y / m.ratio + (kind === RUNNING ? m.h / 2 - 3 : m.h / 2 - 2)
		);
	}
}

// Where the exact part begins, where events were lost, where the trace begins and ends.
function paintEdges(c, run, m) {
	const X = t => m.g + (t - range.from) * m.scale;
	for (const [a, b, n] of run.health.gaps) {
		c.globalAlpha = 0.22;
		c.fillStyle = ink.bad;
		c.fillRect(
			Math.max(m.g, X(a)),
			AXIS,
			Math.max(1, Math.min(m.width, X(b)) - Math.max(m.g, X(a))),
			m.height
		);
		c.globalAlpha = 1;
	}
	c.fillStyle = ink.dim;
	for (const t of [run.first, run.end]) if (X(t) >= m.g) c.fillRect(Math.round(X(t)), AXIS, 1, m.height);
	if (!m.foot || X(run.exact_from) < m.g) return;
	c.fillStyle = ink.accent;
	c.fillRect(Math.round(Math.min(m.width, X(run.exact_from))), AXIS, 1, m.height);
}

// Which part of the lanes is summed up: under them, for they are full.
function paintFoot(c, run, m) {
	const x = Math.min(m.width, m.g + (run.exact_from - range.from) * m.scale),
		cell = run.worker.find(w => w.cells)?.cells.width ?? 0,
		y = m.height + m.foot - 3;
	if (!m.foot) return;
	c.fillStyle = ink.panel;
	c.fillRect(0, m.height, m.width, m.foot);
	c.font = '10px ' + FONT;
	c.textAlign = 'right';
	c.textBaseline = 'bottom';
	c.fillStyle = ink.dim;
	if (x - m.g > 190) c.fillText('summed up, cells of ' + duration(cell) + ' \u25c2', x - 4, y);
	c.textAlign = 'left';
	if (x >= m.g && m.width - x > 90) c.fillText('\u25b8 one by one', x + 4, y);
}

// The chosen span of time.
function paintSpan(c, m) {
	if (!view.span) return;
	const [from, to] = spanOf(),
		X = t => Math.max(m.g, Math.min(m.width, m.g + (t - range.from) * m.scale)),
		a = X(from),
		b = X(to);
	if (b <= a) return;
	c.fillStyle = ink.accent;
	c.globalAlpha = 0.1;
	c.fillRect(a, AXIS, b - a, m.height);
	c.globalAlpha = 1;
	c.fillRect(a, AXIS - 4, Math.max(2, b - a), 3);
	for (const x of [a, b]) if (x > m.g && x < m.width) c.fillRect(Math.round(x), AXIS, 1, m.height);
}

// Where a wake's arrow ends: the coroutine's next run after it; an index of run.stretch, or -1.
function nextRun(run, r, t) {
	const to = run.stretchFrom[r + 1];
	for (let k = run.before(run.stretch, t, run.stretchFrom[r], to); k < to; k++)
		if (run.kind(run.stretch[k]) === RUNNING) return run.stretch[k];
	return -1;
}

function arrow(run, i) {
	// [time, row] of its tail and head; null where a row is not there
	const r = run.rec[i],
		t = run.start[i];
	if (view.lanes === 'coroutine') {
		const by = run.find(digits(run.col.by, i));
		return line.rowOf.has(r)
			? [t, by && line.rowOf.has(by) ? line.rowOf.get(by) : -1, t, line.rowOf.get(r)]
			: null;
	}
	const next = nextRun(run, r, t),
		a = run.workerOf.get(digits(run.col.tid, i));
	const b = next < 0 ? undefined : run.workerOf.get(digits(run.col.tid, next));
	return a === undefined || b === undefined ? null : [t, a, run.start[next], b];
}

function paintArrows(c, run, m, first, last) {
	line.note = '';
	if (view.lanes === 'site') return;
	const a = Math.max(0, run.before(run.wakes, range.from) - 64),
		b = run.before(run.wakes, range.to),
		sel = run.find(view.sel);
	// Not where they would cover what they join.
	const spread =
		b > a ? (run.start[run.wakes[b - 1]] - Math.max(range.from, run.start[run.wakes[a]])) * m.scale : 0;
	const few = b - a <= MOST_ARROWS && spread >= 5 * (b - a - 1);
	line.arrows = 0;
	c.save();
	c.beginPath();
	c.rect(m.g, AXIS, m.width - m.g, m.height);
	c.clip();
	for (let k = a; k < b && line.arrows < MOST_ARROWS; k++) {
		const i = run.wakes[k],
			mine = sel && (run.rec[i] === sel || digits(run.col.by, i) === view.sel);
		if (!few && !mine) continue;
		if (line.mask && !line.mask[run.rec[i]] && !mine) continue;
		const p = arrow(run, i);
		if (!p || Math.max(p[1], p[3]) < first || (p[1] >= 0 && Math.min(p[1], p[3]) > last)) continue;
		paintArrow(c, m, p, mine);
		line.arrows++;
	}
	c.restore();
	line.note = !few && b > a ? count(b - a) + ' here: zoom in to see them' : '';
}

function paintArrow(c, m, [t1, row1, t2, row2], mine) {
	const X = t => m.g + (t - range.from) * m.scale,
		Y = row => AXIS + rowTop(m, row) + m.h / 2;
	const x1 = X(t1),
		x2 = X(t2),
		y2 = Y(row2),
		y1 = row1 < 0 ? Math.max(AXIS, y2 - m.h) : Y(row1),
		bend = Math.min(24, Math.abs(x2 - x1) / 2 + 6);
	c.strokeStyle = c.fillStyle = mine ? ink.accent : ink.text;
	c.globalAlpha = mine ? 1 : 0.5;
	c.lineWidth = mine ? 1.6 : 1;
	c.beginPath();
	c.moveTo(x1, y1);
	if (row1 === row2 || row1 < 0) c.lineTo(x2, y2);
	else c.bezierCurveTo(x1 + bend, y1, x2 - bend, y2, x2, y2);
	c.stroke();
	c.beginPath();
	const up = y2 < y1 ? 1 : -1,
		flat = row1 !== row2 && row1 >= 0;
	c.moveTo(x2, y2);
	c.lineTo(x2 - (flat ? 6 : 3), y2 + (flat ? -3 : 6 * up));
	c.lineTo(x2 - (flat ? 6 : -3), y2 + (flat ? 3 : 6 * up));
	c.fill();
	c.beginPath();
	c.arc(x1, y1, 1.8, 0, 7);
	c.fill();
	c.globalAlpha = 1;
}

// What findings have as their cause, in the lane of who suffers it, or of the thread that did it.
function paintCauses(c, run, m, first, last) {
	let drawn = 0;
	if (view.lanes === 'site') return;
	for (const f of run.findings) {
		const row = !f.cause
			? undefined
			: view.lanes === 'coroutine'
				? line.rowOf.get(f.rec)
				: run.workerOf.get(f.cause[2]);
		const x = f.cause ? m.g + (f.cause[1] - range.from) * m.scale : 0;
		if (row === undefined || (row >= line.pinned && (row < first || row > last)) || x < m.g || x > m.width || drawn++ > 500) continue;
		if (!rowShown(m, row)) continue;
		const y = AXIS + rowTop(m, row) + (view.lanes === 'coroutine' ? m.h - 6 : 5);
		c.fillStyle = ink.bad;
		c.strokeStyle = ink.ground;
		c.lineWidth = 1;
		c.beginPath();
		c.moveTo(x, y - 5);
		c.lineTo(x + 4.5, y);
		c.lineTo(x, y + 5);
		c.lineTo(x - 4.5, y);
		c.closePath();
		c.fill();
		c.stroke();
	}
}

// The chosen coroutine's runs in lanes of workers; the row that keys are on; the pointer's time.
function paintChosen(c, run, m) {
	const sel = run.find(view.sel);
	if (view.lanes === 'worker' && sel) {
		c.fillStyle = ink.accent;
		let drawn = 0;
		for (let k = run.stretchFrom[sel]; k < run.stretchFrom[sel + 1] && drawn < 4000; k++) {
			const i = run.stretch[k],
				row = run.workerOf.get(digits(run.col.tid, i));
			if (
				run.kind(i) !== RUNNING ||
				run.stop[i] < range.from ||
				run.start[i] > range.to ||
				row === undefined
			)
				continue;
			const x = Math.max(m.g, m.g + (run.start[i] - range.from) * m.scale),
				end = m.g + (run.stop[i] - range.from) * m.scale;
			if (rowShown(m, row)) c.fillRect(x, AXIS + rowTop(m, row) + 1, Math.max(2, end - x), 3);
			drawn++;
		}
	}
	if (document.activeElement === $('canvas') && line.rows.length) {
		c.strokeStyle = ink.accent;
		c.lineWidth = 1.5;
		c.strokeRect(1, AXIS + rowTop(m, line.focus) + 1, m.width - 2, m.h - 2);
	}
	if (line.hover && line.hover.x > m.g) {
		c.fillStyle = ink.dim;
		c.fillRect(Math.round(line.hover.x), AXIS, 1, m.height);
	}
}

function paintGutter(c, run, m, from, last) {
	c.fillStyle = ink.panel;
	c.fillRect(0, AXIS, m.g, m.height);
	c.fillStyle = ink.rule;
	c.fillRect(m.g - 1, AXIS, 1, m.height);
	c.textBaseline = 'middle';
	for (const i of shownRows(m, from, last)) {
		const row = line.rows[i],
			y = AXIS + rowTop(m, i),
			[label, more] = rowLabel(run, row),
			accused = view.lanes === 'coroutine' && run.col.group[row];
		if (i < line.pinned) {
			c.fillStyle = ink.panel;
			c.fillRect(0, y, m.g - 1, m.h);
		}
		c.textAlign = 'left';
		c.font = (view.lanes === 'coroutine' ? '10.5px ' : '11.5px ') + FONT;
		c.fillStyle = accused ? ink.bad : ink.text;
		if (accused) c.fillRect(0, y + 2, 3, m.h - 4);
		const two = m.h > 30;
		c.fillText(
			fitText(c, label, m.g - (two ? 14 : m.g > 100 ? 74 : 14), view.lanes === 'site' ? cutSite : cut),
			8,
			y + (two ? m.h / 2 - 7 : m.h / 2)
		);
		c.fillStyle = ink.dim;
		c.font = '10px ' + FONT;
		c.textAlign = two ? 'left' : 'right';
		if (two || m.g > 100)
			c.fillText(
				fitText(c, more, two ? m.g - 14 : 64),
				two ? 8 : m.g - 7,
				y + (two ? m.h / 2 + 8 : m.h / 2)
			);
	}
	if (!line.rows.length) {
		c.textAlign = 'left';
		c.fillStyle = ink.dim;
		c.fillText(
			filtered() ? 'No coroutine matches.' : 'No thread is known to have run anything.',
			m.g + 12,
			AXIS + 20
		);
	}
}
