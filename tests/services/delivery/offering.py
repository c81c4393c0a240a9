"""A plugin that offers access points of a test."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from einvoice.network.hookspec import hookimpl
from einvoice.network.types import INTERFACE_VERSION, AccessPoint


def plugin_of(point: AccessPoint) -> ModuleType:
    """A plugin that offers this access point, with its name."""
    plugin: Any = ModuleType(point.name)
    plugin.EINVOICE_INTERFACE = INTERFACE_VERSION
    plugin.einvoice_access_points = hookimpl(lambda settings: [point])
    offered: ModuleType = plugin
    return offered
