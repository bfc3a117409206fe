"""What stands in the output of a cell: a frame with the app of the kernel, or with a page that works offline."""

import json
import secrets
from dataclasses import dataclass, field
from html import escape
from string import Template
from typing import Final

from visualiser.locale import text

_SCALE: Final = 0.8
"""The page is made for a window; a cell is narrower, and a notebook's letters are smaller than a page's."""
_FRAME: Final = "width:{width}%;height:{inner}px;border:0;display:block;transform:scale({scale});transform-origin:0 0"
_DARK: Final = Template("""<script>
(() => {
  const frame = document.getElementById("$name");
  const { dataset, classList } = document.body;
  const dark = dataset.jpThemeLight === "false" || classList.contains("vscode-dark") || classList.contains("dark");
  if (frame && dark) frame.src = $address;
})();
</script>""")
"""A page of another origin cannot see the notebook's colours, which are not always the browser's."""
_WINDOW: Final = "width:100%;height:{height}px;overflow:hidden"
_SAID: Final = "font:13px/1.4 system-ui,sans-serif;margin:4px 0;opacity:.8"


@dataclass(frozen=True)
class Cell:
    """An output. Jupyter, VS Code and Colab ask `_repr_html_`, marimo `_mime_`.

    address   of the live page; None without one
    document  of a page that works offline; None without one
    dark      the live page's address in dark colours; without one it does not follow the notebook's
    height    of the frame in pixels
    said      sentences below it
    lang      of the words
    """

    address: str | None
    document: str | None = field(repr=False, default=None)
    dark: str | None = None
    height: int = 600
    said: tuple[str, ...] = ()
    lang: str = "en"

    def _repr_html_(self) -> str:
        style = _FRAME.format(width=100 / _SCALE, inner=round(self.height / _SCALE), scale=_SCALE)
        frame = f'title="Headlight" style="{style}"'
        if self.document is not None:
            # nothing of the notebook reaches in, and nothing of it reaches out
            inner = self.document.replace("&", "&amp;").replace("'", "&#39;")
            shown = f"<iframe {frame} sandbox=\"allow-scripts\" srcdoc='{inner}'></iframe>"
        else:
            source = escape(self.address or "about:blank")
            name = f"headlight-{secrets.token_hex(6)}"
            shown = f'<iframe id="{name}" {frame} allow="clipboard-write; fullscreen" src="{source}"></iframe>'
            if self.dark is not None:
                shown += _DARK.substitute(name=name, address=json.dumps(self.dark).replace("<", "\\u003c"))
        window = f'<div style="{_WINDOW.format(height=self.height)}">{shown}</div>'
        said = " ".join(map(escape, self.said))
        if self.address is not None:
            link = escape(text(self.lang, "notebook.open"))
            said += f' <a href="{escape(self.address)}" target="_blank" rel="noopener">{link}</a>'
        return f'<div class="headlight-cell">{window}<p style="{_SAID}">{said.strip()}</p></div>'

    def _mime_(self) -> tuple[str, str]:
        return "text/html", self._repr_html_()
