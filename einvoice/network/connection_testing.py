"""Contract tests of an access point that needs an account of each tenant.

class TestAccounts(ConnectedContract, AccessPointContract):
    @pytest.fixture
    def access_point(self): ...

    @pytest.fixture
    def connection(self): ...  # one that works
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from einvoice.network.connections import (
    MAX_FILE_BYTES,
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
    Works,
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
        assert outcome.expires_at is None or outcome.expires_at.tzinfo is not None
    else:
        assert outcome.reason, "without a reason"


def renewed(connection: Connection, outcome: Works) -> Connection:
    """The connection with what the outcome replaces."""
    return replace(
        connection,
        credentials=connection.credentials if outcome.credentials is None else outcome.credentials,
        state=connection.state if outcome.state is None else outcome.state,
    )
