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
</Fa>{attachment}</Faktura>"""
_CAC = "urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2"
_CBC = "urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2"
_PARTY = (
    '<cac:Accounting{who}Party><cac:Party><cbc:EndpointID schemeID="0088">1</cbc:EndpointID>'
    "<cac:PostalAddress><cac:Country><cbc:IdentificationCode>PL</cbc:IdentificationCode>"
    "</cac:Country></cac:PostalAddress><cac:PartyTaxScheme><cbc:CompanyID>PL{{{nip}}}"
    "</cbc:CompanyID><cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:PartyTaxScheme>"
    "<cac:PartyLegalEntity><cbc:RegistrationName>{who}</cbc:RegistrationName>"
    "</cac:PartyLegalEntity></cac:Party></cac:Accounting{who}Party>"
)
_TAX = (
    "<cbc:ID>S</cbc:ID><cbc:Percent>23</cbc:Percent><cac:TaxScheme><cbc:ID>VAT</cbc:ID>"
    "</cac:TaxScheme>"
)
_PEF = (
    '<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2" '
    f'xmlns:cac="{_CAC}" xmlns:cbc="{_CBC}">'
    "<cbc:CustomizationID>urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:"
    "3.0</cbc:CustomizationID><cbc:ProfileID>urn:fdc:peppol.eu:2017:poacc:billing:01:1.0"
    "</cbc:ProfileID><cbc:ID>{number}</cbc:ID><cbc:IssueDate>{issued}</cbc:IssueDate>"
    "<cbc:InvoiceTypeCode>380</cbc:InvoiceTypeCode>"
    "<cbc:DocumentCurrencyCode>PLN</cbc:DocumentCurrencyCode>"
    + _PARTY.format(who="Supplier", nip="seller")
    + _PARTY.format(who="Customer", nip="buyer")
    + '<cac:TaxTotal><cbc:TaxAmount currencyID="PLN">23.00</cbc:TaxAmount><cac:TaxSubtotal>'
    '<cbc:TaxableAmount currencyID="PLN">100.00</cbc:TaxableAmount>'
    '<cbc:TaxAmount currencyID="PLN">23.00</cbc:TaxAmount>'
    f"<cac:TaxCategory>{_TAX}</cac:TaxCategory></cac:TaxSubtotal></cac:TaxTotal>"
    '<cac:LegalMonetaryTotal><cbc:LineExtensionAmount currencyID="PLN">100.00'
    '</cbc:LineExtensionAmount><cbc:TaxExclusiveAmount currencyID="PLN">100.00'
    '</cbc:TaxExclusiveAmount><cbc:TaxInclusiveAmount currencyID="PLN">123.00'
    '</cbc:TaxInclusiveAmount><cbc:PayableAmount currencyID="PLN">123.00</cbc:PayableAmount>'
    "</cac:LegalMonetaryTotal><cac:InvoiceLine><cbc:ID>1</cbc:ID>"
    '<cbc:InvoicedQuantity unitCode="C62">1</cbc:InvoicedQuantity>'
    '<cbc:LineExtensionAmount currencyID="PLN">100.00</cbc:LineExtensionAmount><cac:Item>'
    f"<cbc:Name>Item</cbc:Name><cac:ClassifiedTaxCategory>{_TAX}</cac:ClassifiedTaxCategory>"
    '</cac:Item><cac:Price><cbc:PriceAmount currencyID="PLN">100.00</cbc:PriceAmount></cac:Price>'
    "</cac:InvoiceLine></Invoice>"
)
_THIRD = (
    "<Podmiot3><DaneIdentyfikacyjne><NIP>{}</NIP><Nazwa>Faktor</Nazwa></DaneIdentyfikacyjne>"
    "<Rola>1</Rola></Podmiot3>"
)
_ATTACHMENT = (
    "<Zalacznik><BlokDanych><MetaDane><ZKlucz>a</ZKlucz><ZWartosc>b</ZWartosc></MetaDane>"
    "</BlokDanych></Zalacznik>"
)


def fa3(
    number: str,
    *,
    seller: str = SELLER,
    buyer: str = BUYER,
    issued: date | None = None,
    third: str | None = None,
    attachment: bool = False,
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
        attachment=_ATTACHMENT if attachment else "",
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


def ksef_certificate(
    kind: str,
    nip: str = SELLER,
    key: PrivateKey | None = None,
    until: datetime | None = None,
    person: str | None = None,
) -> tuple[PrivateKey, x509.Certificate]:
    """A key and a KSeF certificate of a type (`Authentication`, `Offline`), by its key usage.

    person  its serialNumber, such as PNOPL-97082102345, in place of the seal of a company
    """
    used, now = key or elliptic_key(), clock.now()
    owner = x509.NameAttribute(ORGANISATION, f"VATPL-{nip}")
    if person is not None:
        owner = x509.NameAttribute(NameOID.SERIAL_NUMBER, person)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Sprzedawca"), owner])
    is_offline = kind == "Offline"
    others = dict.fromkeys(
        ("key_encipherment", "data_encipherment", "key_agreement", "key_cert_sign", "crl_sign",
         "encipher_only", "decipher_only"), False
    )  # fmt: skip
    usage = x509.KeyUsage(digital_signature=not is_offline, content_commitment=is_offline, **others)
    ends = until or now + timedelta(days=365)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(used.public_key())
        .serial_number(0x01F20A5D352AE590)
        .not_valid_before(min(now, ends) - timedelta(days=1))
        .not_valid_after(ends)
        .add_extension(usage, critical=True)
    )
    return used, made.sign(used, hashes.SHA256())


def provider_seal(
    peppol_id: str, key: PrivateKey | None = None
) -> tuple[PrivateKey, x509.Certificate]:
    """A key and the certificate of a provider of Peppol services."""
    used = key or keys.private_key(101)
    names = (NameOID.ORGANIZATION_NAME, NameOID.COMMON_NAME)
    name = x509.Name([x509.NameAttribute(each, peppol_id) for each in names])
    return used, self_signed(used, name, clock.now() + timedelta(days=365))


def pef(number: str, seller: str = SELLER, buyer: str = BUYER) -> bytes:
    """An invoice in UBL for public procurement."""
    issued = (clock.now() - timedelta(days=1)).date().isoformat()
    return _PEF.format(number=number, seller=seller, buyer=buyer, issued=issued).encode()


def pef_correction(number: str, seller: str = SELLER, buyer: str = BUYER) -> bytes:
    """A credit note in UBL for public procurement."""
    invoice = pef(number, seller, buyer)
    for old, new in (
        (b"Invoice-2", b"CreditNote-2"),
        (b"<Invoice ", b"<CreditNote "),
        (b"</Invoice>", b"</CreditNote>"),
        (b"InvoiceTypeCode>380<", b"CreditNoteTypeCode>381<"),
        (b"/cbc:InvoiceTypeCode", b"/cbc:CreditNoteTypeCode"),
        (b"cac:InvoiceLine", b"cac:CreditNoteLine"),
        (b"InvoicedQuantity", b"CreditedQuantity"),
    ):
        invoice = invoice.replace(old, new)
    return invoice


def issued_seal() -> tuple[x509.Certificate, tuple[PrivateKey, x509.Certificate]]:
    """The certificate of an issuer, with the key and certificate of a seal that it issued."""
    name, seal = (
        x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, each)]) for each in ("Issuer", "Seal")
    )
    until, key, of_issuer = (
        clock.now() + timedelta(days=365),
        keys.private_key(102),
        keys.private_key(103),
    )
    issued = (
        x509.CertificateBuilder()
        .subject_name(seal)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(until - timedelta(days=400))
        .not_valid_after(until)
        .sign(of_issuer, hashes.SHA256())
    )
    return self_signed(of_issuer, name, until), (key, issued)


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
