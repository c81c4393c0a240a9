"""Classification of IP addresses (IANA special-purpose registries, RFC 6890, as of 2026-11).

A table of our own instead of `ipaddress.is_global`, whose meaning differs between Python releases.

>>> is_public(ip_address("93.184.215.14")), is_public(ip_address("169.254.169.254"))
(True, False)
>>> is_public(ip_address("64:ff9b::7f00:1"))  # NAT64 of 127.0.0.1
False
"""

from __future__ import annotations

import re
import socket
from functools import lru_cache
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
)

Address = IPv4Address | IPv6Address

_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*", re.ASCII | re.IGNORECASE)

_SPECIAL_V4 = tuple(
    IPv4Network(text)
    for text in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4",
    )
)
_UNICAST_V6 = IPv6Network("2000::/3")
_SPECIAL_V6 = tuple(IPv6Network(text) for text in ("2001::/23", "2001:db8::/32", "3fff::/20"))
_NAT64 = IPv6Network("64:ff9b::/96")

_INSIDE = tuple(
    IPv4Network(text) for text in ("10.0.0.0/8", "127.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16")
)
_INSIDE_V6 = (IPv6Network("::1/128"), IPv6Network("fc00::/7"))


@lru_cache(maxsize=1024)
def is_public(address: Address) -> bool:
    """Whether every address that packets could reach through it is a public unicast address."""
    return all(_is_public(target) for target in targets(address))


@lru_cache(maxsize=1024)
def is_inside(address: Address) -> bool:
    """Whether it is loopback or private. Link-local, the place of cloud metadata, is neither."""
    return all(_is_inside(target) for target in targets(address))


def targets(address: Address) -> tuple[Address, ...]:
    """The address itself, or the IPv4 addresses in it: mapped, 6to4, Teredo, NAT64."""
    if isinstance(address, IPv4Address):
        return (address,)
    if address.ipv4_mapped is not None:
        return (address.ipv4_mapped,)
    if address.sixtofour is not None:
        return (address.sixtofour,)
    if address.teredo is not None:
        return address.teredo
    if address in _NAT64:
        return (IPv4Address(int(address) & 0xFFFF_FFFF),)
    return (address,)


@lru_cache(maxsize=1024)
def literal(host: str) -> Address | None:
    """The address that a host is, also as 2130706433, 0x7f.1, 127.1 or 127.0.0.1.; else None."""
    text = host.strip("[]").partition("%")[0].rstrip(".")
    try:
        return ip_address(text)
    except ValueError:
        pass
    try:
        return IPv4Address(socket.inet_aton(text)) if text[:1].isdigit() else None
    except OSError:
        return None


def ends_in_number(host: str) -> bool:
    """Whether the last label is a number: then the host is an IPv4 address or invalid.

    No top-level domain is a number (WHATWG URL, "ends in a number checker").
    """
    return _NUMBER.fullmatch(host.rstrip(".").rpartition(".")[2]) is not None


def _is_public(address: Address) -> bool:
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _SPECIAL_V4)
    return address in _UNICAST_V6 and not any(address in network for network in _SPECIAL_V6)


def _is_inside(address: Address) -> bool:
    if isinstance(address, IPv4Address):
        return any(address in network for network in _INSIDE)
    return any(address in network for network in _INSIDE_V6)
