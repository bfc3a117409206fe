"""Tests that await run on an event loop and a thread of their own: the browser's driver, started once for the whole
run, keeps a loop running in the main thread."""

import inspect

import pytest

from tests.alone import alone


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a test that is a coroutine function."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    given = {name: pyfuncitem.funcargs[name] for name in inspect.signature(pyfuncitem.obj).parameters}
    alone(pyfuncitem.obj(**given))
    return True
