"""From a participant to its SMP by DNS: what is final, and what is an outage."""

from __future__ import annotations

import dns.name
import dns.rcode
import pytest

from einvoice.domain.identifiers import ParticipantId
from einvoice.network.types import DirectoryUnavailable, NotRegistered
from einvoice_peppol import sml
from einvoice_peppol.sml import InvalidResolver, Sml
from plugins.peppol.tests.dns_servers import ZONE, dnsmasq, name_of, naptr, responding, scripted

KNOWN = ParticipantId("0208", "0123456749")
OTHER = ParticipantId("9915", "test")
SMP = "https://smp.example.org"


def of(address, zone=ZONE, seconds=3.0):
    return Sml(zone, [address], seconds)


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("9915:test", "eh5boavaktmbgzyh2a63dz4qov33fvp5nsdvqklucfraayoodw6a"),
        ("0088:123abc", "y7dzfxaf3d4cjz4kcgrxtec6twvcga4ky7zwa5boif6mswd4tdrq"),
        ("0010:5798000000001", "xukhfqabqziki3ykvr2fhr4snfa3pf5vpq6k4tonv3lmvsy5arvq"),
        ("0088:1234567890123", "sjsyvccmqyjxk3weuapffq4x3umcrf4qryherj4vovhmonh7gccq"),
        ("0208:0123456749", "hqlnrkedej3xevnxcnqilr5gx4hmdn4lws23cztjymy4mhl3plla"),
    ],
)
def test_the_name_of_a_participant_is_that_of_the_specification(text, label):
    """PFUOI's and the SML specification's own examples among them."""
    expected = f"{label}.iso6523-actorid-upis.sml.example"

    assert sml.host_name(ParticipantId.parse(text), "sml.example.") == expected


@pytest.mark.parametrize(
    ("expression", "address"),
    [
        ("!.*!https://smp.example!", "https://smp.example"),
        ("!^.*$!https://smp.example/a/b!", "https://smp.example/a/b"),
        ("|.*|http://smp.example|i", "http://smp.example"),
        ("!^.+$!https://smp.example!", "https://smp.example"),
        ("!.+!https://smp.example!", "https://smp.example"),
        ("!(.*)!https://smp.example!", "https://smp.example"),
        ("!^(.+)$!https://smp.example!", "https://smp.example"),
        ("!(^.*$)!https://smp.example!", "https://smp.example"),
        ("!.?!https://smp.example!", None),
        ("!..*!https://smp.example!", None),
        ("!.*.*!https://smp.example!", None),
        ("!((.*))!https://smp.example!", None),
        ("!(.*!https://smp.example!", None),
        ("!.*!ftp://smp.example!", None),
        ("!.*!smp.example!", None),
        (r"!(.*)!https://\1.example!", None),
        (r"!.*!https://\1.example!", None),
        ("!.*!https://smp.example", None),
        ("!.*!https://smp.example!g", None),
        ("!(x+x+)+y!https://smp.example!", None),
        ("", None),
        ("!", None),
    ],
)
def test_an_expression_yields_an_address_or_is_unusable(expression, address):
    assert sml.address_in(expression) == address


# -- dnsmasq as SML ------------------------------------------------------------------------------


def record(participant, expression=f"!.*!{SMP}!", zone=ZONE):
    return f"--naptr-record={name_of(participant, zone)},100,10,U,Meta:SMP,{expression}"


def test_a_registered_participant_has_a_publisher_and_another_one_is_not_registered():
    with dnsmasq(f"--local=/{ZONE}/", record(OTHER)) as address:
        assert of(address).publisher(OTHER) == SMP
        assert of(address).publisher(ParticipantId("9915", "TEST")) == SMP
        assert of(address).publisher(KNOWN) == NotRegistered()


def test_the_expression_is_substituted_once():
    """`re.sub` with `.*` would yield the address twice."""
    with dnsmasq(f"--local=/{ZONE}/", record(KNOWN, f"!^.*$!{SMP}/peppol/!")) as address:
        assert of(address).publisher(KNOWN) == f"{SMP}/peppol"


def test_a_name_with_other_records_only_is_not_registered():
    with dnsmasq(f"--local=/{ZONE}/", f"--txt-record={name_of(KNOWN)},hello") as address:
        assert of(address).publisher(KNOWN) == NotRegistered()


def test_a_server_that_is_asked_for_a_foreign_zone_is_an_outage():
    """dnsmasq without an upstream refuses the query, which says nothing about the participant."""
    zone = dnsmasq(f"--local=/{ZONE}/", record(KNOWN))
    with zone as address, pytest.raises(DirectoryUnavailable):
        of(address, "elsewhere.example").publisher(KNOWN)


# -- a scripted server ---------------------------------------------------------------------------


def test_a_cname_in_the_answer_is_followed():
    target = "a.other.example"
    answer = responding(
        (name_of(KNOWN), "CNAME", f"{target}."), (target, "NAPTR", naptr(f"!.*!{SMP}!"))
    )
    with scripted(answer) as (address, _):
        assert of(address).publisher(KNOWN) == SMP


def by_name(**answers):
    def answer(query):
        name = query.question[0].name.to_text(omit_final_dot=True)
        return answers[name](query)

    return answer


def test_a_cname_without_its_target_is_asked_for():
    answer = by_name(
        **{
            name_of(KNOWN): responding((name_of(KNOWN), "CNAME", "a.other.example.")),
            "a.other.example": responding(("a.other.example", "NAPTR", naptr(f"!.*!{SMP}!"))),
        }
    )
    with scripted(answer) as (address, script):
        assert of(address).publisher(KNOWN) == SMP
    assert script.asked == [name_of(KNOWN), "a.other.example"]


def test_a_zone_that_was_moved_by_dname_is_followed():
    """The test zone was one during the move of the SML in 2026."""
    moved = name_of(KNOWN, "new.example")
    answer = by_name(
        **{
            name_of(KNOWN): responding((ZONE, "DNAME", "new.example.")),
            moved: responding((moved, "NAPTR", naptr(f"!.*!{SMP}!"))),
        }
    )
    with scripted(answer) as (address, _):
        assert of(address).publisher(KNOWN) == SMP


def test_of_several_records_the_first_by_order_and_preference_that_fits_is_used():
    name = name_of(KNOWN)
    answer = responding(
        (name, "NAPTR", naptr("!.*!https://third.example!", 20, 1)),
        (name, "NAPTR", naptr("!.*!https://second.example!", 10, 20, "u", "meta:smp")),
        (name, "NAPTR", naptr("!.*!https://other.example!", 10, 1, "U", "Meta:OTHER")),
        (name, "NAPTR", naptr("!.*!https://flags.example!", 10, 2, "S")),
        (name, "NAPTR", naptr("!(a+)+!https://slow.example!", 10, 3)),
    )
    with scripted(answer) as (address, _):
        assert of(address).publisher(KNOWN) == "https://second.example"


def test_a_name_that_does_not_exist_is_not_registered():
    with scripted(responding(rcode=dns.rcode.NXDOMAIN)) as (address, _):
        assert of(address).publisher(KNOWN) == NotRegistered()


@pytest.mark.parametrize("rcode", [dns.rcode.SERVFAIL, dns.rcode.REFUSED, dns.rcode.FORMERR])
def test_an_error_of_the_server_is_an_outage(rcode):
    with scripted(responding(rcode=rcode)) as (address, _), pytest.raises(DirectoryUnavailable):
        of(address, seconds=1.0).publisher(KNOWN)


@pytest.mark.parametrize("response", [None, b"", b"\0" * 12])
def test_no_answer_or_one_that_cannot_be_read_is_an_outage(response):
    with scripted(lambda _: response) as (address, _), pytest.raises(DirectoryUnavailable):
        of(address, seconds=0.5).publisher(KNOWN)


def test_an_answer_to_another_question_is_an_outage():
    name = name_of(OTHER)
    lie = responding((name, "NAPTR", naptr(f"!.*!{SMP}!")))

    def answer(query):
        response = lie(query)
        response.question[0].name = dns.name.from_text(name)
        return response

    with scripted(answer) as (address, _), pytest.raises(DirectoryUnavailable):
        of(address, seconds=0.5).publisher(KNOWN)


def test_records_of_another_name_in_the_answer_do_not_count():
    with scripted(responding((name_of(OTHER), "NAPTR", naptr(f"!.*!{SMP}!")))) as (address, _):
        assert of(address).publisher(KNOWN) == NotRegistered()


def test_a_loop_of_aliases_is_an_outage():
    a, b = name_of(KNOWN), "b.example"
    answer = by_name(**{a: responding((a, "CNAME", f"{b}.")), b: responding((b, "CNAME", f"{a}."))})
    aliases = pytest.raises(DirectoryUnavailable, match="aliases")
    with scripted(answer) as (address, script), aliases:
        of(address).publisher(KNOWN)
    assert len(script.asked) == sml.MAX_ALIASES + 1


def test_a_loop_within_one_answer_is_an_outage():
    a, b = name_of(KNOWN), "b.example"
    answer = responding((a, "CNAME", f"{b}."), (b, "CNAME", f"{a}."))
    with scripted(answer) as (address, _), pytest.raises(DirectoryUnavailable):
        of(address, seconds=1.0).publisher(KNOWN)


def test_a_server_that_refers_to_others_is_an_outage():
    """It does not resolve for us: its empty answer says nothing about the participant."""
    answer = responding(authority=[("example", "NS", "ns.example.")])
    with scripted(answer) as (address, _), pytest.raises(DirectoryUnavailable):
        of(address).publisher(KNOWN)


@pytest.mark.parametrize(
    "record",
    [
        naptr("!.*!gopher://smp.example!"),
        naptr("!(a|b)!https://smp.example!"),
        naptr("!.*!https://smp.example!").replace("Meta:SMP", "https://smp.example"),
        naptr("!.*!https://smp.example!").replace('"U"', '"S"'),
    ],
)
def test_a_registration_that_is_faulty_is_no_absence(record):
    """Its provider has to correct it, and documents wait: it was meant to be there."""
    answer = responding((name_of(KNOWN), "NAPTR", record))
    with (
        scripted(answer) as (address, _),
        pytest.raises(DirectoryUnavailable, match="registration of the participant is faulty"),
    ):
        of(address).publisher(KNOWN)


def test_a_second_server_answers_where_the_first_one_fails():
    good = responding((name_of(KNOWN), "NAPTR", naptr(f"!.*!{SMP}!")))
    with (
        scripted(responding(rcode=dns.rcode.SERVFAIL)) as (broken, _),
        scripted(good) as (working, _),
    ):
        assert Sml(ZONE, [broken, working]).publisher(KNOWN) == SMP


@pytest.mark.parametrize("address", ["dns.example", "127.0.0.1:x", "127.0.0.1:99999999", ""])
def test_a_resolver_that_is_not_an_address_is_refused(address):
    with pytest.raises(InvalidResolver):
        Sml(ZONE, [address])


@pytest.mark.parametrize(
    ("address", "server"),
    [
        ("127.0.0.1", ("127.0.0.1", 53)),
        (" 127.0.0.1:5353 ", ("127.0.0.1", 5353)),
        ("::1", ("::1", 53)),
        ("[::1]:5353", ("::1", 5353)),
    ],
)
def test_a_resolver_is_an_address_with_or_without_a_port(address, server):
    nameserver = sml._nameserver(address)

    assert (nameserver.address, nameserver.port) == server
