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
        if method == "GET" and call.startswith("siren/code-insee:"):
            return self._company(unquote(call.partition(":")[2]))
        if method == "POST" and call == "directory-line/search":
            return self._lines(json.loads(body))
        if method == "POST" and call == "siren/search":
            return self._search(json.loads(body))
        return fault(501, "NOT_IMPLEMENTED", "the stand-in does not have it")

    def _line(self, address: str) -> Answer:
        if address not in self.lines:
            return fault(404, "MISSING_RESOURCE", "there is no such line")
        told = self._told(address)
        return Answer(200, json.dumps(told).encode())

    def _company(self, siren: str) -> Answer:
        if siren not in self.companies:
            return fault(404, "NOT_FOUND", "there is no such company")
        return Answer(200, json.dumps(self._shown(siren)).encode())

    def _lines(self, asked: dict[str, object]) -> Answer:
        filters = asked.get("filters")
        given = filters if isinstance(filters, dict) else {}
        siren, siret, code = (
            given.get(name, {}).get("value", "") for name in ("siren", "siret", "routingIdentifier")
        )
        found = [
            self._told(each)
            for each in sorted(self.lines)
            if each.startswith(siren) and siret in each and code in each.rpartition("_")[2]
        ]
        told = {"search": asked, "totalNumberOfResults": len(found), "results": found}
        return Answer(200, json.dumps(told).encode())

    def _shown(self, siren: str) -> dict[str, str]:
        return {
            "siren": siren,
            "businessName": self.companies[siren],
            "entityType": "PrivateVatRegistered",
            "administrativeStatus": "A",
        }

    def _told(self, address: str) -> dict[str, str]:
        return {
            "addressingIdentifier": address,
            "siren": address[:9],
            "platformType": "WK",
            "directoryLineStatus": "Enabled" if self.lines[address] else "Disabled",
        }

    def _search(self, asked: dict[str, object]) -> Answer:
        filters = asked.get("filters")
        given = filters if isinstance(filters, dict) else {}
        name = given.get("businessName", {}).get("value", "").lower()
        siren = given.get("siren", {}).get("value", "")
        found = [
            self._shown(number)
            for number, of in sorted(self.companies.items())
            if name in of.lower() and siren in ("", number)
        ][: int(str(asked.get("limit", 50)))]
        told = {"search": asked, "totalNumberOfResults": len(found), "results": found}
        return Answer(200, json.dumps(told).encode())
