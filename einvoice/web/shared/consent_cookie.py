"""The cookie of the browser in which a consent began: only there it can be completed."""

from __future__ import annotations

from flask import Response

from einvoice import clock
from einvoice.services.connections import consents
from einvoice.services.connections.consents import Consent
from einvoice.web.runtime import runtime

NAME = "einvoice-consent"


def keep(response: Response, consent: Consent) -> None:
    """Give the browser of the request the cookie."""
    response.set_cookie(
        NAME,
        consent.browser,
        max_age=int((consent.expires_at - clock.now()).total_seconds()),
        path=consents.CALLBACK_PATH,
        secure=runtime().settings.base_url.startswith("https://"),
        httponly=True,
        samesite="Lax",
    )
