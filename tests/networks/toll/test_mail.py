"""The contract of mailboxes, kept by that of the toll authority."""

from __future__ import annotations

from itertools import count

import pytest

from einvoice.domain.environments import Environment
from einvoice.network.connection_testing import ConnectedContract
from einvoice.network.connections import Connection
from einvoice.network.mailbox_testing import MailboxContract, check_fetched
from einvoice.network.mailboxes import MAX_CURSOR_LENGTH, MAX_DOCUMENTS, Fetched
from tests.networks.toll import mailbox
from tests.networks.toll.mailbox import PASSWORD, TollMail


class TestTollMail(MailboxContract, ConnectedContract):
    @pytest.fixture
    def books(self):
        with mailbox.running() as books:
            yield books

    @pytest.fixture
    def access_point(self, books) -> TollMail:
        return TollMail(books.url)

    @pytest.fixture
    def connection(self) -> Connection:
        return Connection("c1", "t1", Environment.TEST, "RO1", {"password": PASSWORD})

    @pytest.fixture
    def arrive(self, books):
        numbers = count(1)
        return lambda many: books.put("RO1", *(f"B-{next(numbers)}" for _ in range(many)))

    def wait(self, seconds: float) -> None:
        """The stand-in has no quota."""


@pytest.mark.parametrize(
    "fetched",
    [
        Fetched(cursor=1),
        Fetched(cursor="x" * (MAX_CURSOR_LENGTH + 1)),
        Fetched(cursor="1", documents=("no document",)),
        Fetched(cursor="1", documents=tuple(
            mailbox._document(str(number), b"x") for number in range(MAX_DOCUMENTS + 1)
        )),
        Fetched(cursor="1", connection_state={"count": 1}),
    ],
)  # fmt: skip
def test_a_faulty_fetch_fails_the_contract(fetched):
    with pytest.raises((AssertionError, AttributeError)):
        check_fetched(fetched)
