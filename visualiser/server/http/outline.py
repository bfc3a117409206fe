"""The outline of a page: its header, the place of its sentences and of its figures, until gradio has mounted them.

It stands in the document's first bytes where the page will stand (assets/css/outline.css), and hides gradio's own
start, in which everything moves. The page's script takes it away once the first picture is drawn
(assets/js/page/outline.js). It is a picture: screen readers and the keyboard pass it by. If the page does not come, or
gradio words its events in a way that assets/first/functions.js does not know, a sentence says so.
"""

from functools import cache
from html import escape
from importlib.metadata import version

from visualiser.locale import LANGUAGES, text
from visualiser.state.parameters import PAGES


def _in_every_language(key: str, **fields: str) -> str:
    """Return a text in every language: a script in the head sets the language, and styles show that one."""
    return "".join(f'<span lang="{lang}">{escape(text(lang, key, **fields))}</span>' for lang in LANGUAGES)


@cache
def outline(page: str) -> str:
    """Return the outline of a page, as the first element of the body."""
    here = {page: ' class="is-here"'}
    names = "".join(f"<span{here.get(name, '')}>{_in_every_language(f'choice.page.{name}')}</span>" for name in PAGES)
    return (
        '<div id="outline">'
        '<div class="outlined" aria-hidden="true" inert>'
        f'<div class="outlined-banner"><b>Headlight</b><div>{names}</div></div>'
        '<div class="outlined-said"><i></i><i></i></div>'
        '<div class="outlined-page"><i></i><i></i></div>'
        "</div>"
        f'<p role="status"><span class="outlined-late" hidden>{_in_every_language("frame.late")} '
        f"<a>{_in_every_language('frame.reload')}</a></span>"
        f'<span class="outlined-unknown" hidden>'
        f"{_in_every_language('frame.unknown', version=version('gradio'))}</span></p>"
        "</div>"
    )
