// panes.js - edges of panes and of columns that can be dragged, or moved with arrow keys; kept for the next page.

const PANES = [
	// edge, CSS variable, what is measured, +1 where it grows to the right or downwards, least, most
	['grip-side', '--side', () => $('side').offsetWidth, 1, 180, 600],
	['grip-detail', '--detail', () => $('detail').offsetWidth, -1, 240, 900],
	['grip-line', '--lanes', () => $('scroll').offsetHeight, 1, 100, 2000],
];

function setPane(name, value, most) {
	document.documentElement.style.setProperty(name, value + 'px');
	if (name === '--lanes') line.height = Math.min(value, most);
	layOut();
	try {
		localStorage.setItem('corotrace' + name, String(value));
	} catch {
		/* not for files */
	}
}

function paneEvents() {
	for (const [id, name, size, sign, least, most] of PANES) {
		const edge = $(id),
			down = name === '--lanes',
			set = v => {
				const value = Math.round(Math.max(least, Math.min(most, v)));
				setPane(name, value, most);
				edge.setAttribute('aria-valuenow', String(value));
			};
		let drag = null;
		edge.addEventListener('pointerdown', e => {
			edge.setPointerCapture(e.pointerId);
			drag = [down ? e.clientY : e.clientX, size()];
		});
		edge.addEventListener('pointermove', e => {
			if (drag) set(drag[1] + sign * ((down ? e.clientY : e.clientX) - drag[0]));
		});
		for (const end of ['pointerup', 'pointercancel'])
			edge.addEventListener(end, () => {
				drag = null;
			});
		edge.addEventListener('keydown', e => {
			const by = { ArrowLeft: -20, ArrowRight: 20, ArrowUp: -20, ArrowDown: 20 }[e.key];
			if (!by) return;
			e.preventDefault();
			set(size() + sign * by);
		});
		edge.setAttribute('aria-valuemin', String(least));
		edge.setAttribute('aria-valuemax', String(most));
		edge.setAttribute('aria-valuenow', String(size()));
		try {
			const kept = Number(localStorage.getItem('corotrace' + name));
			if (kept >= least && kept <= most) set(kept);
		} catch {
			/* not for files */
		}
	}
}

// ---- columns ----

const widths = new Map(); // of a tab's column

// The right edge of a column's head.
function columnEdge(th, key) {
	const name = view.tab + ' ' + key,
		edge = h('span', { class: 'coledge', 'aria-hidden': 'true' });
	let drag = null;
	if (widths.has(name)) setColumn(th, widths.get(name));
	edge.addEventListener('pointerdown', e => {
		edge.setPointerCapture(e.pointerId);
		drag = [e.clientX, th.offsetWidth];
		e.stopPropagation();
	});
	edge.addEventListener('pointermove', e => {
		if (!drag) return;
		widths.set(name, Math.max(30, drag[1] + e.clientX - drag[0]));
		setColumn(th, widths.get(name));
	});
	edge.addEventListener('pointerup', () => {
		drag = null;
	});
	th.append(edge);
}

function setColumn(th, width) {
	th.style.width = th.style.minWidth = th.style.maxWidth = width + 'px';
	const at = [...th.parentElement.children].indexOf(th);
	for (const tr of th.closest('table').tBodies[0]?.rows ?? []) {
		const cell = tr.cells[at];
		cell.style.minWidth = '0';
		cell.style.maxWidth = width + 'px';
		cell.classList.add('cutcell');
	}
}
