"""Links as QR codes, to be read from a screen by the phones of those who sit around it."""

from __future__ import annotations

import segno

BORDER = 2  # of light squares around it


def svg(link: str) -> str:
    """The code of a link, as an element of SVG."""
    return str(segno.make(link, micro=False).svg_inline(border=BORDER, dark="#000", light="#fff", omitsize=True))
