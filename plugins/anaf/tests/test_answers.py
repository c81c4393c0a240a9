"""The table of answers knows every text that is officially published."""

from __future__ import annotations

from collections import Counter

import pytest

from einvoice_anaf.answers import Kind, classify, is_own
from plugins.anaf.tests import official
from tests.networks import stand_ins
from tests.networks.anaf import texts


def meanings():
    for row in official.answers():
        yield row, classify(int(row["status"]), official.body_of(row))


@official.needed
def test_every_official_answer_is_known():
    unknown = [row["name"] for row, answer in meanings() if answer.kind is Kind.UNREADABLE]

    assert not unknown


@official.needed
def test_official_answers_are_counted_by_meaning():
    """A new text changes the counts: it is to be looked at."""
    found = Counter((row["path"], answer.kind.value) for row, answer in meanings())

    assert sum(found.values()) == 93
    assert found["/upload", "accepted"] == found["/uploadb2c", "accepted"] == 1
    assert found["/upload", "no-right"] == 3
    assert found["/upload", "refused"] == 1
    assert found["/stareMesaj", "no-right"] == 2
    assert found["/listaMesajeFactura", "nothing"] == 1
    assert found["/listaMesajePaginatieFactura", "nothing"] == 2
    assert found["/descarcare", "quota"] == 1


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (200, b"<!DOCTYPE html><html><body>Request Rejected</body></html>", Kind.UNREADABLE),
        (200, b"<html><body>x</body></html>", Kind.UNREADABLE),
        (204, b"", Kind.QUOTA),
        (429, b'{"mesaje": []}', Kind.QUOTA),
        (401, b"<html/>", Kind.NO_RIGHT),
        (403, b"<html/>", Kind.UNREADABLE),
        (500, b"", Kind.TECHNICAL),
        (502, b"<html/>", Kind.TECHNICAL),
        (200, b"", Kind.UNREADABLE),
        (200, b"[1]", Kind.UNREADABLE),
        (200, b'{"eroare": ', Kind.UNREADABLE),
        (200, b'<header stare="altceva"/>', Kind.UNREADABLE),
        (200, b'<header stare="ok"/>', Kind.UNREADABLE),
        (200, b'<header stare="ok" id_descarcare="../1"/>', Kind.UNREADABLE),
        (200, b'<header ExecutionStatus="0"/>', Kind.UNREADABLE),
        (200, b'<header ExecutionStatus="1"><Errors errorMessage="Altceva"/></header>',
         Kind.REFUSED),
        (200, b'<header><Errors errorMessage="Altceva"/></header>', Kind.UNREADABLE),
    ],
)  # fmt: skip
def test_answers_of_other_forms(status, body, kind):
    assert classify(status, body).kind is kind


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (200, b'{"eroare": "Ai atins limita de 10 descarcari"}', Kind.QUOTA),
        (200, b'{"eroare": "Limita zilnica a fost depasita"}', Kind.QUOTA),
        (200, b'{"message": "API rate limit exceeded"}', Kind.QUOTA),
        (403, b'{"message": "Quota exceeded"}', Kind.QUOTA),
        (200, b'<header><Errors errorMessage="Numarul maxim de interogari"/></header>', Kind.QUOTA),
        (200, b'<header ExecutionStatus="1"><Errors errorMessage="Ati atins limita"/></header>',
         Kind.QUOTA),
        (200, b'<header ExecutionStatus="1"><Errors errorMessage="limita de 200"/></header>',
         Kind.REFUSED),
        (200, b'{"stare": "nok", "Messages": [{"message": "limita de 200 de caractere"}]}',
         Kind.INVALID),
    ],
)  # fmt: skip
def test_a_limit_is_known_in_any_words_but_not_in_those_about_a_document(status, body, kind):
    assert classify(status, body).kind is kind


@pytest.mark.parametrize(
    ("body", "own"),
    [
        (texts.fault("x", texts.FILE_NO_RIGHT), True),
        (texts.header(texts.UPLOAD, {"ExecutionStatus": "1"}, texts.NO_RIGHT.format(1)), True),
        (b"", False),
        (b"<html><body>The requested URL was rejected.</body></html>", False),
        (stand_ins.BLOCKED, False),
        (b'{"status": 403, "error": "Forbidden", "message": "Access Denied"}', False),
        (b"[" * 100_000, False),
        (b"{" * 100_000, False),
        (b"<" * 100_000, False),
    ],
)
def test_a_403_is_the_authority_s_own_if_it_has_its_words(body, own):
    assert is_own(body) is own
