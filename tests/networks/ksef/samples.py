"""Invoices in FA(3), and certificates of callers, for tests of the stand-in."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from functools import cache

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import NameOID
from lxml import etree

from einvoice import clock
from tests.networks.ksef import keys, xades

SELLER, BUYER = "5265877635", "1111111111"
ORGANISATION = x509.ObjectIdentifier("2.5.4.97")
AUTH = "http://ksef.mf.gov.pl/auth/token/2.1"

PrivateKey = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey

_FA = """<?xml version="1.0" encoding="UTF-8"?>
<Faktura xmlns="http://crd.gov.pl/wzor/2025/06/25/13775/"><Naglowek>\
<KodFormularza kodSystemowy="FA (3)" wersjaSchemy="1-0E">FA</KodFormularza>\
<WariantFormularza>3</WariantFormularza><DataWytworzeniaFa>{made}</DataWytworzeniaFa></Naglowek>\
<Podmiot1><DaneIdentyfikacyjne><NIP>{seller}</NIP><Nazwa>Sprzedawca</Nazwa></DaneIdentyfikacyjne>\
<Adres><KodKraju>PL</KodKraju><AdresL1>ul. Kwiatowa 1</AdresL1></Adres></Podmiot1>\
<Podmiot2><DaneIdentyfikacyjne><NIP>{buyer}</NIP><Nazwa>Nabywca</Nazwa></DaneIdentyfikacyjne>\
<JST>2</JST><GV>2</GV></Podmiot2>{third}\
<Fa><KodWaluty>PLN</KodWaluty><P_1>{issued}</P_1><P_2>{number}</P_2>\
<P_13_1>100.00</P_13_1><P_14_1>23.00</P_14_1><P_15>123.00</P_15>\
<Adnotacje><P_16>2</P_16><P_17>2</P_17><P_18>2</P_18><P_18A>2</P_18A>\
<Zwolnienie><P_19N>1</P_19N></Zwolnienie>\
<NoweSrodkiTransportu><P_22N>1</P_22N></NoweSrodkiTransportu>\
<P_23>2</P_23><PMarzy><P_PMarzyN>1</P_PMarzyN></PMarzy></Adnotacje>\
<RodzajFaktury>VAT</RodzajFaktury><FaWiersz><NrWierszaFa>1</NrWierszaFa><P_7>Usługa</P_7>\
<P_8A>szt.</P_8A><P_8B>1</P_8B><P_9A>100.00</P_9A><P_11>100.00</P_11><P_12>23</P_12></FaWiersz>\
</Fa></Faktura>"""
_THIRD = (
    "<Podmiot3><DaneIdentyfikacyjne><NIP>{}</NIP><Nazwa>Faktor</Nazwa></DaneIdentyfikacyjne>"
    "<Rola>1</Rola></Podmiot3>"
)


def fa3(
    number: str,
    *,
    seller: str = SELLER,
    buyer: str = BUYER,
    issued: date | None = None,
    third: str | None = None,
) -> bytes:
    """An invoice that is valid to the official schema."""
    now = clock.now()
    return _FA.format(
        number=number,
        seller=seller,
        buyer=buyer,
        issued=issued or (now - timedelta(days=1)).date(),
        made=now.strftime("%Y-%m-%dT%H:%M:%SZ"),
        third=_THIRD.format(third) if third else "",
    ).encode()


@cache
def elliptic_key() -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


def seal_of(
    nip: str = SELLER, key: PrivateKey | None = None, until: datetime | None = None
) -> tuple[PrivateKey, x509.Certificate]:
    """A key and the self-signed certificate of a company's seal."""
    used = key or keys.private_key(100)
    now = clock.now()
    name = x509.Name(
        [
            x509.NameAttribute(NameOID.ORGANIZATION_NAME, "Sprzedawca"),
            x509.NameAttribute(ORGANISATION, f"VATPL-{nip}"),
            x509.NameAttribute(NameOID.COMMON_NAME, "Sprzedawca"),
            x509.NameAttribute(NameOID.COUNTRY_NAME, "PL"),
        ]
    )
    return used, self_signed(used, name, until or now + timedelta(days=365))


def self_signed(key: PrivateKey, name: x509.Name, until: datetime) -> x509.Certificate:
    return (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(until - timedelta(days=400))
        .not_valid_after(until)
        .sign(key, hashes.SHA256())
    )


def login_request(challenge: str, context: tuple[str, str] = ("Nip", SELLER)) -> etree._Element:
    """The unsigned request of a login."""
    root = etree.Element(f"{{{AUTH}}}AuthTokenRequest", nsmap={None: AUTH})
    etree.SubElement(root, f"{{{AUTH}}}Challenge").text = challenge
    identifier = etree.SubElement(root, f"{{{AUTH}}}ContextIdentifier")
    etree.SubElement(identifier, f"{{{AUTH}}}{context[0]}").text = context[1]
    etree.SubElement(root, f"{{{AUTH}}}SubjectIdentifierType").text = "certificateSubject"
    return root


def signed_login(
    challenge: str,
    context: tuple[str, str] = ("Nip", SELLER),
    seal: tuple[PrivateKey, x509.Certificate] | None = None,
) -> bytes:
    """The request of a login, signed by the seal of the context."""
    key, certificate = seal or seal_of(context[1])
    return xades.sealed(login_request(challenge, context), key, certificate, clock.now())
