"""Which addresses count as public."""

from ipaddress import ip_address

import pytest

from einvoice.http.addresses import is_inside, is_public, literal
from einvoice.http.faults import Blocked
from einvoice.http.policy import Policy
from tests.tables import each_row

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
    "v6 unspecified": "::",
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
    """Every address that packets could reach must be public, also by a transition mechanism."""
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
        ("2001:0:a00:1:0:0:f5ff:fffe", True),  # Teredo: server and client 10.0.0.1
        ("2001:0:4136:e378:0:0:f5ff:fffe", False),  # Teredo: a public server
    ],
)
def test_private_does_not_include_link_local(text, inside):
    """With allow_private, cloud metadata servers are still blocked."""
    assert is_inside(ip_address(text)) is inside


SPELLINGS = [
    "127.0.0.1", "2130706433", "0x7f000001", "0x7f.1", "0X7F.1", "0177.0.0.1", "127.1",
    "127.0.0.1.", "2130706433.", "0x7f000001.", "0x7f.1.", "0177.0.0.1.", "127.1.", "127.0.0.1..",
]  # fmt: skip


@pytest.mark.parametrize("host", SPELLINGS)
def test_every_spelling_of_an_ipv4_address_is_understood(host):
    """The same spellings as the system's resolver."""
    assert literal(host) == ip_address("127.0.0.1")


@pytest.mark.parametrize("host", ["example.com", "1.2.3.4.example.com", "7up.example"])
def test_a_host_name_is_not_an_address(host):
    """It is resolved, and the resolved addresses are checked."""
    assert literal(host) is None


@each_row("host", [
    *SPELLINGS, "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:ffff:7f00:1]",
    "[::127.0.0.1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[fe80::1%25eth0]",
    "127.0.0.%31", "%31%32%37.0.0.1", "\uff11\uff12\uff17.0.0.1", "127\u30020\u30020\u30021",
    "0", "0.", "169.254.169.254.", "10.0.0.1.", "[::ffff:169.254.169.254]",
    "localhost", "localhost.", "LOCALHOST.", "a.localhost.", "printer.local.", "intranet",
    "metadata.google.internal.", "ip6-localhost",
])  # fmt: skip
def test_no_spelling_of_a_host_that_is_not_public_passes(host):
    """A live webhook is refused when it is registered, without DNS."""
    with pytest.raises(Blocked):
        Policy().check_url(f"https://{host}/")


@pytest.mark.parametrize("host", [
    "256.256.256.256", "1.2.3.4.5", "08.1.1.1", "example.123", "example.0x1", "example.0x.",
])  # fmt: skip
@pytest.mark.parametrize("allow_private", [False, True])
def test_a_host_that_ends_in_a_number_and_is_no_address_is_refused(host, allow_private):
    """Resolvers interpret such hosts differently."""
    with pytest.raises(Blocked, match="neither a host name nor an IPv4 address"):
        Policy(allow_private=allow_private).check_url(f"https://{host}/")


@pytest.mark.parametrize("host", [
    "example.com", "example.com.", "1.1.1.1", "1.1.1.1.", "0x1.example", "7up.example", "a1",
    "[2606:2800:21f:cb07:6820:80da:af6b:8b2c]", "xn--bcher-kva.example",
])  # fmt: skip
def test_public_hosts_pass_with_and_without_the_dot_of_the_root(host):
    Policy(allow_private=host == "a1").check_url(f"https://{host}/")


@pytest.mark.parametrize("host", ["127.0.0.1.", "localhost.", "0x7f.1", "[::1]"])
def test_where_private_addresses_are_allowed_every_spelling_is(host):
    Policy(allow_private=True).check_url(f"https://{host}/")
