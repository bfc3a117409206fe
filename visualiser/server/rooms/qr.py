"""The QR code of an address, as SVG."""

import io


def svg(address: str) -> bytes:
    """Return the code, black on white with its quiet zone, in a size that its place decides."""
    import segno  # only a server with a room needs it

    stream = io.BytesIO()
    code = segno.make(address, error="m", micro=False)
    code.save(stream, kind="svg", xmldecl=False, omitsize=True, dark="#000", light="#fff", nl=False)
    return stream.getvalue()
