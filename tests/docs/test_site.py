"""The pages of docs/ fit together, are made from the code where they say so, and need no other host."""

import re
from pathlib import Path

import pytest

import attention_core
from docs.made import decisions, hooks, public_names
from docs.made.foreign import foreign
from docs.made.marks import MADE, filled
from docs.made.parameters_apart import apart

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = sorted(DOCS.rglob("*.md"))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(DOCS)))
def test_what_a_page_points_to_exists(path):
    for address in re.findall(r"\]\((?!https?:|#)([^)#]+)", path.read_text(encoding="utf-8")):
        assert (path.parent / address).exists(), address


def test_every_mark_is_used_and_known():
    marks = [
        mark
        for path in PAGES
        for mark in re.findall(r"^<!-- made: (.*?) -->$", path.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    assert sorted(marks) == sorted(MADE)


def test_an_unknown_mark_ends_the_build():
    with pytest.raises(KeyError, match="'nothing'"):
        filled("Before\n<!-- made: nothing -->\n")


def test_every_public_name_is_rendered_from_where_it_is_defined():
    rendered = re.findall(r"^::: (\S+)$", public_names.sections(), re.MULTILINE)
    assert sorted(name.rpartition(".")[2] for name in rendered) == sorted(attention_core.__all__)
    defined = attention_core.compute.__module__
    assert f"{defined}.compute" in rendered
    assert "attention_core.BOUNDS" in rendered


def test_parameters_are_shown_one_by_one():
    section = "Parameters\n----------\nQ, K\n    Queries and\n    keys.\nscale\n    A factor.\n\n"
    others = "Raises\n------\nCancelled, InvalidInput\n    As before.\n"
    alone = section.replace(
        "Q, K\n    Queries and\n    keys.\n", "Q\n    Queries and\n    keys.\nK\n    Queries and\n    keys.\n"
    )
    assert apart(f"Compute.\n\n{section}{others}") == f"Compute.\n\n{alone}{others}"
    assert apart("Compute.") == "Compute."


def test_every_decision_is_in_the_index_and_in_the_navigation():
    names = {path.name for path in (DOCS / "decisions").glob("*.md")}
    assert "- [d_k, d_model / h, and who wins](tie.md)" in decisions.index()
    assert len(decisions.index().splitlines()) == len(names) - 1
    config = {"nav": [{"Work on it": [{"Architecture": "architecture.md"}, {"Decisions": "decisions"}]}]}
    hooks.on_config(config)
    (architecture, listed) = config["nav"][0]["Work on it"]
    assert architecture == {"Architecture": "architecture.md"}
    assert listed["Decisions"][0] == "decisions/index.md"
    assert {Path(address).name for address in listed["Decisions"]} == names


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('<script src="https://cdn.example/x.js"></script>', ["https://cdn.example/x.js"]),
        ('<link rel="stylesheet" href="//fonts.example/css">', ["//fonts.example/css"]),
        ('<img alt="" src=http://a.example/b.png>', ["http://a.example/b.png"]),
        ("@font-face { src: url('https://fonts.example/a.woff2') }", ["https://fonts.example/a.woff2"]),
        ('@import "https://fonts.example/a.css";', ["https://fonts.example/a.css"]),
        ('<link rel="canonical" href="https://headlight.example/">', []),
        ('<a href="https://semver.org">counted so</a> <script src="assets/a.js"></script> url(data:a)', []),
    ],
)
def test_what_a_browser_would_fetch_from_another_host_is_found(text, found):
    assert foreign(text) == found


def test_a_site_that_needs_another_host_is_refused(tmp_path):
    hooks.on_post_build({"site_dir": str(tmp_path)})
    (tmp_path / "page.html").write_text('<script src="https://cdn.example/x.js"></script>', encoding="utf-8")
    with pytest.raises(ValueError, match=r"^page.html fetches https://cdn.example/x.js$"):
        hooks.on_post_build({"site_dir": str(tmp_path)})
