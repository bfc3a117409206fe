"""What stands in the output of a cell: a frame with the app of the kernel, or with a page that works offline."""

import json
import secrets
from base64 import b64encode
from dataclasses import dataclass, replace
from html import escape
from string import Template
from typing import Final

from visualiser.locale import text
from visualiser.notebook.offline import DARK, LIGHT
from visualiser.notebook.saved import Saved

_SCALE: Final = 0.8
"""The page is made for a window; a cell is narrower, and a notebook's letters are smaller than a page's."""
_FRAME: Final = "width:{width}%;height:{inner}px;border:0;display:block;transform:scale({scale});transform-origin:0 0"
_DARK: Final = Template("""<script>
(() => {
  const frame = document.getElementById("$name");
  const { dataset, classList } = document.body;
  const dark =
    dataset.jpThemeLight === "false" || classList.contains("vscode-dark") || classList.contains("dark") ||
    document.documentElement.getAttribute("theme") === "dark";
  if (frame && dark) { $darken; }
})();
</script>""")
"""A page of another origin cannot see a notebook's colours, which are not always the browser's. The last is Colab's."""
_WAIT: Final = Template("""<script>
(() => {
  const at = (part) => document.getElementById("$name" + part);
  const show = (came) => {
    at("-live").hidden = at("-said").hidden = !came;
    at("-saved").hidden = at("-none").hidden = came;
  };
  show(true);
  const late = setTimeout(show, $patience, false);
  addEventListener("message", ({ source, data }) => {
    if (data !== "headlight" || source !== at("")?.contentWindow) return;
    clearTimeout(late);
    show(true);
  });
})();
</script>""")
"""A page of another origin that is refused tells nobody: silence is the answer. Without scripts the picture stays."""
_PATIENCE: Final = 5000  # milliseconds
_WINDOW: Final = "width:100%;height:{height}px;overflow:hidden"
_SAID: Final = "font:13px/1.4 system-ui,sans-serif;margin:4px 0;opacity:.8"


@dataclass(frozen=True, repr=False)
class Cell:
    """An output. Jupyter, VS Code and Colab ask `_repr_html_`, marimo `_mime_`.

    address   of the live page; None without one
    document  of a page that works offline; None without one
    dark      the live page's address in dark colours; without one it does not follow the notebook's
    follows   True if the document has the notebook's colours
    height    of the frame in pixels
    said      sentences below it
    saved     a picture of what it shows, for a notebook that is read without its kernel
    lang      of the words
    """

    address: str | None
    document: str | None = None
    dark: str | None = None
    height: int = 600
    said: tuple[str, ...] = ()
    lang: str = "en"
    saved: Saved | None = None
    follows: bool = False

    def _repr_html_(self) -> str:
        style = _FRAME.format(width=100 / _SCALE, inner=round(self.height / _SCALE), scale=_SCALE)
        name = f"headlight-{secrets.token_hex(6)}"
        frame = f'title="Headlight" style="{style}"'
        window = f'style="{_WINDOW.format(height=self.height)}"'
        said = " ".join(map(escape, self.said))
        if self.address is None or self.document is not None:
            # nothing of the notebook reaches in, and nothing of it reaches out
            inner = (self.document or "").replace("&", "&amp;").replace("'", "&#39;")
            named = f'id="{name}" ' if self.follows else ""
            shown = f"<iframe {named}{frame} sandbox=\"allow-scripts\" srcdoc='{inner}'></iframe>"
            if self.follows:
                darken = f"frame.srcdoc = frame.srcdoc.replace({json.dumps(LIGHT)}, {json.dumps(DARK)})"
                shown += _DARK.substitute(name=name, darken=darken)
            return f'<div class="headlight-cell"><div {window}>{shown}</div><p style="{_SAID}">{said}</p></div>'
        source = escape(self.address)
        shown = f'<iframe id="{name}" {frame} allow="clipboard-write; fullscreen" src="{source}"></iframe>'
        if self.dark is not None:
            address = json.dumps(self.dark).replace("<", "\\u003c")
            shown += _DARK.substitute(name=name, darken=f"frame.src = {address}")
        link = f'<a href="{source}" target="_blank" rel="noopener">{escape(text(self.lang, "notebook.open"))}</a>'
        none = f"{escape(text(self.lang, 'notebook.unreached'))} {link}"
        return (
            f'<div class="headlight-cell"><div id="{name}-live" {window}>{shown}</div>'
            f'<div id="{name}-saved">{self._picture()}</div><p id="{name}-said" style="{_SAID}">{said} {link}</p>'
            f'<p id="{name}-none" style="{_SAID}" hidden>{none}</p>'
            f"{_WAIT.substitute(name=name, patience=_PATIENCE)}</div>"
        )

    def _picture(self) -> str:
        """Return what stays in a saved notebook."""
        if self.saved is None:
            return ""
        told = escape(text(self.lang, "notebook.saved", head=self.saved.head, query=self.saved.query))
        data = b64encode(self.saved.png).decode()
        return f'<img alt="" src="data:image/png;base64,{data}"><p style="{_SAID}">{told}</p>'

    def __repr__(self) -> str:
        """Return what a terminal shows: an address is dead as soon as the kernel is."""
        told = "" if self.saved is None else f": head {self.saved.head}, query {self.saved.query}"
        return f"<Headlight{told}>"

    def _mime_(self) -> tuple[str, str]:
        return "text/html", replace(self, saved=None)._repr_html_()  # a notebook of marimo keeps no outputs
