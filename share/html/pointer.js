// pointer.js - what lies under the pointer in the timeline; wheel, drag and keys.

// ---- what lies where ----

function timeAt(x) {
	const m = geometry();
	return range.from + (x - m.g) / m.scale;
}

function hit(x, y) {
	// { row, item, rec }
	const run = line.run,
		m = geometry(),
		top = Math.floor((y - AXIS) / m.h),
		index = top < line.pinned ? top : Math.floor((y - AXIS + m.top) / m.h),
		row = line.rows[index],
		t = timeAt(x);
	if (y < AXIS || row === undefined) return null;
	const found = { index, row, item: -1, rec: view.lanes === 'coroutine' ? row : 0, t };
	if (x < m.g || view.lanes === 'site') return found;
	const list = view.lanes === 'coroutine' ? run.stretch : run.worker[row].items,
		near = 2 / m.scale;
	const from = view.lanes === 'coroutine' ? run.stretchFrom[row] : 0,
		to = view.lanes === 'coroutine' ? run.stretchFrom[row + 1] : list.length;
	const k = run.before(list, t + near, from, to) - 1;
	if (
		k >= from &&
		run.stop[list[k]] >= t - near &&
		(view.lanes === 'coroutine' || !run.dropped || run.stop[list[k]] > run.exact_from)
	) {
		found.item = list[k];
		found.rec = run.rec[list[k]];
	}
	return found;
}

function tipText(run, at) {
	if (view.lanes === 'site') {
		const p = run.sites[at.row],
			i = Math.floor((at.t - p.cells.base) / p.cells.width);
		return [
			run.site(at.row),
			moment(run, at.t) +
				': ' +
				count(p.levels[i] ?? 0) +
				' waiting (mean of ' +
				duration(p.cells.width) +
				')',
		];
	}
	const i = at.item;
	if (i < 0)
		return at.rec
			? [run.label(at.rec), moment(run, at.t)]
			: view.lanes === 'worker' && run.dropped && at.t < run.exact_from
				? [rowLabel(run, at.row)[0], 'summed up before ' + moment(run, run.exact_from)]
				: null;
	const kind = run.kind(i),
		head =
			kind === PARKED
				? run.thread(digits(run.col.tid, i))
				: run.rec[i]
					? run.label(run.rec[i])
					: 'a coroutine that the page leaves out';
	const lines = [
		head,
		KINDS[kind] +
			(run.on(i) && kind === SUSPENDED ? ' on ' + run.on(i) : '') +
			' for ' +
			duration(run.stop[i] - run.start[i]) +
			(run.col.kind[i] & OPEN ? ' until the end' : ''),
	];
	if (run.site(run.col.site[i])) lines.push(run.site(run.col.site[i]));
	lines.push(moment(run, run.start[i], (range.to - range.from) / 1000) + ', line ' + run.line[i]);
	if (run.col.kind[i] & TORN)
		lines.push(run.col.kind[i] & OPEN ? 'whether it did to the end is not known' : 'events of it are missing in here');
	return lines;
}

function showTip(x, y, lines) {
	const tip = $('tip');
	tip.hidden = !lines;
	if (!lines) return;
	tip.replaceChildren(...lines.map((l, i) => h(i ? 'div' : 'b', {}, cut(l, 160))));
	tip.style.left = Math.max(4, Math.min(x + 14, innerWidth - tip.offsetWidth - 8)) + 'px';
	tip.style.top = (y + 18 + tip.offsetHeight > innerHeight ? y - tip.offsetHeight - 8 : y + 18) + 'px';
}

// ---- wheel, drag, keys ----

function choose(at) {
	if (at && view.lanes === 'site') look({ site: view.site === String(at.row) ? '' : String(at.row) });
	else if (at?.rec) look({ sel: line.run.idOf(at.rec) });
}

// Two fingers: the times below them stay below them.
const touch = new Map(); // pointer: x
let grip = null;

function pinchStart() {
	line.drag = null;
	grip = [...touch.values()].sort((a, b) => a - b).map(timeAt);
}

function pinch() {
	const [a, b] = [...touch.values()].sort((x, y) => x - y),
		m = geometry();
	if (!grip || b - a < 8) return;
	const scale = (grip[1] - grip[0]) / (b - a),
		from = grip[0] - (a - m.g) * scale;
	send(line.run, from, from + (m.width - m.g) * scale, true);
}

function pointerEvents() {
	const canvas = $('canvas'),
		box = $('scroll');
	canvas.addEventListener(
		'wheel',
		e => {
			if (e.offsetX < gutter()) return;
			e.preventDefault();
			const unit = e.deltaMode === 1 ? 30 : e.deltaMode === 2 ? 300 : 1;
			if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY))
				pan(line.run, ((e.deltaX || e.deltaY) * unit) / 1000);
			else
				zoom(
					line.run,
					Math.exp(Math.max(-300, Math.min(300, e.deltaY * unit)) / 400),
					timeAt(e.offsetX)
				);
		},
		{ passive: false }
	);
	canvas.addEventListener('pointerdown', e => {
		if (e.button) return;
		canvas.setPointerCapture(e.pointerId);
		if (e.pointerType === 'touch') touch.set(e.pointerId, e.offsetX);
		if (touch.size === 2) {
			pinchStart();
			return;
		}
		line.drag = {
			span: (e.offsetY < AXIS || e.shiftKey) && e.offsetX >= gutter() ? timeAt(e.offsetX) : null,
			x: e.offsetX,
			y: e.offsetY,
			from: range.goalFrom,
			to: range.goalTo,
			top: box.scrollTop,
			moved: false,
		};
	});
	canvas.addEventListener('pointermove', e => {
		const d = line.drag;
		if (touch.has(e.pointerId)) touch.set(e.pointerId, e.offsetX);
		if (touch.size >= 2) {
			pinch();
			return;
		}
		line.hover = { x: e.offsetX, y: e.offsetY };
		if (d && Math.hypot(e.offsetX - d.x, e.offsetY - d.y) > 4) d.moved = true;
		canvas.style.cursor = e.offsetY < AXIS && e.offsetX >= gutter() ? 'col-resize' : '';
		if (d?.moved && d.span !== null) {
			chooseSpan(d.span, timeAt(Math.max(gutter(), Math.min(e.offsetX, geometry().width))));
			showTip(e.clientX, e.clientY, [duration(spanOf()[1] - spanOf()[0])]);
		} else if (d?.moved) {
			const by = ((d.x - e.offsetX) / (geometry().width - gutter())) * (d.to - d.from);
			send(line.run, d.from + by, d.to + by, true);
			if (e.pointerType !== 'touch') box.scrollTop = d.top + d.y - e.offsetY;
			showTip();
		} else {
			const at = hit(e.offsetX, e.offsetY);
			showTip(e.clientX, e.clientY, at && tipText(line.run, at));
		}
		repaint();
	});
	canvas.addEventListener('pointerup', e => {
		const d = line.drag;
		if (d && d.span !== null) {
			if (d.moved) {
				look({ tab: 'span', sort: '' });
				announce(duration(spanOf()[1] - spanOf()[0]) + ' chosen');
			} else if (e.offsetY < AXIS) look({ span: '' });
		}
		if (d && !d.moved && touch.size < 2) choose(hit(e.offsetX, e.offsetY));
		line.drag = null;
		touch.delete(e.pointerId);
	});
	canvas.addEventListener('pointercancel', e => {
		// the browser scrolls the page instead
		line.drag = null;
		touch.delete(e.pointerId);
	});
	canvas.addEventListener('dblclick', e => {
		const at = hit(e.offsetX, e.offsetY),
			run = line.run;
		if (at?.item >= 0)
			centre(
				run,
				(run.start[at.item] + run.stop[at.item]) / 2,
				Math.max(1000, (run.stop[at.item] - run.start[at.item]) * 1.5)
			);
	});
	canvas.addEventListener('pointerleave', () => {
		line.hover = null;
		showTip();
		repaint();
	});
	box.addEventListener('scroll', repaint);
	canvas.addEventListener('focus', repaint);
	canvas.addEventListener('blur', repaint);
}

// Into view, and announced to those who listen.
function focusRow(index) {
	const box = $('scroll'),
		h = ROW[view.lanes],
		run = line.run;
	line.focus = Math.max(0, Math.min(line.rows.length - 1, index));
	if (line.focus < line.pinned) repaint();
	else if ((line.focus - line.pinned) * h < box.scrollTop) box.scrollTop = (line.focus - line.pinned) * h;
	else if ((line.focus + 1) * h + AXIS > box.scrollTop + box.clientHeight)
		box.scrollTop = (line.focus + 1) * h + AXIS - box.clientHeight;
	if (line.rows.length) announce(rowLabel(run, line.rows[line.focus]).join(', '));
	repaint();
}

// What the focused row does in the middle of the view.
function enter() {
	const run = line.run,
		row = line.rows[line.focus],
		m = geometry();
	if (row === undefined) return;
	const at = hit((m.g + m.width) / 2, AXIS + rowTop(m, line.focus) + m.h / 2);
	choose(at);
	if (at && !at.rec && view.lanes === 'worker') announce('Nothing runs there at ' + moment(run, at.t));
}

// From one stretch of the chosen coroutine (or of the row's worker) to the next.
function hop(by) {
	const run = line.run,
		sel = run.find(view.sel),
		middle = (range.goalFrom + range.goalTo) / 2;
	const list = sel ? run.stretch : view.lanes === 'worker' ? run.worker[line.rows[line.focus]]?.items : null;
	if (!list) return;
	const from = sel ? run.stretchFrom[sel] : 0,
		to = sel ? run.stretchFrom[sel + 1] : list.length;
	const k = by > 0 ? run.before(list, middle + 1, from, to) : run.before(list, middle - 1, from, to) - 1;
	if (k < from || k >= to) return;
	centre(run, run.start[list[k]]);
	announce(tipText(run, { item: list[k], row: 0, rec: sel, t: 0 }).join(', '));
}

const KEYS = {
	ArrowLeft: () => pan(line.run, -0.1),
	ArrowRight: () => pan(line.run, 0.1),
	a: () => pan(line.run, -0.25),
	d: () => pan(line.run, 0.25),
	'+': () => zoom(line.run, 0.7),
	'=': () => zoom(line.run, 0.7),
	w: () => zoom(line.run, 0.7),
	'-': () => zoom(line.run, 1 / 0.7),
	s: () => zoom(line.run, 1 / 0.7),
	ArrowUp: () => focusRow(line.focus - 1),
	ArrowDown: () => focusRow(line.focus + 1),
	PageUp: () => focusRow(line.focus - 10),
	PageDown: () => focusRow(line.focus + 10),
	Home: () => centre(line.run, line.run.first),
	End: () => centre(line.run, line.run.end),
	0: () => send(line.run, ...whole(line.run)),
	Enter: enter,
	' ': enter,
	m: () => {
		chooseSpan(range.goalFrom, range.goalTo);
		look({ tab: 'span', sort: '' });
	},
	p: () => line.rows.length && pin(pinName(line.run, line.rows[line.focus])),
	'[': () => hop(-1),
	']': () => hop(1),
};

function keyEvents() {
	$('canvas').addEventListener('keydown', e => {
		if (e.ctrlKey || e.metaKey || e.altKey || !KEYS[e.key]) return;
		e.preventDefault();
		KEYS[e.key]();
	});
	$('in').onclick = () => zoom(line.run, 0.5);
	$('out').onclick = () => zoom(line.run, 2);
	$('fit').onclick = () => send(line.run, ...whole(line.run));
}
