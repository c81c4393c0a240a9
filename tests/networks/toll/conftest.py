from __future__ import annotations

import pytest

import einvoice_loopback
from einvoice.web.runtime import runtime_of
from tests.networks import toll
from tests.web.caller import Caller


@pytest.fixture
def app(make_app):
    return make_app([toll, einvoice_loopback])


@pytest.fixture
def caller(app):
    return Caller(app)


@pytest.fixture
def point(app):
    """The access point of the authority."""
    return runtime_of(app).access_points["toll-test"]
