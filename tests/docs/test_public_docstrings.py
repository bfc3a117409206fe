"""Public functions and configs of the core name every parameter, and functions what they return."""

import inspect
import re

import pytest

import attention_core

PUBLIC = {name: getattr(attention_core, name) for name in attention_core.__all__}
FUNCTIONS = [name for name, value in PUBLIC.items() if inspect.isfunction(value)]
# AttentionConfig's fields are the parameters of pages and links: docs/made/parameters.toml has their sentences.
CONFIGS = [name for name in PUBLIC if name.endswith("Config") and name != "AttentionConfig"]


def sections(name: str) -> dict[str, str]:
    """Return the numpydoc sections of a docstring by their heading."""
    pieces = re.split(r"^(\w+)\n-{3,}\n", inspect.getdoc(PUBLIC[name]) or "", flags=re.MULTILINE)
    return dict(zip(pieces[1::2], pieces[2::2], strict=True))


def named(section: str) -> list[str]:
    """Return the names that a section explains: "Q, K" above an indented sentence are two."""
    explained = re.findall(r"^(\S.*)\n {4}\S", section, flags=re.MULTILINE)
    return [name for line in explained for name in line.split(", ")]


@pytest.mark.parametrize("name", [*FUNCTIONS, *CONFIGS])
def test_every_parameter_is_explained(name):
    parameters = inspect.signature(PUBLIC[name]).parameters
    assert sorted(named(sections(name).get("Parameters", ""))) == sorted(parameters)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_result_is_explained(name):
    returned = inspect.signature(PUBLIC[name]).return_annotation
    is_generator = inspect.isgeneratorfunction(PUBLIC[name]) or "Generator" in str(returned)
    expected = set() if returned is None or name == "stopping" else {"Yields" if is_generator else "Returns"}
    assert sections(name).keys() & {"Returns", "Yields"} == expected


@pytest.mark.parametrize("name", PUBLIC)
def test_what_is_raised_has_a_section_of_its_own(name):
    about = re.split(r"^\w+\n-{3,}\n", inspect.getdoc(PUBLIC[name]) or "", maxsplit=1, flags=re.MULTILINE)[0]
    assert re.findall(r"\b(?:Returns|Raises)\b[^\n]*", about) == []
    for error in named(sections(name).get("Raises", "")):
        assert error in {"InvalidInput", "Cancelled", "ValueError"}
