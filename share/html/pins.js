// pins.js - lanes that stay on top: those of coroutines, and of threads.

// Of the lanes that are shown: threads by tid as "t11", coroutines by id. Sites have none.
const pinName = (run, row) =>
	view.lanes === 'worker' ? 't' + run.worker[row].tid : view.lanes === 'coroutine' ? run.idOf(row) : '';
const pinned = name => view.pins.split(',').includes(name);

function pin(name) {
	const list = view.pins.split(',').filter(p => p && p !== name);
	if (!name) return;
	look({ pins: (pinned(name) ? list : [...list, name]).join(',') });
	announce(pinned(name) ? 'Pinned.' : 'No longer pinned.');
}

// Pinned rows first, whatever a filter says; how many.
function pinFirst(run) {
	const own = view.pins
		.split(',')
		.map(p => (view.lanes === 'worker' ? (p[0] === 't' ? run.workerOf.get(p.slice(1)) : undefined) : run.find(p)))
		.filter(row => row !== undefined && (view.lanes === 'worker' || (view.lanes === 'coroutine' && row)));
	line.rows = [...own, ...line.rows.filter(row => !own.includes(row))];
	line.pinned = Math.min(own.length, 8);
}

// Where a lane begins, below the axis; those that are not pinned pass below those that are.
const rowTop = (m, i) => i * m.h - (i < line.pinned ? 0 : m.top);
const rowShown = (m, i) => i < line.pinned || rowTop(m, i) + m.h > line.pinned * m.h;
