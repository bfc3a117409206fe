"""The public names of `attention_core`, each with its docstring."""

import attention_core


def sections() -> str:
    """Return mkdocstrings' directives for every public name: constants, then classes, then functions."""
    found = {name: getattr(attention_core, name) for name in attention_core.__all__}
    classes = [name for name, value in found.items() if isinstance(value, type)]
    functions = [name for name, value in found.items() if name not in classes and callable(value)]
    others = [name for name in found if name not in {*classes, *functions}]
    return "\n\n".join(
        f"## {title}\n\n" + "\n\n".join(f"::: {_defined(name)}" for name in names)
        for title, names in (("Functions", functions), ("Classes", classes), ("Constants", others))
    )


def _defined(name: str) -> str:
    """Return the path of a name's definition: a module of the package may share its function's name."""
    module = getattr(getattr(attention_core, name), "__module__", attention_core.__name__)
    return f"{module}.{name}"
