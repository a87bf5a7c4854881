"""html_browser.py - a headless Chromium on a pipe: the DevTools protocol with nothing but the standard library.

    with Browser(1400, 900, dark=False) as b:
        b.open('/tmp/trace.html#lanes=coroutine')
        b.js('document.title')          # what the expression gives
        b.key('ArrowLeft'); b.click(300, 400); b.wheel(300, 400, -200); b.drag(300, 400, 500, 400)
        b.shot('out.png')
        b.complaints                    # console errors, exceptions, violations of the page's policy
        b.requests                      # every address asked for
        b.fresh(1400, 900)              # another window, which knows nothing of those before
"""
import base64
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time


def find():
    for name in ('chromium', 'chromium-browser', 'google-chrome', 'chrome'):
        if shutil.which(name):
            return shutil.which(name)
    return None


# What the page puts off comes ten times as soon, and can be waited for.
TIMERS = '''(() => {
    const later = setTimeout, never = clearTimeout, due = new Set();
    window.setTimeout = (f, ms = 0, ...more) => {
        const id = later(() => { due.delete(id); f(...more); }, ms / 10);
        due.add(id);
        return id;
    };
    window.clearTimeout = id => { due.delete(id); never(id); };
    window.nothingDue = () => new Promise(r => { const look = () => due.size ? later(look, 2) : r(1); look(); });
})()'''


class Browser:
    def __init__(self, width=1400, height=900, dark=False, scale=1):
        self.home = tempfile.mkdtemp(prefix='corotrace-browser.')
        self.count, self.buffer, self.answers, self.session, self.context = 0, b'', {}, None, None
        down, self.to = os.pipe()
        self.back, up = os.pipe()

        def pipes():
            os.setsid()
            a, b = os.dup(down), os.dup(up)
            os.dup2(a, 3)
            os.dup2(b, 4)
        self.child = subprocess.Popen(
            [find(), '--headless=new', '--no-sandbox', '--remote-debugging-pipe', '--disable-gpu', '--disable-lcd-text',
             '--disable-dev-shm-usage', '--no-first-run', '--disable-background-networking', '--disable-component-update',
             '--mute-audio', f'--user-data-dir={self.home}', 'about:blank'],
            preexec_fn=pipes, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, 'HOME': self.home, 'DBUS_SESSION_BUS_ADDRESS': 'disabled:'})
        os.close(down)
        os.close(up)
        self.fresh(width, height, dark, scale)

    def fresh(self, width=1400, height=900, dark=False, scale=1):
        self.session = None     # what follows is asked of the browser itself
        if self.context:
            self.call('Target.disposeBrowserContext', browserContextId=self.context)
        self.context = self.call('Target.createBrowserContext')['browserContextId']
        target = self.call('Target.createTarget', url='about:blank', browserContextId=self.context)['targetId']
        self.session = self.call('Target.attachToTarget', targetId=target, flatten=True)['sessionId']
        self.complaints, self.requests = [], []
        for domain in ('Page', 'Runtime', 'Network', 'Log'):
            self.call(domain + '.enable')
        self.call('Page.addScriptToEvaluateOnNewDocument', source=TIMERS)
        self.resize(width, height, scale)
        self.theme(dark)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        try:
            os.killpg(self.child.pid, 9)
        except ProcessLookupError:
            pass
        self.child.wait()
        os.close(self.to)
        os.close(self.back)
        shutil.rmtree(self.home, ignore_errors=True)

    def call(self, method, **params):
        self.count += 1
        message = {'id': self.count, 'method': method, 'params': params}
        if self.session:
            message['sessionId'] = self.session
        data = json.dumps(message).encode() + b'\0'
        while data:
            data = data[os.write(self.to, data):]
        me = self.count
        answer = self.wait(lambda: self.answers.pop(me, None), method)
        if 'error' in answer:
            raise RuntimeError(f'{method}: {answer["error"]}')
        return answer['result']

    def wait(self, ready, what, seconds=60):
        end = time.monotonic() + seconds
        while True:
            done = ready()
            if done:
                return done
            if time.monotonic() > end:
                raise TimeoutError(what)
            if select.select([self.back], [], [], 0.2)[0]:
                chunk = os.read(self.back, 1 << 20)
                if not chunk:
                    raise RuntimeError('the browser is gone')
                self.buffer += chunk
                *whole, self.buffer = self.buffer.split(b'\0')
                for m in whole:
                    self.take(json.loads(m))

    def take(self, m):
        p = m.get('params', {})
        if 'id' in m:
            self.answers[m['id']] = m
        elif m.get('sessionId') != self.session:
            pass
        elif m['method'] == 'Runtime.exceptionThrown':
            d = p['exceptionDetails']
            self.complaints.append(d.get('exception', {}).get('description') or d['text'])
        elif m['method'] == 'Runtime.consoleAPICalled' and p['type'] in ('error', 'warning', 'assert'):
            self.complaints.append(str(p['args']))
        elif m['method'] == 'Log.entryAdded' and p['entry']['level'] in ('error', 'warning'):
            self.complaints.append(p['entry']['text'])
        elif m['method'] == 'Network.requestWillBeSent':
            self.requests.append(p['request']['url'])

    def js(self, expression):
        r = self.call('Runtime.evaluate', expression=expression, returnByValue=True, awaitPromise=True)
        if 'exceptionDetails' in r:
            raise RuntimeError(r['exceptionDetails'].get('exception', {}).get('description', '?'))
        return r['result'].get('value')

    def open(self, path, fragment=''):
        url = pathlib.Path(path).resolve().as_uri() + fragment
        self.call('Page.navigate', url='about:blank')
        self.call('Page.navigate', url=url)
        self.until("document.readyState === 'complete' && (document.documentElement.dataset.ready || document.body.dataset.level)")

    def until(self, expression, seconds=60):
        end = time.monotonic() + seconds
        while True:
            try:
                if self.js(expression):
                    return
            except RuntimeError:    # a page that is about to be another one
                pass
            if time.monotonic() > end:
                raise TimeoutError(expression)
            time.sleep(0.02)

    def settle(self):
        """Nothing is put off any more, and two frames have passed."""
        self.js('nothingDue().then(() => new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)))).then(() => 1)')

    def resize(self, width, height, scale=1):
        self.call('Emulation.setDeviceMetricsOverride', width=width, height=height, deviceScaleFactor=scale, mobile=False)

    def theme(self, dark):
        self.call('Emulation.setEmulatedMedia', features=[{'name': 'prefers-color-scheme', 'value': 'dark' if dark else 'light'}])

    def shot(self, path):
        with open(path, 'wb') as f:
            f.write(base64.b64decode(self.call('Page.captureScreenshot', format='png')['data']))

    def mouse(self, kind, x, y, **more):
        self.call('Input.dispatchMouseEvent', type=kind, x=x, y=y, **more)

    def move(self, x, y):
        self.mouse('mouseMoved', x, y)

    def click(self, x, y, times=1):
        self.move(x, y)
        for n in range(1, times + 1):
            self.mouse('mousePressed', x, y, button='left', clickCount=n)
            self.mouse('mouseReleased', x, y, button='left', clickCount=n)
        self.settle()

    def drag(self, x, y, x2, y2):
        self.move(x, y)
        self.mouse('mousePressed', x, y, button='left', clickCount=1)
        for i in range(1, 9):
            self.mouse('mouseMoved', x + (x2 - x) * i / 8, y + (y2 - y) * i / 8, button='left', buttons=1)
        self.mouse('mouseReleased', x2, y2, button='left', clickCount=1)
        self.settle()

    def wheel(self, x, y, dy, dx=0, shift=False):
        self.mouse('mouseWheel', x, y, deltaX=dx, deltaY=dy, modifiers=8 if shift else 0)
        self.settle()

    def key(self, key, shift=False):
        text = key if len(key) == 1 else '\r' if key == 'Enter' else ''
        code = {'Enter': 13, 'Tab': 9, 'Escape': 27, ' ': 32, 'ArrowLeft': 37, 'ArrowUp': 38, 'ArrowRight': 39, 'ArrowDown': 40,
                'Home': 36, 'End': 35, 'PageUp': 33, 'PageDown': 34}.get(key, ord(key[0].upper()))
        more = {'text': text} if text else {}
        self.call('Input.dispatchKeyEvent', type='keyDown', key=key, windowsVirtualKeyCode=code, modifiers=8 if shift else 0, **more)
        self.call('Input.dispatchKeyEvent', type='keyUp', key=key, windowsVirtualKeyCode=code)
        self.settle()

    def at(self, selector):
        """The middle of an element."""
        return self.js(f'(r => [r.x + r.width / 2, r.y + r.height / 2])(document.querySelector({json.dumps(selector)}).getBoundingClientRect())')

    def press(self, selector):
        self.js(f'document.querySelector({json.dumps(selector)}).scrollIntoView({{block: "nearest"}})')
        self.click(*self.at(selector))
