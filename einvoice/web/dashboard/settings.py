"""The account's profile with a preview of its PDF, and the end of everyone's sessions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from flask import Response

from einvoice.domain.errors import (
    Conflict,
    InvalidField,
    NotFound,
    PayloadTooLarge,
    RequestRefused,
    UnsupportedMediaType,
)
from einvoice.domain.request import TotalsRule
from einvoice.domain.roles import Role
from einvoice.services.account import preferences, profile, session_ends, tenants, web_sessions
from einvoice.services.account.profile import TenantRecord
from einvoice.services.invoices import pdf
from einvoice.web import bodies
from einvoice.web.account import tenant_schemas
from einvoice.web.dashboard import forms, pages, refusals, uploads
from einvoice.web.dashboard.pages import Pages
from einvoice.web.runtime import runtime
from einvoice.web.shared import computations
from einvoice.web.shared.pdf import inline_pdf

MAX_SUBJECT = 255
_CHANGES = tenant_schemas.ProfileChanges()
_BRANDING = ("name", "displayName", "colour", "website", "email", "phone")
_BANK = ("iban", "bic", "accountName", "timeZone")
_LINES = "addressLines"
_ROUNDED = "totals"  # a switch on the page
_SWITCHES = ("embedPdf", "rejectDuplicateNumbers", "strictIdempotency")
# The buyer's country of the preview, where it is not the language in capitals.
_COUNTRIES = {"en": "GB", "sv": "SE"}
# Refusals that the page shows; others are pages of their own.
_SHOWN = (InvalidField, PayloadTooLarge, UnsupportedMediaType)

family = Pages("dashboard_settings", __name__, "/dashboard/settings")


@family.page("", least=Role.VIEWER)
def show_settings() -> Response:
    """The profile with its logo."""
    return _shown()


@family.page("", least=Role.ADMIN, methods=["POST"])
def change_settings() -> Response:
    """Change the profile, and the logo if one is chosen; blank fields are removed."""
    given, file, principal = (
        forms.submitted().to_dict(),
        uploads.uploaded().get("logo"),
        pages.who(),
    )
    try:
        changes = _patch(given)
        content = file.read() if file is not None and file.filename else None
        if content is not None:
            profile.read_logo(content)  # a form of which one half is refused stores nothing
        profile.change(principal.tenant_id, changes, principal, runtime().caches)
        if content is not None:
            profile.set_logo(principal.tenant_id, content, principal, runtime().caches)
    except _SHOWN as refusal:
        return _shown(given, refusal)
    return pages.redirect_to("dashboard_settings.show_settings", "saved")


@family.page("/sessions", least=Role.OWNER)
def show_sessions() -> Response:
    """Who has a session, and the buttons that end the sessions of one person or of everyone."""
    return _sessions()


@family.page("/sessions", least=Role.OWNER, methods=["POST"])
def end_sessions() -> Response:
    """End the sessions of one person, or of everyone in the account, the own included."""
    principal, given = pages.who(), forms.submitted()
    subject = given.get("subject", "").strip() if "subject" in given else None
    if subject == "" or (subject and (len(subject) > MAX_SUBJECT or not subject.isprintable())):
        return _sessions(given.to_dict(), pages.words()("newInvoice.required"))
    try:
        session_ends.end(principal.tenant_id, subject, runtime().caches, principal)
    except Conflict as refusal:
        return _sessions(given.to_dict(), refusals.reason(refusal, pages.words()))
    if subject in (None, principal.subject):
        return pages.redirect_to("dashboard_login.show_logged_out")
    return pages.redirect_to("dashboard_settings.show_sessions", "sessionsEnded")


def _sessions(given: Mapping[str, str] | None = None, fault: str | None = None) -> Response:
    """The page of sessions. `fault`: why the sessions of the person in `given` were not ended."""
    tenant = tenants.get(pages.who().tenant_id, runtime().caches)
    people = web_sessions.present(tenant, runtime())
    return pages.render(
        "dashboard/sessions.html",
        200 if fault is None else 409,
        people=people,
        told=[
            each
            for each in preferences.with_letters(tenant.id)
            if each.subject not in {one.subject for one in people}
        ],
        people_url=runtime().settings.people_url,
        given=given or {},
        errors={} if fault is None else {"subject": fault},
    )


@family.page("/preview.pdf", least=Role.VIEWER)
def show_preview() -> Response:
    """A sample invoice with the stored branding."""
    return _preview({})


@family.page("/preview.pdf", least=Role.ADMIN, methods=["POST"])
def preview_settings() -> Response:
    """A sample invoice with the branding of the form, which is not stored; else the form."""
    given = forms.submitted().to_dict()
    try:
        return _preview(_patch(given))
    except _SHOWN as refusal:
        return _shown(given, refusal)


@family.page("/drawn", least=Role.VIEWER)
def show_drawn() -> Response:
    """The sample with the stored branding, in the frame of the page."""
    return _framed({})


@family.page("/drawn", least=Role.ADMIN, methods=["POST"])
def draw_settings() -> Response:
    """The sample with what is typed, and the logo that is chosen, in the frame of the page."""
    given, file = forms.submitted().to_dict(), uploads.uploaded().get("logo")
    try:
        changes = _patch(given)
        content = b"" if file is None else file.read()
        if content:
            changes |= profile.with_logo(profile.read_logo(content))
    except _SHOWN as refusal:
        return _not_drawn(refusal)
    return _framed(changes)


@family.page("/logo", least=Role.VIEWER)
def show_logo() -> Response:
    """The logo, as uploaded."""
    logo = profile.logo_of(profile.get(pages.who().tenant_id))
    if logo is None:
        raise NotFound("There is no logo.")
    return Response(logo.content, content_type=logo.media_type)


@family.page("/logo/delete", least=Role.ADMIN, methods=["POST"])
def delete_logo() -> Response:
    """Remove the logo."""
    principal = pages.who()
    profile.remove_logo(principal.tenant_id, principal, runtime().caches)
    return pages.redirect_to("dashboard_settings.show_settings", "deleted")


def _shown(
    given: Mapping[str, Any] | None = None, refusal: RequestRefused | None = None
) -> Response:
    """The page. `given`: the form that was refused; `refusal`: why something was not done."""
    record = profile.get(pages.who().tenant_id)
    return pages.render(
        "dashboard/settings.html",
        200 if refusal is None else 409,
        given=_values(record) if given is None else given,
        errors=forms.by_list(forms.errors_of(refusal)),
        refusal=refusal,
        branding=_BRANDING,
        bank=_BANK,
        switches=(*_SWITCHES, _ROUNDED),
        logo=profile.logo_of(record),
        most=profile.MAX_LOGO_BYTES // 1024,
        may_change=pages.who().role >= Role.ADMIN,
    )


def _values(record: TenantRecord) -> dict[str, Any]:
    """The values of the form's fields."""
    return {
        **record.profile,
        "name": record.name,
        _LINES: "\n".join(record.profile.get(_LINES, [])),
        _ROUNDED: record.profile.get(_ROUNDED) == TotalsRule.ROUNDED,
        "strictIdempotency": record.strict_idempotency,
        "rejectDuplicateNumbers": record.reject_duplicate_numbers,
    }


def _patch(given: Mapping[str, str]) -> dict[str, Any]:
    """The form as a merge patch, in which blank fields are removed. Raises InvalidField."""
    texts = {name: given.get(name, "").strip() or None for name in (*_BRANDING, *_BANK)}
    lines = [line.strip() for line in given.get(_LINES, "").splitlines() if line.strip()]
    switches = {name: name in given for name in _SWITCHES}
    rule = TotalsRule.ROUNDED if _ROUNDED in given else TotalsRule.EXACT
    body = json.dumps({**texts, _LINES: lines or None, **switches, _ROUNDED: rule})
    return bodies.read_patch(_CHANGES, body.encode(), tenant_schemas.REMOVABLE)


def _preview(changes: Mapping[str, Any]) -> Response:
    """The sample, for a buyer whose country speaks the language of the page."""
    language = pages.language()
    country = _COUNTRIES.get(language, language.upper())
    made = pdf.preview(pages.who().tenant_id, country, runtime().computing, changes)
    return inline_pdf(made, "preview.pdf")


def _framed(changes: Mapping[str, Any]) -> Response:
    """The sample for a frame of this host, or why there is none."""
    try:
        return pages.framed(_preview(changes))
    except (*_SHOWN, *computations.REFUSALS) as refusal:
        return _not_drawn(refusal)


def _not_drawn(refusal: RequestRefused) -> Response:
    return pages.framed(pages.render("dashboard/no_pdf.html", 409, refusal=refusal))
