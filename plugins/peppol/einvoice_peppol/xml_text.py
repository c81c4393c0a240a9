"""Texts for XML documents.

>>> text("a < b" + chr(7))
'a &lt; b\\ufffd'
"""

from __future__ import annotations

import re
from xml.sax.saxutils import escape

_NOT_ALLOWED = re.compile("[^\\t\\n\\r\\x20-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")


def text(value: str) -> str:
    """A text, escaped; characters that XML does not allow are replaced."""
    return escape(_NOT_ALLOWED.sub("\ufffd", value))
