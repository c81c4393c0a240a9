"""Units (EGS): one connection is one. Its key, its certificates, the checks of compliance.

A unit is registered with an OTP that a person makes in the portal of Fatoora. A certificate for
checks is issued at once; with it a sample of each kind of document is sent, and then the
certificate for production is issued. What was done is kept in the credentials, so that the next
check goes on from there.
"""

from __future__ import annotations

import base64
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import replace
from time import monotonic
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric import ec

from einvoice import clock
from einvoice.http import HttpFault, Response
from einvoice.network.connections import (
    CheckOutcome,
    Connection,
    ConnectionField,
    ConnectionForm,
    FieldKind,
    NeedsPerson,
    NotChecked,
    Works,
)
from einvoice.network.facts import Fact
from einvoice_zatca import samples, unit_facts
from einvoice_zatca.answers import messages, texts
from einvoice_zatca.client import Api, Content, Pass
from einvoice_zatca.configuration import Side
from einvoice_zatca.digests import FIRST_HASH
from einvoice_zatca.identity import (
    Identity,
    UnusableIdentity,
    key_of,
    key_text,
    new_key,
    token_text,
)
from einvoice_zatca.refused_places import RefusedPlaces
from einvoice_zatca.requests import Unit, certificate_request
from einvoice_zatca.stamp import Place, stamped

SECONDS: Final = 18.0  # of a call of `open` or `check`, which has some thirty
_DOCUMENTS: Final = {"standard": "1000", "simplified": "0100", "both": "1100"}
OTP, KEY, TOKEN, SECRET = "otp", "key", "token", "secret"
_CHECK_TOKEN, _CHECK_SECRET, _REQUEST = "checkToken", "checkSecret", "requestId"
_PASSED, _LAST = "passedChecks", "lastCheckHash"
_SERIAL, _USED_OTP = "serial", "usedOtp"
_WAITING: Final = "A code (OTP) of the portal of Fatoora is needed."


def form() -> ConnectionForm:
    """The fields that describe a unit."""
    return ConnectionForm(
        (
            ConnectionField("organization", "Name of the taxpayer", max_size=64),
            ConnectionField(
                "branch", "Branch, or the 10-digit TIN of a member of a VAT group", max_size=64
            ),
            ConnectionField("unit", "Name of this unit", max_size=64, hint="TST-886431145"),
            ConnectionField("address", "Short address", max_size=64, hint="RRRD2929"),
            ConnectionField("business", "Line of business", max_size=64),
            ConnectionField(
                "documents", "Documents", hint="standard, simplified or both", max_size=10
            ),
            ConnectionField(
                OTP, "Code (OTP) of the portal of Fatoora", FieldKind.SECRET, max_size=10,
                hint="Six digits, valid for about an hour.",
            ),
        ),
        account_label="VAT number; of a further unit with a suffix: …-2",
    )  # fmt: skip


class Units:
    """The part of the access point that knows units."""

    def __init__(self, side: Side, api: Api, refused: RefusedPlaces) -> None:
        self._side, self._api, self._refused = side, api, refused

    def describe(self) -> ConnectionForm:
        return form()

    def connection_facts(self, connection: Connection) -> Iterator[Fact]:
        """The place in the chain, the end of the certificate, and what was refused."""
        return unit_facts.of_unit(connection, self._refused)

    def leave(self, connection: Connection) -> None:
        """Forget what is kept of a unit that ends. Fatoora is not told: a person does so there."""
        self._refused.forget(connection.id)

    def open(self, connection: Connection) -> CheckOutcome:
        """Register the unit; with a new OTP, renew its certificate."""
        return self.check(connection)

    def check(self, connection: Connection) -> CheckOutcome:
        """The next steps of the registration, as many as there is time for; then nothing."""
        work = _Registration(self._side, self._api, connection)
        try:
            return work.outcome()
        except HttpFault as fault:
            return work.kept(NotChecked(f"Fatoora does not answer: {fault}"))
        except (UnusableIdentity, ValueError) as fault:
            return work.kept(NeedsPerson(connection_id=connection.id, reason=f"{fault}."))


class _Registration:
    """The steps of one call, and the credentials that they leave."""

    def __init__(self, side: Side, api: Api, connection: Connection) -> None:
        self._side, self._api, self._connection = side, api, connection
        self._credentials = dict(connection.credentials)
        self._state: dict[str, str] | None = None  # of a new unit: its chain begins with 1
        self._until = monotonic() + SECONDS

    def outcome(self) -> CheckOutcome:
        given = self._credentials
        fresh = given.get(OTP) and given.get(OTP) != given.get(_USED_OTP)
        if given.get(TOKEN):
            refused = self._renew() if fresh else None
            return refused or self._works()
        if not given.get(_CHECK_TOKEN) or fresh:
            refused = self._begin() if fresh else self._needs(_WAITING)
            if refused is not None:
                return refused
        return self._compliance() or self._production() or self._works()

    def kept(self, checked: CheckOutcome) -> CheckOutcome:
        """The outcome, with what the steps before it have left."""
        if self._credentials == self._connection.credentials:
            return checked
        return (
            self._needs(f"{checked.reason} The registration goes on with the next check.")
            if (isinstance(checked, NotChecked))
            else replace(checked, credentials=self._credentials)
        )

    def _begin(self) -> CheckOutcome | None:
        """Make a key, and get the certificate for checks."""
        key, serial = new_key(), f"1-einvoice|2-1|3-{uuid.uuid4()}"
        request = self._request(key, serial)
        response = self._api.compliance_certificate(request, self._credentials[OTP])
        said = response.members()
        if response.status != 200 or not _is_issued(said):
            return self._refusal(response, said, "The registration is refused")
        Identity.of(key, token_text(str(said["binarySecurityToken"])))
        self._credentials |= {
            KEY: key_text(key),
            _SERIAL: serial,
            _CHECK_TOKEN: str(said["binarySecurityToken"]),
            _CHECK_SECRET: str(said["secret"]),
            _REQUEST: str(said.get("requestID") or ""),
            _USED_OTP: self._credentials[OTP],
            _PASSED: "0",
            _LAST: FIRST_HASH,
        }
        self._state = {}
        return None

    def _compliance(self) -> CheckOutcome | None:
        """Send the samples that are left, while there is time."""
        given = self._credentials
        identity = Identity.of(key_of(given[KEY]), token_text(given[_CHECK_TOKEN]))
        credentials = Pass(given[_CHECK_TOKEN], given[_CHECK_SECRET])
        documents = list(samples.documents(self._unit()))
        for number in range(int(given[_PASSED]), len(documents)):
            if monotonic() > self._until:
                return self._needs(
                    f"Compliance checks: {number} of {len(documents)}. They go on with the next "
                    "check."
                )
            place = Place(str(uuid.uuid4()), number + 1, given[_LAST], "12:00:00")
            made = stamped(documents[number], place, identity, samples.moment())
            response = self._api.check(Content(made.uuid, made.hash, made.content), credentials)
            said = response.members()
            if response.status not in (200, 202):
                title = f"Compliance check {number + 1} of {len(documents)} is refused"
                return self._refusal(response, said, title)
            given |= {_PASSED: str(number + 1), _LAST: made.hash}
        return None

    def _production(self) -> CheckOutcome | None:
        given = self._credentials
        credentials = Pass(given[_CHECK_TOKEN], given[_CHECK_SECRET])
        response = self._api.production_certificate(given[_REQUEST], credentials)
        said = response.members()
        if response.status != 200 or not _is_issued(said):
            return self._refusal(response, said, "The certificate for production is refused")
        self._take(said, given[KEY])
        return None

    def _renew(self) -> CheckOutcome | None:
        """Get a new certificate for a new key, with the one there is."""
        given, key = self._credentials, new_key()
        credentials = Pass(given[TOKEN], given[SECRET])
        response = self._api.renewed_certificate(
            self._request(key, given[_SERIAL]), given[OTP], credentials
        )
        said = response.members()
        if response.status != 200 or not _is_issued(said):
            return self._refusal(response, said, "The renewal is refused")
        self._take(said, key_text(key))
        given[_USED_OTP] = given[OTP]
        return None

    def _take(self, said: Mapping[str, Any], key: str) -> None:
        token = str(said["binarySecurityToken"])
        Identity.of(key_of(key), token_text(token))
        self._credentials |= {KEY: key, TOKEN: token, SECRET: str(said["secret"])}

    def _works(self) -> CheckOutcome:
        """Whether key and certificate fit; a certificate of another taxpayer is refused."""
        given = self._credentials
        identity = identity_of(given)
        other = samples.vat_number_in(identity.certificate)
        number = self._unit().vat_number
        if other is not None and other != number:
            return self._needs(f"The certificate is of {other}, not of {number}.")
        ends = identity.certificate.not_valid_after_utc
        if ends <= clock.now():
            return self._needs(f"The certificate ended on {ends:%Y-%m-%d}. {_WAITING}")
        return Works(
            connection_id=self._connection.id,
            credentials=given,
            state=self._state,
            expires_at=ends,
            valid_until=ends,
        )

    def _request(self, key: ec.EllipticCurvePrivateKey, serial: str) -> str:
        unit = replace(self._unit(), serial_number=serial)
        pem = certificate_request(unit, self._side.template, key)
        return base64.b64encode(pem).decode()

    def _unit(self) -> Unit:
        given = self._credentials
        kinds = given.get("documents", "").strip().lower()
        if kinds not in _DOCUMENTS:
            raise ValueError(f"{kinds!r} is none of standard, simplified and both")
        return Unit(
            common_name=given["unit"],
            serial_number=given.get(_SERIAL, ""),
            vat_number=vat_number_of(self._connection.account),
            organization_unit=given["branch"],
            organization=given["organization"],
            invoice_types=_DOCUMENTS[kinds],
            address=given["address"],
            business=given["business"],
        )

    def _needs(self, reason: str) -> NeedsPerson:
        return NeedsPerson(
            connection_id=self._connection.id,
            reason=reason,
            credentials=self._credentials,
            state=self._state,
        )

    def _refusal(self, response: Response, said: dict[str, Any], title: str) -> CheckOutcome:
        """NotChecked where Fatoora has a fault; else a person has to act."""
        if response.status >= 500 or response.status == 429 or not said:
            return self.kept(NotChecked(f"Fatoora responds with {response.status}."))
        if response.status < 400:
            return self.kept(NotChecked("The answer of Fatoora has no certificate."))
        words = texts(messages(said, "errorMessages")) or _errors(said)
        return self._needs(f"{title}: {'; '.join(words)[:400] or response.status}.")


def _is_issued(said: Mapping[str, Any]) -> bool:
    """Whether an answer has a certificate and its secret."""
    return all(isinstance(said.get(n), str) and said[n] for n in ("binarySecurityToken", "secret"))


def _errors(said: Mapping[str, Any]) -> list[str]:
    found = said.get("errors") or [said]
    return texts([each for each in found if isinstance(each, dict)])


def vat_number_of(account: str) -> str:
    """The VAT number of an account; a further unit of one number has a suffix.

    >>> vat_number_of("SA399999999900003-2")
    '399999999900003'
    """
    return account.removeprefix("SA").partition("-")[0]


def identity_of(credentials: Mapping[str, str]) -> Identity:
    """The key and certificate for production. Raises UnusableIdentity."""
    return Identity.of(key_of(credentials[KEY]), token_text(credentials[TOKEN]))


def pass_of(credentials: Mapping[str, str]) -> Pass:
    return Pass(credentials[TOKEN], credentials[SECRET])
