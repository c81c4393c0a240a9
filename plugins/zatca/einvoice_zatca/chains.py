"""Chains of stamped documents, as an auditor reads them: from the documents alone.

Each document names the hash of the one before. Those that follow each other are one chain, which
begins with counter 1, or with a document whose predecessor is not among them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from einvoice_zatca.digests import FIRST_HASH
from einvoice_zatca.verification import Checked


@dataclass(frozen=True, slots=True)
class Link:
    """A document of a chain, by its name."""

    name: str
    checked: Checked

    @property
    def counter(self) -> int:
        return int(self.checked.counter) if self.checked.counter.isdecimal() else 0


@dataclass(frozen=True, slots=True)
class ReadChain:
    """Documents that follow each other, and what is wrong with them."""

    links: tuple[Link, ...]
    faults: tuple[str, ...]


def chains_of(links: Iterable[Link]) -> list[ReadChain]:
    """The chains of documents. Documents with one hash are one document."""
    known = {link.checked.hash: link for link in links}
    after: dict[str, list[Link]] = {}
    for link in known.values():
        after.setdefault(link.checked.previous, []).append(link)
    heads = [each for previous, found in after.items() if previous not in known for each in found]
    return [_chain(head, after) for head in sorted(heads, key=lambda link: link.counter)]


def _chain(head: Link, after: dict[str, list[Link]]) -> ReadChain:
    links, faults = [head], []
    while following := after.get(links[-1].checked.hash):
        if len(following) > 1:
            names = ", ".join(link.name for link in following)
            faults.append(f"{names}: two documents after {links[-1].name}")
        links.append(following[0])
    return ReadChain(tuple(links), (*_beginning(head), *faults, *_wrong(links)))


def _beginning(head: Link) -> Iterator[str]:
    if head.checked.previous == FIRST_HASH:
        if head.counter != 1:
            yield f"{head.name}: the first document has counter {head.checked.counter}"
    else:
        yield f"{head.name}: the document before it (counter {head.counter - 1}) is not here"


def _wrong(links: list[Link]) -> Iterator[str]:
    for before, link in zip([None, *links], links, strict=False):
        if before is not None and link.counter != before.counter + 1:
            yield f"{link.name}: counter {link.counter} after {before.counter}"
        if link.checked.faults:
            yield f"{link.name}: wrong {', '.join(link.checked.faults)}"
