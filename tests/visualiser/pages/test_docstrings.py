"""Endpoints name the choices that the core and their page have now."""

import pytest

from visualiser.pages import docstrings, shell


def test_an_endpoint_names_a_new_mechanism_and_not_those_that_its_page_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(docstrings, "CHOICES", {"mechanism": ("one", "two", "three"), "mask": ("none",)})

    def named(page: str) -> str | None:
        @docstrings.naming_choices(page)
        def endpoint() -> None:
            """mechanism: {mechanism}; mask: {mask}; the set {n}."""

        return endpoint.__doc__

    assert named("explore") == "mechanism: one, two or three; mask: none; the set {n}."
    assert named("anatomy") == "mechanism: dot_product or additive; mask: none; the set {n}."


@pytest.mark.parametrize("name", ["attention", "anatomy", "map"])
def test_every_endpoint_has_its_choices_written_out(name: str) -> None:
    written = shell.ENDPOINTS[name][0].__doc__ or ""
    assert "mask: none, causal or window\n" in written
    assert ("mechanism: dot_product or additive\n" in written) == (name != "map")
    assert "{" not in written
