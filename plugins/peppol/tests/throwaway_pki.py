"""A PKI shaped like Peppol's, made in the run, with certificates that must be refused.

`Pki("TEST")` names its authorities as the test network does, `Pki("LIVE")` as production does. Keys
are made when they are first used.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import cached_property

from einvoice_peppol.practice.authorities import USAGES, Authority, Leaf

__all__ = ["DAY", "NOW", "USAGES", "Authority", "Leaf", "Pki"]

NOW = datetime.now(UTC).replace(microsecond=0)
DAY = timedelta(days=1)


class Pki:
    """One network's authorities and some leaves: c2 sends, c3 receives, the others are refused."""

    def __init__(self, stage: str) -> None:
        self._infix = " TEST" if stage == "TEST" else ""

    @cached_property
    def root(self) -> Authority:
        return Authority(f"PEPPOL Root{self._infix} CA - G3")

    @cached_property
    def access_points(self) -> Authority:
        return Authority(f"PEPPOL ACCESS POINT{self._infix} CA - G3", self.root)

    @cached_property
    def publishers(self) -> Authority:
        title = f"PEPPOL SERVICE METADATA PUBLISHER{self._infix} CA - G3"
        return Authority(title, self.root)

    @cached_property
    def c2(self) -> Leaf:
        return self.access_points.leaf("POP000001")

    @cached_property
    def c3(self) -> Leaf:
        return self.access_points.leaf("POP000002")

    @cached_property
    def other(self) -> Leaf:
        return self.access_points.leaf("POP000003")

    @cached_property
    def expired(self) -> Leaf:
        return self.access_points.leaf("POP000004", start=NOW - 800 * DAY, end=NOW - DAY)

    @cached_property
    def revoked(self) -> Leaf:
        return self.access_points.leaf("POP000005")

    @cached_property
    def not_yet_valid(self) -> Leaf:
        return self.access_points.leaf("POP000007", start=NOW + DAY)

    @cached_property
    def smp(self) -> Leaf:
        return self.publishers.leaf("POP000010")

    @cached_property
    def smp_as_access_point(self) -> Leaf:
        """An access point's certificate that the wrong authority issued."""
        return self.publishers.leaf("POP000011")

    @cached_property
    def foreign(self) -> Leaf:
        """Issued by an authority of the same name below another root."""
        return Authority(self.access_points_name, Authority("FOREIGN ROOT")).leaf("POP000001")

    @property
    def access_points_name(self) -> str:
        return f"PEPPOL ACCESS POINT{self._infix} CA - G3"

    @cached_property
    def revocation_list(self) -> bytes:
        """The list of the access points' authority, in DER."""
        return self.access_points.crl(self.revoked.certificate)
