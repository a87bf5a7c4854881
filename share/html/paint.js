// paint.js - lanes of the timeline as pixels: however many events a lane has, a column of pixels costs two look-ups.

// The plot as words of pixels; x, y, w, h in device pixels.
class Plot {
	constructor(width, height) {
		this.image = new ImageData(Math.max(1, width), Math.max(1, height));
		this.word = new Uint32Array(this.image.data.buffer);
		this.width = width;
		this.height = height;
	}
	fill(x, y, w, h, color) {
		const a = Math.max(0, x),
			b = Math.min(this.width, x + w),
			last = Math.min(this.height, y + h);
		if (a >= b) return;
		if (b - a === 1) {
			for (let at = Math.max(0, y) * this.width + a; at < last * this.width; at += this.width)
				this.word[at] = color;
			return;
		}
		for (let row = Math.max(0, y); row < last; row++)
			this.word.fill(color, row * this.width + a, row * this.width + b);
	}
	hatch(x, y, w, h, color) {
		// what is summed up, or not known
		for (let row = Math.max(0, y); row < Math.min(this.height, y + h); row++)
			for (
				let col = Math.max(0, x) + (7 - ((Math.max(0, x) + row) % 7));
				col < Math.min(this.width, x + w);
				col += 7
			)
				this.word[row * this.width + col] = color;
	}
}

// How tall a state is in its lane: distinguished without colour, too.
const TALL = [0.3, 1, 0.42, 0.72];

function stateColor(run, item, faint) {
	const kind = run.col.kind[item] & 15;
	const p =
		kind === SUSPENDED
			? suspendedPixel[run.col.on_kind[item]]
			: kind === RUNNING
				? pixel.running
				: kind === RUNNABLE
					? pixel.runnable
					: kind === PARKED
						? pixel.parked
						: pixel.created;
	return faint ? faded(p) : p;
}

// The first of list[k..to) that is not within pixel x: one that begins there and goes on is drawn by itself.
function endOfColumn(run, list, k, to, from, scale, x) {
	const next = Math.max(k + 1, run.before(list, from + (x + 1) / scale, k, to));
	return next > k + 1 && Math.round((run.stop[list[next - 1]] - from) * scale) - x > 1 ? next - 1 : next;
}

// One coroutine: its stretches k, from `a` to `b` of run.stretch. `labels` takes what is wide enough for a word.
function paintCoroutine(plot, run, r, y, h, from, scale, labels) {
	const a = run.stretchFrom[r],
		b = run.stretchFrom[r + 1],
		list = run.stretch,
		to = from + plot.width / scale;
	const X = t => Math.round((t - from) * scale);
	const known = a < b ? run.start[list[a]] : run.ended(r);
	if (run.began(r) < known || run.col.older[r])
		plot.hatch(X(run.began(r)), y, X(known) - X(run.began(r)), h, pixel.dim);
	let k = Math.max(a, run.before(list, from, a, b) - 1);
	while (k < b && run.start[list[k]] < to) {
		const i = list[k],
			x = X(run.start[i]),
			end = X(run.stop[i]);
		if (end - x > 1 || k + 1 === b) {
			const kind = run.col.kind[i] & 15,
				tall = Math.max(1, Math.round(h * TALL[kind]));
			plot.fill(x, y + h - tall, Math.max(1, end - x), tall, stateColor(run, i));
			if (run.col.kind[i] & TORN) plot.hatch(x, y, end - x, h, pixel.bad);
			if (labels && kind === SUSPENDED && end - x > labels.least)
				labels.add(i, Math.max(0, x), y, Math.min(end, plot.width) - Math.max(0, x));
			k++;
			continue;
		}
		// Many in one column: each state as much of its height as it has of its time.
		const next = endOfColumn(run, list, k, b, from, scale, x),
			share = h * scale;
		if (next === k + 1) {
			const tall = Math.round(h * TALL[run.col.kind[i] & 15]);
			plot.fill(x, y + h - tall, 1, tall, stateColor(run, i));
			k = next;
			continue;
		}
		const ran = Math.min(h, Math.ceil((run.ran[next] - run.ran[k]) * share)),
			queued = Math.ceil((run.queued[next] - run.queued[k]) * share);
		const waited = run.waited[next] - run.waited[k];
		if (waited)
			plot.fill(
				x,
				y + h - Math.round(h * TALL[SUSPENDED]),
				1,
				Math.round(h * TALL[SUSPENDED]),
				suspendedPixel[run.col.on_kind[list[k]] || run.col.on_kind[list[next - 1]]]
			);
		plot.fill(x, y + h - Math.min(h, ran + queued), 1, Math.min(h, ran + queued), pixel.runnable);
		plot.fill(x, y + h - ran, 1, ran, pixel.running);
		k = next;
	}
}

// One thread: single runs and sleeps where they are known, else shares of cells.
function paintWorker(plot, run, w, y, h, from, scale, mask, labels) {
	const list = w.items,
		to = from + plot.width / scale,
		X = t => Math.round((t - from) * scale);
	if (w.cells)
		paintCells(
			plot,
			run,
			w,
			y,
			h,
			from,
			scale,
			Math.min(plot.width, X(run.dropped ? run.exact_from : run.first))
		);
	const start = run.dropped ? Math.max(from, run.exact_from) : from;
	let k = Math.max(0, run.before(list, start) - 1);
	while (k < list.length && run.stop[list[k]] < start) k++;
	while (k < list.length && run.start[list[k]] < to) {
		const i = list[k],
			x = Math.max(X(start), X(run.start[i])),
			end = X(run.stop[i]),
			park = (run.col.kind[i] & 15) === PARKED;
		if (end - x > 1) {
			const tall = park ? Math.max(2, Math.round(h * 0.16)) : h;
			plot.fill(
				x,
				y + h - tall,
				end - x - (end - x > 3 ? 1 : 0),
				tall,
				stateColor(run, i, mask && !park && !mask[run.rec[i]])
			);
			if (labels && !park && end - x > labels.least)
				labels.add(i, Math.max(0, x), y, Math.min(end, plot.width) - Math.max(0, x));
			k++;
			continue;
		}
		const next = endOfColumn(run, list, k, list.length, from, scale, x);
		const ran =
			next === k + 1 && !park ? h : Math.min(h, Math.ceil((w.busy[next] - w.busy[k]) * h * scale));
		if (w.slept[next] > w.slept[k])
			plot.fill(
				x,
				y + h - Math.max(2, Math.round(h * 0.16)),
				1,
				Math.max(2, Math.round(h * 0.16)),
				pixel.parked
			);
		plot.fill(x, y + h - ran, 1, ran, mask ? faded(pixel.running) : pixel.running);
		k = next;
	}
}

// Cells of equal width, as means of each column of pixels, up to column `end`.
function paintCells(plot, run, w, y, h, from, scale, end) {
	const { base, width, n, at } = w.cells,
		running = run.col.w_running,
		parked = run.col.w_parked;
	if (!w.sums) {
		w.sums = [running, parked].map(v => {
			const s = new Float64Array(n + 1);
			for (let i = 0; i < n; i++) s[i + 1] = s[i] + v[at + i];
			return s;
		});
	}
	const low = Math.max(2, Math.round(h * 0.16));
	for (let x = 0; x < end; x++) {
		const a = Math.floor((from + x / scale - base) / width),
			b = Math.min(n, Math.max(a + 1, Math.floor((from + (x + 1) / scale - base) / width)));
		if (b <= 0 || a >= n) continue;
		const mean = s => (s[b] - s[Math.max(0, a)]) / ((b - Math.max(0, a)) * 255);
		const ran = Math.ceil(mean(w.sums[0]) * h);
		if (mean(w.sums[1]) > 0.5) plot.fill(x, y + h - low, 1, low, pixel.parked);
		plot.fill(x, y + h - ran, 1, ran, pixel.running);
	}
	if (width * scale > 3) plot.hatch(0, y, end, h, pixel.ground);
}

// How many wait at a site, over time.
function paintSite(plot, p, y, h, from, scale, faint) {
	const { base, width, n } = p.cells,
		color = faint ? faded(pixel['on-fd']) : pixel['on-fd'];
	for (let x = 0; x < plot.width; x++) {
		const a = Math.floor((from + x / scale - base) / width),
			b = Math.min(n, Math.max(a + 1, Math.floor((from + (x + 1) / scale - base) / width)));
		let most = 0;
		for (let i = Math.max(0, a); i < b; i++) most = Math.max(most, p.levels[i]);
		if (most > 0)
			plot.fill(
				x,
				y + h - Math.max(1, Math.round((most / p.most) * h)),
				1,
				Math.max(1, Math.round((most / p.most) * h)),
				color
			);
	}
}
