"""The state of the stand-in: codes, units with their chains, and what was cleared or reported."""

from __future__ import annotations

import base64
import secrets
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from cryptography import x509

from tests.networks.zatca import judging
from tests.networks.zatca.certificates import VALID, Issuer, described, faults_of
from tests.networks.zatca.judging import FIRST, Judged

Said = tuple[int, dict[str, Any] | None]
KINDS = ("388", "381", "383")


@dataclass
class Unit:
    """A unit as the authority knows it.

    passed  the kinds of documents whose check was passed: (standard or simplified, type)
    links   the documents of its chain, refused ones too: counter and hash
    """

    vat_number: str
    flags: str
    request: x509.CertificateSigningRequest
    passed: set[tuple[str, str]] = field(default_factory=set)
    links: list[tuple[int, str]] = field(default_factory=list)

    @property
    def needed(self) -> set[tuple[str, str]]:
        kinds = [name for name, flag in zip(("01", "02"), self.flags, strict=False) if flag == "1"]
        return {(name, code) for name in kinds for code in KINDS}

    @property
    def last(self) -> tuple[int, str]:
        return self.links[-1] if self.links else (0, FIRST)


class Authority:
    """Fatoora, as far as a unit sees it.

    clears  whether clearance is switched on; otherwise standard documents are answered 303
    orders  whether a document has to be the next of its unit
    """

    def __init__(self, template: str = "TSTZATCA-Code-Signing", valid: timedelta = VALID) -> None:
        self.issuer, self.template, self.valid = Issuer(), template, valid
        self.clears = self.orders = True
        self.lock = threading.Lock()
        self.otps: set[str] = set()
        self.checking: dict[str, tuple[str, Unit]] = {}  # request id → token and unit
        self.units: dict[str, Unit] = {}  # token → unit
        self.secrets: dict[str, str] = {}
        self.taken: dict[str, tuple[str, bytes]] = {}  # uuid → hash and document
        self.withholds = False  # answers without `clearedInvoice`

    def otp(self) -> str:
        """A code, as a person gets it in the portal."""
        code = f"{secrets.randbelow(10**6):06}"
        self.otps.add(code)
        return code

    # -- units -------------------------------------------------------------------------------------

    def register(self, csr: str, otp: str) -> Said:
        """A certificate for the checks of compliance. An OTP can be used once."""
        if otp not in self.otps:
            return 400, _errors("Invalid-OTP", "The OTP is invalid or has expired.")
        request, refusal = self._request(csr)
        if request is None:
            return 400, refusal
        self.otps.discard(otp)
        unit = described(request)
        token, request_id = self._issue(request), str(secrets.randbelow(10**13))
        self.checking[request_id] = (token, Unit(unit["uid"], unit["title"], request))
        return 200, self._issued(token, request_id)

    def check(self, said: Mapping[str, str], token: str, secret: str) -> Said:
        """Check a sample document of a unit that is being registered."""
        found = next((unit for held, unit in self.checking.values() if held == token), None)
        if found is None or self.secrets.get(token) != secret:
            return 401, None
        judged = judging.judge(said, token)
        if not judged.errors:
            found.passed.add((judged.kind, judged.type_code))
        status = "CLEARED" if judged.kind == "01" else "REPORTED"
        return judged.status, judged.answer(
            "clearanceStatus" if judged.kind == "01" else "reportingStatus", status
        )

    def produce(self, request_id: str, token: str, secret: str) -> Said:
        """The certificate for production, once all kinds of documents have passed."""
        if self.secrets.get(token) != secret:
            return 401, None
        held, unit = self.checking.get(request_id, ("", None))
        if unit is None or held != token:
            return 400, _errors("Invalid-Request", "The compliance request is unknown.")
        missing = unit.needed - unit.passed
        if missing:
            words = f"Compliance checks are missing: {sorted(missing)}."
            return 428, _errors("Missing-ComplianceSteps", words)
        made = self._issue(unit.request, self.valid)
        self.units[made] = unit
        return 200, self._issued(made, request_id)

    def renew(self, csr: str, otp: str, token: str, secret: str) -> Said:
        """A new certificate of a unit, whose chain goes on."""
        unit = self._unit(token, secret)
        if unit is None:
            return 401, None
        if otp not in self.otps:
            return 400, _errors("Invalid-OTP", "The OTP is invalid or has expired.")
        request, refusal = self._request(csr)
        if request is None:
            return 400, refusal
        self.otps.discard(otp)
        made = self._issue(request, VALID)
        self.units[made] = self.units.pop(token)
        return 200, self._issued(made, "0")

    def _request(self, csr: str) -> tuple[x509.CertificateSigningRequest | None, dict[str, Any]]:
        try:
            request = x509.load_pem_x509_csr(base64.b64decode(csr))
        except ValueError:
            return None, _errors("Invalid-CSR", "The CSR cannot be read.")
        faults = faults_of(request, self.template)
        return (None, _errors("Invalid-CSR", "; ".join(faults))) if faults else (request, {})

    def _issue(self, request: x509.CertificateSigningRequest, valid: timedelta = VALID) -> str:
        token = self.issuer.token(request, valid)
        self.secrets[token] = secrets.token_urlsafe(16)
        return token

    def _issued(self, token: str, request_id: str) -> dict[str, Any]:
        return {
            "requestID": request_id,
            "dispositionMessage": "ISSUED",
            "binarySecurityToken": token,
            "secret": self.secrets[token],
        }

    def books(self) -> dict[str, Any]:
        """The chain of each unit, as counters and hashes, and the hashes of what was taken."""
        with self.lock:
            return {
                "chains": [unit.links for unit in self.units.values()],
                "taken": [digest for digest, _ in self.taken.values()],
            }

    def _unit(self, token: str, secret: str) -> Unit | None:
        return self.units.get(token) if self.secrets.get(token) == secret else None

    # -- documents ---------------------------------------------------------------------------------

    def take(self, said: Mapping[str, str], token: str, secret: str, *, clear: bool) -> Said:
        """Clear or report a document. A refused one keeps its place in the chain."""
        with self.lock:
            unit = self._unit(token, secret)
            if unit is None:
                return 401, None
            known = self.taken.get(said.get("uuid", ""))
            if known is not None and known[0] == said.get("invoiceHash"):
                return 409, {"validationResults": judging.results([], [])} | _status(clear)
            judged = judging.judge(said, token)
            if clear and judged.kind == "01" and not self.clears:
                return 303, None
            if clear and judged.kind == "02":
                judged.errors.append(judging.message("KSA-2", "Report a simplified document."))
            self._follow(unit, judged)
            answer = judged.answer(*_outcome(clear, judged))
            if judged.errors:
                return 400, answer
            self.taken[judged.uuid] = (judged.hash, judged.document)
            if clear and not self.withholds:
                cleared = judging.cleared(judged.document, self.issuer)
                answer["clearedInvoice"] = base64.b64encode(cleared).decode()
            return judged.status, answer

    def _follow(self, unit: Unit, judged: Judged) -> None:
        """Whether the document is the next of its unit; one that is keeps its place."""
        counter, previous = unit.last
        if not self.orders:
            return
        if judged.counter != counter + 1:
            words = f"The counter is {judged.counter}; the next is {counter + 1}."
            judged.errors.append(judging.message("KSA-16", words))
        elif judged.previous != previous:
            words = "The hash is not that of the document before."
            judged.errors.append(judging.message("KSA-13", words))
        else:
            unit.links.append((judged.counter, judged.hash))


def _outcome(clear: bool, judged: Judged) -> tuple[str, str]:
    done = "CLEARED" if clear else "REPORTED"
    name = "clearanceStatus" if clear else "reportingStatus"
    return name, f"NOT_{done}" if judged.errors else done


def _status(clear: bool) -> dict[str, str]:
    return {"clearanceStatus": "CLEARED"} if clear else {"reportingStatus": "REPORTED"}


def _errors(code: str, words: str) -> dict[str, Any]:
    return {"errors": [{"code": code, "message": words}]}
