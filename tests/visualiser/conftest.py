"""Tests that await run on an event loop and a thread of their own: the browser's driver, started once for the whole
run, keeps a loop running in the main thread."""

import asyncio
import inspect
from concurrent.futures import ThreadPoolExecutor

import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a test that is a coroutine function."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    given = {name: pyfuncitem.funcargs[name] for name in inspect.signature(pyfuncitem.obj).parameters}
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, pyfuncitem.obj(**given)).result()
    return True
