"""Requests for certificates are what openssl and the published settings say."""

from __future__ import annotations

import subprocess

import pytest

from einvoice_zatca.identity import new_key
from einvoice_zatca.requests import Template, Unit, certificate_request
from plugins.zatca.tests import official

FILES = ("AR-VAT-Group", "AR", "EN-VAT-group", "EN")


def unit_of(name):
    given = official.settings(
        official.there() / f"sdk-R3.2.7/Input/csr-config-example-{name}.properties"
    )
    return Unit(
        given["csr.common.name"],
        given["csr.serial.number"],
        given["csr.organization.identifier"],
        given["csr.organization.unit.name"],
        given["csr.organization.name"],
        given["csr.invoice.type"],
        given["csr.location.address"],
        given["csr.industry.business.category"],
    )


def shown(pem):
    command = ["openssl", "req", "-text", "-noout", "-verify", "-nameopt", "utf8,sep_comma_plus"]
    said = subprocess.run(command, input=pem, capture_output=True, check=True)
    return said.stdout.decode()


@pytest.mark.parametrize("name", FILES)
def test_a_request_has_what_the_settings_say(name):
    unit = unit_of(name)
    text = shown(certificate_request(unit, Template.SANDBOX, new_key()))

    assert "ASN1 OID: secp256k1" in text
    assert f"CN={unit.common_name}" in text
    assert f"O={unit.organization}" in text
    assert f"OU={unit.organization_unit}" in text
    assert unit.serial_number in text
    assert f"UID={unit.vat_number}" in text.replace("UID = ", "UID=")
    assert unit.invoice_types in text
    assert unit.address in text


@pytest.mark.parametrize("template", Template)
def test_a_request_names_the_template_of_its_environment(template):
    text = shown(certificate_request(unit_of("EN"), template, new_key()))

    assert f"..{template}" in "".join(text.split())
