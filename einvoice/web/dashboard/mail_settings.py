"""The e-mails that hand out invoices: words by language, files, a preview, a test to oneself."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from flask import Response, request

from einvoice.domain.errors import (
    AccessPointUnavailable,
    Conflict,
    InvalidField,
    RequestRefused,
)
from einvoice.domain.roles import Role
from einvoice.mail.invoice_mails import PLACEHOLDERS, Attached, languages
from einvoice.services.account import mail_domains, profile
from einvoice.services.account.mail_domains import DomainState
from einvoice.services.invoices import mail_previews
from einvoice.services.invoices.mail_previews import MailPreview
from einvoice.web import bodies
from einvoice.web.account import tenant_schemas
from einvoice.web.admission import slots
from einvoice.web.dashboard import forms, pages
from einvoice.web.dashboard.pages import Pages
from einvoice.web.runtime import runtime
from einvoice.web.shared import computations

NETWORK = "mail"
_CHANGES = tenant_schemas.ProfileChanges()
_WORDS = ("subject", "text")
_MEMBERS = ("sender", "replyTo", "attachments")
_MORE_COUNTRIES = 2  # blank rows of the form
_SHOWN = (InvalidField, Conflict, AccessPointUnavailable, *computations.REFUSALS)

family = Pages("dashboard_mail", __name__, "/dashboard/settings/mail")


@family.page("", least=Role.ADMIN)
def show_mail() -> Response:
    """The stored settings, with the mail that a buyer gets."""
    return _shown(_language(request.args.get("words")))


@family.page("", least=Role.ADMIN, methods=["POST"])
def change_mail() -> Response:
    """Store words and files; blank fields are removed."""
    given, principal = forms.submitted().to_dict(), pages.who()
    language = _language(given.get("words"))
    try:
        changes = _patch(given, language)
        points = runtime().access_points
        profile.change(principal.tenant_id, changes, principal, runtime().caches, points)
    except _SHOWN as refusal:
        return _shown(language, given, refusal)
    return pages.redirect_to("dashboard_mail.show_mail", "saved", words=language or None)


@family.page("/preview", least=Role.ADMIN, methods=["POST"])
def preview_mail() -> Response:
    """The page with the mail as the form has it; nothing is stored."""
    given = forms.submitted().to_dict()
    language = _language(given.get("words"))
    try:
        return _shown(language, given, mail=_patch(given, language)["mail"] or {})
    except _SHOWN as refusal:
        return _shown(language, given, refusal)


@family.page("/test", least=Role.ADMIN, methods=["POST"])
def send_test() -> Response:
    """Send the mail of a sample invoice to the person, by what is stored."""
    principal, language = pages.who(), _language(forms.submitted().get("words"))
    try:
        with slots.released():
            mail_previews.send_test(
                principal.tenant_id, principal, runtime(), language=language or _own_language()
            )
    except _SHOWN as refusal:
        return _shown(language, refusal=refusal)
    return pages.redirect_to("dashboard_mail.show_mail", "mailTested", words=language or None)


def _shown(
    language: str,
    given: Mapping[str, str] | None = None,
    refusal: RequestRefused | None = None,
    mail: Mapping[str, Any] | None = None,
) -> Response:
    """The page.

    language  whose words the form has; "": those of all languages
    given     the form that was refused or previewed
    mail      the member of the profile that is previewed; None: the stored one
    """
    principal = pages.who()
    record = profile.get(principal.tenant_id)
    values = dict(given) if given is not None else _values(record.profile, language)
    domains, resort = mail_domains.all_of(principal.tenant_id, runtime()), _resort(record.profile)
    return pages.render(
        "dashboard/mail_settings.html",
        200 if refusal is None else 409,
        given=values,
        errors=_errors(refusal),
        refusal=refusal,
        words_of=language,
        mail_languages=languages(),
        files=[each.value for each in Attached],
        rows=_rows(values),
        placeholders=PLACEHOLDERS,
        preview=_preview(language, mail) if not _errors(refusal) else None,
        verified=[each.domain for each in domains if each.state is DomainState.VERIFIED],
        may_send=runtime().outgoing is not None,
        test_to=principal.email,
        resort=resort if given is None or resort is None else "lastResort" in given,
    )


def _preview(language: str, mail: Mapping[str, Any] | None) -> MailPreview:
    return mail_previews.preview(
        pages.who().tenant_id, runtime(), language=language or _own_language(), changes=mail
    )


def _language(asked: str | None) -> str:
    return asked if asked in languages() else ""


def _own_language() -> str:
    """That of the page, if there are mails in it."""
    return pages.language() if pages.language() in languages() else "en"


def _resort(stored: Mapping[str, Any]) -> bool | None:
    """Whether mail is the last resort; None: it cannot be chosen here."""
    points, chosen = runtime().access_points, stored.get("lastResort")
    if chosen not in (None, NETWORK) or not any(point.network == NETWORK for point in points):
        return None
    return chosen == NETWORK


# -- the form and the member `mail` of the profile -------------------------------------------------


def _values(stored: Mapping[str, Any], language: str) -> dict[str, str]:
    """The fields of the form."""
    mail: Mapping[str, Any] = stored.get("mail") or {}
    words = mail
    if language:
        choices = [each for each in mail.get("templates") or () if each["language"] == language]
        words = choices[0] if choices else {}
    values = {name: str(mail.get(name) or "") for name in _MEMBERS}
    values |= {name: str(words.get(name) or "") for name in _WORDS}
    for number, each in enumerate(mail.get("attachmentsByCountry") or ()):
        values[f"country.{number}"] = each["country"]
        values[f"files.{number}"] = each["attachments"]
    return values


def _patch(given: Mapping[str, str], language: str) -> dict[str, Any]:
    """The changes of the profile. Raises InvalidField."""
    stored = profile.get(pages.who().tenant_id).profile
    mail: dict[str, Any] = {k: v for k, v in (stored.get("mail") or {}).items() if v}
    mail |= {name: given.get(name, "").strip() for name in _MEMBERS}
    words = {name: given.get(name, "").strip() for name in _WORDS}
    if language:
        others = [each for each in mail.get("templates") or () if each["language"] != language]
        said = {name: text for name, text in words.items() if text}
        mail["templates"] = [*others, {"language": language, **said}] if said else others
    else:
        mail |= words
    mail["attachmentsByCountry"] = [
        {"country": country, "attachments": chosen} for country, chosen in _rows(given) if country
    ]
    body: dict[str, Any] = {"mail": {name: value for name, value in mail.items() if value} or None}
    if _resort(stored) is not None:
        body["lastResort"] = NETWORK if "lastResort" in given else None
    return bodies.read_patch(_CHANGES, json.dumps(body).encode(), tenant_schemas.REMOVABLE)


def _rows(given: Mapping[str, str]) -> list[tuple[str, str]]:
    """Countries with their files, and blank rows for more."""
    numbers = sorted(int(n) for name in given if (n := name.removeprefix("country.")).isdigit())
    rows = [
        (given[f"country.{number}"].strip().upper(), given.get(f"files.{number}", ""))
        for number in numbers[:100]
    ]
    filled = [row for row in rows if row[0]]
    return [*filled, *[("", "")] * _MORE_COUNTRIES]


def _errors(refusal: RequestRefused | None) -> dict[str, str]:
    """The errors by the fields of the form."""
    found: dict[str, str] = {}
    for name, message in forms.errors_of(refusal).items():
        parts = name.removeprefix("mail.").split(".")
        if parts[0] == "attachmentsByCountry" and len(parts) == 3:
            field = f"{'country' if parts[2] == 'country' else 'files'}.{parts[1]}"
        else:
            field = parts[-1]
        found.setdefault(field, message)
    return found
