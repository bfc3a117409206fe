"""Requests that a test holds back until something else has happened."""

from playwright.sync_api import Page, Route


class Held:
    """The requests of a page whose addresses match `pattern`: none goes on before `release`."""

    def __init__(self, page: Page, pattern: str) -> None:
        self._waiting: list[Route] = []
        self._released = False
        page.route(pattern, self._take)

    def _take(self, route: Route) -> None:
        if self._released:
            route.continue_()
        else:
            self._waiting.append(route)

    def release(self) -> None:
        """Let those that wait go on, and all that follow at once."""
        self._released = True
        for route in self._waiting:
            route.continue_()
