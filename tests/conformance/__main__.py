"""Compare our rules with the official ones: `python -m tests.conformance --help`."""

import argparse
import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.conformance import corpus, ours
from tests.conformance.agreement import Summary, differences, of_acceptance
from tests.oracle import damage_structure, mutation, official, sources

SAMPLES = sources.ROOT / "tests" / "samples"


def main() -> int:
    chosen = _arguments()
    rule_set = chosen.rule_set or corpus.rule_set_of(chosen.corpus)
    day = corpus.day_of(chosen.corpus)
    layers = chosen.layer or [str(book.layer) for book in ours.pack_of(rule_set, day).books]
    summary, started = Summary(), time.monotonic()
    for name, part, fired, failed_layers, content, accepted, some in _cases(chosen, layers):
        verdict = ours.check(content, rule_set, day)
        judging = some or layers
        found = differences(fired, failed_layers & set(judging), verdict, judging)
        if accepted is not None and not chosen.layer:
            found += of_acceptance(accepted, ours.accepts(content, rule_set, day))
        summary.add(name, part, [each for each in found if chosen.rule in (None, each.id)])
    print(f"{summary}\n{time.monotonic() - started:.1f} s")
    return 1 if summary.by_rule else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.conformance", description=__doc__)
    parser.add_argument(
        "--corpus",
        type=Path,
        default=corpus.folder(),
        help="folder; of another rule set than Peppol BIS Billing it is named corpus-<rule set>",
    )
    parser.add_argument("--rule-set", help="judge by this set, not by that of the folder")
    parser.add_argument("--layer", action="append", help="CEN-UBL, CEN-CII, PEPPOL-UBL, …")
    parser.add_argument("--part", action="append", choices=corpus.PARTS, help="of the corpus")
    parser.add_argument("--rule", help="only differences of this rule")
    parser.add_argument("--sample", type=int, help="number of documents, drawn by the seed")
    parser.add_argument(
        "--live", type=int, help="number of new mutants to compare with the official XSLT"
    )
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    return parser.parse_args()


def _cases(
    chosen: argparse.Namespace, layers: list[str]
) -> Iterator[tuple[str, str, tuple[official.Fired, ...], frozenset[str], bytes, bool | None, Any]]:
    if chosen.live:
        print(f"seed {chosen.seed}")
        for syntax in sorted({layer.partition("-")[2] for layer in layers}):
            for case in fresh(syntax, chosen.live, chosen.seed, layers):
                yield *case, None, ()
        return
    documents = [each for each in corpus.documents(*chosen.part or (), place=chosen.corpus)
                 if any(layer.endswith(each.syntax) for layer in layers)]  # fmt: skip
    if chosen.sample:
        documents = random.Random(chosen.seed).sample(documents, min(chosen.sample, len(documents)))
    for each in documents:
        case = each.file, each.family, each.fired, each.failed_layers, each.content
        yield *case, each.accepted, each.layers


def fresh(
    syntax: str, count: int, seed: int, layers: list[str]
) -> Iterator[tuple[str, str, tuple[official.Fired, ...], frozenset[str], bytes]]:
    """New mutants of correct invoices, with the reports of the official rules on them."""
    bases = _bases(syntax)
    targets, paths = damage_structure.targets(sources.stylesheet(f"CEN-{syntax}"))
    chosen = tuple(each for each in layers if each.endswith(syntax) or each[:7] == "FACTURX")
    chance = random.Random(f"{seed}-{syntax}")
    for number in range(seed, seed + count):
        file, content = chance.choice(bases)
        family = mutation.FAMILIES[number % len(mutation.FAMILIES)]
        mutant = mutation.mutate(content, number, family, targets, paths)
        verdict = official.verdict(mutant.content, chosen)
        name = f"{file} seed {number} {family}: {'; '.join(mutant.done)}"
        yield (
            name,
            f"{syntax} {family}",
            tuple(verdict.fired.elements()),
            verdict.failed_layers,
            mutant.content,
        )


def _bases(syntax: str) -> list[tuple[str, bytes]]:
    """Correct invoices to damage: the samples, and those of the corpus if it is present."""
    own = SAMPLES / f"good_{syntax.lower()}.xml"
    bases = [(own.name, own.read_bytes())]
    if corpus.present():
        good = corpus.documents("valid", "examples", syntax=syntax)
        bases += [(each.file, each.content) for each in good]
    return bases


if __name__ == "__main__":
    raise SystemExit(main())
