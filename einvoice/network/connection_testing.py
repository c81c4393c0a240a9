"""Contract tests of an access point that needs an account of each tenant.

class TestAccounts(ConnectedContract, AccessPointContract):
    @pytest.fixture
    def access_point(self): ...

    @pytest.fixture
    def connection(self): ...  # one that works

One that sends by connections also supplies `an_envelope`, as for `AccessPointContract`, whose tests
are then those of the bound access point. One with documents that are sent one after the other
inherits `SerialContract`, one at which connections share consents `SharedConsentContract`, and one
that tells refusals of this service's address from those of an account `GuardsAddressContract`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import cast

import pytest

from einvoice.network.connections import (
    MAX_FILE_BYTES,
    MAX_KEY_LENGTH,
    MAX_TEXT_LENGTH,
    AuthorisedInBrowser,
    Broken,
    CheckOutcome,
    Connected,
    Connection,
    ConnectionForm,
    FieldKind,
    NeedsPerson,
    NotChecked,
    SendsByConnection,
    Serial,
    SharedConsent,
    Works,
)
from einvoice.network.own_address import GuardsAddress
from einvoice.network.types import (
    AccessPoint,
    Blocked,
    Delivered,
    Envelope,
    NotSent,
    Outcome,
    Pending,
    Prepared,
    Rejected,
)


class ConnectedContract:
    """The tests of an access point that is `Connected`, for its class of tests."""

    @pytest.fixture
    def connection(self) -> Connection:
        """A connection that works at the test network."""
        raise NotImplementedError("supply the fixture connection")

    def test_the_form_names_each_field_once(self, access_point: Connected) -> None:
        """With a label, and a size that the service stores."""
        assert isinstance(access_point, Connected), "an operation is missing"
        form = access_point.describe()
        assert isinstance(form, ConnectionForm), f"described {form!r}"
        names = [field.name for field in form.fields]

        assert len(set(names)) == len(names), f"fields of one name: {names}"
        assert form.browser is isinstance(access_point, AuthorisedInBrowser)
        for field in form.fields:
            limit = MAX_FILE_BYTES if field.kind is FieldKind.FILE else MAX_TEXT_LENGTH
            assert field.label, f"{field.name} has no label"
            assert 0 < field.max_size <= limit, f"{field.name} takes {field.max_size}"

    def test_a_connection_that_works_can_be_checked_again(
        self, access_point: Connected, connection: Connection
    ) -> None:
        """With the credentials and state of the check before."""
        for call in (access_point.open, access_point.check, access_point.check):
            outcome = call(connection)
            check_connection_outcome(outcome, connection)
            assert isinstance(outcome, Works), f"returned {type(outcome).__name__}"
            connection = renewed(connection, outcome)

    def test_wrong_credentials_need_a_person(
        self, access_point: Connected, connection: Connection
    ) -> None:
        """They are neither an exception nor a network that does not answer."""
        wrong = dict.fromkeys(connection.credentials, "wrong")
        outcome = access_point.check(replace(connection, credentials=wrong))
        check_connection_outcome(outcome, connection)

        assert isinstance(outcome, NeedsPerson | Broken), f"returned {type(outcome).__name__}"

    def test_the_url_of_a_consent_has_its_state(
        self, access_point: Connected, connection: Connection
    ) -> None:
        """Without the state, the service does not know whose consent comes back."""
        if not isinstance(access_point, AuthorisedInBrowser):
            pytest.skip("authorised by credentials")
        url = access_point.authorise_url(connection, "st4te", "https://example.com/callback")

        assert url.startswith("https://"), url
        assert "st4te" in url
        assert not any(secret in url for secret in connection.credentials.values() if secret)

    @pytest.fixture
    def an_envelope(self) -> Callable[..., Envelope]:
        """Makes envelopes that the network takes; only for access points that send."""
        raise NotImplementedError("supply the fixture an_envelope")

    @pytest.fixture
    def sending(self, access_point: Connected) -> SendsByConnection:
        """The access point, if it sends by connections."""
        if not isinstance(access_point, SendsByConnection):
            pytest.skip("sends no documents by connections")
        return access_point

    def test_the_bound_access_point_is_the_same(
        self, sending: SendsByConnection, connection: Connection
    ) -> None:
        """By these, the service finds documents, threads and limits."""
        offered, bound = cast("AccessPoint", sending), sending.bound(connection, _no_renewal)

        for name in ("name", "network", "environment", "capabilities"):
            assert getattr(bound, name) == getattr(offered, name), f"another {name}"

    def test_a_document_is_sent_by_a_connection_that_works(
        self,
        sending: SendsByConnection,
        connection: Connection,
        an_envelope: Callable[..., Envelope],
    ) -> None:
        """The network has it, or has refused it."""
        outcome = submitted(sending.bound(connection, _no_renewal), an_envelope())

        assert isinstance(outcome, Delivered | Pending | Rejected), f"returned {outcome!r}"

    def test_a_document_of_an_account_that_ended_waits(
        self,
        sending: SendsByConnection,
        connection: Connection,
        an_envelope: Callable[..., Envelope],
    ) -> None:
        """It is never a failing document, and the reason shows no secret."""
        ended = replace(connection, credentials=dict.fromkeys(connection.credentials, "wr0ng"))
        outcome = submitted(sending.bound(ended, _ended), an_envelope())

        assert isinstance(outcome, Blocked | NotSent), f"returned {outcome!r}"
        assert outcome.reason
        assert "wr0ng" not in outcome.reason


class GuardsAddressContract:
    """The tests of one that `GuardsAddress`, in addition to `ConnectedContract`."""

    @pytest.fixture
    def refuse(self) -> Callable[[], None]:
        """A function after which the test network answers each call as a firewall does: 403."""
        raise NotImplementedError("supply the fixture refuse")

    def test_a_refused_address_blames_no_account(
        self, access_point: Connected, connection: Connection, refuse: Callable[[], None]
    ) -> None:
        """Nothing is found out about it, and the refusal is known."""
        assert isinstance(access_point, GuardsAddress)
        refuse()
        outcomes = [access_point.check(connection) for _ in range(3)]

        assert all(isinstance(each, NotChecked) for each in outcomes), f"returned {outcomes!r}"
        assert access_point.own_address.refusal() is not None

    def test_a_refused_address_fails_no_document(
        self,
        access_point: SendsByConnection,
        connection: Connection,
        an_envelope: Callable[..., Envelope],
        refuse: Callable[[], None],
    ) -> None:
        """Nothing was sent, and the bound access point knows why."""
        refuse()
        bound = access_point.bound(connection, _no_renewal)
        outcome = submitted(bound, an_envelope())

        assert isinstance(outcome, NotSent), f"returned {outcome!r}"
        assert isinstance(bound, GuardsAddress)
        assert bound.own_address.refusal() is not None


class SharedConsentContract(ConnectedContract):
    """The tests of an access point that is a `SharedConsent`, for its class of tests."""

    @pytest.fixture
    def further_account(self) -> str:
        """Another account that the consent covers."""
        raise NotImplementedError("supply the fixture further_account")

    @pytest.fixture
    def foreign_account(self) -> str:
        """An account that the consent does not cover."""
        raise NotImplementedError("supply the fixture foreign_account")

    @pytest.fixture
    def sharing(self, access_point: Connected) -> SharedConsent:
        """The access point, whose form asks for nothing but consent."""
        assert isinstance(access_point, SharedConsent), "an operation is missing"
        assert not access_point.describe().fields, "credentials are those of the consent alone"
        return access_point

    def test_a_consent_serves_another_account(
        self, sharing: SharedConsent, connection: Connection, further_account: str
    ) -> None:
        """With the credentials of the first connection, and no state."""
        outcome = sharing.check(replace(connection, id="c2", account=further_account, state={}))

        assert isinstance(outcome, Works), f"returned {outcome!r}"
        assert outcome.connection_id == "c2"

    def test_an_account_that_the_consent_does_not_cover_is_named(
        self, sharing: SharedConsent, connection: Connection, foreign_account: str
    ) -> None:
        """The connections of other accounts go on."""
        outcome = sharing.check(replace(connection, account=foreign_account, state={}))

        assert isinstance(outcome, NeedsPerson), f"returned {outcome!r}"
        assert not outcome.consent_ended
        assert foreign_account in outcome.reason

    def test_the_end_of_a_consent_is_that_of_all_its_connections(
        self, sharing: SharedConsent, connection: Connection
    ) -> None:
        """The service needs no further call to know it."""
        wrong = dict.fromkeys(connection.credentials, "wrong")
        outcome = sharing.check(replace(connection, credentials=wrong))

        assert isinstance(outcome, NeedsPerson), f"returned {outcome!r}"
        assert outcome.consent_ended

    def test_a_withdrawn_consent_has_ended(
        self, sharing: SharedConsent, connection: Connection
    ) -> None:
        """Withdrawing it again changes nothing, since jobs are repeated."""
        assert [sharing.withdraw(connection.credentials) for _ in range(2)] == [None, None]
        outcome = sharing.check(connection)

        assert isinstance(outcome, NeedsPerson), f"returned {outcome!r}"


class SerialContract(ConnectedContract):
    """The tests of an access point that is `Serial`, for its class of tests."""

    @pytest.fixture
    def serial_envelopes(self) -> Callable[[int], Sequence[Envelope]]:
        """Makes that many envelopes with one key."""
        raise NotImplementedError("supply the fixture serial_envelopes")

    def test_the_key_needs_no_account(
        self,
        access_point: Serial,
        connection: Connection,
        serial_envelopes: Callable[[int], Sequence[Envelope]],
    ) -> None:
        """It is asked where the account is not opened, and is always the same."""
        assert isinstance(access_point, Serial), "an operation is missing"
        closed = replace(connection, credentials={}, state={})
        envelopes = [*serial_envelopes(2), *serial_envelopes(1)]
        keys = {access_point.sequence_key(each, closed) for each in envelopes for _ in range(2)}

        assert len(keys) == 1, f"several keys: {keys}"
        [key] = keys
        assert key is not None
        assert 0 < len(key) <= MAX_KEY_LENGTH
        assert key.isprintable()

    def test_each_document_is_prepared_with_the_state_of_the_last(
        self,
        access_point: Serial,
        connection: Connection,
        serial_envelopes: Callable[[int], Sequence[Envelope]],
    ) -> None:
        """And the network takes them in this order."""
        for envelope in serial_envelopes(3):
            bound = access_point.bound(connection, _no_renewal)
            made = bound.prepare(envelope)
            assert isinstance(made, Prepared), f"returned {made!r}"
            connection = left(connection, made)
            outcome = bound.submit(envelope, made)
            assert isinstance(outcome, Delivered | Pending), f"returned {outcome!r}"

    def test_preparation_again_gives_the_same(
        self,
        access_point: Serial,
        connection: Connection,
        serial_envelopes: Callable[[int], Sequence[Envelope]],
    ) -> None:
        """Nothing is kept in memory: a lost race and a crash repeat the call."""
        [envelope] = serial_envelopes(1)
        before = dict(connection.state)
        made = [access_point.bound(connection, _no_renewal).prepare(envelope) for _ in range(2)]

        assert made[0] == made[1]
        assert dict(connection.state) == before, "the given state was changed"

    def test_a_check_keeps_the_state_of_documents(
        self,
        access_point: Serial,
        connection: Connection,
        serial_envelopes: Callable[[int], Sequence[Envelope]],
    ) -> None:
        """Else the next document would begin a new chain."""
        [envelope] = serial_envelopes(1)
        made = access_point.bound(connection, _no_renewal).prepare(envelope)
        assert isinstance(made, Prepared), f"returned {made!r}"
        connection = left(connection, made)
        outcome = access_point.check(connection)
        assert isinstance(outcome, Works), f"returned {outcome!r}"

        changed = {} if made.connection_state is None else made.connection_state.values
        kept = renewed(connection, outcome).state
        new = {name for name in changed if connection.state.get(name) == changed[name]}
        assert all(name in kept for name in new), f"lost of {sorted(new)}"


def submitted(bound: AccessPoint, envelope: Envelope) -> Outcome:
    """The outcome of a document, from whichever step it comes."""
    made = bound.prepare(envelope)
    return bound.submit(envelope, made) if isinstance(made, Prepared) else made


def left(connection: Connection, made: Prepared) -> Connection:
    """The connection with the state that a document leaves. Checks whose it is."""
    if made.connection_state is None:
        return connection
    given = made.connection_state
    assert given.connection_id == connection.id, "a state of another connection"
    parts = [part for item in given.values.items() for part in item]
    assert all(isinstance(part, str) for part in parts), "a state is texts by names"
    return replace(connection, state=given.values)


def _no_renewal(seen: Connection) -> NotSent:
    return NotSent("nothing is renewed here")


def _ended(seen: Connection) -> Blocked:
    return Blocked("The consent has ended.")


def check_connection_outcome(outcome: CheckOutcome, connection: Connection) -> None:
    """The outcome is one of the four, of this connection, with texts, and shows no secret."""
    assert isinstance(outcome, Works | NeedsPerson | Broken | NotChecked), f"returned {outcome!r}"
    if isinstance(outcome, NotChecked):
        assert outcome.reason, "without a reason"
        return
    assert outcome.connection_id == connection.id, "an outcome of another connection"
    for values in (outcome.credentials or {}, outcome.state or {}):
        assert all(isinstance(part, str) for item in values.items() for part in item), "not texts"
    if isinstance(outcome, Works):
        for moment in (outcome.expires_at, outcome.valid_until):
            assert moment is None or moment.tzinfo is not None, "a time without zone"
    else:
        assert outcome.reason, "without a reason"


def renewed(connection: Connection, outcome: Works) -> Connection:
    """The connection with what the outcome replaces."""
    return replace(
        connection,
        credentials=connection.credentials if outcome.credentials is None else outcome.credentials,
        state=connection.state if outcome.state is None else outcome.state,
    )
