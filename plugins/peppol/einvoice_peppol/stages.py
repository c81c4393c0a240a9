"""The differences between Peppol's test network and its production network.

Source: OpenPeppol PKI G3 certificates and SML zones, November 2026. Everything else is the same in
both, and a closed network of tests replaces these values by settings.
"""

from __future__ import annotations

from dataclasses import dataclass

from einvoice.domain.environments import Environment


@dataclass(frozen=True, slots=True)
class Stage:
    """One of the two networks.

    name            the name of the access point, stored with each transmission
    environment     whose keys send here
    zone            DNS zone of the SML
    directory       address of the Peppol Directory
    locator         address of the interface of the SML, for SMPs
    access_point_ca SHA-256 fingerprint of the CA that issues certificates of access points
    smp_ca          the same of the CA for service metadata publishers
    root            the same of the root of both
    reports         whether monthly statistics are due
    """

    name: str
    environment: Environment
    zone: str
    directory: str
    locator: str
    access_point_ca: str
    smp_ca: str
    root: str
    reports: bool


TEST = Stage(
    name="peppol-test",
    environment=Environment.TEST,
    zone="participant.sml.test.tech.peppol.org",
    directory="https://test-directory.peppol.eu",
    locator="https://api.sml.test.tech.peppol.org/edelivery-sml",
    access_point_ca="d2445a0f115ee64cc141a849fe142927fe5701b7d9b58d3e6f53993162115cc0",
    smp_ca="eb78dabb622bbc701592f085bc27ab817fe1c0d4753ae829682e8127b3b00ce7",
    root="8b4e0e5dc7c8208cba88edebfad31e064740d896ab6e18de0b03386fd24be734",
    reports=False,
)

LIVE = Stage(
    name="peppol",
    environment=Environment.LIVE,
    zone="participant.sml.prod.tech.peppol.org",
    directory="https://directory.peppol.eu",
    locator="https://api.sml.prod.tech.peppol.org/edelivery-sml",
    access_point_ca="b65e375a5826ada16517b2aa8a881b6fcaff5e48e7559b9e96bba5c64921f900",
    smp_ca="d9e17467c69e51fc4f5c5263542fc68d2abba5dfaae62e87fbd6829f1de621c4",
    root="b6075b9f8655e756777f182d1407c0049442d3a2f57dff9781523828f331f211",
    reports=True,
)

STAGES = {stage.environment: stage for stage in (TEST, LIVE)}
