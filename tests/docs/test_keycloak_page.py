"""The realm of deploy/keycloak fits the service; `make keycloak-interop` runs both."""

from __future__ import annotations

import json
from typing import Any

import pytest

from einvoice.config import Settings
from einvoice.domain.roles import Role
from einvoice.web.dashboard.provider_login import CALLBACK_PATH
from tests.interop.keycloak import server


@pytest.fixture
def realm() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(server.REALM.read_text())
    return found


def test_the_documented_settings_are_accepted(tmp_path):
    settings = server.documented("https://invoices.example.com", "https://login.example.com")
    found = Settings.from_env(settings | {"EINVOICE_DATA_DIR": str(tmp_path)})

    assert found.jwt_issuer.endswith("/realms/einvoice")
    assert found.oidc_client_secret == "a-long-random-text"


def test_the_client_is_that_of_the_settings(realm):
    (client,) = realm["clients"]
    documented = server.documented("https://invoices.example.com", "https://login.example.com")

    assert client["clientId"] == documented["EINVOICE_OIDC_CLIENT_ID"]
    assert client["redirectUris"] == [f"${{EINVOICE_BASE_URL}}/dashboard{CALLBACK_PATH}"]


def test_sessions_of_the_realm_end_with_those_of_the_service(realm):
    assert realm["ssoSessionIdleTimeout"] == Settings().session_idle
    assert realm["ssoSessionMaxLifespan"] == Settings().session_lifetime


def test_the_realm_knows_every_role(realm):
    (profile,) = realm["components"]["org.keycloak.userprofile.UserProfileProvider"]
    declared = json.loads(profile["config"]["kc.user.profile.config"][0])["attributes"]
    pattern = {each["name"]: each for each in declared}["role"]["validations"]["pattern"]

    assert f"({'|'.join(each.value for each in Role)})" in pattern["pattern"]
