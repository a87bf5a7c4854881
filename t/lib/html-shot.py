"""html-shot.py PAGE PICTURE [FRAGMENT] - a picture (PNG) of a page of ct-html; without a fragment, of what one click shows."""
import sys

sys.dont_write_bytecode = True
from html_browser import Browser, find  # noqa: E402


def main():
    if not find():
        sys.exit('html-shot: no Chromium')
    page, picture, *fragment = sys.argv[1:]
    with Browser(1440, 860) as b:
        b.open(page, fragment[0] if fragment else '#tab=sites')
        if not fragment:
            b.press('#findings .pick')
        b.settle()
        b.shot(picture)


if __name__ == '__main__':
    main()
