"""A closed network of DNS, SMP and PKI, as an operator configures it by settings."""

from __future__ import annotations

import pytest

import einvoice_peppol
from einvoice import clock
from einvoice.domain.identifiers import BIS_INVOICE, ParticipantId
from einvoice.network import registry
from einvoice.network.registry import PluginFault
from einvoice.network.testing import ConfirmsContract
from einvoice.network.types import NotRegistered
from plugins.peppol.tests import key_files, pki, smp_servers
from plugins.peppol.tests.dns_servers import ZONE, dnsmasq, name_of
from plugins.peppol.tests.smp_servers import endpoint, group, information, path_of, signed

OURS = pki.leaf(pki.ACCESS_POINTS, "POP000001")
OTHER = pki.leaf(pki.ACCESS_POINTS, "POP000002", number=11)
SIGNER = pki.leaf(pki.SMPS, "POP000010", number=12)
REGISTERED, ELSEWHERE = ParticipantId("0208", "0123456749"), ParticipantId("9915", "elsewhere")


@pytest.fixture
def variables(tmp_path, monkeypatch):
    """The settings of a closed test network with two participants."""
    monkeypatch.setattr(clock, "now", lambda: pki.NOW)
    (tmp_path / "ap.p12").write_bytes(key_files.as_pkcs12(OURS))
    folder = key_files.anchors(tmp_path / "anchors", pki.ACCESS_POINTS, pki.SMPS, pki.ROOT)
    with smp_servers.serving() as smp:
        for participant, receiver in ((REGISTERED, OURS), (ELSEWHERE, OTHER)):
            smp.put(path_of(participant), group(participant, BIS_INVOICE))
            content = information(participant, endpoint(receiver.certificate))
            smp.put(path_of(participant, BIS_INVOICE), signed(content, SIGNER))
        records = (
            f"--naptr-record={name_of(each)},100,10,U,Meta:SMP,!.*!{smp.url}!"
            for each in (REGISTERED, ELSEWHERE)
        )
        with dnsmasq(f"--local=/{ZONE}/", *records) as dns:
            settings = {
                "KEYS": str(tmp_path / "ap.p12"),
                "PASSWORD": "secret",
                "ANCHORS": str(folder),
                "ZONE": ZONE,
                "RESOLVERS": dns,
                "REVOCATION": "soft",
                "CLOSED": "true",
            }
            yield {f"EINVOICE_PEPPOL_TEST_{name}": each for name, each in settings.items()}


def access_point(variables):
    (point,) = registry.load(variables, [einvoice_peppol])
    return point


class TestClaims(ConfirmsContract):
    @pytest.fixture
    def access_point(self, variables):
        return access_point(variables)

    @pytest.fixture
    def registered_participant(self):
        return REGISTERED

    @pytest.fixture
    def elsewhere(self):
        return ELSEWHERE

    @pytest.fixture
    def offline(self, variables):
        return access_point(variables | {"EINVOICE_PEPPOL_TEST_RESOLVERS": "127.0.0.1:9"})


def test_a_participant_is_found_by_dns_and_smp(variables):
    found = access_point(variables).lookup(ELSEWHERE)

    assert found.document_types == (BIS_INVOICE,)
    assert found.certificate_subject == "CN=POP000002,O=Throw-away,C=BE"
    assert access_point(variables).lookup(ParticipantId("9915", "x")) == NotRegistered()


def test_the_service_does_not_start_with_a_wrong_password_and_does_not_show_it(variables):
    wrong = variables | {"EINVOICE_PEPPOL_TEST_PASSWORD": "hunter2"}
    with pytest.raises(PluginFault, match="EINVOICE_PEPPOL_TEST_KEYS") as fault:
        access_point(wrong)

    assert "hunter2" not in str(fault.value)


def test_the_service_does_not_start_with_live_settings_that_lack_the_key():
    with pytest.raises(PluginFault, match="EINVOICE_PEPPOL_LIVE_KEYS is missing"):
        registry.load({"EINVOICE_PEPPOL_LIVE_ENDPOINT": "https://ap.example"}, [einvoice_peppol])
