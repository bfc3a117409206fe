"""What a page loads: requests and bytes of the browser's network, compressed with headers, and as they are read."""

from typing import Any

from playwright.sync_api import BrowserContext, Page


class Traffic:
    """The answers that came to a page since this was made, before it is sent anywhere."""

    def __init__(self, context: BrowserContext, page: Page) -> None:
        self._asked: set[str] = set()
        self._came: dict[str, int] = {}
        self.read = 0
        """Bytes without compression and headers."""
        network = context.new_cdp_session(page)
        network.on("Network.requestWillBeSent", self._sent)
        network.on("Network.dataReceived", self._coming)
        network.on("Network.loadingFinished", self._ended)
        network.send("Network.enable")

    @property
    def requests(self) -> int:
        """How many addresses were asked."""
        return len(self._asked)

    @property
    def size(self) -> int:
        """Bytes on the way, compressed, with headers."""
        return sum(self._came.values())

    def _sent(self, event: dict[str, Any]) -> None:
        if not event["request"]["url"].startswith("data:"):
            self._asked.add(event["requestId"])

    def _coming(self, event: dict[str, Any]) -> None:
        # the browser does not tell the end of an answer that came long before the page read it
        self._came[event["requestId"]] = self._came.get(event["requestId"], 0) + event["encodedDataLength"]
        self.read += event["dataLength"]

    def _ended(self, event: dict[str, Any]) -> None:
        self._came[event["requestId"]] = event["encodedDataLength"]
