"""The network of a toll authority that does not exist: what a network may ask of a plugin, at once.

Its plugin is this package. Nothing of it is part of the service.
"""

from collections.abc import Iterator

from einvoice.domain.profiles import Profile
from einvoice.network.hookspec import hookimpl
from einvoice.rules import RuleSet
from tests.networks.toll import form
from tests.networks.toll.access_point import Toll

EINVOICE_INTERFACE = 1


@hookimpl
def einvoice_access_points() -> Iterator[Toll]:
    """The access point to the authority."""
    yield Toll()


@hookimpl
def einvoice_rule_sets() -> Iterator[RuleSet]:
    """The rules for toll bills."""
    yield form.RULES


@hookimpl
def einvoice_profiles() -> Iterator[Profile]:
    """The form of toll bills."""
    yield form.PROFILE
