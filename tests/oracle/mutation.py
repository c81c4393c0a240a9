"""New test documents: correct invoices damaged at random, from a seed.

Four families, as in the corpus but independent of it:

- `random`: elements removed, doubled, moved, renamed; texts, numbers, codes, attributes changed;
- `vat`: categories, rates, reasons, bases and identifiers that do not agree;
- `national`: a country with its identifiers, payment means and document types;
- `directed`: elements added that a structure rule of the official XSLT forbids or counts.

The same seed, base and family give the same mutant.
"""

import random
from collections.abc import Sequence
from typing import NamedTuple

from lxml import etree

from tests.oracle.damage import RANDOM
from tests.oracle.damage_national import NATIONAL
from tests.oracle.damage_structure import Target, build
from tests.oracle.damage_vat import VAT

OPERATORS = {"random": RANDOM, "vat": VAT, "national": NATIONAL}
FAMILIES = ("random", "vat", "national", "directed")


class Mutant(NamedTuple):
    """A damaged document and descriptions of the changes."""

    content: bytes
    done: tuple[str, ...]


def mutate(
    content: bytes,
    seed: int,
    family: str,
    targets: Sequence[Target] = (),
    paths: dict | None = None,
) -> Mutant:
    """Damage one document; `targets` and their namespace `paths` are needed for `directed` only."""
    chance = random.Random(f"{seed}-{family}")
    root = etree.fromstring(content, etree.XMLParser(resolve_entities=False, no_network=True))
    if family == "directed":
        done = tuple(build(root, chance.choice(targets), paths or {}) for _ in range(3))
    else:
        operators = OPERATORS[family]
        times = chance.choice((1, 1, 2, 3))
        done = tuple(chance.choice(operators)(root, chance) for _ in range(times))
    return Mutant(etree.tostring(root, encoding="UTF-8", xml_declaration=True), done)
