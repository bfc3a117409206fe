"""One HTML file that holds everything: plotly.js, figures, tables and texts.

It works from a USB stick in a room without internet, and hovers. A content policy in its head forbids every request,
so that nothing in it can reach another host even by mistake.
"""

import base64
import gzip
import html as markup
from collections.abc import Iterable, Sequence
from functools import cache
from string import Template
from typing import Any

import numpy as np

from attention_core import checkpoint
from visualiser import locale
from visualiser.asset_folder import PLOTLY, UNPACKING
from visualiser.drawing.drawing import Drawing
from visualiser.export.origin import Origin
from visualiser.figures.figure import Figure
from visualiser.state.view import View
from visualiser.tables import Table

PAGE = Template("""<!doctype html>
<html lang="$lang">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:">
$about<title>$title</title>
<style>
:root { color-scheme: $theme; }
body { margin: 0 auto; max-width: 76rem; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif; }
figure { margin: 2rem 0; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 0.1rem 0.75rem; text-align: left; border-bottom: 1px solid; }
.wide { overflow-x: auto; }
code { overflow-wrap: anywhere; }
footer { margin: 2rem 0; font-size: 0.8rem; opacity: 0.75; overflow-wrap: anywhere; }
</style>
</head>
<body>
<main>
<h1>$title</h1>
$introduction
<p id="old" role="alert" hidden>$old</p>
$figures
$footer</main>
<script type="text/plain" id="packed">$packed</script>
<script>$unpacking</script>
</body>
</html>
""")

FIGURE = Template("""<figure>
<h2>$title</h2>
<div role="img" aria-label="$summary"></div>
<script type="application/json">$json</script>
<figcaption>
<p>$hint</p>
$behind</figcaption>
</figure>
""")


def html(
    figures: Iterable[tuple[Figure[Any, ...], Any, Drawing]],
    view: View,
    origin: Origin | None = None,
    sentences: Iterable[str] = (),
) -> str:
    """Return the page with these figures, each with its subject and its drawing, in the language and theme of `view`.

    `sentences` stand above the figures, the link of `origin` and its other values, if given, below. Everything is
    escaped. A link without a public address is written as text.
    """
    lang = view.lang
    introduction = [f"<p>{escaped(sentence)}</p>" for sentence in sentences]
    if origin is not None and origin.link:
        introduction.append(f"<p>{linked(origin.link, lang)}</p>")
    shown = "".join(_figure(*each, view) for each in figures)
    checkpoint()
    return PAGE.substitute(
        lang=lang,
        theme=view.theme,
        title=escaped(locale.text(lang, "export.html.title")),
        introduction="\n".join(introduction),
        about="" if origin is None else about(origin),
        footer="" if origin is None else f"<footer>{escaped(origin.line)}</footer>\n",
        old=escaped(locale.text(lang, "export.html.old")),
        figures=shown,
        packed=packed(),
        unpacking=UNPACKING.read_text(encoding="utf-8"),
    )


@cache
def packed() -> str:
    """Return plotly.js as gzip in base64: a third of its size."""
    return base64.b64encode(gzip.compress(PLOTLY.read_bytes(), mtime=0)).decode()


def about(origin: Origin) -> str:
    """Return a file's origin as <meta> elements."""
    return "".join(
        f'<meta name="headlight:{name}" content="{escaped(value)}">\n' for name, value in origin.values.items()
    )


def linked(link: str, lang: str) -> str:
    """Return the sentence with the link; without a public address, the part that every Headlight understands."""
    shown = escaped(link)
    if not link.startswith(("http://", "https://")):
        return f"{escaped(locale.text(lang, 'export.html.anywhere'))} <code>{shown}</code>"
    return f'{escaped(locale.text(lang, "export.html.link"))} <a href="{shown}">{shown}</a>'


def _figure(figure: Figure[Any, ...], subject: Any, drawing: Drawing, view: View) -> str:
    """Return one figure with its summary, its hint and the table behind it, if it has one of its own."""
    lang = view.lang
    key = "figure." + figure.name.replace("-", "_")
    checkpoint()
    text_summary = escaped(figure.summary(subject, view))
    checkpoint()
    written = drawing.json(view.theme)
    checkpoint()
    json = embedded(written)
    checkpoint()
    behind = ""
    if figure.is_tabled:
        numbers = escaped(locale.text(lang, "export.html.numbers"))
        table = table_markup(figure.table(subject, view))
        behind = f'<details><summary>{numbers}</summary><div class="wide">{table}</div></details>\n'
    checkpoint()
    return FIGURE.substitute(
        title=escaped(locale.text(lang, f"{key}.title")),
        summary=text_summary,
        json=json,
        hint=escaped(locale.text(lang, f"{key}.hint")),
        behind=behind,
    )


def table_markup(content: Table) -> str:
    """Return the table behind a figure as markup."""
    heads = "".join(f'<th scope="col">{escaped(column.label)}</th>' for column in content.columns)
    lines = zip(*(cells(column.values) for column in content.columns), strict=True)
    opened = ['<td dir="auto">' if column.typed else "<td>" for column in content.columns]
    body = "".join(f"<tr>{''.join(map(_cell, opened, line))}</tr>" for line in lines)
    caption = f"<caption>{escaped(content.caption)}</caption>"
    return f"<table>{caption}<thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"


def _cell(opened: str, written: str) -> str:
    return f"{opened}{escaped(written)}</td>"


def cells(values: np.ndarray | Sequence[str]) -> list[str]:
    """Return the texts of a column; floats as the page writes them, with three significant digits."""
    if isinstance(values, np.ndarray):
        return [locale.number(value) if isinstance(value, (int, float)) else str(value) for value in values.tolist()]
    return list(values)


def embedded(json_text: str) -> str:
    """Return JSON that can neither end its script element nor open a comment."""
    return json_text.replace("<", "\\u003c")


def escaped(text: str) -> str:
    return markup.escape(text)
