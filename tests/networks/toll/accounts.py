"""Access points that need an account: by consent in the browser, for one or for several accounts,
and by a password."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from urllib.parse import urlencode

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import ParticipantId
from einvoice.network.connections import (
    Broken,
    CheckOutcome,
    Connection,
    ConnectionField,
    ConnectionForm,
    FieldKind,
    NeedsPerson,
    NotChecked,
    Works,
)
from einvoice.network.hookspec import hookimpl
from einvoice.network.types import AccessPointBase, NotRegistered, Registration
from tests.networks.toll.authority import Authority, Refused

CONSENT_DAYS = 365
TOKEN_DAYS = 90


class _Point(AccessPointBase):
    environment = Environment.TEST

    def serves(self, participant: ParticipantId) -> bool:
        return False

    def lookup(self, participant: ParticipantId) -> Registration | NotRegistered:
        return NotRegistered()


class TollAccounts(_Point):
    """A person authorises the account in the browser; the refresh token changes at each check."""

    name = "toll-accounts-test"
    network = "toll"

    def __init__(self, authority: Authority) -> None:
        self.authority = authority

    def describe(self) -> ConnectionForm:
        fields = (ConnectionField("clientSecret", "Client secret", FieldKind.SECRET),)
        return ConnectionForm(fields, browser=True, account_label="Toll number")

    def open(self, connection: Connection) -> CheckOutcome:
        return self.check(connection)

    def check(self, connection: Connection) -> CheckOutcome:
        token = connection.credentials.get("refreshToken")
        if token is None:
            return NeedsPerson(connection_id=connection.id, reason="No consent was given.")
        try:
            following = self.authority.refresh(connection.account, token)
        except Refused as refusal:
            reason = f"The authority says {refusal} for {token}."
            return NeedsPerson(connection_id=connection.id, reason=reason)
        return self._works(connection, following, int(connection.state.get("refreshes", "0")) + 1)

    def authorise_url(self, connection: Connection, state: str, redirect_uri: str) -> str:
        query = {"account": connection.account, "state": state, "redirect_uri": redirect_uri}
        return f"https://authority.example/authorize?{urlencode(query)}"

    def authorised(self, connection: Connection, code: str, redirect_uri: str) -> CheckOutcome:
        try:
            return self._works(connection, self.authority.exchange(code), 0)
        except Refused as refusal:
            return NeedsPerson(connection_id=connection.id, reason=str(refusal))

    @staticmethod
    def _works(connection: Connection, token: str, refreshes: int) -> CheckOutcome:
        return Works(
            connection_id=connection.id,
            credentials={**connection.credentials, "refreshToken": token},
            state={**connection.state, "refreshes": str(refreshes)},
            expires_at=clock.now() + timedelta(days=CONSENT_DAYS),
        )


class TollConsents(_Point):
    """A person authorises all accounts for which they have rights; one token serves all of them.

    rights     the accounts of each person
    withdrawn  the tokens with which consents were withdrawn
    answers    whether it answers a withdrawal; "raises": it does not implement it well
    """

    name = "toll-consents-test"
    network = "toll-consents"

    def __init__(self, authority: Authority, rights: dict[str, set[str]] | None = None) -> None:
        self.authority = authority
        self.rights = {} if rights is None else rights
        self.withdrawn: list[str] = []
        self.answers = "ends"
        self.calls: list[str] = []
        self.running = self.most_running = 0
        self.pause = 0.0

    def describe(self) -> ConnectionForm:
        return ConnectionForm(browser=True, account_label="Toll number")

    def open(self, connection: Connection) -> CheckOutcome:
        return self.check(connection)

    def check(self, connection: Connection) -> CheckOutcome:
        """Renew the token, whatever the account may do."""
        self.calls.append(connection.account)
        self.running += 1
        self.most_running = max(self.most_running, self.running)
        try:
            time.sleep(self.pause)
            return self._checked(connection)
        finally:
            self.running -= 1

    def _checked(self, connection: Connection) -> CheckOutcome:
        person = connection.credentials.get("person", "")
        try:
            token = self.authority.refresh(person, connection.credentials.get("token", ""))
        except Refused as refusal:
            reason = f"The authority says {refusal}."
            return NeedsPerson(connection_id=connection.id, reason=reason, consent_ended=True)
        return self._outcome(connection, person, token)

    def authorise_url(self, connection: Connection, state: str, redirect_uri: str) -> str:
        query = urlencode({"state": state, "redirect_uri": redirect_uri})
        return f"https://authority.example/authorize?{query}"

    def authorised(self, connection: Connection, code: str, redirect_uri: str) -> CheckOutcome:
        """The code names the person: `ann:code`."""
        person, _, code = code.partition(":")
        return self._outcome(connection, person, self.authority.exchange(code))

    def _outcome(self, connection: Connection, person: str, token: str) -> CheckOutcome:
        credentials = {"person": person, "token": token}
        if connection.account not in self.rights.get(person, set()):
            return NeedsPerson(
                connection_id=connection.id,
                reason=f"The consent does not cover {connection.account}.",
                credentials=credentials,
            )
        return Works(
            connection_id=connection.id,
            credentials=credentials,
            expires_at=clock.now() + timedelta(days=CONSENT_DAYS),
            valid_until=clock.now() + timedelta(days=TOKEN_DAYS),
        )

    def withdraw(self, credentials: Mapping[str, str]) -> NotChecked | None:
        if self.answers == "raises":
            raise RuntimeError(credentials["token"])
        if self.answers == "unanswered":
            return NotChecked(f"Nothing is known of {credentials['token']}.")
        self.authority.withdrawn.add(credentials["person"])
        self.withdrawn.append(credentials["token"])
        return None


class Station(_Point):
    """An account with a password; what `check` finds out is set by the test."""

    name = "toll-station-test"
    network = "toll-station"

    def __init__(self, password: str | None = None) -> None:
        """`password`: the only right one; None: any."""
        self.right = password
        self.outcome = "works"
        self.expires_at: datetime | None = None
        self.calls: list[Connection] = []
        # With the outcome "hangs" a check waits for it.
        self.opened = threading.Event()
        self.running: Counter[str] = Counter()
        self.most_running = 0

    def describe(self) -> ConnectionForm:
        return ConnectionForm(
            (
                ConnectionField("user", "User"),
                ConnectionField("password", "Password", FieldKind.SECRET, max_size=20),
                ConnectionField(
                    "key", "Key", FieldKind.FILE, required=False, max_size=10_000,
                    hint="The file that the authority has sent you.",
                ),
            )
        )  # fmt: skip

    def open(self, connection: Connection) -> CheckOutcome:
        return self.check(connection)

    def check(self, connection: Connection) -> CheckOutcome:
        self.calls.append(connection)
        self.running[connection.id] += 1
        self.most_running = max(self.most_running, self.running[connection.id])
        try:
            return self._found(connection)
        finally:
            self.running[connection.id] -= 1

    def _found(self, connection: Connection) -> CheckOutcome:
        mine, password = connection.id, connection.credentials["password"]
        if self.right not in (None, password):
            return NeedsPerson(connection_id=mine, reason="The password is wrong.")
        match self.outcome:
            case "works":
                return Works(connection_id=mine, expires_at=self.expires_at)
            case "needs-person":
                return NeedsPerson(connection_id=mine, reason=f"The password {password} is old.")
            case "broken":
                return Broken(connection_id=mine, reason="The authority has closed the account.")
            case "unanswered":
                return NotChecked("The authority is closed at night.")
            case "hangs":
                self.opened.wait(60)
                return Works(connection_id=mine)
            case "other":
                return Works(connection_id="another", state={"stolen": "yes"})
            case "huge":
                return Works(connection_id=mine, state={"much": "x" * 2_000_000})
        raise RuntimeError(f"wrong password {password}")


class TollAccountsPlugin:
    """The plugin of an account in the browser and one with a password."""

    EINVOICE_INTERFACE = 1

    def __init__(self) -> None:
        self.authority, self.station = Authority(), Station()
        self.accounts = TollAccounts(self.authority)

    @hookimpl
    def einvoice_access_points(self) -> Iterator[AccessPointBase]:
        yield self.accounts
        yield self.station


class TollConsentsPlugin:
    """The plugin of consents for several accounts."""

    EINVOICE_INTERFACE = 2

    def __init__(self) -> None:
        self.consents = TollConsents(Authority())
        self.points: list[AccessPointBase] = [self.consents]

    @hookimpl
    def einvoice_access_points(self) -> Iterator[AccessPointBase]:
        yield from self.points
