"""What a class sees: `present`, `hide` and `focus` in a link, and the names that they take."""

from functools import cache

import gradio as gr
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.alone import alone
from tests.draws import cases
from visualiser.pages.shell import BUILD
from visualiser.server.gradio.building import configuration
from visualiser.server.http import assets
from visualiser.state import names, parameters, share
from visualiser.state.view import SHAPING, View


@cache
def elements(page: str) -> frozenset[str]:
    """Return the elements that a page lays out."""

    async def laid() -> frozenset[str]:
        with gr.Blocks() as demo:
            BUILD[page](demo)
        return frozenset(part["props"].get("elem_id") or "" for part in configuration(demo)["components"]) - {""}

    return alone(laid())  # gradio makes loops of its own where none runs


@pytest.mark.slow
@pytest.mark.parametrize("page", parameters.PAGES)
def test_a_page_reads_every_setting_that_it_has_a_control_for(page: str) -> None:
    assert not {f"control-{name}" for name in parameters.unread(page)} & elements(page)


@pytest.mark.parametrize(
    "query",
    ["present=1", "hide=mask%2Centropy", "focus=gradient", "n=64&present=1&hide=h%2Cinsight&focus=heat-maps&pin=n%3D8"],
)
def test_a_shaped_link_is_read_and_written_unchanged(query: str) -> None:
    read = share.read(query)
    assert share.canonical(read.state) == query
    assert read.notices == ()


def test_a_link_says_what_a_class_sees() -> None:
    view = share.read("present=1&hide=entropy,mask,entropy,&focus=gradient").state.view
    assert (view.present, view.hide, view.focus) == (1, ("mask", "entropy"), "gradient")
    assert (View().present, View().hide, View().focus) == (0, (), "")


def test_names_that_no_page_has_are_ignored_with_one_notice() -> None:
    read = share.read("hide=mask,foo,entropy,bar&focus=mask")
    assert (read.state.view.hide, read.state.view.focus) == (("mask", "entropy"), "")
    assert read.notices == (
        "The link says hide = “foo, bar”, which names nothing on any page; it is ignored. "
        "“What a class sees” under Take away lists the names.",
        "The link says focus = “mask”, which names nothing on any page; it is ignored. "
        "“What a class sees” under Take away lists the names.",
    )
    assert "foo" in share.read("hide=foo&lang=ko").notices[0]
    assert "무시합니다" in share.read("hide=foo&lang=ko").notices[0]


def test_the_names_of_other_pages_are_kept_quietly() -> None:
    for page in parameters.PAGES:
        read = share.read(f"page={page}&hide=entropy,sweep,run&focus=walk&present=1")
        assert (read.state.view.hide, read.state.view.focus) == (("entropy", "sweep", "run"), "walk"), page
        assert read.notices == (), page


@pytest.mark.parametrize(("written", "used"), [("2", 1), ("-1", 0), ("true", 0)])
def test_present_is_one_or_nothing(written: str, used: int) -> None:
    read = share.read(f"present={written}")
    assert read.state.view.present == used
    assert len(read.notices) == 1


def test_a_pin_holds_a_state_and_no_look() -> None:
    read = share.read("present=1&pin=n%3D8%26present%3D1%26hide%3Dmask%26focus%3Dentropy")
    assert read.state.pinned == "n=8"
    assert share.read("pin=present%3D1").state.pinned == "?"


@settings(max_examples=cases(60), deadline=None)
@given(st.lists(st.sampled_from(names.hideable())), st.sampled_from(("", *names.figures())), st.integers(0, 1))
def test_a_look_survives_its_link_and_changes_no_number(hidden: list[str], focus: str, present: int) -> None:
    plain = share.read("n=48&d_k=9&mask=causal").state
    shaped = share.read(f"n=48&d_k=9&mask=causal&hide={','.join(hidden)}&focus={focus}&present={present}")
    assert shaped.notices == ()
    assert shaped.state.config == plain.config
    assert set(shaped.state.view.hide) == set(hidden)
    assert share.read(share.canonical(shaped.state)).state == shaped.state


@pytest.mark.parametrize("page", parameters.PAGES)
def test_every_figure_and_part_that_is_declared_is_on_its_page(page: str) -> None:
    there = elements(page)
    assert {name.removeprefix("figure-") for name in there if name.startswith("figure-")} == set(
        parameters.figures(page)
    )
    parts = set(names.parts_of(page)) - {"tools"}  # the menus of every figure, made by the script
    assert parts <= there
    assert {f"control-{name}" for name in parameters.lesson(page)} <= there


def test_every_control_can_be_hidden_and_every_name_is_a_control_somewhere() -> None:
    there = {
        name.removeprefix("control-")
        for page in parameters.PAGES
        for name in elements(page)
        if name.startswith("control-")
    }
    assert set(names.controls()) == there


def test_the_way_back_has_no_name() -> None:
    there = {"present", "way-back", "banner", "message", *SHAPING}
    assert there.isdisjoint(names.hideable())
    assert "way-back" in assets.scripts()["js/page/present.js"].plain.decode()
