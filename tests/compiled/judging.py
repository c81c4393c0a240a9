"""The verdicts of the rules on a set of documents, a line each: `python -m tests.compiled.judging`.

Two builds of the rules that print the same lines find the same, with the same values, in the same
order.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from datetime import date
from pathlib import Path

from bench.rules import grown
from einvoice.validation import judge
from tests.conformance import corpus
from tests.validation.damage import damaged, samples

DAY = date(2026, 11, 21)
BROKEN, DRAWN = 3_000, 300  # broken documents, and documents of each corpus
MAX_BYTES = 120_000  # of a sample of a network


def documents() -> Iterator[bytes]:
    """Samples, long invoices, broken documents by their seeds, and some of each corpus; the samples
    of networks, whole and broken."""
    yield from (file.read_bytes() for file in samples())
    yield from (grown(syntax, lines) for syntax in ("UBL", "CII") for lines in (2, 40))
    yield from (damaged(seed) for seed in range(BROKEN))
    for place in (corpus.folder(), *corpus.further()):
        found = [each.content for each in corpus.documents(place=place)]
        yield from random.Random(1).sample(found, min(DRAWN, len(found)))
    files = sorted(_networks().rglob("*.xml"))
    whole = [file.read_bytes() for file in files if file.stat().st_size <= MAX_BYTES]
    yield from whole
    yield from (damaged(seed, whole) for seed in range(BROKEN if whole else 0))


def _networks() -> Path:
    """The folder of the samples of networks beside the corpus, which may be absent."""
    return corpus.folder().parent / "networks"


def line(content: bytes) -> str:
    """The verdict on one document, with its findings in their order."""
    judged = judge(content, on=DAY, schema=False)
    verdict = judged.verdict
    if verdict is None:
        return "unreadable"
    found = [
        (each.layer, each.id, each.flag, each.severity, each.place, repr(dict(each.values)),
         each.rule and each.rule.requires)
        for each in verdict.findings
    ]  # fmt: skip
    return json.dumps([found, sorted(verdict.failed_layers)])


def main() -> None:
    for number, content in enumerate(documents()):
        print(number, line(content))


if __name__ == "__main__":
    main()
