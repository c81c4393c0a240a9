"""The structure of FA(3), read from structure.txt, which explains its notation.

>>> root().name, [each.name for each in root().elements()][:3]
('Faktura', ['Naglowek', 'Podmiot1', 'Podmiot2'])
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Final

CHOICE, TOGETHER = "choice", "together"
NAMESPACE: Final = "http://crd.gov.pl/wzor/2025/06/25/13775/"
ROOT: Final = f"{{{NAMESPACE}}}Faktura"
_LINE: Final = re.compile(
    r"(?P<at>@)?(?P<name>\w+)(?P<optional>\?)?"
    r"(?: (?P<least>\d+)\.\.(?P<most>\d+))?(?: (?P<type>[\w-]+))?(?: =(?P<only>.+))?"
)


@dataclass(frozen=True, slots=True)
class Part:
    """An element, an attribute, or a choice or sequence of parts.

    type   the name of its simple type, or of a group; None: its parts are its content
    only   the only text that it may have
    parts  in their order; of a choice one is present
    """

    name: str
    least: int = 1
    most: int = 1
    type: str | None = None
    only: str | None = None
    is_attribute: bool = False
    parts: list[Part] = field(default_factory=list)

    @property
    def is_element(self) -> bool:
        return not self.is_attribute and self.name not in (CHOICE, TOGETHER)

    def content(self) -> Sequence[Part]:
        """The parts of the element, those of its group if it is of one."""
        return groups()[self.type].parts if self.type in groups() else self.parts

    def elements(self) -> Iterator[Part]:
        """The elements that may be directly in it, in their order."""
        for part in self.content():
            if part.is_element:
                yield part
            elif not part.is_attribute:
                yield from part.elements()


@cache
def groups() -> dict[str, Part]:
    """The groups by name; `Faktura` is the whole document."""
    text = resources.files(__package__).joinpath("structure.txt").read_text(encoding="utf-8")
    found: dict[str, Part] = {}
    above: list[tuple[int, Part]] = []
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        depth = len(line) - len(line.lstrip())
        if not depth:
            group = found[line.rstrip(":")] = Part(line.rstrip(":"))
            above = [(0, group)]
            continue
        while above[-1][0] >= depth:
            above.pop()
        part = _part(line.strip())
        above[-1][1].parts.append(part)
        above.append((depth, part))
    return found


def root() -> Part:
    """The document element."""
    return groups()["Faktura"]


def _part(line: str) -> Part:
    match = _LINE.fullmatch(line)
    if match is None:
        raise ValueError(f"structure.txt: {line!r}")
    return Part(
        match["name"],
        int(match["least"] or not match["optional"]),
        int(match["most"] or 1),
        match["type"],
        match["only"],
        match["at"] is not None,
    )
