"""What a load imports takes seconds: it is imported while its owner looks at the page."""

import threading
from functools import cache
from importlib.util import find_spec

from attention_core.learned import SHIPPED
from attention_core.models import import_ahead
from visualiser.models.listing import offered
from visualiser.server import settings

__all__ = ["begin_to_import"]


@cache
def begin_to_import() -> threading.Thread | None:
    """Import what every load needs, once in a process and beside everything else; None where nobody will need it.

    A server for strangers imports it with the first load: it has no second to give away.
    """
    if not settings.is_own() or offered() == tuple(SHIPPED) or find_spec("transformers") is None:
        return None
    thread = threading.Thread(target=import_ahead, name="import-ahead", daemon=True)
    thread.start()
    return thread
