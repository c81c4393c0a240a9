"""The certificates of the addresses at which the service is public, as a client sees them."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

from cryptography import x509

from einvoice import clock
from einvoice.cli.doctor_problem import Problem
from einvoice.config import Settings

TIMEOUT_SECONDS = 3.0
SOON, AT_ONCE = timedelta(days=21), timedelta(days=3)
_FIX = "renew it, and look at what should have done so"


@dataclass(frozen=True, slots=True)
class ServedCertificate:
    """The certificate of an address: its end, or why it is not known.

    refused  whether clients refuse it, as `fault` says; its end is known nevertheless
    """

    address: str
    ends_at: datetime | None = None
    fault: str = ""
    refused: bool = False


def served(settings: Settings) -> list[ServedCertificate]:
    """Checks of the public addresses with https, in production."""
    if not settings.production:
        return []
    urls = dict.fromkeys((settings.base_url, settings.sandbox_base_url))
    return [_served(url) for url in urls if url.startswith("https://")]


def _served(url: str) -> ServedCertificate:
    host, port = urlsplit(url).hostname or "", urlsplit(url).port or 443
    address = host if port == 443 else f"{host}:{port}"
    context = ssl.create_default_context()
    try:
        with (
            socket.create_connection((host, port), timeout=TIMEOUT_SECONDS) as plain,
            context.wrap_socket(plain, server_hostname=host) as secure,
        ):
            found = secure.getpeercert() or {}
    except ssl.SSLCertVerificationError as fault:
        ends_at = _end_of_refused(host, port)
        return ServedCertificate(address, ends_at, fault=fault.verify_message, refused=True)
    except OSError as fault:
        return ServedCertificate(address, fault=fault.strerror or type(fault).__name__)
    ends = ssl.cert_time_to_seconds(str(found["notAfter"]))
    return ServedCertificate(address, datetime.fromtimestamp(ends, UTC))


def _end_of_refused(host: str, port: int) -> datetime | None:
    """The end of a certificate that cannot be verified, as of one that has ended: the alert on it
    lasts."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE  # nothing is sent
    with (
        suppress(OSError, ValueError),
        socket.create_connection((host, port), timeout=TIMEOUT_SECONDS) as plain,
        context.wrap_socket(plain, server_hostname=host) as secure,
    ):
        found = secure.getpeercert(binary_form=True)
        return x509.load_der_x509_certificate(found or b"").not_valid_after_utc
    return None


def problems(certificates: Sequence[ServedCertificate]) -> Iterator[Problem]:
    """The faults of them; one that cannot be asked from here is a note."""
    now = clock.now()
    for one in certificates:
        if one.refused:
            yield Problem(f"Clients refuse the certificate of {one.address}: {one.fault}", _FIX)
        elif one.ends_at is None:
            message = f"The certificate of {one.address} cannot be seen from here: {one.fault}"
            yield Problem(message, "look at it from outside", note=True)
        elif one.ends_at - now < SOON:
            left = max(0, (one.ends_at - now).days)
            message = f"The certificate of {one.address} ends in {left} days"
            yield Problem(message, _FIX, serious=one.ends_at - now < AT_ONCE)
