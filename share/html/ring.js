// ring.js - the wait-for graph of a deadlock, drawn: each of its members, and whom it waits for on what.

const RING_MOST = 14;

function waitGraph(run, f) {
	const members_ = f.cycle.map(id => run.find(id)).filter(r => r);
	if (members_.length < 1 || members_.length > RING_MOST) return null;
	const n = members_.length,
		W = 340,
		H = n < 3 ? 120 : 90 + 32 * n,
		spot = new Map();
	members_.forEach((r, k) => {
		const angle = (2 * Math.PI * k) / n - (n === 2 ? Math.PI : Math.PI / 2);
		spot.set(r, [W / 2 + (W / 2 - 62) * Math.cos(angle), H / 2 + (H / 2 - 18) * Math.sin(angle)]);
	});
	const picture = svg('svg', {
		viewBox: `0 0 ${W} ${H}`,
		class: 'ring',
		role: 'group',
		'aria-label': 'Who waits for whom: ' + members_.map(r => run.label(r)).join(', '),
	});
	for (const r of members_) {
		const to = run.awaits(r);
		if (spot.has(to)) picture.append(ringEdge(run, r, spot.get(r), spot.get(to), r === to));
	}
	for (const r of members_) picture.append(ringNode(run, r, spot.get(r)));
	return picture;
}

const BOX = [57, 14];

function ringEdge(run, r, [x1, y1], [x2, y2], self) {
	const g = svg('g', { class: 'edge' }),
		dx = x2 - x1,
		dy = y2 - y1,
		long = Math.hypot(dx, dy) || 1,
		bend = self ? 0 : Math.min(34, long / 4);
	// To the left of the straight way, so that two that wait for one another have two edges.
	const mx = (x1 + x2) / 2 + (dy / long) * bend,
		my = (y1 + y2) / 2 - (dx / long) * bend;
	// It ends where it meets the box.
	const part = Math.max(1, Math.abs(mx - x2) / BOX[0], Math.abs(my - y2) / BOX[1]),
		ex = x2 + (mx - x2) / part,
		ey = y2 + (my - y2) / part,
		angle = Math.atan2(ey - my, ex - mx);
	const d = self
		? `M${x1 + 20} ${y1 - 12} C${x1 + 70} ${y1 - 60} ${x1 - 70} ${y1 - 60} ${x1 - 20} ${y1 - 13}`
		: `M${x1} ${y1} Q${mx} ${my} ${ex} ${ey}`;
	g.append(svg('path', { d }));
	const tip = self ? [x1 - 20, y1 - 13, Math.PI / 4] : [ex, ey, angle];
	g.append(
		svg('path', {
			class: 'tip',
			d: [0, 2.6, -2.6]
				.map((turn, k) =>
					k
						? `L${tip[0] + 8 * Math.cos(tip[2] + turn)} ${tip[1] + 8 * Math.sin(tip[2] + turn)}`
						: `M${tip[0]} ${tip[1]}`
				)
				.join(' '),
		})
	);
	// Beside the arrow, which it would hide between two boxes.
	const text = svg('text', {
		x: self ? x1 : (x1 + 2 * mx + ex) / 4,
		y: (self ? y1 - 40 : (y1 + 2 * my + ey) / 4 - (dx / long) * 10) + 3,
	});
	text.append(cut(run.on(run.last[r]) || '?', 22));
	g.append(text);
	return g;
}

function ringNode(run, r, [x, y]) {
	const go = () => showCoroutine(run, r),
		node = svg('g', {
			class: 'node' + (run.idOf(r) === view.sel ? ' own' : ''),
			role: 'button',
			tabindex: '0',
			'aria-label': 'Coroutine ' + run.label(r) + ', waits on ' + run.on(run.last[r]),
		});
	node.append(svg('rect', { x: x - 56, y: y - 13, width: 112, height: 26, rx: 5 }));
	const text = svg('text', { x, y: y + 4 });
	text.append(cut(run.shortLabel(r), 17));
	node.append(text);
	node.addEventListener('click', go);
	node.addEventListener('keydown', e => {
		if (e.key !== 'Enter' && e.key !== ' ') return;
		e.preventDefault();
		go();
	});
	return node;
}
