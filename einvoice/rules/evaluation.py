"""The findings of rules on one document, and the verdict they amount to.

A rule that cannot be evaluated (evaluation_errors.py) ends the verdict of its layer, as it does
officially: the layer is in `RulesVerdict.failed_layers` and the error is a fatal finding of our
own. The findings of the layer's other rules are kept: they are correct and useful.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field, replace

from einvoice import cpu_deadline
from einvoice.rules.book import Condition, DocumentCondition, Flag, Rule, Values
from einvoice.rules.evaluation_errors import EvaluationError
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.view import View

RuleGroups = tuple[tuple[Condition | None, tuple[Rule, ...]], ...]  # rules by their fast path


@dataclass(frozen=True, slots=True)
class RuleFinding:
    """One node that breaks one rule, with the values its texts need."""

    layer: Layer
    id: str
    flag: Flag
    place: str
    values: Values
    rule: Rule | None = field(repr=False)  # None: an evaluation error, not an official rule
    level: Flag | None = None  # what the scenario makes of the flag (rule_sets.py); None: the same

    @property
    def severity(self) -> Flag:
        """The flag, unless the scenario of the document gives the rule another level."""
        return self.level or self.flag


@dataclass(frozen=True, slots=True)
class RulesVerdict:
    """The findings of all layers on one document."""

    findings: tuple[RuleFinding, ...]
    failed_layers: frozenset[Layer]  # with an evaluation error: no official verdict

    @property
    def fatal(self) -> bool:
        return any(finding.severity is Flag.FATAL for finding in self.findings)

    @property
    def doubtful(self) -> bool:
        """Whether a warning was found, or worse."""
        return any(finding.severity is not Flag.INFORMATION for finding in self.findings)

    def under(self, levels: Mapping[str, Flag], layers: Container[str] | None) -> RulesVerdict:
        """The verdict with other levels of some rules, and of these layers only (None: of all)."""
        if not levels and layers is None:
            return self
        counting = (each for each in self.findings if layers is None or each.layer in layers)
        found = (replace(each, level=levels.get(each.id)) for each in counting)
        failed = (each for each in self.failed_layers if layers is None or each in layers)
        return RulesVerdict(tuple(found), frozenset(failed))

    def at(self, levels: Mapping[str, Flag]) -> RulesVerdict:
        """The verdict with these levels of rules, which come before those of a scenario."""
        if not levels:
            return self
        found = (
            replace(each, level=levels[each.id]) if each.rule and each.id in levels else each
            for each in self.findings
        )
        return RulesVerdict(tuple(found), self.failed_layers)

    def joined(self, other: RulesVerdict) -> RulesVerdict:
        """This verdict and another one on the same document."""
        return RulesVerdict(
            (*self.findings, *other.findings), self.failed_layers | other.failed_layers
        )

    def at_most(self, gravest: Flag) -> RulesVerdict:
        """The verdict with each fatal finding at this level."""
        found = (
            replace(each, level=gravest) if each.severity is Flag.FATAL else each
            for each in self.findings
        )
        return RulesVerdict(tuple(found), self.failed_layers)


NOTHING_FOUND = RulesVerdict((), frozenset())


def without_repetition(verdict: RulesVerdict) -> RulesVerdict:
    """The verdict of an engine with an announced pack, each finding once.

    An announced rule replaces the warning of the same rule that is in force. It is left out where
    the rule is broken as it is in force, and where it cannot be evaluated.
    """
    announced = [found for found in verdict.findings if found.layer.binding_from]
    if not announced:
        return verdict
    fatal = {_key(found) for found in verdict.findings if found.flag is Flag.FATAL}
    kept = [found for found in announced if found.rule and _key(found) not in fatal]
    replaced = {_key(found) for found in kept}
    in_force = (found for found in verdict.findings if not found.layer.binding_from)
    findings = (*(found for found in in_force if _key(found) not in replaced), *kept)
    return RulesVerdict(
        findings, frozenset(layer for layer in verdict.failed_layers if not layer.binding_from)
    )


def _key(found: RuleFinding) -> tuple[str, str]:
    return found.id, found.place


class Evaluation:
    """Runs rules on nodes of one document and keeps the findings."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._findings: list[RuleFinding] = []
        self._errors: dict[tuple[Layer, str, str], RuleFinding] = {}

    def run_groups(self, groups: RuleGroups, node: Node) -> None:
        """Run the rules of each group on a node, unless the fast path of the group applies."""
        for fast_path, rules in groups:
            if fast_path is None or not fast_path(node, self._view):
                self.run(rules, node)

    def run(self, rules: Iterable[Rule], node: Node, trigger: Node | None = None) -> None:
        """Run rules on a node; one that raises does not end the others.

        The place of the node that triggered the rule is added to its values as "found", because the
        official place may be far above it.
        """
        view = self._view
        for rule in rules:
            try:
                values = rule.check(node, view)
            except EvaluationError as error:
                finding = _error_finding(rule, error)
                self._errors[finding.layer, finding.id, finding.place] = finding
                cpu_deadline.check()
            else:
                if values is not None:
                    if trigger is not None:
                        values = {**values, "found": trigger.place}
                    found = RuleFinding(rule.layer, rule.id, rule.flag, node.place, values, rule)
                    self._findings.append(found)
                    cpu_deadline.check()

    def verdict(self) -> RulesVerdict:
        failed = frozenset(layer for layer, _, _ in self._errors)
        return RulesVerdict((*self._findings, *self._errors.values()), failed)


def in_groups(rules: Iterable[Rule], fast_paths: bool) -> RuleGroups:
    """The rules by the fast path that they share; None for those that have none.

    Without fast paths, the groups and so the order are the same, and each group has None.
    """
    shared: dict[Condition | None, list[Rule]] = defaultdict(list)
    for rule in rules:
        shared[rule.fast_path].append(rule)
    return tuple(
        (fast_path if fast_paths else None, tuple(sharing)) for fast_path, sharing in shared.items()
    )


def holds(condition: DocumentCondition | None, view: View) -> bool:
    """Whether the condition of a pattern holds in the document; not if it raises."""
    try:
        return condition is None or view.once(condition)
    except EvaluationError:
        return False


def _error_finding(rule: Rule, error: EvaluationError) -> RuleFinding:
    values = {"rule": rule.id, **error.values}
    return RuleFinding(rule.layer, error.id, Flag.FATAL, error.node.place, values, None)
