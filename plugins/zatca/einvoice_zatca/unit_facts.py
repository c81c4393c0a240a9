"""Facts about a unit for its owner, and about all units for operators."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Final

from cryptography import x509

from einvoice import clock
from einvoice.network.connections import Connection
from einvoice.network.facts import Fact
from einvoice_zatca.chain import Chain
from einvoice_zatca.identity import UnusableIdentity, certificate_of, token_text
from einvoice_zatca.refused_places import RefusedPlaces
from einvoice_zatca.unreported import Unreported

TOKEN: Final = "token"  # noqa: S105 - a name among the credentials


def of_unit(connection: Connection, refused: RefusedPlaces) -> Iterator[Fact]:
    """Lines for the page of a unit."""
    try:
        yield Fact("Next counter", str(Chain.of(connection.state).counter + 1))
    except ValueError:
        yield Fact("Next counter", "unknown: the stored chain is damaged")
    ends = _end(connection.credentials)
    if ends is not None:
        yield Fact("Days until the certificate ends", str((ends - clock.now()).days))
    places = refused.of(connection.id)
    if places:
        yield Fact("Refused, and still in the chain", "; ".join(
            f"counter {counter} on {day}" for counter, day in places.items()
        ))  # fmt: skip
        yield Fact(
            "How the chain goes on",
            "The document after a refused one has its hash. Correct what was refused, and send it "
            "as a new document.",
        )


def of_all(connections: Sequence[Connection], unreported: Unreported) -> Iterator[Fact]:
    """Lines for operators."""
    ends = [_end(each.credentials) for each in connections]
    now = clock.now()
    yield Fact("Units", str(len(connections)))
    yield Fact(
        "Units that cannot stamp",
        str(sum(end is None or end <= now for end in ends)),
    )
    since = unreported.since()
    yield Fact(
        "Oldest simplified document that is not reported",
        f"{since[0]:%Y-%m-%d %H:%M} UTC, of {len(since)}" if since else "none waits",
    )


def _end(credentials: Mapping[str, str]) -> datetime | None:
    """The end of the certificate for production; None without one that can be read."""
    token = credentials.get(TOKEN)
    try:
        return _certificate(token).not_valid_after_utc if token else None
    except (UnusableIdentity, ValueError):
        return None


def _certificate(token: str) -> x509.Certificate:
    return certificate_of(token_text(token))
