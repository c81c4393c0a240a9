"""Differences between our verdict and the official one, by rule."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from tests.oracle.official import Fired


class OurVerdict(NamedTuple):
    """The reports of our engine on one document, whether it is red, and the failed layers."""

    fired: tuple[Fired, ...]
    red: bool
    failed_layers: frozenset[str] = frozenset()


Engine = Callable[[bytes], OurVerdict]


class Difference(NamedTuple):
    """One rule on which the two verdicts differ.

    `how` is missing, extra or misplaced; for a layer, "not red" (the official rules failed and ours
    found nothing) or "stopped" (ours failed and the official ones did not).
    """

    source: str
    id: str
    how: str
    detail: str


def differences(
    official: Iterable[Fired], failed_layers: Iterable[str], ours: OurVerdict, layers: Iterable[str]
) -> list[Difference]:
    """Compare the sets of (source, id, flag), then the places of rules that both report.

    A failed layer has no official verdict: ours must be red, with any findings.
    """
    failed_layers = set(failed_layers)
    found = [Difference(layer, "-", "not red", "") for layer in failed_layers if not ours.red]
    found += [
        Difference(layer, "-", "stopped", "")
        for layer in (ours.failed_layers - failed_layers) & set(layers)
    ]
    for layer in layers:
        if layer not in failed_layers:
            found += _of_layer(_places(official, layer), _places(ours.fired, layer), layer)
    return found


def of_acceptance(official: bool, ours: bool) -> list[Difference]:
    """Compare whether a document is accepted, its scenario and its schema included."""
    return (
        []
        if official is ours
        else [Difference("scenario", "-", "accepted", f"official {official}")]
    )


def _places(fired: Iterable[Fired], layer: str) -> dict[tuple[str, str], Counter[str]]:
    places: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for each in fired:
        if each.source == layer:
            places[each.id, each.flag][each.at] += 1
    return places


def _of_layer(
    theirs: dict[tuple[str, str], Counter[str]],
    ours: dict[tuple[str, str], Counter[str]],
    layer: str,
) -> list[Difference]:
    found = [Difference(layer, rule, "missing", _words(theirs[rule, flag], flag))
             for rule, flag in theirs.keys() - ours.keys()]  # fmt: skip
    found += [Difference(layer, rule, "extra", _words(ours[rule, flag], flag))
              for rule, flag in ours.keys() - theirs.keys()]  # fmt: skip
    for key in theirs.keys() & ours.keys():
        official = theirs[key]
        if "" not in official and official != ours[key]:
            words = f"official {_words(official - ours[key])}, ours {_words(ours[key] - official)}"
            found.append(Difference(layer, key[0], "misplaced", words))
    return found


def _words(places: Counter[str], flag: str = "") -> str:
    listed = [f"{at}{f' x{times}' if times > 1 else ''}" for at, times in places.most_common(2)]
    return " ".join([flag, *listed]).strip() or "-"


@dataclass(slots=True)
class Summary:
    """Agreement over many documents: counts by part, differences by rule with examples."""

    documents: Counter[str] = field(default_factory=Counter)
    agreed: Counter[str] = field(default_factory=Counter)
    by_rule: dict[tuple[str, str, str], list[tuple[str, str]]] = field(
        default_factory=lambda: defaultdict(list)
    )

    def add(self, name: str, part: str, found: list[Difference]) -> None:
        self.documents[part] += 1
        self.agreed[part] += not found
        for each in found:
            self.by_rule[each.source, each.id, each.how].append((name, each.detail))

    def __str__(self) -> str:
        lines = [f"{part}: {self.agreed[part]} of {count} documents agree"
                 for part, count in self.documents.items()]  # fmt: skip
        worst = sorted(self.by_rule.items(), key=lambda item: -len(item[1]))
        for (source, rule, how), cases in worst:
            file, detail = cases[0]
            lines.append(f"{len(cases):5} {source} {rule} {how}: {file} {detail}")
        return "\n".join(lines)
