"""html-shot.py PAGE PICTURE [FRAGMENT] - a picture (PNG) of a page of ct-html; without a fragment, of its first finding."""
import sys

sys.dont_write_bytecode = True
from html_browser import Browser, find  # noqa: E402


def main():
    if not find():
        sys.exit('html-shot: no Chromium')
    page, picture, *fragment = sys.argv[1:]
    with Browser(1440, 860) as b:
        b.open(page, fragment[0] if fragment else '#lanes=coroutine&tab=places')
        if not fragment:
            b.js('''(run => {
                const f = run.findings[0], t = f.cause ? f.cause[1] : run.since(f.rec);
                showCoroutine(run, f.rec);
                send(run, t - 5.5e6, t + 3.5e6, true);
            })(line.run)''')
        b.settle()
        b.shot(picture)


if __name__ == '__main__':
    main()
