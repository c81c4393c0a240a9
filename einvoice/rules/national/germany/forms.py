"""Forms that German rules require in UBL and CII: addresses, telephone numbers, emails, IBANs."""

from __future__ import annotations

import re

from einvoice.rules.book import Chapter, Context, Flag, Kind, Values
from einvoice.rules.check_digits import iban
from einvoice.rules.node import Node
from einvoice.rules.values import normalized
from einvoice.rules.view import View

_URL = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]+:")
_EMAIL = re.compile(r"[^@ \t\r\n]+@([^@. \t\r\n]+\.)+[^@. \t\r\n]+")
_DIGIT = re.compile(r"[0-9]")
_MIN_DIGITS = 3
_SEPA_TRANSFER = "58"


def add_url_rule(
    chapter: Chapter, rule: str, at: Context, path: str, present: tuple[str, ...] = ()
) -> None:
    """Declare the rule for the location of an external document, at a path below the context."""

    def check(document: Node, _: View) -> Values | None:
        url = document.text_of(path)
        return None if _URL.match(url) else {"text": url}

    chapter.add(
        rule, "BT-124", at, check,
        "The location of an external document (BT-124) is an absolute URL.",
        Flag.WARNING, Kind.FORMAT, present, parameters={"path": path},
    )  # fmt: skip


def add_contact_rules(
    chapter: Chapter, rules: tuple[str, str], at: Context, telephone: str, email: str
) -> None:
    """Declare the rules for telephone and email of the seller's contact, at these paths."""

    def has_digits(contact: Node, _: View) -> Values | None:
        number = contact.text_of(telephone)
        return None if len(_DIGIT.findall(number)) >= _MIN_DIGITS else {"text": number}

    def is_email(contact: Node, _: View) -> Values | None:
        address = normalized(contact.text_of(email))
        return None if _EMAIL.fullmatch(address) else {"text": address}

    of_telephone, of_email = rules
    chapter.add(
        of_telephone, "BT-42", at, has_digits,
        "The telephone number of the seller's contact (BT-42) has at least three digits.",
        Flag.WARNING, Kind.FORMAT, parameters={"path": telephone},
    )  # fmt: skip
    chapter.add(
        of_email, "BT-43", at, is_email,
        "The email address of the seller's contact (BT-43) has one @, and a dot in its domain.",
        Flag.WARNING, Kind.FORMAT, parameters={"path": email},
    )  # fmt: skip


def add_transfer_rule(chapter: Chapter, rule: str, at: Context, code: str, account: str) -> None:
    """Declare the rule for the account of a SEPA transfer: the paths of its code and account."""

    def check(means: Node, _: View) -> Values | None:
        if normalized(means.text_of(code)) != _SEPA_TRANSFER:
            return None
        number = means.text_of(account)
        return None if iban(number) else {"identifier": number}

    chapter.add(
        rule, "BT-84", at, check,
        "The account of a SEPA transfer (BT-84, means 58) is an IBAN with correct check digits.",
        Flag.WARNING, Kind.FORMAT,
    )  # fmt: skip


def add_debit_rule(chapter: Chapter, rule: str, at: Context, account: str) -> None:
    """Declare the rule for the account of a SEPA direct debit, at this path."""

    def check(means: Node, _: View) -> Values | None:
        number = means.text_of(account)
        return None if iban(number) else {"identifier": number}

    chapter.add(
        rule, "BT-91", at, check,
        "The account of a SEPA direct debit (BT-91, means 59) is an IBAN with correct check"
        " digits.",
        Flag.WARNING, Kind.FORMAT,
    )  # fmt: skip
