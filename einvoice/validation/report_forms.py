"""The artefact VALIDATION_REPORT: the bytes of a stored report, in the form of its document.

It is rendered when it is read, and listed with a digest, so its bytes never change (decisions
30.4). A form is everything that the bytes depend on besides the stored row: members, layout and
words, in all languages. A stored document names the form of the release that accepted it; NULL is
form 1. The current form has the words of `texts`, which change until it is released; each former
form has its words in `former_words_<form>.json`, which never change.

To change words or members after a release: `python -m einvoice.validation.report_forms` writes the
words of the current form, add a renderer to `FORMS`, and raise `CURRENT_FORM`
(tests/validation/test_report_forms.py says when).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from einvoice.validation.former_words import former_finding, former_named_finding, freeze
from einvoice.validation.report import traffic_light
from einvoice.validation.texts import DEFAULT_LANGUAGE
from einvoice.validation.wording import from_data

CURRENT_FORM = 3
FIRST_FORM = 1  # of rows without a form
# The form of each version in CHANGELOG.md.
RELEASED: Mapping[str, int] = {"0.1.0": 2}

Worded = Callable[[Mapping[str, Any], str], dict[str, object]]


@dataclass(frozen=True, slots=True)
class StoredReport:
    """The stored form of a report.

    form          None: of an earlier release, the first form
    findings      as Finding.as_data makes them
    syntax        such as ubl or cii, None if it is no invoice
    validated_at  a timestamp as in answers
    """

    form: int | None
    rule_set: str
    chosen_by: str | None
    syntax: str | None
    kind: str | None
    findings: Sequence[Mapping[str, Any]]
    validated_at: str


Renderer = Callable[[StoredReport, str], dict[str, object]]


def is_renderable(form: int | None) -> bool:
    """Whether this release knows the form. It does not know a later release's, which may
    have accepted documents before the service went back to this one."""
    return (form or FIRST_FORM) in FORMS


def rendered(report: StoredReport, language: str = DEFAULT_LANGUAGE) -> bytes:
    """The bytes of the report. Raises KeyError for a form that is not known."""
    body = FORMS[report.form or FIRST_FORM](report, language)
    return json.dumps(body, indent=2, ensure_ascii=False).encode()


def _unnamed(worded: Worded, report: StoredReport, language: str) -> dict[str, object]:
    """The members of form 1, which does not name itself."""
    found = [worded(finding, language) for finding in report.findings]
    light = traffic_light(
        report.rule_set, found, form=report.syntax, kind=report.kind, chosen_by=report.chosen_by
    )
    return light | {"validatedAt": report.validated_at}


def _named(worded: Worded, report: StoredReport, language: str) -> dict[str, object]:
    """The members from form 2 on."""
    return {"reportForm": report.form} | _unnamed(worded, report, language)


FORMS: Mapping[int, Renderer] = {
    1: partial(_unnamed, partial(former_finding, 1)),
    2: partial(_named, partial(former_named_finding, 2)),
    CURRENT_FORM: partial(_named, from_data),
}


if __name__ == "__main__":
    print(freeze(CURRENT_FORM))
