"""The Directory Service of the stand-in: companies, and the addresses at which they receive."""

from __future__ import annotations

import json
from urllib.parse import unquote

from tests.networks.fr.platform import fault
from tests.networks.stand_ins import Answer


class Directory:
    """Companies by SIREN, and their lines: address → whether a platform receives there."""

    def __init__(self) -> None:
        self.companies: dict[str, str] = {}
        self.lines: dict[str, bool] = {}

    def add(self, siren: str, name: str, *addresses: str) -> None:
        """A company with the address of its SIREN, and further ones."""
        self.companies[siren] = name
        self.lines.update(dict.fromkeys((siren, *addresses), True))

    def answer(self, method: str, call: str, body: bytes) -> Answer:
        if method == "GET" and call == "healthcheck":
            return Answer(200)
        if method == "GET" and call.startswith("directory-line/code:"):
            return self._line(unquote(call.partition(":")[2]))
        if method == "POST" and call == "siren/search":
            return self._search(json.loads(body))
        return fault(501, "NOT_IMPLEMENTED", "the stand-in does not have it")

    def _line(self, address: str) -> Answer:
        if address not in self.lines:
            return fault(404, "MISSING_RESOURCE", "there is no such line")
        told = {
            "addressingIdentifier": address,
            "siren": address[:9],
            "platformType": "WK",
            "directoryLineStatus": "Enabled" if self.lines[address] else "Disabled",
        }
        return Answer(200, json.dumps(told).encode())

    def _search(self, asked: dict[str, object]) -> Answer:
        filters = asked.get("filters")
        given = filters if isinstance(filters, dict) else {}
        name = given.get("businessName", {}).get("value", "").lower()
        siren = given.get("siren", {}).get("value", "")
        found = [
            {"siren": number, "businessName": of, "entityType": "PrivateVatRegistered",
             "administrativeStatus": "A"}
            for number, of in sorted(self.companies.items())
            if name in of.lower() and siren in ("", number)
        ][: int(str(asked.get("limit", 50)))]  # fmt: skip
        told = {"search": asked, "totalNumberOfResults": len(found), "results": found}
        return Answer(200, json.dumps(told).encode())
