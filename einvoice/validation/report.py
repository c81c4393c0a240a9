"""A validation report (decisions 7): the findings, the light they result in, and the rule set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as member
from enum import StrEnum
from pathlib import Path

from einvoice.rules import ChosenBy

# Findings that say that a document was not judged, though it may be right: no process had time for
# it, or it is beyond a bound of this service. So do those that begin with NOT-JUDGED.
_BOUNDS = frozenset({
    "XML-TOO-LARGE", "XML-TOO-MANY-ELEMENTS", "XML-TOO-MANY-ATTRIBUTES", "XML-TOO-DEEP",
    "PDF-TOO-LARGE",
})  # fmt: skip
NOT_JUDGED = "NOT-JUDGED"


def is_judgement(rule_id: str) -> bool:
    """Whether a finding of this id is what a schema or a rule says of a document.

    >>> is_judgement("BR-01"), is_judgement("XML-EMPTY")
    (True, True)
    >>> is_judgement("NOT-JUDGED"), is_judgement("NOT-JUDGED-PROFILE"), is_judgement("XML-TOO-DEEP")
    (False, False, False)
    """
    return not rule_id.startswith(NOT_JUDGED) and rule_id not in _BOUNDS


class Light(StrEnum):
    GREEN = "green"
    AMBER = "amber"
    RED = "red"

    @property
    def outcome(self) -> str:
        return {"green": "Pass", "amber": "Warn", "red": "Block"}[self.value]


@dataclass(frozen=True, slots=True)
class Wording:
    """The values that the text of a finding is made of, in any language.

    kind   of the rule (Kind), or schema, xml, evaluation error, fold: where to look for words
    part   the part of the invoice, a key of the tables `parts` and `within`
    term   the business term, a key of the table `terms`; "" if there is none
    facts  the values that the texts of the finding need (facts.py), by name
    words  the folder with further words (Layer.words)
    """

    kind: str
    part: str = ""
    term: str = ""
    facts: Mapping[str, str] = member(default_factory=dict)
    words: Path | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding in words. `severity` is error, warning or information; `source` is xsd, en16931,
    peppol, country or network; `field` is the field of the send request, if there is one;
    `language` is that of the words if it is not the one asked for; `value` is known of documents
    that are validated and not sent, and is not stored."""

    severity: str
    source: str
    rule_id: str
    message: str
    explanation: str | None = None
    suggestion: str | None = None
    location: str | None = None
    line: int | None = None
    field: str | None = None
    business_terms: tuple[str, ...] = ()
    about: str | None = None  # the element or attribute below the location, for folding.py
    wording: Wording | None = member(default=None, compare=False, repr=False)  # None: fixed words
    language: str | None = member(default=None, compare=False)
    value: str | None = member(default=None, compare=False)  # of the element at the location

    def as_json(self) -> dict[str, object]:
        return {
            "severity": self.severity,
            "source": self.source,
            "ruleId": self.rule_id,
            "message": self.message,
            "explanation": self.explanation,
            "suggestion": self.suggestion,
            "location": self.location,
            "line": self.line,
            "field": self.field,
            "businessTerms": list(self.business_terms),
            **({"value": self.value} if self.value is not None else {}),
            **({"language": self.language} if self.language else {}),
        }

    def as_data(self) -> dict[str, object]:
        """The form that is stored: without words, which `wording.from_data` makes again.

        A finding with fixed words, or of a rule set with words of its own, is stored in words: its
        plugin may be gone when it is read.
        """
        wording, found = self.wording, self.as_json()
        found.pop("language", None)
        found.pop("value", None)
        if wording is None or wording.words is not None:
            return found
        for part in ("message", "explanation", "suggestion"):
            del found[part]
        own = {"kind": wording.kind, "part": wording.part, "term": wording.term}
        return found | own | {"facts": dict(wording.facts)}

    def as_violation(self) -> str:
        """The form of the contract's validationErrors: `RULE-ID: text (field)`."""
        place = self.field or self.location
        return f"{self.rule_id}: {self.message}" + (f" ({place})" if place else "")


@dataclass(frozen=True, slots=True)
class Report:
    """The findings on one document, and the rule set.

    `form` is the syntax, such as ubl or cii, `kind` invoice or creditNote; both are None for a
    document of another kind, on which no rule was run. `chosen_by`: why this rule set judged it.
    """

    rule_set: str
    findings: tuple[Finding, ...] = ()
    form: str | None = "ubl"
    kind: str | None = "invoice"
    chosen_by: ChosenBy = ChosenBy.NETWORK

    @property
    def light(self) -> Light:
        severities = {finding.severity for finding in self.findings}
        if "error" in severities:
            return Light.RED
        return Light.AMBER if "warning" in severities else Light.GREEN

    @property
    def errors(self) -> list[Finding]:
        return [finding for finding in self.findings if finding.severity == "error"]

    @property
    def is_document(self) -> bool:
        return self.form is not None

    def as_json(self) -> dict[str, object]:
        """The traffic-light body, without `processingTimeMs`, which the caller adds."""
        found = [finding.as_json() for finding in self.findings]
        return traffic_light(
            self.rule_set, found, form=self.form, kind=self.kind, chosen_by=self.chosen_by
        )


def traffic_light(
    rule_set: str,
    findings: Sequence[Mapping[str, object]],
    *,
    form: str | None,
    kind: str | None,
    chosen_by: str | None,
) -> dict[str, object]:
    """The traffic-light body of decisions 7, from stored findings."""
    errors = [f for f in findings if f["severity"] == "error"]
    syntax = [f for f in errors if f["source"] == "xsd"]
    warnings = [f for f in findings if f["severity"] == "warning"]
    light = Light.RED if errors else Light.AMBER if warnings else Light.GREEN
    return {
        "trafficLight": light.value,
        "outcome": light.outcome,
        "syntaxErrors": len(syntax),
        "semanticErrors": len(errors) - len(syntax),
        "semanticWarnings": len(warnings),
        "ruleSet": rule_set,
        "ruleSetChosenBy": chosen_by,
        "format": form,
        "documentType": kind,
        "findings": findings,
    }


def with_processing_time(light: dict[str, object], took_ms: int | None) -> dict[str, object]:
    """The traffic light of decisions 7 with its duration in milliseconds; `findings` stays last."""
    found = light.pop("findings")
    return light | {"processingTimeMs": took_ms, "findings": found}
