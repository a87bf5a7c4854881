"""html-drive.py [N] - drive pages of ct-html in headless Chromium. Each line of stdin is SCENARIO PAGE [ARG]: TAP from N+1 on.

Each scenario also requires: nothing on the console, nothing thrown, no request but for the page itself. All have the same
browser, and a window of their own. A busy machine makes a browser late: what fails, fails three times, the last two in new ones.
"""
import sys
import traceback

sys.dont_write_bytecode = True
from html_browser import Browser  # noqa: E402


def same(got, want, what):
    if got != want:
        raise AssertionError(f'{what}: {got!r}, not {want!r}')


def holds(value, what):
    if not value:
        raise AssertionError(what)


def text(b, selector):
    return b.js(f'document.querySelector({selector!r}).innerText')


def span(b):
    return b.js('range.goalTo - range.goalFrom')


def verdict(b, page, want):
    """The sentence on top says it."""
    b.open(page)
    holds(want in text(b, '#verdict').replace('\u202f', ' '), f'{want!r} is not in {text(b, "#verdict")!r}')


def about(b, page, want):
    """The line below it does."""
    b.open(page)
    holds(want in text(b, '#about').replace('\u202f', ' '), f'{want!r} is not in {text(b, "#about")!r}')


def moment(b, page, _):
    """A snapshot of memory does not say since when: ages are question marks."""
    b.open(page)
    holds('one moment of its memory' in text(b, 'header'), text(b, 'header'))
    same(b.js('document.querySelector("#findings .pick .age").textContent'), '?', 'the age of a finding')
    same(b.js('[...document.querySelectorAll("#table td, main td")].filter(t => t.textContent === "?").length > 0'), True, 'ages in the table')


def look(b, page, _):
    """A trace as judge.sh makes them: what stands where."""
    b.open(page)
    holds('lost their wakeup' in text(b, '#verdict'), text(b, '#verdict'))
    same(b.js('document.querySelectorAll("#findings .group").length'), 1, 'groups')
    holds('closed-resource' in text(b, '#findings'), 'the finding is told')
    holds('end line' in text(b, '#health'), 'health is told')
    same(b.js('line.rows.length'), 2, 'two worker lanes')
    b.press('#findings .pick')
    holds('sel=' in b.js('location.hash'), 'the address carries the coroutine: ' + b.js('location.hash'))
    details = text(b, '#details')
    for word in ('fd:', 'f2() f.c:20', 'closed', 'Who should have woken it', 'Await chain', 'History'):
        holds(word in details, f'{word} is not in the details: {details}')
    b.key('Escape')
    same(b.js('view.sel'), '', 'Escape closes it')


def zoom(b, page, _):
    """Wheel, drag and keys move through time; the address follows and leads back."""
    b.open(page, '#t=all')
    x, y = b.at('#canvas')
    whole = span(b)
    b.wheel(x, y, -300)
    near = span(b)
    holds(near < whole * 0.7, f'the wheel zooms in: {whole} {near}')
    holds('t=' in b.js('location.hash'), 'the address carries the time')
    at = b.js(f'timeAt({x} - document.getElementById("canvas").getBoundingClientRect().x)')
    b.wheel(x, y, -200)
    holds(abs(at - b.js(f'timeAt({x} - document.getElementById("canvas").getBoundingClientRect().x)')) < near / 50, 'at the pointer')
    a = b.js('range.goalFrom')
    b.drag(x, y, x - 120, y)
    holds(b.js('range.goalFrom') > a, 'dragging to the left moves on')
    a = b.js('range.goalFrom')
    b.wheel(x, y, 200, shift=True)
    holds(b.js('range.goalFrom') > a, 'Shift and wheel move')
    b.js('document.getElementById("canvas").focus()')
    a = b.js('range.goalFrom')
    b.key('ArrowLeft')
    holds(b.js('range.goalFrom') < a, 'the left arrow goes back')
    a = span(b)
    b.key('+')
    holds(span(b) < a, 'plus zooms in')
    b.key('-')
    holds(abs(span(b) - a) < a / 100, 'minus zooms out again')
    kept = b.js('location.hash')
    seen = (b.js('range.goalFrom'), b.js('range.goalTo'))
    b.key('0')
    same(span(b), whole, '0 shows all')
    holds(b.js('location.hash') in ('', '#', '#t=all'), 'all of it needs no numbers in the address')
    b.js(f'location.hash = {kept!r}')
    b.settle()
    holds(abs(b.js('range.goalFrom') - seen[0]) < 2, 'an address brings its time')
    b.open(page, kept)
    holds(abs(b.js('range.goalFrom') - seen[0]) < 2, 'in a new window, too')
    for button, ok in (('#in', lambda a, z: z < a), ('#out', lambda a, z: z > a), ('#fit', lambda a, z: z == whole)):
        a = span(b)
        b.press(button)
        holds(ok(a, span(b)), button)
    for i in range(60):     # as far as it goes, and no error
        b.mouse('mouseWheel', x, y, deltaX=0, deltaY=-300)
    b.settle()
    same(round(span(b)), 100, 'not closer than 100 ns')
    for i in range(90):
        b.mouse('mouseWheel', x, y, deltaX=0, deltaY=300)
    b.settle()
    same(span(b), whole, 'not farther than all')


def lanes(b, page, _):
    """Lanes of coroutines and sites; a click on one chooses it; the pointer is told what it is on."""
    b.open(page)
    b.press('[data-lanes=coroutine]')
    same(b.js('line.rows.length'), b.js('line.run.n - 1'), 'a lane for each coroutine')
    holds('lanes=coroutine' in b.js('location.hash'), 'the address carries the lanes')
    x, y, w = b.js('(r => [r.x, r.y, r.width])(document.getElementById("canvas").getBoundingClientRect())')
    b.move(x + w - 30, y + 22 + 8)
    b.settle()
    holds(b.js('!document.getElementById("tip").hidden') and 'suspended on' in text(b, '#tip'), 'the tip: ' + text(b, '#tip'))
    b.click(x + w - 30, y + 22 + 8)
    same(b.js('view.sel'), b.js('line.run.idOf(line.rows[0])'), 'a click chooses')
    b.js('document.getElementById("canvas").focus()')
    b.key('ArrowDown')
    b.key('Enter')
    same(b.js('view.sel'), b.js('line.run.idOf(line.rows[1])'), 'so does Enter')
    holds(b.js('document.getElementById("say").textContent') != '', 'and is told to those who hear')
    holds('Coroutine ' + b.js('view.sel') in text(b, '#detail-title'), 'its details are shown')
    b.key('[')
    b.press('[data-lanes=site]')
    holds(b.js('line.rows.length') > 0, 'lanes of sites')
    x, y, w = b.js('(r => [r.x, r.y, r.width])(document.getElementById("canvas").getBoundingClientRect())')
    b.click(x + w / 2, y + 22 + 12)
    same(b.js('view.site'), b.js('String(line.rows[0])'), 'a click on a site filters by it')
    b.press('[data-lanes=worker]')
    holds(b.js('line.rows.length') > 0, 'lanes of workers')


def filters(b, page, _):
    """Search, state, finding and site leave what matches, everywhere."""
    b.open(page, '#lanes=coroutine')
    everyone = b.js('line.rows.length')
    b.js('document.getElementById("search").focus()')
    b.call('Input.insertText', text='conn')
    b.until('view.q === "conn"')
    b.settle()
    same(b.js('line.rows.length'), 1, 'lanes with that name')
    same(b.js('document.querySelectorAll("#panel tbody tr").length'), 1, 'rows with that name')
    b.until('location.hash.includes("q=conn")')
    b.js('look({q: ""})')
    for key, value, n in (('state', 'suspended:fd', 3), ('state', 'ended', 1), ('group', '1', 2), ('q', 'f2', 3), ('q', 'f2 f.c', 3), ('q', 'f2() f.c', 3), ('q', 'nobody', 0)):
        b.js(f'look({{q: "", state: "", group: "", site: "", [{key!r}]: {value!r}}})')
        b.settle()
        same(b.js('line.rows.length'), n, f'{key}={value}')
        if key != 'q':
            same(b.js(f'document.getElementById({key!r}).value'), value, 'the control shows it')
    b.js('look({q: ""})')
    b.press('#findings .chip')
    same((b.js('view.group'), b.js('line.rows.length')), ('1', 2), 'Filter at the finding')
    b.press('#findings .chip')
    same(b.js('line.rows.length'), everyone, 'and again: all')
    select = b.js('document.getElementById("state").focus(), document.activeElement.id')
    same(select, 'state', 'the filters take the focus')


def tables(b, page, _):
    """Tables sort, turn pages and lead to the coroutine; the tree opens with keys."""
    b.open(page)
    ids = 'Array.from(document.querySelectorAll("#panel tbody [data-sel]"), e => e.dataset.sel).join(" ")'
    first = b.js(ids)
    b.press('[data-sort=id]')
    up = b.js(ids)
    same(b.js('document.querySelector("th[aria-sort]").getAttribute("aria-sort")'), 'ascending', 'sorted')
    b.press('[data-sort=id]')
    same(b.js(ids), ' '.join(reversed(up.split())), 'the other way round')
    holds('sort=-id' in b.js('location.hash'), 'the address carries the order')
    b.press('[data-sort=id]')
    same(b.js(ids), first, 'as it was')
    b.press('#panel tbody [data-sel]')
    same(b.js('view.sel'), first.split()[0], 'a row leads to its coroutine')
    b.press('#tab-sites')
    holds('f2() f.c:20' in text(b, '#panel') and b.js('document.querySelectorAll("#panel svg.spark").length') > 0, 'sites with distributions')
    b.press('#panel .time')
    holds(b.js('view.t') != '', 'the longest leads to its moment')
    b.press('#tab-threads')
    holds('w11' in text(b, '#panel'), 'threads')
    b.js('document.getElementById("tab-threads").focus()')
    b.key('ArrowLeft')
    b.key('ArrowLeft')
    same(b.js('view.tab'), 'tree', 'arrows turn tabs')
    holds(b.js('document.querySelectorAll("[role=treeitem]").length') > 0, 'a tree')
    b.js('document.querySelector("[role=treeitem]").focus()')
    b.key('ArrowDown')
    b.key('End')
    b.key('Home')
    b.key('ArrowRight')
    b.key('ArrowLeft')
    b.key('Enter')
    holds(b.js('view.sel') != '' and b.js('document.querySelectorAll("[role=treeitem][tabindex=\\"0\\"]").length') == 1, 'one item has the focus')


def overview(b, page, _):
    """A click in the curves leads to that moment, a drag chooses a piece, keys do both."""
    b.open(page)
    x, y = b.at('#chart')
    whole = span(b)
    left = b.js('document.getElementById("chart").getBoundingClientRect().x')
    t = b.js(f'chartAt({x + 80} - {left})')
    b.click(x + 80, y)
    holds(b.js('range.goalFrom') < t < b.js('range.goalTo') and span(b) < whole / 5, 'a click goes there')
    b.drag(x, y, x + 100, y)
    want = b.js(f'chartAt({x + 100} - {left}) - chartAt({x} - {left})')
    holds(abs(span(b) - want) < want / 20, 'a drag chooses')
    b.js('document.getElementById("chart").focus()')
    b.key('Home')
    b.key('ArrowRight')
    holds('running' in b.js('document.getElementById("chart").getAttribute("aria-valuetext")'), 'values are told')
    b.key('Enter')
    holds(b.js('range.goalFrom') <= b.js('chart.run.first'), 'Enter goes there')


def themes(b, page, _):
    """Light, dark, wide, narrow; enough contrast in both."""
    contrast = '''(() => {
        const rgb = s => { const c = document.createElement('canvas').getContext('2d'); c.fillStyle = s; c.fillRect(0, 0, 1, 1); return [...c.getImageData(0, 0, 1, 1).data]; };
        const lum = ([r, g, b]) => [r, g, b].map(v => v / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4).reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
        const ground = e => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor); if (c[3] === 255) return c; } return [255, 255, 255]; };
        const low = new Set();
        for (const e of document.querySelectorAll('body *')) {
            if (![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()) || !e.getClientRects().length || e.closest('script, noscript, .hush, .skip') || e.disabled)
                continue;
            const a = lum(rgb(getComputedStyle(e).color)), b = lum(ground(e)), r = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
            if (r < 4.5)
                low.add(e.tagName + '.' + e.className + ' ' + r.toFixed(2) + ' ' + e.textContent.slice(0, 30));
        }
        return [...low].join('; ');
    })()'''
    for dark in (False, True):
        for width in (1500, 1100, 700, 360):
            b.resize(width, 800)
            b.theme(dark)
            b.open(page, '#lanes=coroutine')
            b.js('document.querySelector("#findings .pick").click()')
            b.settle()
            same(b.js('document.documentElement.dataset.theme'), 'dark' if dark else 'light', 'the theme')
            same(b.js(contrast), '', f'contrast at {width}, dark {dark}')
            holds(b.js(WIDEST) <= width, f'nothing sticks out at {width}')
    b.press('#theme')
    same(b.js('document.documentElement.dataset.theme'), 'light', 'the button changes it')


def access(b, page, _):
    """Names, roles and a way through with Tab alone."""
    b.open(page, '#lanes=coroutine')
    tree = b.call('Accessibility.getFullAXTree')['nodes']
    for n in tree:
        role, name = n.get('role', {}).get('value'), n.get('name', {}).get('value', '')
        if role in ('button', 'combobox', 'searchbox', 'radio', 'tab', 'slider', 'link', 'application', 'tree', 'treeitem', 'table') and not n.get('ignored'):
            holds(name.strip(), f'a {role} without a name')
    roles = {n.get('role', {}).get('value') for n in tree if not n.get('ignored')}
    for role in ('banner', 'main', 'complementary', 'tablist', 'tabpanel', 'radiogroup', 'table', 'heading', 'status', 'slider', 'application'):
        holds(role in roles, f'no {role}')
    same(b.js('''[...document.querySelectorAll('button, select, input, canvas, summary, [tabindex="0"]')]
        .filter(e => e.getClientRects().length && !e.closest('header, main, aside, section[aria-label], dialog')).map(e => e.id || e.outerHTML).join()'''),
         '', 'all that takes the focus stands within a landmark')
    seen = []
    for _ in range(60):
        b.call('Input.dispatchKeyEvent', type='keyDown', key='Tab', windowsVirtualKeyCode=9)
        seen.append(b.js('document.activeElement.id || document.activeElement.dataset.lanes || document.activeElement.dataset.tab || document.activeElement.tagName'))
    for stop in ('link', 'theme', 'keys', 'chart', 'coroutine', 'search', 'state', 'group', 'site', 'canvas', 'tab-coroutines'):
        holds(stop in seen, f'Tab does not come to {stop}: {seen}')
    b.js('document.activeElement.blur()')
    b.key('?')
    holds(b.js('document.getElementById("help").open'), '? lists the keys')
    b.key('Escape')
    holds(not b.js('document.getElementById("help").open'), 'Escape closes the list')
    b.key('/')
    same(b.js('document.activeElement.id'), 'search', '/ goes to the search')


def policy(b, page, _):
    """The page may not reach the network, even when told to, and its own policy says so."""
    b.open(page)
    same(b.js('performance.getEntriesByType("resource").length'), 0, 'resources')
    same(b.js('fetch("http://127.0.0.1:9/").then(() => "reached", () => "refused")'), 'refused', 'fetch')
    same(b.js('new Promise(r => { const i = new Image(); i.onload = () => r("loaded"); i.onerror = () => r("refused"); i.src = "http://127.0.0.1:9/x.png"; })'), 'refused', 'images')
    same(b.js('(() => { try { document.body.innerHTML = "<b>x</b>"; return "set"; } catch { return "refused"; } })()'), 'refused', 'HTML from strings')
    b.complaints.clear()
    b.requests[:] = [r for r in b.requests if not r.startswith('http://127.0.0.1:9/')]


def hostile(b, page, _):
    """Names that are markup, control characters, right to left or a megabyte long are shown and do nothing."""
    b.open(page, '#lanes=coroutine')
    same(b.js('window.pwned === undefined'), True, 'nothing of a name has run')
    same(b.js('document.title'), 'x \u2013 corotrace', 'of an odd command its words are shown, and the page')
    for r in range(1, b.js('line.run.n')):
        b.js(f'showCoroutine(line.run, {r})')
        b.settle()
        holds(b.js('!/[\\u0000-\\u0008\\u000b-\\u001f\\u202a-\\u202e\\u2066-\\u2069]/.test(document.body.innerText)'), 'control characters are shown as numbers')
        holds(b.js('!/\\p{M}{5}/u.test(document.body.innerText)'), 'marks that pile up are, too')
    for tab in ('tree', 'sites', 'threads', 'coroutines'):
        b.press(f'#tab-{tab}')
    b.js('look({q: "script"})')
    b.settle()
    holds(b.js('line.rows.length') >= 1, 'they can be searched for')
    same(b.js('document.querySelectorAll("#panel script, #details script, #panel img, #details img").length'), 0, 'no element comes of a name')
    holds(b.js('document.body.innerText.length') < 200000, 'a megabyte is cut')
    b.js('look({q: ""})')
    b.settle()
    holds(40 < b.js('Math.max(...Array.from(document.querySelectorAll("#panel tbody th"), e => e.textContent.length))') < 50,
          'and leaves the other columns their room')
    same(b.js('window.pwned === undefined'), True, 'nothing of a name has run')


def figures(b, page, want):
    """Of a month or a moment, figures are what they are; of a name from right to left, its number stands before it."""
    b.open(page)
    same(b.js('[0, 0.0000041, 0.006, 0.4, 12.6, 5722].map(count).join(" ")').replace('\u202f', ''), '0 0.0000041 0.006 0.40 12.6 5722', 'numbers')
    numbers = b.js('document.getElementById("numbers").innerText').replace('\u202f', ' ').split('\n')
    same(numbers[numbers.index('events a second') + 1], want, 'events a second')
    name = 'document.querySelector("#panel tbody bdi")'
    holds('\u05e9' in b.js(f'{name}.textContent') and b.js(f'{name}.matches(":dir(ltr)")'), 'the number stands first')


def shortened(b, page, _):
    """Go's functions by their package's last name, and a site by function, last folder, file and line; whole on hover."""
    b.open(page, '#lanes=coroutine')
    row = "document.querySelector('#panel tbody tr')"
    same(b.js('line.rows.length'), 1, 'the runtime\'s own are in no lane')
    same(b.js('document.querySelectorAll("#panel tbody tr").length'), 1, 'and in no row')
    same(b.js('document.getElementById("shown").textContent').replace('\u202f', ' '), '1 coroutine, 1 of the runtime', 'it says that there are')
    b.js('look({state: "runtime"})')
    b.settle()
    same(b.js('[line.rows.length, line.run.idOf(line.rows[0])].join()'), '1,8', 'and shows them on request')
    b.js('look({state: ""})')
    b.settle()
    same(b.js(row + ".querySelector('th').textContent"), '7 \u201cbundler.(*scanner).parse\u201d', 'its name')
    holds('github.com/who/what/internal/' in b.js(row + ".querySelector('th bdi').title"), 'whole on hover')
    same(b.js(row + ".querySelector('.at').textContent"), 'bundler.(*scanner).parse() \u2026/bundler/bundler.go:1634', 'its site')
    holds(b.js(row + ".querySelector('.at bdi').title").endswith('what@v1.2.3/internal/bundler/bundler.go:1634'), 'whole on hover')
    same(b.js('rowLabel(line.run, line.rows[0])[0]'), '7 bundler.(*scanner).parse', 'its lane')


def linked(b, page, tab):
    """A link to a tab about the time shown opens it with that time."""
    b.open(page, f'#tab={tab}')
    b.settle()
    shown = b.js('(([from, to]) => duration(to - from))(countedSpan(line.run))')
    holds(shown in text(b, '#panel'), f'{shown} is not in {text(b, "#panel")}')


def addresses(b, page, _):
    """Any address is taken, and makes no harm."""
    for fragment in ('#', '#t=', '#t=a,b', '#t=1e300,5', '#t=-5,-5', '#lanes=none', '#tab=none', '#sort=none', '#group=99', '#site=x', '#sel=nobody',
                     '#sel=%', '#q=%E0%A4%A', '#run=77', '#state=:', '#q=(', '#' + 'x' * 5000, '#__proto__=1&constructor=2', '#t=0,99999999999999999999'):
        b.open(page, fragment)
        b.settle()
        holds(b.js('line.run.n > 0 && Number.isFinite(range.from) && range.to > range.from'), fragment)
    b.open(page, '#lanes=place&tab=places&place=1')
    b.settle()
    same(b.js('[view.lanes, view.tab, view.site].join()'), 'site,sites,1', 'a link to an older page, which called a site a place')


def printed(b, page, _):
    """On paper all panes stand below one another, and nothing is cut at the window's edge."""
    b.open(page)
    b.press('#findings .pick')
    b.call('Emulation.setEmulatedMedia', media='print')
    b.settle()
    same(b.js("""['side', 'main', 'detail', 'panel'].filter(id => {
        const e = document.getElementById(id);
        return e.scrollHeight > e.clientHeight + 1 && getComputedStyle(e).overflowY !== 'visible';
    }).join()"""), '', 'panes that are cut')
    holds(b.js('document.getElementById("detail").getBoundingClientRect().top >= document.getElementById("main").getBoundingClientRect().bottom - 1'),
          'the details stand below')
    same(b.js('getComputedStyle(document.getElementById("tools")).display'), 'none', 'no buttons')


def runs(b, page, _):
    """Several runs in a file: the worst first, the others by the list."""
    b.open(page)
    same(b.js('line.run.run'), 2, 'the run with the finding')
    holds('2 runs' in text(b, '#health'), 'health says that there are two')
    for width in (1280, 390):
        b.resize(width, 844)
        b.settle()
        holds(b.js(WIDEST) <= width, f'nothing sticks out at {width}')
        holds(b.js('document.getElementById("verdict").getBoundingClientRect().width') > width / 3, f'the verdict has room at {width}')
    b.js('location.hash = "#run=1"')
    b.until('document.documentElement.dataset.ready && line.run.run === 1')
    holds('No coroutine was forgotten' in text(b, '#verdict'), text(b, '#verdict'))


def summed(b, page, _):
    """Most of it summed up: the page says so, and nothing breaks at any zoom."""
    b.open(page)
    holds(b.js('line.run.dropped') > 0 and 'summed up' in text(b, '#health'), 'it says so')
    for width in 1400, 800:
        b.resize(width, 900)
        b.press('#fit')
        b.settle()
        said = b.js('''(() => { const f = CanvasRenderingContext2D.prototype.fillText; let y = -1;
            CanvasRenderingContext2D.prototype.fillText = function (t, x, at) { if (/^summed up/.test(t)) y = at; return f.apply(this, arguments); };
            paintTimeline(); CanvasRenderingContext2D.prototype.fillText = f; return y; })()''')
        holds(said - 10 >= b.js('AXIS + line.rows.length * ROW.worker'), f'below the last lane, at {width}')
    x, y = b.at('#canvas')
    for mode in ('worker', 'coroutine', 'site'):
        b.press(f'[data-lanes={mode}]')
        b.press('#fit')
        for _ in range(6):
            b.move(x - 200, y)
            b.wheel(x - 200, y, -300)
    share = b.js('line.run.col.w_running.reduce((s, v) => s + v, 0)')
    holds(share > 0, 'threads were busy')


# In a narrow window the body scrolls, and the root knows nothing of that.
WIDEST = 'Math.max(document.documentElement.scrollWidth, document.body.scrollWidth)'
# Texts that stand on one another, as far as both are seen; the head of a table lies above its rows by design.
OVERLAPS = '''(() => {
    const clips = new Map(), everything = { l: -1e9, t: -1e9, r: 1e9, b: 1e9 };
    const seen = e => {
        if (!e || e === document.documentElement) return everything;
        let r = clips.get(e);
        if (r) return r;
        r = seen(e.parentElement);
        if (e !== document.body && getComputedStyle(e).overflow !== 'visible') {
            const c = e.getBoundingClientRect();
            r = { l: Math.max(r.l, c.left), t: Math.max(r.t, c.top), r: Math.min(r.r, c.right), b: Math.min(r.b, c.bottom) };
        }
        clips.set(e, r);
        return r;
    };
    const boxes = [];
    for (const e of document.querySelectorAll('body *')) {
        if (e.closest('script, noscript, .hush, .skip, option, dialog, #tip')) continue;
        const clip = seen(e);
        for (const n of e.childNodes) {
            if (n.nodeType !== 3 || !n.data.trim()) continue;
            const range = document.createRange();
            range.selectNodeContents(n);
            for (const c of range.getClientRects()) {
                const b = { e, text: n.data.trim().slice(0, 30), l: Math.max(c.left, clip.l), t: Math.max(c.top + 2, clip.t),
                    r: Math.min(c.right, clip.r), b: Math.min(c.bottom - 2, clip.b) };
                if (b.r - b.l > 2 && b.b - b.t > 2) boxes.push(b);
            }
        }
    }
    const bad = new Set();
    boxes.sort((a, b) => a.t - b.t);
    for (let i = 0; i < boxes.length; i++)
        for (let k = i + 1; k < boxes.length && boxes[k].t < boxes[i].b; k++) {
            const a = boxes[i], b = boxes[k];
            if (a.e === b.e || !!a.e.closest('thead') !== !!b.e.closest('thead')) continue;
            if (Math.min(a.r, b.r) - Math.max(a.l, b.l) > 2 && Math.min(a.b, b.b) - Math.max(a.t, b.t) > 2)
                bad.add(a.text + ' / ' + b.text);
        }
    return [...bad].slice(0, 5).join('; ');
})()'''


def widths(b, page, _):
    """At no width, zoom or tab does a text stand on another, with the detail pane open or not."""
    for width, height, scale in ((1920, 1080, 1), (1280, 900, 1), (1000, 700, 1), (999, 700, 1), (800, 900, 1), (640, 450, 2), (390, 844, 2)):
        b.resize(width, height, scale)
        b.open(page)
        b.settle()
        same(b.js(OVERLAPS), '', f'texts on texts at {width}')
        b.js('(document.querySelector("#findings .pick") ?? document.querySelector("#findings .point summary")).click()')
        b.settle()
        b.js('document.querySelector("#findings .pick").click()')
        b.settle()
        for tab in ('coroutines', 'tree', 'sites', 'threads', 'span', 'flame'):
            b.js(f'document.querySelector("[data-tab={tab}]").click()')
            b.settle()
            same(b.js(OVERLAPS), '', f'texts on texts at {width}, details open, {tab}')
            wide = b.js('document.getElementById("panel").scrollWidth')
            holds(wide <= max(width, 1600), f'a long name leaves the other columns in sight at {width}, {tab}: {wide}')
        holds(b.js(WIDEST) <= width, f'nothing sticks out at {width}')


def finding(b, page, _):
    """A click on a finding shows its lane and its cause; Back undoes it. The page opens where something happens."""
    b.open(page)
    holds(span(b) < b.js('(r => (r.end - r.first) / 4)(line.run)'), 'opens with activity in view')
    before = (span(b), b.js('view.lanes'))
    b.press('#findings .pick')
    b.until('location.hash.includes("sel=")')
    same(b.js('view.lanes'), 'coroutine', 'lanes of coroutines')
    holds(b.js('''(run => {
        const f = run.findings[0], shown = t => range.goalFrom < t && t < range.goalTo;
        return shown(f.cause[1]) && shown(run.since(f.rec)) && line.rowOf.get(f.rec) === line.focus;
    })(line.run)'''), 'suspend and cause are in view')
    b.js('history.back()')
    b.until('view.sel === ""')
    b.settle()
    same((span(b), b.js('view.lanes')), before, 'Back leads to what was seen before')
    b.press('#fit')
    b.until('location.hash.includes("t=all")')
    b.open(page, '#t=all')
    holds(span(b) >= b.js('line.run.end - line.run.first'), 'an address can ask for all of it')


def searching(b, page, _):
    """Search finds what a person has in hand: a descriptor, the culprit's file and thread, a verdict."""
    b.open(page, '#lanes=coroutine')
    n = b.js('line.run.findings.length')
    first = b.js('line.run.on(line.run.last[line.run.findings[0].rec])')
    everyone = b.js('line.rows.length')
    for q, least, most in (('closed-resource', n, n), (first, 1, n), ('PROVEN', n, n), ('FD:', n, everyone), ('nobody', 0, 0)):
        b.js(f'look({{q: {q!r}}})')
        b.settle()
        holds(least <= b.js('line.rows.length') <= most, f'{q}: {b.js("line.rows.length")}')
    for what in ('line.run.threads.find(t => t.tid === line.run.findings[0].cause[2]).name', 'line.run.sites[line.run.groups[0].cause_site].file'):
        b.js(f'look({{q: {what}}})')
        b.settle()
        holds(b.js('line.rows.some(r => r === line.run.findings[0].rec)'), 'the culprit: ' + what)
    b.js('look({q: "", sort: "on"})')
    b.settle()
    order = b.js('Array.from(document.querySelectorAll("#panel tbody code"), e => Number(e.innerText.slice(3)))')
    same(order, sorted(order), 'what is waited on sorts by number')


def many(b, page, _):
    """Thousands of findings: by cause, the first ten, the rest on demand; what is to be done stands beside."""
    b.open(page)
    holds('5 000 coroutines lost their wakeup at 300 sites, from 3 causes.' in text(b, '#verdict').replace('\u202f', ' '), text(b, '#verdict'))
    same(b.js('document.querySelectorAll("#findings .group").length'), 3, 'a card for each cause')
    same(b.js('document.querySelectorAll("#findings .group:first-child .point").length'), 30, 'ten sites of each')
    same(b.js('document.querySelectorAll("#findings .pick").length'), 0, 'nobody of them until asked for')
    b.press('#findings .group > ul > li:last-child > .more')
    same(b.js('document.querySelector("#findings .group").querySelectorAll(".point").length'), 100, 'the rest on demand')
    b.press('#findings .point summary')
    b.press('#findings .point .pick')
    b.until('location.hash.includes("sel=")')
    holds('What to do' in text(b, '#details') and 'To do:' in text(b, '#findings .group'), 'what to do')
    b.press('#findings .chip')
    same(b.js('line.rows.length'), 1667, 'the filter leaves all of a cause')
    same(b.js('document.getElementById("group").selectedOptions[0].value'), b.js('view.group'), 'the control shows it')
    holds('closed-resource, proven' in b.js('document.getElementById("group").selectedOptions[0].text'), 'in words')
    fragment = b.js('location.hash')
    b.open(page, fragment)
    same(b.js('line.rows.length'), 1667, 'an address brings it back')
    # Whoever has no story of his own has the words of his group.
    b.js('look({group: "", sel: line.run.idOf(line.run.col.group.findIndex((g, r) => g && !line.run.findingOf.has(r)))})')
    b.settle()
    holds(b.js('line.run.findingOf.size < 5000'), 'some are not told')
    holds('As others of this finding' in text(b, '#details'), 'the words of the group')
    holds(b.js('document.documentElement.outerHTML.length') > 0 and b.js('document.querySelectorAll("body *").length') < 20000, 'few elements')


def spans(b, page, _):
    """A drag along the axis, or with Shift, chooses a span of time and counts what happens in it; tables follow."""
    b.open(page, '#t=all')
    box = b.js('(r => [r.x, r.y, r.width])(document.getElementById("canvas").getBoundingClientRect())')
    left = box[0] + b.js('gutter()') + 20
    b.drag(left, box[1] + 8, left + 300, box[1] + 8)
    a, z = b.js('spanOf()')
    want = b.js(f'[timeAt({left} - {box[0]}), timeAt({left + 300} - {box[0]})]')
    holds(abs(a - want[0]) < (z - a) / 50 and abs(z - want[1]) < (z - a) / 50, f'{(a, z)} is not {want}')
    same((b.js('view.tab'), b.js('line.drag')), ('span', None), 'its figures are shown')
    holds('span=' in b.js('location.hash'), 'the address carries it')
    # What the tab says is what the items say.
    naive = """((run, a, b) => {
        let ran = 0, waits = [], wakes = 0;
        for (let i = 0; i < run.start.length; i++) {
            const kind = run.kind(i), r = run.rec[i], part = Math.min(b, run.stop[i]) - Math.max(a, run.start[i]);
            if (kind === WAKE && r && run.start[i] >= a && run.start[i] < b) wakes++;
            if (!r || run.start[i] >= b || run.stop[i] <= a) continue;
            if (kind === RUNNING) ran += part;
            if (kind === SUSPENDED && run.stop[i] <= b && !(run.col.kind[i] & OPEN)) waits.push(run.stop[i] - run.start[i]);
        }
        return [ran, waits.length, Math.max(0, ...waits), wakes];
    })(line.run, %s, %s)"""
    told = 's => [s.all[1].time, s.all[2].list.length, s.all[2].at(1) ?? 0, s.woken]'
    for span_ in ((a, z), (b.js('line.run.first'), b.js('line.run.first + 2.2e6')), (b.js('line.run.first + 2.5e6'), b.js('line.run.end'))):
        b.js('chooseSpan(%s, %s)' % span_)
        b.settle()
        same(b.js(f'({told})(stats(line.run))'), b.js(naive % tuple(b.js('spanOf()'))), 'the sums of the span')
    b.js('chooseSpan(line.run.first, line.run.end)')
    b.settle()
    panel = text(b, '#panel')
    for word in ('Figures', 'Ran most', 'Waited most', 'Who woke whom', 'chosen'):
        holds(word in panel, f'{word} is not in {panel}')
    b.press('#panel .chip')
    holds(abs(span(b) - (b.js('spanOf()[1] - spanOf()[0]'))) < 10, 'Show it shows it')
    b.js('document.activeElement.blur()')
    b.key('Escape')
    same(b.js('view.span'), '', 'Escape clears it')
    holds('the time shown' in text(b, '#panel').replace('\u202f', ' '), 'then it is what is shown')
    b.js('document.getElementById("canvas").focus()')
    b.key('m')
    holds(b.js('view.span') != '', 'M keeps what is shown')
    y = box[1] + 30
    b.js('look({span: "", tab: "coroutines"})')
    b.move(left, y)
    for kind, x in (('mousePressed', left), *(('mouseMoved', left + i * 20) for i in range(1, 6)), ('mouseReleased', left + 100)):
        b.mouse(kind, x, y, button='left', clickCount=1, modifiers=8, **({'buttons': 1} if kind == 'mouseMoved' else {}))
    b.settle()
    holds(b.js('view.span') != '', 'Shift and drag choose')
    b.click(left, box[1] + 8)
    same(b.js('view.span'), '', 'a click on the axis clears it')
    # Tables that follow the time shown.
    b.js('look({tab: "coroutines", span: ""}), send(line.run, line.run.first + 2.4e6, line.run.first + 2.6e6, true)')
    everyone = b.js('document.querySelectorAll("#panel tbody tr").length')
    b.press('#only')
    ids = b.js('Array.from(document.querySelectorAll("#panel tbody [data-sel]"), e => e.dataset.sel).sort().join()')
    same((everyone, ids), (4, '1,2,3'), 'who is there then')
    b.press('#tab-threads')
    holds('0.0' in text(b, '#panel'), 'threads are counted then')
    b.press('#tab-sites')
    holds('f2() f.c:20' in text(b, '#panel'), 'sites, too')
    b.js('send(line.run, line.run.end - 1000, line.run.end, true)')
    b.until('document.querySelectorAll("#panel tbody tr").length === 2')


def gaps(b, page, _):
    """Where events are missing, nobody ran or waited as far as sums say, and that is said; nothing beyond the run is averaged."""
    b.open(page, '#t=all&tab=span')
    holds(b.js('spanOf()[0] < line.run.first && spanOf()[1] > line.run.end'), 'more is shown than the run')
    same(b.js('(s => [s.a, s.b, s.ran[1], s.waited[1], s.unknown, s.threads.get(11).busy])(stats(line.run))'),
         b.js('[line.run.first, line.run.end, 2e6, 3e6, 4e6, 2e6]'), 'the sums of all')
    words = text(b, '#panel').replace('\u202f', ' ')
    for figure in ('running on average\n0.20', 'suspended on average\n0.30', 'not known, as events are missing\n0.40'):
        holds(figure in words, f'{figure!r} is not in {words}')
    b.js('look({tab: "flame"})')
    b.settle()
    holds('3 ms suspended in 1 wait within 10.0 ms' in text(b, '#panel').replace('\u202f', ' ').replace('.00', ''), text(b, '#panel'))
    b.js('showCoroutine(line.run, 1)')
    b.settle()
    said = text(b, '#details').replace('\u202f', ' ').replace('.00', '')
    holds('running 2 ms, suspended 3 ms, created 1 ms, not known 4 ms, where events are missing' in said, said)
    b.press('#tab-threads')
    holds('20.0 %' in text(b, '#panel').replace('\u202f', ' '), text(b, '#panel'))


def relay(b, page, _):
    """Thousands of waits of one that another awaited each time: the flame graph looks through them once, not for each."""
    b.open(page, '#t=all')
    same(b.js("""(() => {
        let looked = 0;
        const run = line.run, plain = run.start;
        run.start = new Proxy(plain, { get: (list, key) => (looked++, list[key]) });
        const root = flameTree(run, ...spanOf()), kids = [...root.kids.values()], below = [...kids[0].kids.values()],
            sites = list => list.map(k => run.site(Number(k.key.slice(1)))).join();
        run.start = plain;
        return [sites(kids), sites(below), kids[0].n, looked < 50 * plain.length];
    })()"""), ['f1() f.c:10,f2() f.c:20', 'f2() f.c:20', 4001, True], 'who is awaited stands below who awaits, while it does')


def panes(b, page, _):
    """Edges of panes and columns can be dragged and moved with keys; what was set is kept."""
    b.open(page)
    b.js('document.querySelector("#findings .pick").click()')
    b.settle()
    for edge, size, dx in (('#grip-side', 'document.getElementById("side").offsetWidth', 60), ('#grip-detail', 'document.getElementById("detail").offsetWidth', -60)):
        before = b.js(size)
        x, y = b.at(edge)
        b.drag(x, y, x + dx, y)
        holds(abs(b.js(size) - before - 60) <= 2, f'{edge}: {before} {b.js(size)}')
        b.js(f'document.querySelector({edge!r}).focus()')
        b.key('ArrowRight')
        holds(abs(b.js(size) - before - 60 - 20 * (1 if dx > 0 else -1)) <= 2, f'{edge} with keys')
    before = b.js('document.getElementById("scroll").offsetHeight')
    b.js('look({lanes: "coroutine"}), document.getElementById("grip-line").focus()')
    b.key('ArrowUp')
    holds(b.js('document.getElementById("scroll").offsetHeight') <= before, 'the timeline, too')
    b.press('#tab-coroutines')
    x, y = b.js('(r => [r.right - 3, r.y + r.height / 2])(document.querySelector("#panel thead th").getBoundingClientRect())')
    before = b.js('document.querySelector("#panel thead th").offsetWidth')
    b.drag(x, y, x + 80, y)
    holds(b.js('document.querySelector("#panel thead th").offsetWidth') > before + 60, 'a column')
    b.js('look({sort: "-id"})')
    b.settle()
    holds(b.js('document.querySelector("#panel thead th").offsetWidth') > before + 60, 'sorted it keeps its width')
    b.resize(700, 800)
    b.settle()
    same(b.js('getComputedStyle(document.getElementById("grip-side")).display'), 'none', 'no edges where panes stand below one another')


def deadlock(b, page, _):
    """A deadlock is drawn, by who waits for whom; lanes can be pinned; suspended time as a flame graph."""
    b.open(page, '#t=all')
    b.press('#findings .pick')
    same(b.js('document.querySelectorAll("#details .ring .node").length'), 5, 'a box for each')
    same(b.js('Array.from(document.querySelectorAll("#details .ring .edge text"), e => e.textContent).sort().join()'),
         'mutex:1,mutex:2,mutex:3,mutex:4,mutex:5', 'an edge for each, with what it waits on')
    same(b.js('document.querySelector("#details .ring").getBBox().height > 100'), True, 'it has a size')
    b.js('document.querySelectorAll("#details .ring .node")[2].focus()')
    b.key('Enter')
    same(b.js('view.sel'), '3', 'a box leads to its coroutine')
    # pinned lanes
    b.js('look({lanes: "coroutine"}), pin("21")')
    b.settle()
    same(b.js('[line.pinned, line.run.idOf(line.rows[0])]'), [1, '21'], 'pinned on top')
    holds('pins=21' in b.js('location.hash'), 'the address carries it')
    b.js('look({q: "philosopher"})')
    b.settle()
    same(b.js('[line.rows.length, line.run.idOf(line.rows[0])]'), [6, '21'], 'whatever the filter says')
    b.js('look({q: ""}), document.getElementById("grip-line").focus()')
    b.js('setPane("--lanes", 100, 2000)')
    b.settle()
    b.js('document.getElementById("scroll").scrollTop = 1000')
    b.settle()
    x, y, w = b.js('(r => [r.x, r.y, r.width])(document.getElementById("canvas").getBoundingClientRect())')
    holds(b.js('document.getElementById("scroll").scrollTop') > 0, 'there is something to scroll')
    b.click(x + w - 30, y + 22 + 8)
    same(b.js('view.sel'), '21', 'it stays on top when the others scroll')
    b.js('document.getElementById("canvas").focus(), focusRow(1)')
    b.key('p')
    same(b.js('line.pinned'), 2, 'P pins a lane')
    b.key('p')
    b.js('pin("21")')
    b.settle()
    same((b.js('line.pinned'), b.js('view.pins')), (0, ''), 'and lets it go')
    b.press('[data-lanes=worker]')
    b.js('pin("t12")')
    b.settle()
    same(b.js('line.run.worker[line.rows[0]].tid'), '12', 'threads, too')
    # the flame graph
    b.js('look({tab: "flame", pins: "", sel: ""}), send(line.run, ...whole(line.run), true)')
    b.settle()
    names = b.js('Array.from(document.querySelectorAll(".flame"), e => e.getAttribute("aria-label").split(":")[0]).join("; ")')
    for name in ('f1() f.c', 'on mutex', 'f2() f.c', 'f3() f.c', 'on fd'):
        holds(name in names, f'{name} is not in {names}')
    sums = b.js("""(() => {
        const root = flameTree(line.run, ...spanOf()), below = n => [...n.kids.values()].reduce((s, k) => s + k.time, 0);
        const f2 = [...root.kids.values()].find(k => line.run.site(Number(k.key.slice(1))).startsWith('f2'));
        return [below(root) === root.time, below(f2) === f2.time, line.run.site(Number([...f2.kids.keys()][0].slice(1)))];
    })()""")
    same(sums[:2], [True, True], 'time is neither lost nor counted twice')
    holds(sums[2].startswith('f3'), 'who is awaited stands below who awaits')
    wide = b.js('document.querySelector(".flame").offsetWidth')
    b.js('[...document.querySelectorAll(".flame")].find(e => e.getAttribute("aria-label").startsWith("f2")).click()')
    b.settle()
    holds(b.js('document.querySelector(".flame").offsetWidth') > wide / 2 and b.js('document.querySelector(".flame").getAttribute("aria-label")').startswith('f2'), 'a click enlarges')
    b.press('#panel .chip')
    same(b.js('flame.path.length'), 0, 'and All shows all')
    for tab in ('flame', 'span'):
        b.press(f'#tab-{tab}')
        same(b.js(OVERLAPS), '', f'texts on texts, {tab}')


def compared(b, page, _):
    """Two runs of a file stand beside each other, by figures and by sites."""
    b.open(page, '#run=2')
    holds('1 of 2: before.jsonl' in b.js('document.getElementById("run").options[0].text'), 'runs have their files as names')
    b.press('#tab-compare')
    b.until('!!compare.other && !!document.querySelector("#panel .compared")')
    panel = text(b, '#panel').replace('\u202f', ' ')
    for word in ('1: before.jsonl', '2: after.jsonl', 'Findings, proven', 'Waits p99', 'Change', 'Suspended in'):
        holds(word in panel, f'{word} is not in {panel}')
    rows = b.js('Object.fromEntries(Array.from(document.querySelectorAll(".compared tbody tr"), r => [r.cells[0].innerText, Array.from(r.cells).slice(1).map(c => c.innerText.replace(/\u202f/g, " "))]))')
    same(rows['Findings, proven'], ['1', '2', '+100 %'], 'findings')
    same(rows['Coroutines created'], ['7', '4', '\u221243 %'], 'coroutines')
    holds('f2() f.c:20' in panel, 'sites')
    same(b.js(OVERLAPS), '', 'texts on texts')


def sources(b, page, _):
    """The lines around a suspension point and its cause, where the page was given the sources."""
    b.open(page)
    b.press('#findings .pick')
    same(b.js('document.querySelector("#details .lines .here").textContent.trim()'), '20      await(fd);', 'the line it waits at')
    holds('line 16' in text(b, '#details .lines') and 'line 24' in text(b, '#details .lines'), 'and those around')
    holds(b.js('document.querySelectorAll("#details .lines").length') == 2 and 'close(fd)' in text(b, '#details'), 'the cause, too')
    same(b.js('document.querySelectorAll("#details img, #details b.evil").length'), 0, 'what they hold is text')
    same(b.js(OVERLAPS), '', 'texts on texts')


def touch(b, page, _):
    """One finger moves time, two zoom it, and a finger that moves up or down scrolls the page."""
    b.call('Emulation.setTouchEmulationEnabled', enabled=True, maxTouchPoints=2)
    b.resize(390, 844, 2)
    b.open(page, '#t=all')
    b.js('document.getElementById("scroll").scrollIntoView({block: "center"})')
    b.settle()
    x, y = b.at('#canvas')
    whole = span(b)

    def fingers(kind, *xs):
        b.call('Input.dispatchTouchEvent', type=kind, touchPoints=[{'x': at, 'y': y, 'id': i} for i, at in enumerate(xs)])
    fingers('touchStart', x - 20, x + 20)
    for i in range(1, 6):
        fingers('touchMove', x - 20 - 10 * i, x + 20 + 10 * i)
    fingers('touchEnd')
    b.settle()
    holds(span(b) < whole / 2, f'two fingers zoom in: {whole} {span(b)}')
    a = b.js('range.goalFrom')
    fingers('touchStart', x)
    for i in range(1, 6):
        fingers('touchMove', x - 12 * i)
    fingers('touchEnd')
    b.settle()
    holds(b.js('range.goalFrom') > a, 'one finger moves on')
    same(b.js('getComputedStyle(document.getElementById("canvas")).touchAction'), 'pan-y', 'up and down')


def attempt(b, scenario, page, arg):
    """What did not hold, or None."""
    try:
        b.fresh(1400, 900)
        globals()[scenario](b, page, arg)
        same(b.complaints, [], 'complaints')
        other = [r for r in b.requests if not r.startswith(('file://', 'data:image/svg+xml', 'about:'))]
        same(other, [], 'requests')
        return None
    except Exception:   # whatever it was is what the test says
        return traceback.format_exc()


def main():
    first = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    browser = Browser()
    for n, line in enumerate(sys.stdin, first + 1):
        scenario, page, *rest = line.rstrip('\n').split(' ', 2)
        for _ in range(3):
            fault = attempt(browser, scenario, page, *(rest or [None]))
            if not fault:
                break
            browser.close()
            browser = Browser()
        what = f'{scenario}: {rest[0] if rest else globals()[scenario].__doc__}'
        print(f'not ok {n} - {what}' if fault else f'ok {n} - {what}')
        for said in fault.splitlines() if fault else ():
            print('# ' + said)
        sys.stdout.flush()
    browser.close()


if __name__ == '__main__':
    main()
