"""The visible part: figures of results, pages that wire controls to them, and the server behind both."""
