"""Checks and tables of rules that BR-FR has in both syntaxes."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from einvoice.rules.book import BROKEN, Chapter, Check, Kind, Pattern, Values
from einvoice.rules.br_fr import codes, forms
from einvoice.rules.br_fr.forms import Form
from einvoice.rules.cii_paths import single_text
from einvoice.rules.node import Node
from einvoice.rules.values import normalized
from einvoice.rules.view import View


def terms(term: str) -> str:
    """The business terms that a rule names: those of EN 16931 only."""
    return " ".join(each for each in term.split("_") if each.startswith(("BT-", "BG-")))


def has_scheme(scheme: str, node: Node, _: View) -> bool:
    return node.attributes.get("schemeID") == scheme


def tabled(
    chapter: Chapter,
    rows: Iterable[tuple[str, str, tuple[str, ...]]],
    check: Check,
    requires: str,
    kind: Kind = Kind.FORMAT,
    scheme: str = "",
) -> None:
    """Rules of one pattern with one check: (id, terms, paths). `scheme`: of elements with it."""
    pattern = Pattern()
    for rule, terms, paths in rows:
        at = pattern.context(*paths, when=partial(has_scheme, scheme) if scheme else None)
        chapter.add(rule, terms, at, check, requires.format(terms=terms or rule), kind=kind)


def has_form(form: Form) -> Check:
    """The check that the text of the node has a form."""

    def check(node: Node, _: View) -> Values | None:
        return None if form(node.text) else {"text": node.text[:80]}

    return check


def has_form_at(path: str, form: Form) -> Check:
    """The check that the text on the path has a form, if there is one.

    Several elements are an evaluation error.
    """

    def check(node: Node, _: View) -> Values | None:
        found = node.only(path)
        return None if found is None or form(found.text) else {"text": found.text[:80]}

    return check


def is_one_of(path: str, allowed: frozenset[str], *, needed: bool = False) -> Check:
    """The check that the code on the path is one of these; `needed`: and that there is one."""

    def check(node: Node, _: View) -> Values | None:
        found = node.only(path)
        if found is None:
            return {"code": ""} if needed else None
        return None if found.text in allowed else {"code": found.text[:80]}

    return check


def is_none_of(path: str, forbidden: frozenset[str]) -> Check:
    """The check that no code on the path is one of these."""

    def check(node: Node, _: View) -> Values | None:
        wrong = [text for text in node.texts(path) if text in forbidden]
        return {"code": wrong[0]} if wrong else None

    return check


def is_filled_at(path: str) -> Check:
    """The check that the one element on the path is given and not blank."""

    def check(node: Node, _: View) -> Values | None:
        return None if normalized(node.text_of(path)) else BROKEN

    return check


def if_filled(path: str, form: Form) -> Check:
    """The check that the text on the path is blank or has a form. Several are an error."""

    def check(node: Node, _: View) -> Values | None:
        text = normalized(node.text_of(path))
        return None if not text or form(text) else {"text": text[:80]}

    return check


def of_scheme(party: Node, path: str, scheme: str) -> list[Node]:
    return [each for each in party.all(path) if each.attributes.get("schemeID") == scheme]


def siret_is_of_siren(numbers: str, legal: str, *, needed: bool) -> Check:
    """The check that a SIRET begins with the SIREN of the same party.

    needed  whether a SIREN must be given; else it is taken from the SIRET
    """

    def check(party: Node, _: View) -> Values | None:
        sirets = of_scheme(party, numbers, codes.SIRET)
        if not sirets:
            return None
        siret = sirets[0].text
        siren = single_text(of_scheme(party, legal, codes.SIREN))
        if not siren and not needed:
            siren = siret[:9]
        return None if forms.is_of(siret, siren) else {"text": siret[:80]}

    return check


def schemes_are_given(path: str) -> Check:
    def check(party: Node, _: View) -> Values | None:
        bare = [each for each in party.all(path) if "schemeID" not in each.attributes]
        return {"text": bare[0].text[:80]} if bare else None

    return check


def schemes_differ(path: str) -> Check:
    def check(party: Node, _: View) -> Values | None:
        schemes = party.attributes_at(path, "schemeID")
        return None if len(set(schemes)) == len(schemes) else {"count": len(schemes)}

    return check
