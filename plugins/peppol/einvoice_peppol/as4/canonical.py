"""Text of elements in the form of exclusive canonical XML.

What is signed is written in this form at once, so its bytes are digested without parsing them:
namespaces are declared where they are first used and sorted by prefix, attributes are sorted by
namespace and name, and each element has an end tag.
"""

from __future__ import annotations

import hashlib
from base64 import b64encode

_TEXT = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#xD;"})
_ATTRIBUTE = str.maketrans(
    {"&": "&amp;", "<": "&lt;", '"': "&quot;", "\t": "&#x9;", "\n": "&#xA;", "\r": "&#xD;"}
)


def text(value: str) -> str:
    """The value as the text of an element."""
    return value.translate(_TEXT)


def attribute(value: str) -> str:
    """The value as that of an attribute in double quotes."""
    return value.translate(_ATTRIBUTE)


def base64(data: bytes) -> str:
    """The data in base64, on one line."""
    return b64encode(data).decode("ascii")


def digest(data: bytes) -> str:
    """The SHA-256 digest in base64."""
    return base64(hashlib.sha256(data).digest())
