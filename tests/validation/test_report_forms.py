"""The bytes of a stored report never change: its form keeps them (decisions 30.4)."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from einvoice.validation import former_words, report_forms, texts
from einvoice.validation.report_forms import CURRENT_FORM, FORMS, RELEASED, StoredReport, rendered
from tests.validation import every_wording

ROOT = Path(__file__).parents[2]
REPORTS = Path(__file__).parent / "reports"
# SHA-256 of a report with every text of a form's words, in all its languages (form 1: also in an
# unknown one), as the release rendered it that wrote the form. A digest never changes, and each
# frozen form has one; that of form 1 was computed with the code and the words of 0f3a524c.
DIGESTS = {
    1: "e16d3658eb78403a41bcf5fdd69dd8bd033243e4cc047c88065402d913c2c7ca",
    2: "0492649f3d53a2e37db6290271695b6a72782b91f97cb79ee8780bee165ac49d",
}
UNKNOWN = "xx"
HOW = (
    "A word, member or layout of reports has changed, so that reports which are listed with a "
    "digest change their bytes. Form {form} is released: keep former_words_{form}.json and what "
    "renders it in FORMS as they were, and give the change to the next form (CURRENT_FORM)."
)


def frozen() -> list[int]:
    """The forms whose words are in files."""
    found = former_words.FOLDER.glob("former_words_*.json")
    return sorted(int(file.stem.rpartition("_")[2]) for file in found)


def stored(form: int | None, findings: Any = (), **changes: Any) -> StoredReport:
    values = {
        "form": form, "rule_set": "set-1", "chosen_by": "document", "syntax": "ubl",
        "kind": "invoice", "findings": findings, "validated_at": "2026-11-21T10:00:05.000Z",
    } | changes  # fmt: skip
    return StoredReport(**values)


def words_of(form: int) -> Mapping[str, Any]:
    words: Mapping[str, Any] = json.loads(former_words.file_of(form).read_text())
    return words


def digest_of(form: int) -> str:
    words = words_of(form)
    everything = stored(form, list(every_wording.findings(words)))
    found = hashlib.sha256()
    for language in (*sorted(words), *([UNKNOWN] if form == 1 else [])):
        found.update(rendered(everything, language))
    return found.hexdigest()


def test_a_frozen_form_renders_the_bytes_of_its_release() -> None:
    """Every text of it, with and without facts, in each language."""
    for form in frozen():
        assert digest_of(form) == DIGESTS[form], HOW.format(form=form)


def test_reports_of_earlier_releases_keep_their_bytes() -> None:
    """Green, amber, red, without a schema or XML, XRechnung, CIUS-RO, with a plugin's words, and
    of a release that did not store who chose the rule set; as 0f3a524c rendered them."""
    for case in json.loads((REPORTS / "form_1.json").read_text()):
        name, language, expected = (case.pop(key) for key in ("name", "language", "bytes"))

        for form in (None, 1):
            assert rendered(stored(form, **case), language).decode() == expected, (name, language)


def test_every_former_form_has_its_words_and_every_form_a_renderer() -> None:
    assert list(FORMS) == list(range(1, CURRENT_FORM + 1))
    assert frozen() in ([*range(1, CURRENT_FORM)], [*range(1, CURRENT_FORM + 1)])
    assert list(DIGESTS) == frozen()


def test_words_that_are_released_change_with_a_new_form_only() -> None:
    """Once the current form is frozen, its words are those of `texts`."""
    if CURRENT_FORM in frozen():
        today = json.loads(json.dumps(former_words.words_of_today()))

        assert today == words_of(CURRENT_FORM), HOW.format(form=CURRENT_FORM)


def test_every_released_version_has_frozen_the_form_of_its_reports() -> None:
    """A release runs `python -m einvoice.validation.report_forms` unless no word has changed, and
    adds itself to RELEASED and the digest of its form to DIGESTS."""
    versions = re.findall(r"^## (\d+\.\d+\.\d+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)

    assert set(RELEASED) == set(versions)
    assert set(RELEASED.values()) <= set(frozen())


def test_a_report_names_its_form_from_form_2_on() -> None:
    assert b"reportForm" not in rendered(stored(1))
    for form in range(2, CURRENT_FORM + 1):
        assert json.loads(rendered(stored(form)))["reportForm"] == form


def test_the_form_of_a_later_release_is_not_rendered() -> None:
    """The service may have gone back one release: no bytes rather than other bytes."""
    for form, is_known in (
        (None, True),
        (1, True),
        (CURRENT_FORM, True),
        (CURRENT_FORM + 1, False),
    ):
        assert report_forms.is_renderable(form) is is_known


def test_a_finding_that_its_form_has_no_words_for_is_named_by_its_rule() -> None:
    """Of a program between two releases."""
    finding = next(every_wording.findings(words_of(1))) | {
        "ruleId": "NOT-JUDGED-SOMETHING", "kind": "unjudged"
    }  # fmt: skip

    found = json.loads(rendered(stored(1, [finding])))["findings"][0]
    assert found["message"] == "NOT-JUDGED-SOMETHING"


@pytest.fixture
def next_release(tmp_path, monkeypatch) -> Iterator[int]:
    """The form of a release to come, whose words are in folders of the test."""
    (tmp_path / "former").mkdir()
    for form in frozen():
        shutil.copy(former_words.file_of(form), tmp_path / "former")
    shutil.copytree(texts._FOLDER / "en", tmp_path / "texts" / "en")
    monkeypatch.setattr(former_words, "FOLDER", tmp_path / "former")
    monkeypatch.setattr(texts, "_FOLDER", tmp_path / "texts")
    forget()
    yield CURRENT_FORM + 1
    forget()


def forget() -> None:
    for kept in (texts.languages, texts.language, former_words._words):
        kept.cache_clear()


def test_after_a_release_with_other_words_old_reports_keep_their_bytes(
    next_release, monkeypatch
) -> None:
    """A word and a member are changed: of a new document they are new, of an old one as before."""
    finding = {
        "severity": "error", "source": "en16931", "ruleId": "BR-02", "location": "/Invoice[1]",
        "line": 1, "field": "invoice.number", "businessTerms": ["BT-1"], "kind": "presence",
        "part": "document", "term": "BT-1", "facts": {},
    }  # fmt: skip
    old = stored(CURRENT_FORM, [finding])
    before = rendered(old)
    if not former_words.file_of(CURRENT_FORM).exists():
        former_words.freeze(CURRENT_FORM)
    with (texts._FOLDER / "en" / "zz.toml").open("w") as words:
        words.write('[rules.BR-02]\nmessage = "Number it."\n')
    forget()
    former = partial(former_words.former_finding, CURRENT_FORM)
    changed = {
        CURRENT_FORM: partial(report_forms._named, former),
        next_release: lambda report, language: {
            "format": report.form,
            "said": [report_forms.from_data(each, language)["message"] for each in report.findings],
        },
    }
    monkeypatch.setattr(report_forms, "FORMS", {**FORMS, **changed})

    assert b"must have a number" in before
    assert rendered(old) == before
    assert json.loads(rendered(stored(next_release, [finding]))) == {
        "format": next_release, "said": ["Number it."]
    }  # fmt: skip
    with pytest.raises(FileExistsError):
        former_words.freeze(CURRENT_FORM)
