from __future__ import annotations

import pytest

from einvoice_gateway.access_point import GatewayAccessPoint
from einvoice_gateway.configuration import Shape
from plugins.gateway.tests import stand_ins


@pytest.fixture
def phoss():
    return stand_ins.PhossAp()


@pytest.fixture
def phase4():
    return stand_ins.Phase4()


@pytest.fixture
def through_phoss(phoss):
    with stand_ins.serving(phoss) as url:
        yield GatewayAccessPoint(stand_ins.gateway(Shape.PHOSS_AP, url))


@pytest.fixture
def through_phase4(phase4):
    with stand_ins.serving(phase4) as url:
        yield GatewayAccessPoint(stand_ins.gateway(Shape.PHASE4, url))
