"""Operators at the console: a program with a key, and a person in a browser."""

from __future__ import annotations

import pytest
from flask import Flask

from tests.web.console import OperatorPerson, OperatorProgram


@pytest.fixture
def program(service: Flask) -> OperatorProgram:
    return OperatorProgram(service)


@pytest.fixture
def person(service: Flask) -> OperatorPerson:
    return OperatorPerson(service)


@pytest.fixture
def tenant(program: OperatorProgram) -> str:
    return str(program.post("/tenants", {"name": "Brewery Ltd"}).json["tenantId"])
