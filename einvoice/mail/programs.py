"""Files that a computer runs when a person opens them.

>>> is_program("invoice.pdf.exe", b""), is_program("invoice.pdf", b"%PDF-1.7")
(True, False)
"""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Final

_BEGINNINGS: Final = (
    b"MZ",
    b"\x7fELF",
    b"#!",
    b"\xca\xfe\xba\xbe",
    b"\xfe\xed\xfa",
    b"\xcf\xfa\xed\xfe",
)
_ENDINGS: Final = frozenset({
    ".bat", ".cmd", ".com", ".dll", ".docm", ".exe", ".hta", ".img", ".iso", ".jar", ".js", ".jse",
    ".lnk", ".msi", ".ps1", ".scr", ".vbe", ".vbs", ".wsf", ".xlsm",
})  # fmt: skip


def is_program(name: str, content: bytes) -> bool:
    """Whether a file is a program, by the end of its name or the beginning of its content."""
    return content.startswith(_BEGINNINGS) or PurePosixPath(name).suffix.lower() in _ENDINGS
