"""Which addresses count as public."""

from ipaddress import ip_address

import pytest

from einvoice.http.addresses import is_inside, is_public, literal

REFUSED = {
    "loopback": "127.0.0.1",
    "loopback, last of its block": "127.255.255.255",
    "this host": "0.0.0.0",
    "metadata of clouds": "169.254.169.254",
    "private, ten": "10.1.2.3",
    "private, first of 172.16/12": "172.16.0.0",
    "private, last of 172.16/12": "172.31.255.255",
    "private, 192.168": "192.168.0.1",
    "carrier-grade NAT": "100.64.0.1",
    "benchmarking": "198.19.255.255",
    "documentation": "203.0.113.9",
    "multicast": "224.0.0.1",
    "broadcast": "255.255.255.255",
    "v6 loopback": "::1",
    "v6 nobody": "::",
    "v6 link-local": "fe80::1",
    "v6 unique local": "fd00:ec2::254",
    "v6 site-local": "fec0::1",
    "v6 multicast": "ff02::1",
    "v6 documentation": "2001:db8::1",
    "v4 mapped": "::ffff:127.0.0.1",
    "v4 mapped metadata": "::ffff:a9fe:a9fe",
    "v4 compatible": "::127.0.0.1",
    "6to4 of a private address": "2002:0a00:0001::1",
    "Teredo of a private client": "2001:0:4136:e378:8000:63bf:f5ff:fffe",
    "NAT64 of loopback": "64:ff9b::7f00:1",
    "NAT64 for local use": "64:ff9b:1::1",
}
ADMITTED = {
    "public": "93.184.215.14",
    "before 172.16/12": "172.15.255.255",
    "after 172.16/12": "172.32.0.0",
    "before carrier-grade NAT": "100.63.255.255",
    "after carrier-grade NAT": "100.128.0.0",
    "v6 public": "2606:2800:21f:cb07:6820:80da:af6b:8b2c",
    "v4 mapped public": "::ffff:93.184.215.14",
    "NAT64 of a public address": "64:ff9b::5db8:d70e",
    "6to4 of a public address": "2002:5db8:d70e::1",
}


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED)
def test_an_address_that_is_not_public_unicast_is_refused(text):
    """Whatever packets could end up at must be public, also behind a transition mechanism."""
    assert not is_public(ip_address(text))


@pytest.mark.parametrize("text", ADMITTED.values(), ids=ADMITTED)
def test_a_public_address_is_admitted(text):
    """The blocks are exact: the neighbours just outside are public."""
    assert is_public(ip_address(text))


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("127.0.0.1", True),
        ("10.0.0.1", True),
        ("::1", True),
        ("fd00::1", True),
        ("::ffff:192.168.1.1", True),
        ("169.254.169.254", False),
        ("fe80::1", False),
        ("0.0.0.0", False),
        ("93.184.215.14", False),
    ],
)
def test_inside_never_means_link_local(text, inside):
    """allow_private is for demos; metadata servers stay out of reach even then."""
    assert is_inside(ip_address(text)) is inside


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1", "127.1"]
)
def test_every_spelling_of_an_ipv4_address_is_understood(host):
    """What the system's resolver takes for an address is an address here."""
    assert literal(host) == ip_address("127.0.0.1")


@pytest.mark.parametrize("host", ["example.com", "1.2.3.4.example.com", "7up.example"])
def test_a_name_is_not_taken_for_an_address(host):
    """Names go to DNS and are judged by what it answers."""
    assert literal(host) is None
