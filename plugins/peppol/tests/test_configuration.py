"""Settings of the two networks: what starts, and what is refused with words."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import Encoding

from einvoice import clock
from einvoice.http import Blocked
from einvoice.network.settings import validated
from einvoice_peppol.configuration import InvalidConfiguration, configured, settings_of
from einvoice_peppol.stages import LIVE, TEST
from einvoice_peppol.trust import RevocationUnknown, Untrusted
from plugins.peppol.tests import key_files, pki, smp_servers

OURS = pki.leaf(pki.ACCESS_POINTS, "POP000001")


@pytest.fixture(autouse=True)
def fixed_time(monkeypatch):
    monkeypatch.setattr(clock, "now", lambda: pki.NOW)


@pytest.fixture
def files(tmp_path):
    """The settings of a closed test network, as environment variables."""
    folder = key_files.anchors(tmp_path / "anchors", pki.ACCESS_POINTS, pki.SMPS, pki.ROOT)
    keys = tmp_path / "ap.p12"
    keys.write_bytes(key_files.as_pkcs12(OURS))
    return {
        "EINVOICE_PEPPOL_TEST_KEYS": str(keys),
        "EINVOICE_PEPPOL_TEST_PASSWORD": "secret",
        "EINVOICE_PEPPOL_TEST_ANCHORS": str(folder),
    }


def network(variables, stage=TEST):
    values = validated("peppol", settings_of(stage), variables, {}).values
    return configured(stage, values)


@pytest.mark.parametrize("stage", [TEST, LIVE])
def test_a_network_without_settings_is_not_configured(stage):
    """Its distribution may be installed where Peppol is not used."""
    assert network({}, stage) is None
    assert network({"EINVOICE_DATA_DIR": "/tmp"}, stage) is None


def test_a_network_has_the_certificate_of_its_key_file(files):
    found = network(files)

    assert (found.stage, found.seat) == (TEST, "POP000001")
    assert found.identity.certificate == OURS.certificate


def test_the_settings_of_one_network_do_not_configure_the_other(files):
    assert network(files, LIVE) is None


def test_settings_have_the_names_of_their_network():
    test, live = ({each.name for each in settings_of(stage)} for stage in (TEST, LIVE))

    assert not test & live
    assert {name.replace("_TEST_", "_LIVE_") for name in test} - live == {
        "EINVOICE_PEPPOL_LIVE_CLOSED",
        "EINVOICE_PEPPOL_LIVE_TLS_ROOTS",
    }


def test_a_network_without_key_material_does_not_start():
    with pytest.raises(InvalidConfiguration, match="EINVOICE_PEPPOL_LIVE_KEYS is missing"):
        network({"EINVOICE_PEPPOL_LIVE_SEAT_ID": "POP000001"}, LIVE)


def test_a_test_certificate_is_refused_on_live(files):
    """Also where its authority is made an anchor of live by mistake."""
    live = {name.replace("_TEST_", "_LIVE_"): value for name, value in files.items()}

    with pytest.raises(InvalidConfiguration, match="certificate of the test network"):
        network(live, LIVE)


def test_a_live_certificate_is_refused_on_test(files, tmp_path):
    ours = pki.leaf(pki.LIVE_CA)
    (tmp_path / "ap.p12").write_bytes(key_files.as_pkcs12(ours))
    key_files.anchors(tmp_path / "anchors", pki.LIVE_CA, pki.SMPS, pki.LIVE_ROOT)

    with pytest.raises(InvalidConfiguration, match="certificate of the production network"):
        network(files)


@pytest.mark.parametrize(
    ("identity", "words"),
    [
        (pki.leaf(pki.SMPS), "not issued by an authority for an access point"),
        (pki.leaf(pki.FOREIGN), "not issued"),
        (pki.leaf(pki.ACCESS_POINTS, "ap.example.org"), "not that of an access point"),
    ],
)
def test_a_certificate_that_is_not_of_an_access_point_here_is_refused(
    files, tmp_path, identity, words
):
    (tmp_path / "ap.p12").write_bytes(key_files.as_pkcs12(identity))

    with pytest.raises(InvalidConfiguration, match=words):
        network(files)


def test_without_anchors_the_authorities_of_openpeppol_are_the_only_ones(files):
    del files["EINVOICE_PEPPOL_TEST_ANCHORS"]

    with pytest.raises(InvalidConfiguration, match="not issued by an authority"):
        network(files)


def test_the_seat_id_must_be_that_of_the_certificate(files):
    network(files | {"EINVOICE_PEPPOL_TEST_SEAT_ID": "POP000001"})
    with pytest.raises(InvalidConfiguration, match="of POP000001, not of POP000009"):
        network(files | {"EINVOICE_PEPPOL_TEST_SEAT_ID": "POP000009"})


def test_all_that_is_wrong_is_said_at_once(files):
    wrong = files | {
        "EINVOICE_PEPPOL_TEST_KEYS": "/absent.p12",
        "EINVOICE_PEPPOL_TEST_ANCHORS": "/absent",
        "EINVOICE_PEPPOL_TEST_RESOLVERS": "dns.example",
        "EINVOICE_PEPPOL_TEST_REVOCATION": "maybe",
        "EINVOICE_PEPPOL_TEST_CRLS": "/absent.crl",
    }
    with pytest.raises(InvalidConfiguration) as refused:
        network(wrong)

    words = str(refused.value)
    for name in ("KEYS", "ANCHORS", "RESOLVERS", "REVOCATION", "CRLS"):
        assert f"EINVOICE_PEPPOL_TEST_{name}" in words
    assert "secret" not in words


def test_two_certificates_are_in_use_while_one_is_renewed(files, tmp_path):
    renewed = pki.leaf(pki.ACCESS_POINTS, "POP000001", number=11, until=pki.NOW - pki.NOW)
    (tmp_path / "next.pem").write_bytes(key_files.as_pem(renewed))
    found = network(files | {"EINVOICE_PEPPOL_TEST_NEXT_KEYS": str(tmp_path / "next.pem")})

    assert [each.certificate for each in found.identities] == [
        OURS.certificate,
        renewed.certificate,
    ]


def test_a_renewed_certificate_of_another_seat_is_refused(files, tmp_path):
    renewed = pki.leaf(pki.ACCESS_POINTS, "POP000002", number=11)
    (tmp_path / "next.pem").write_bytes(key_files.as_pem(renewed))

    with pytest.raises(InvalidConfiguration, match="different seat ids"):
        network(files | {"EINVOICE_PEPPOL_TEST_NEXT_KEYS": str(tmp_path / "next.pem")})


def test_addresses_are_public_and_https_unless_the_test_network_is_closed(files):
    with pytest.raises(Blocked):
        network(files).policy.check_url("http://127.0.0.1:8080/as4")
    with pytest.raises(Blocked):
        network(files).policy.check_url("https://ap.example:8443/as4")

    closed = network(files | {"EINVOICE_PEPPOL_TEST_CLOSED": "true"})
    closed.policy.check_url("http://127.0.0.1:8080/as4")


def test_certificates_are_checked_for_revocation_by_the_policy_of_the_settings(files, tmp_path):
    peer, revoked = pki.leaf(pki.ACCESS_POINTS), pki.leaf(pki.ACCESS_POINTS)
    with pytest.raises(RevocationUnknown):
        network(files).trust.check_access_point(peer.certificate, pki.NOW)
    soft = files | {"EINVOICE_PEPPOL_TEST_REVOCATION": "soft"}
    network(soft).trust.check_access_point(peer.certificate, pki.NOW)
    listed = pki.revocation_list(pki.ACCESS_POINTS, revoked)
    (tmp_path / "ap.crl").write_bytes(listed.public_bytes(Encoding.DER))
    own_list = files | {"EINVOICE_PEPPOL_TEST_CRLS": str(tmp_path / "ap.crl")}
    checked = network(own_list).trust

    checked.check_access_point(peer.certificate, pki.NOW)
    with pytest.raises(Untrusted, match="revoked"):
        checked.check_access_point(revoked.certificate, pki.NOW)


def test_a_closed_network_has_no_directory_by_name_unless_it_is_set(files):
    assert network(files).search is not None
    closed = files | {"EINVOICE_PEPPOL_TEST_ZONE": "sml.example"}
    assert network(closed).search is None
    own = closed | {"EINVOICE_PEPPOL_TEST_DIRECTORY": "https://directory.example"}
    assert network(own).search is not None


def test_every_setting_is_on_the_page_for_operators():
    page = (Path(__file__).parents[3] / "docs" / "peppol.md").read_text()
    listed = set(re.findall(r"^\| `(EINVOICE_PEPPOL_[A-Z0-9_]+)` \|", page, re.MULTILINE))
    live = {each.name for each in settings_of(LIVE)}
    test_only = {each.name for each in settings_of(TEST)}
    test_only -= {name.replace("_LIVE_", "_TEST_") for name in live}

    assert listed == live | test_only


def test_revocation_lists_of_a_closed_network_may_be_at_a_private_address(files):
    """And those of the public network may not."""
    with smp_servers.serving() as server:
        listed = pki.revocation_list(pki.ACCESS_POINTS).public_bytes(Encoding.DER)
        server.put("/ap.crl", listed)
        peer = pki.leaf(pki.ACCESS_POINTS, crl=f"{server.url}/ap.crl").certificate
        closed = network(files | {"EINVOICE_PEPPOL_TEST_CLOSED": "true"})

        closed.trust.check_access_point(peer, pki.NOW)
        with pytest.raises(RevocationUnknown):
            network(files).trust.check_access_point(peer, pki.NOW)
    assert server.asked == ["/ap.crl"]


def test_statuses_of_failures_only_are_asked_for_unless_a_setting_says_otherwise(files):
    wanted = "EINVOICE_PEPPOL_TEST_MLS_TYPE"

    assert network(files).mls_type is None
    assert network(files | {wanted: "FAILURE_ONLY"}).mls_type is None
    assert network(files | {wanted: "ALWAYS_SEND"}).mls_type == "ALWAYS_SEND"
    with pytest.raises(InvalidConfiguration, match="must be FAILURE_ONLY or ALWAYS_SEND"):
        network(files | {wanted: "NEVER"})


@pytest.fixture
def publishing(files, tmp_path):
    """The settings of an SMP of our own."""
    keys = tmp_path / "smp.p12"
    keys.write_bytes(key_files.as_pkcs12(pki.leaf(pki.SMPS, "POP000001")))
    p = "EINVOICE_PEPPOL_TEST_"
    return files | {
        f"{p}ENDPOINT": "https://ap.example.com/networks/peppol-test/",
        f"{p}SMP": "own",
        f"{p}SMP_CONTACT": "mailto:ap@example.com",
        f"{p}SMP_ADDRESS": "https://smp.example.com/",
        f"{p}SMP_ID": "POP000001",
        f"{p}SMP_KEYS": str(keys),
        f"{p}SMP_KEYS_PASSWORD": "secret",
    }


def test_participants_are_published_by_our_own_smp(publishing):
    found = network(publishing).publisher

    assert (found.address, found.id) == ("https://smp.example.com", "POP000001")
    assert found.locator == "https://api.sml.test.tech.peppol.org/edelivery-sml"
    assert "secret" not in repr(found)


def test_participants_are_published_at_another_ones_smp_which_may_be_inside(publishing):
    p = "EINVOICE_PEPPOL_TEST_"
    own = publishing | {f"{p}SMP": "https://10.1.2.3/smp/"}
    with pytest.raises(InvalidConfiguration, match="SMP_USER is missing"):
        network(own)
    found = network(own | {f"{p}SMP_USER": "admin", f"{p}SMP_PASSWORD": "hidden"}).publisher

    assert (found.address, found.user, found.identity) == ("https://10.1.2.3/smp", "admin", None)
    assert "hidden" not in repr(found)


def test_each_setting_that_publishing_needs_is_named(publishing, tmp_path):
    p, access_point = "EINVOICE_PEPPOL_TEST_", tmp_path / "no-smp.p12"
    access_point.write_bytes(key_files.as_pkcs12(OURS))
    wrong = {}
    needed = ("ENDPOINT", "SMP_CONTACT", "SMP_ADDRESS", "SMP_ID", "SMP_KEYS", "SMP_KEYS_PASSWORD")
    changed = dict.fromkeys(needed) | {
        "SMP": "http://smp.example.com",
        "SMP_ADDRESS ": "http://smp.example.com",
        "SMP_KEYS ": str(access_point),
    }
    for name, value in changed.items():
        own = {key: text for key, text in publishing.items() if key != p + name.strip()}
        if value is not None:
            own[p + name.strip()] = value
        try:
            network(own)
            wrong[name] = "it started"
        except InvalidConfiguration as fault:
            named = name.strip().removesuffix("_PASSWORD")
            if p + named not in str(fault):
                wrong[name] = str(fault)

    assert wrong == {}
