// chart.js - the whole run in four curves; a click goes to that moment, a drag chooses a piece of time.

const chart = { rows: [], cursor: 0.5, hover: -1, drag: null };
const CHART_ROW = 30,
	CHART_AXIS = 16;

function chartStart(run) {
	const c = run.col,
		seconds = run.series.width / 1e9;
	const created = c.s_created,
		runnable = c.s_runnable.map((v, i) => v + created[i]);
	chart.run = run;
	chart.rows = [
		['running', c.s_running, 'running', ''],
		['runnable', runnable, 'runnable', ''],
		['suspended', c.s_suspended, 'on-fd', ''],
		['events', Float64Array.from(c.s_events, (v, i) => (v + c.s_wakes[i]) / seconds), 'accent', '/s'],
	];
	// The last cell is not full: its rate is that of the part that is.
	const n = c.s_events.length,
		part = (run.end - run.series.base - (n - 1) * run.series.width) / run.series.width;
	if (n && part > 0.05 && part < 1) chart.rows[3][1][n - 1] /= part;
	for (const row of chart.rows) row.most = row[1].reduce((a, b) => Math.max(a, b), 0);
}

const gutter = () => (innerWidth < 760 ? 92 : 172);

function chartAt(x) {
	const [from, to] = whole(chart.run),
		g = gutter(),
		width = $('chart').clientWidth - g;
	return from + ((x - g) / width) * (to - from);
}

function paintChart() {
	const run = chart.run,
		canvas = $('chart'),
		width = $('scroll').clientWidth,
		height = 4 * CHART_ROW + CHART_AXIS;
	const c = fitCanvas(canvas, width, height),
		g = gutter(),
		[from, to] = whole(run),
		w = width - g;
	const X = t => g + ((t - from) / (to - from)) * w;
	c.fillStyle = ink.panel;
	c.fillRect(0, 0, width, height);
	for (const [a, b] of run.health.gaps) {
		c.fillStyle = ink.bad;
		c.globalAlpha = 0.25;
		c.fillRect(
			X(Math.max(a, from)),
			0,
			Math.max(1, X(Math.min(b, to)) - X(Math.max(a, from))),
			height - CHART_AXIS
		);
		c.globalAlpha = 1;
	}
	chart.rows.forEach((row, i) => paintCurve(c, row, i * CHART_ROW, g, w, from, to));
	paintAxis(c, run, from, to, g, w, height - CHART_AXIS, CHART_AXIS);
	// What the timeline shows; the rest lies in shade.
	const a = Math.max(g, X(range.from)),
		b = Math.min(width, X(range.to));
	if (range.to - range.from < (to - from) * 0.999) {
		c.fillStyle = ink.ground;
		c.globalAlpha = 0.55;
		c.fillRect(g, 0, a - g, height - CHART_AXIS);
		c.fillRect(b, 0, width - b, height - CHART_AXIS);
		c.globalAlpha = 1;
		c.strokeStyle = ink.accent;
		c.strokeRect(a + 0.5, 0.5, Math.max(1, b - a - 1), height - CHART_AXIS - 1);
	}
	const at = chart.hover >= 0 ? chart.hover : document.activeElement === canvas ? g + chart.cursor * w : -1;
	if (at >= g) {
		c.fillStyle = ink.text;
		c.fillRect(Math.round(at), 0, 1, height - CHART_AXIS);
	}
}

function paintCurve(c, row, y, g, w, from, to) {
	const [label, values, color, unit] = row,
		{ base, width } = chart.run.series,
		h = CHART_ROW - 5;
	const at = chart.hover >= 0 ? Math.floor((chartAt(chart.hover) - base) / width) : -1;
	c.fillStyle = ink[color];
	for (let x = 0; x < w; x++) {
		const a = Math.max(0, Math.floor((from + (x / w) * (to - from) - base) / width));
		const b = Math.min(
			values.length,
			Math.max(a + 1, Math.floor((from + ((x + 1) / w) * (to - from) - base) / width))
		);
		let v = 0;
		if (
			from + ((x + 1) / w) * (to - from) < chart.run.first ||
			from + (x / w) * (to - from) > chart.run.end
		)
			continue;
		for (let i = a; i < b; i++) v = Math.max(v, values[i]);
		if (v > 0)
			c.fillRect(
				g + x,
				y + CHART_ROW - 1 - Math.max(1, (v / row.most) * h),
				1,
				Math.max(1, (v / row.most) * h)
			);
	}
	c.fillStyle = ink.rule;
	c.fillRect(0, y + CHART_ROW - 1, g + w, 1);
	const narrow = g < 120;
	c.font = (narrow ? '10px ' : '11px ') + FONT;
	c.textBaseline = 'middle';
	c.textAlign = 'left';
	c.fillStyle = ink.text;
	c.fillText(label, 8, y + (narrow ? 9 : CHART_ROW / 2));
	c.textAlign = narrow ? 'left' : 'right';
	c.fillStyle = ink.dim;
	c.fillText(
		at >= 0 && at < values.length ? count(values[at]) + unit : '\u2264 ' + count(row.most) + unit,
		narrow ? 8 : g - 8,
		y + (narrow ? 21 : CHART_ROW / 2)
	);
}

function paintAxis(c, run, from, to, g, w, y, h) {
	const step = steps(to - from, w / 110);
	c.font = '10px ' + FONT;
	c.textBaseline = 'middle';
	c.textAlign = 'center';
	for (let t = Math.ceil((from - run.first) / step) * step; t + run.first <= to; t += step) {
		const x = Math.round(g + ((t + run.first - from) / (to - from)) * w);
		c.fillStyle = ink.rule;
		c.fillRect(x, y, 1, 4);
		c.fillStyle = ink.dim;
		const text = axisText(t, step),
			half = c.measureText(text).width / 2;
		if (x - half >= g && x + half <= g + w) c.fillText(text, x, y + h / 2 + 2);
	}
}

// A time of an axis, in the unit of its steps.
function axisText(t, step) {
	const [unit, name] =
		Math.abs(t) + step >= 1e9
			? [1e9, 's']
			: step >= 1e5
				? [1e6, 'ms']
				: step >= 100
					? [1e3, '\u00b5s']
					: [1, 'ns'];
	const v = t / unit;
	return (
		(t < 0 ? '' : '+') +
		v.toFixed(Math.min(9, Math.max(0, Math.ceil(-Math.log10(step / unit) - 1e-9)))) +
		'\u202f' +
		name
	);
}

function goTo(t) {
	const run = chart.run,
		[from, to] = whole(run),
		span = range.goalTo - range.goalFrom;
	centre(run, t, span > (to - from) / 2 ? (to - from) / 10 : span);
	announce('Timeline shows ' + moment(run, t));
}

function chartEvents() {
	const canvas = $('chart');
	canvas.addEventListener('pointerdown', e => {
		canvas.setPointerCapture(e.pointerId);
		chart.drag = e.offsetX;
	});
	canvas.addEventListener('pointermove', e => {
		chart.hover = e.offsetX;
		if (chart.drag !== null && Math.abs(e.offsetX - chart.drag) > 4)
			send(chart.run, ...[chartAt(chart.drag), chartAt(e.offsetX)].sort((a, b) => a - b), true);
		repaint();
	});
	canvas.addEventListener('pointerup', e => {
		if (chart.drag !== null && Math.abs(e.offsetX - chart.drag) <= 4) goTo(chartAt(e.offsetX));
		chart.drag = null;
	});
	canvas.addEventListener('pointerleave', () => {
		chart.hover = -1;
		repaint();
	});
	canvas.addEventListener('keydown', e => {
		const by = { ArrowLeft: -0.01, ArrowRight: 0.01, PageDown: -0.1, PageUp: 0.1, Home: -1, End: 1 }[e.key];
		if (by === undefined && e.key !== 'Enter' && e.key !== ' ') return;
		e.preventDefault();
		chart.cursor = Math.min(1, Math.max(0, chart.cursor + (by ?? 0)));
		const [from, to] = whole(chart.run),
			t = from + chart.cursor * (to - from);
		const i = Math.min(
			Math.max(0, Math.floor((t - chart.run.series.base) / chart.run.series.width)),
			chart.rows[0][1].length - 1
		);
		canvas.setAttribute('aria-valuenow', Math.round(chart.cursor * 1000));
		canvas.setAttribute(
			'aria-valuetext',
			moment(chart.run, t) +
				': ' +
				chart.rows.map(r => count(r[1][i] ?? 0) + r[3] + ' ' + r[0]).join(', ')
		);
		if (by === undefined) goTo(t);
		repaint();
	});
	canvas.addEventListener('focus', repaint);
	canvas.addEventListener('blur', repaint);
}
