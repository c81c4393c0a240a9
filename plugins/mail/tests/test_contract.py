"""The access points keep the contract, at a mail server on loopback and in the sandbox."""

import pytest

from einvoice.domain.environments import Environment
from einvoice.network.testing import AccessPointContract
from plugins.mail.tests import mails
from tests.mail_server import mail_server


class TestLive(AccessPointContract):
    @pytest.fixture
    def access_point(self):
        with mail_server() as server:
            yield mails.an_access_point(server.url)

    @pytest.fixture
    def an_envelope(self):
        return lambda: mails.an_envelope(environment=Environment.LIVE)

    @pytest.fixture
    def offline(self):
        return mails.an_access_point("smtp://127.0.0.1:1")


class TestSandbox(AccessPointContract):
    @pytest.fixture
    def access_point(self):
        return mails.an_access_point(environment=Environment.TEST)

    @pytest.fixture
    def an_envelope(self):
        return mails.an_envelope

    @pytest.fixture
    def refused_envelope(self):
        return mails.an_envelope("refused@example.com")
