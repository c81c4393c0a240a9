"""Each Peppol rule for UBL: a change to a correct invoice that breaks it, and one that does not.

A row is (rule, change that breaks it, change that just does not; "" is no change). samples.py says
how changes are written, countries_ubl.py has a correct invoice of each country.
"""

from __future__ import annotations

import pytest

from einvoice.rules import PACKS, Flag, Layer
from tests.rules.countries_ubl import (
    A_THIRD,
    ACCOUNT,
    BASE,
    BASES,
    BIS,
    BRANCH,
    CARD,
    CODE,
    COUNTRY,
    DESCRIBED,
    ENDPOINT,
    IN_KRONOR,
    LA,
    LEGAL,
    MANDATE,
    NAME,
    OBJECT,
    OBJECT_TYPE,
    PAY,
    PRICE,
    PROJECT,
    REASON,
    REF,
    REGISTRATION,
    SECOND_TOTAL,
    SEPA,
    SUB,
    TAX_CURRENCY,
    TERMS,
    URL,
    VAT_NUMBER,
    A,
    B,
    L,
    R,
    S,
    T,
    at,
    fired,
    paid_by,
    seller_id,
)
from tests.tables import each_row

BOOK = PACKS[0].book(Layer.PEPPOL_UBL)

EU = [
    ("PEPPOL-EN16931-R001", "- cbc:ProfileID", ""),
    (
        "PEPPOL-EN16931-R002",
        ". + <cbc:Note>one</cbc:Note><cbc:Note>more</cbc:Note>",
        "- cbc:Note ; . + <cbc:Note>one</cbc:Note>",
    ),
    (
        "PEPPOL-EN16931-R003",
        "- cbc:BuyerReference",
        "- cbc:BuyerReference ; . + <cac:OrderReference><cbc:ID>1</cbc:ID></cac:OrderReference>",
    ),
    (
        "PEPPOL-EN16931-R004",
        "cbc:CustomizationID := urn:cen.eu:en16931:2017",
        f"cbc:CustomizationID := {BIS}#conformant#x",
    ),
    ("PEPPOL-EN16931-R004", f"cbc:CustomizationID := {BIS}::1", f"cbc:CustomizationID := {BIS}:1"),
    ("PEPPOL-EN16931-R005", TAX_CURRENCY.format("EUR"), TAX_CURRENCY.format("SEK")),
    (
        "PEPPOL-EN16931-R007",
        "cbc:ProfileID := urn:fdc:peppol.eu:2017:poacc:billing:02:1.0",
        "cbc:ProfileID := urn:peppol:bis:billing_with_response",
    ),
    ("PEPPOL-EN16931-R008", "cbc:Note := ' '", "cbc:Note := x"),
    ("PEPPOL-EN16931-R008", "- cac:Delivery/*", "- cac:Delivery"),
    ("PEPPOL-EN16931-R010", f"- {B}/{ENDPOINT}", ""),
    ("PEPPOL-EN16931-R020", f"- {S}/{ENDPOINT}", ""),
    ("PEPPOL-EN16931-R040", f"{A}/cbc:Amount := 10.03", f"{A}/cbc:Amount := 10.02"),
    ("PEPPOL-EN16931-R040", f"{LA}/cbc:Amount := 0.97", f"{LA}/cbc:Amount := 0.98"),
    (
        "PEPPOL-EN16931-R041",
        f"- {A}/cbc:BaseAmount",
        f"- {A}/cbc:BaseAmount ; - {A}/cbc:MultiplierFactorNumeric",
    ),
    (
        "PEPPOL-EN16931-R042",
        f"- {LA}/cbc:MultiplierFactorNumeric",
        f"- {LA}/cbc:BaseAmount ; - {LA}/cbc:MultiplierFactorNumeric",
    ),
    (
        "PEPPOL-EN16931-R043",
        f"{A}/cbc:ChargeIndicator := 0",
        f"{A}/cbc:ChargeIndicator := ' true '",
    ),
    (
        "PEPPOL-EN16931-R044",
        f"{PRICE}/cac:AllowanceCharge/cbc:ChargeIndicator := true",
        f"{PRICE}/cac:AllowanceCharge/cbc:ChargeIndicator := ' false'",
    ),
    (
        "PEPPOL-EN16931-R046",
        f"{PRICE}/cac:AllowanceCharge/cbc:Amount := 0.001",
        (
            f"{PRICE}/cac:AllowanceCharge/cbc:Amount := 0.001 ; "
            f"{PRICE}/cac:AllowanceCharge/cbc:BaseAmount := 120.001"
        ),
    ),
    ("PEPPOL-EN16931-R051", f"{T}/cbc:PayableAmount@currencyID := SEK", IN_KRONOR.format("1")),
    ("PEPPOL-EN16931-R053", "cac:TaxTotal ++", ""),
    ("PEPPOL-EN16931-R053", "- cac:TaxTotal", ""),
    ("PEPPOL-EN16931-R054", TAX_CURRENCY.format("SEK"), IN_KRONOR.format("1")),
    ("PEPPOL-EN16931-R054", SECOND_TOTAL.format("1"), IN_KRONOR.format("1")),
    ("PEPPOL-EN16931-R055", IN_KRONOR.format("-0.01"), IN_KRONOR.format("0")),
    ("PEPPOL-EN16931-R055", IN_KRONOR.format("-1"), IN_KRONOR.format("NaN")),
    ("PEPPOL-EN16931-R061", f"{PAY}/{CODE} := 59", f"{PAY}/{CODE} := 49 ; {PAY} + {MANDATE}"),
    (
        "PEPPOL-EN16931-R100",
        f"{L} + {OBJECT.format(OBJECT_TYPE) * 2}",
        f"{L} + {OBJECT.format(OBJECT_TYPE)}",
    ),
    ("PEPPOL-EN16931-R101", f"{L} + {OBJECT.format('')}", f"{L} + {OBJECT.format(OBJECT_TYPE)}"),
    (
        "PEPPOL-EN16931-R110",
        f"{L}/cac:InvoicePeriod/cbc:StartDate := 2026-09-30",
        f"{L}/cac:InvoicePeriod/cbc:StartDate := 2026-10-02",
    ),
    (
        "PEPPOL-EN16931-R111",
        f"{L}/cac:InvoicePeriod/cbc:EndDate := 2026-11-01",
        f"{L}/cac:InvoicePeriod/cbc:EndDate := 2026-10-30",
    ),
    (
        "PEPPOL-EN16931-R120",
        f"{L}/cbc:LineExtensionAmount := 120.03",
        f"{L}/cbc:LineExtensionAmount := 120.02",
    ),
    (
        "PEPPOL-EN16931-R120",
        f"{L}/cbc:LineExtensionAmount := 119.97",
        f"{L}/cbc:LineExtensionAmount := 119.98",
    ),
    (
        "PEPPOL-EN16931-R120",
        BASE.format("2", "C62"),
        f"{BASE.format('2', 'C62')} ; {L}/cbc:InvoicedQuantity := 2",
    ),
    # The official arithmetic divides to 18 decimals, so three thirds are a little less than 1.
    (
        "PEPPOL-EN16931-R120",
        f"{A_THIRD} ; {L}/cbc:LineExtensionAmount := 1.02",
        f"{A_THIRD} ; {L}/cbc:LineExtensionAmount := 0.98",
    ),
    ("PEPPOL-EN16931-R121", BASE.format("0", "C62"), BASE.format("0.01", "C62")),
    ("PEPPOL-EN16931-R130", BASE.format("1", "KGM"), BASE.format("1", "C62")),
    (
        "PEPPOL-EN16931-CL001",
        f"{REF}/cac:Attachment/cbc:EmbeddedDocumentBinaryObject@mimeCode := a/b",
        "",
    ),
    (
        "PEPPOL-EN16931-CL002",
        f"{A}/cbc:AllowanceChargeReasonCode := FC",
        f"{A}/cbc:AllowanceChargeReasonCode := ' 100 '",
    ),
    (
        "PEPPOL-EN16931-CL003",
        "cac:AllowanceCharge[2]/cbc:AllowanceChargeReasonCode := 95",
        "cac:AllowanceCharge[2]/cbc:AllowanceChargeReasonCode := AA",
    ),
    (
        "PEPPOL-EN16931-CL006",
        "cac:InvoicePeriod + <cbc:DescriptionCode>5</cbc:DescriptionCode>",
        "cac:InvoicePeriod + <cbc:DescriptionCode>432</cbc:DescriptionCode>",
    ),
    (
        "PEPPOL-EN16931-CL007",
        f"{T}/cbc:PayableAmount@currencyID := STD",
        f"{T}/cbc:PayableAmount@currencyID := STN",
    ),
    (
        "PEPPOL-EN16931-CL008",
        f"{S}/{ENDPOINT}@schemeID := 0177",
        f"{S}/{ENDPOINT}@schemeID := 9959",
    ),
    ("PEPPOL-EN16931-P0100", "cbc:InvoiceTypeCode := 389", "cbc:InvoiceTypeCode := 877"),
    (
        "PEPPOL-EN16931-P0112",
        "cbc:InvoiceTypeCode := 384",
        f"cbc:InvoiceTypeCode := 384 ; {at('de')}",
    ),
    ("PEPPOL-EN16931-F001", "cbc:IssueDate := 2026-11-31", "cbc:IssueDate := 2024-02-29"),
    ("PEPPOL-EN16931-F001", "cbc:DueDate := 2026-12-01Z", ""),
]
EU += [
    ("PEPPOL-EN16931-R061", f"{PAY}/{CODE} := ' 49 '", f"{PAY}/{CODE} := 49 ; {PAY} + {MANDATE}"),
    (
        "PEPPOL-COMMON-R056-2",
        f"{S}/{VAT_NUMBER} := ' NL1 '",
        f"{S}/{VAT_NUMBER} := ' NL123456789B01 '",
    ),
    (
        "PEPPOL-COMMON-R047",
        seller_id("0211", "' IT12345678904 '"),
        seller_id("0211", "' IT12345678903 '"),
    ),
]
EXEMPTIONS = [
    ("PEPPOL-EN16931-P0104", "G"),
    ("PEPPOL-EN16931-P0105", "O"),
    ("PEPPOL-EN16931-P0106", "IC"),
    ("PEPPOL-EN16931-P0107", "AE"),
    ("PEPPOL-EN16931-P0108", "D"),
    ("PEPPOL-EN16931-P0109", "F"),
    ("PEPPOL-EN16931-P0110", "I"),
    ("PEPPOL-EN16931-P0111", "J"),
]
CATEGORY_OF = {"IC": "K", "D": "E", "F": "E", "I": "E", "J": "E"}
EU += [
    (
        rule,
        REASON.format(f"vatex-eu-{reason.lower()}"),
        (
            f"{REASON.format(f'VATEX-EU-{reason}')} ; "
            f"{SUB}/cac:TaxCategory/cbc:ID := {CATEGORY_OF.get(reason, reason)}"
        ),
    )
    for rule, reason in EXEMPTIONS
]
EU += [
    (f"PEPPOL-COMMON-{rule}", seller_id(scheme, broken), seller_id(scheme, held))
    for rule, scheme, broken, held in (
        ("R040", "0088", "5790000436058", "5790000436057"),
        ("R040", "0088", "x", "0"),
        ("R041", "0192", "123456786", "' 123456785 '"),
        ("R042", "0184", "1234567", "12345678"),
        ("R042", "0184", "' 12345678'", "DK12345678"),
        ("R043", "0208", "0403019262", "0403019261"),
        ("R049", "0007", "5560125791", "5560125790"),
        ("R049", "0007", "55601257905", "5560125790"),
        ("R050", "0151", "51824753557", "51824753556"),
        ("R052", "0096", "123456789", "1234567890"),
        ("R053", "0198", "12345678", "DK12345678"),
    )
]
WARNINGS = [
    (f"PEPPOL-COMMON-{rule}", seller_id(scheme, broken), seller_id(scheme, held))
    for rule, scheme, broken, held in (
        ("R044", "0201", "UFY9M", "UFY9MH"),
        ("R045", "0210", "RSSMRA85T10A562", "RSSMRA85T10A562S"),
        ("R045", "0210", "1234567890", "12345678903"),
        ("R046", "9907", "RSSMRA85T10A5625", "12345678903"),
        ("R047", "0211", "IT12345678904", "IT12345678903"),
        ("R047", "0211", "IT1234567890", "FR1"),
        ("R054", "0106", "1234567", "12345678"),
        ("R055", "0190", "1234567890123456789", "12345678901234567890"),
        ("R056-1", "9944", "NL123456789B1", "NL123456789B01"),
        ("R057", "0217", "12345678901", "123456789012"),
    )
]
WARNINGS.append(("PEPPOL-COMMON-R056-2", f"{S}/{VAT_NUMBER} := NL1", f"{S}/{VAT_NUMBER} := nl1"))

CREDIT_NOTE = [
    ("PEPPOL-EN16931-R080", f". + {PROJECT * 2}", f". + {PROJECT}"),
    ("PEPPOL-EN16931-P0101", "cbc:InvoiceTypeCode := 383", "cbc:InvoiceTypeCode := 532"),
]

NORWAY = [
    ("NO-R-001", f"{S}/{VAT_NUMBER} := NO123456786MVA", ""),
    ("NO-R-001", f"{S}/{VAT_NUMBER} := NO123456785", f"{S}/{VAT_NUMBER} := no123456785"),
    ("NO-R-002", f"{S}/cac:PartyTaxScheme[2]/cbc:CompanyID := x", ""),
]

DENMARK = [
    ("DK-R-002", f"{S}/{LEGAL} := ' '", f"{S}/{COUNTRY} := ' DK' ; {S}/{LEGAL} := ' '"),
    (
        "DK-R-003",
        f"{L}//cbc:ItemClassificationCode@listID := TST",
        (
            f"{L}//cbc:ItemClassificationCode@listID := TST ; "
            f"{L}//cbc:ItemClassificationCode@listVersionID := 26.0801"
        ),
    ),
    (
        "DK-R-004",
        f"{A}/cbc:AllowanceChargeReasonCode := ZZZ ; {A}/cbc:AllowanceChargeReason := 12345",
        f"{A}/cbc:AllowanceChargeReasonCode := ZZZ ; {A}/cbc:AllowanceChargeReason := 1234",
    ),
    (
        "DK-R-004",
        f"{A}/cbc:AllowanceChargeReasonCode := ZZZ ; {A}/cbc:AllowanceChargeReason := #a",
        f"{A}/cbc:AllowanceChargeReasonCode := ZZZ ; {A}/cbc:AllowanceChargeReason := a#b",
    ),
    ("DK-R-005", f"{PAY}/{CODE} := 30", f"{PAY}/{CODE} := 97"),
    ("DK-R-006", f"{PAY}/{CODE} := 42", f"{PAY}/{CODE} := 31 ; {ACCOUNT} + {BRANCH}"),
    ("DK-R-007", f"{PAY}/{CODE} := 49", f"{PAY}/{CODE} := 49 ; {PAY} + {MANDATE}"),
    ("DK-R-008", paid_by("50", "71#"), paid_by("50", "01#")),
    ("DK-R-008", paid_by("50", "01#", "123456"), paid_by("50", "01#", "1234567")),
    ("DK-R-009", paid_by("50", "04#123456789012345"), paid_by("50", "04#1234567890123456")),
    ("DK-R-010", paid_by("93", "01#"), paid_by("93", "73#")),
    ("DK-R-010", paid_by("93", "73#", "1234567"), paid_by("93", "73#", "12345678")),
    ("DK-R-011", paid_by("93", "71#12345678901234"), paid_by("93", "75#123456789012345")),
    ("DK-R-013", f"- {B}/cac:PartyIdentification/cbc:ID@schemeID", ""),
    ("DK-R-014", f"{S}/{LEGAL}@schemeID := 0088", f"- {S}/{LEGAL}"),
    ("DK-R-017", f"- {B}/{LEGAL}@schemeID", f"- {B}/{LEGAL}"),
]
DANISH_CREDIT_NOTE = [
    ("DK-R-016", f"{T}/cbc:PayableAmount := -0.01", f"{T}/cbc:PayableAmount := 0"),
]

ITALY = [
    (
        "IT-R-001",
        f"{S}/cac:PartyTaxScheme[2]/cbc:CompanyID := 1234567890",
        f"{S}/cac:PartyTaxScheme[2]/cbc:CompanyID := RSSMRA85T10A562S",
    ),
    ("IT-R-001", f"{S}/cac:PartyTaxScheme[2]/cbc:CompanyID := rssmra85t10a562s", ""),
    (
        "IT-R-002",
        f"- {S}/cac:PostalAddress/cbc:StreetName",
        f"- {S}/cac:PostalAddress/cbc:StreetName ; {S} + {REGISTRATION.format('FR1', 'VAT')}",
    ),
    ("IT-R-003", f"- {S}/cac:PostalAddress/cbc:CityName", ""),
    ("IT-R-004", f"- {S}/cac:PostalAddress/cbc:PostalZone", ""),
]

SWEDEN = [
    ("SE-R-001", f"{S}/{VAT_NUMBER} := SE55601257900", f"{S}/{VAT_NUMBER} := SE556012579099"),
    ("SE-R-002", f"{S}/{VAT_NUMBER} := SE55601257900x", f"{S}/{VAT_NUMBER} := SE55601257901"),
    ("SE-R-003", f"{S}/{LEGAL} := 55601257x0", ""),
    ("SE-R-004", f"{S}/{LEGAL} := 556012579", ""),
    ("SE-R-013", f"{S}/{LEGAL} := 5560125791", f"{S}/{LEGAL} := 55601257901"),
    ("SE-R-005", f"{S}/cac:PartyTaxScheme[2]/cbc:CompanyID := Moms", ""),
    ("SE-R-006", f"{L}//cbc:Percent := 24", f"{L}//cbc:Percent := 12.00"),
    (
        "SE-R-006",
        f"{SUB}//cbc:Percent := 7",
        f"{SUB}//cbc:Percent := 7 ; {SUB}/cac:TaxCategory/cbc:ID := Z",
    ),
    (
        "SE-R-007",
        f"{ACCOUNT}/cbc:ID := 12-3 ; {ACCOUNT} + {BRANCH.replace('1234', 'SE:PLUSGIRO')}",
        f"{ACCOUNT}/cbc:ID := 12-3 ; {ACCOUNT} + {BRANCH}",
    ),
    (
        "SE-R-010",
        f"{ACCOUNT}/cbc:ID := 1 ; {ACCOUNT} + {BRANCH.replace('1234', 'SE:PLUSGIRO')}",
        f"{ACCOUNT}/cbc:ID := 12 ; {ACCOUNT} + {BRANCH.replace('1234', 'SE:PLUSGIRO')}",
    ),
    (
        "SE-R-008",
        f"{ACCOUNT}/cbc:ID := 123-456 ; {ACCOUNT} + {BRANCH.replace('1234', 'SE:BANKGIRO')}",
        f"{ACCOUNT}/cbc:ID := 1234567 ; {ACCOUNT} + {BRANCH.replace('1234', 'SE:BANKGIRO')}",
    ),
    (
        "SE-R-009",
        f"{ACCOUNT}/cbc:ID := 123456 ; {ACCOUNT} + {BRANCH.replace('1234', 'SE:BANKGIRO')}",
        f"{ACCOUNT}/cbc:ID := 12345678 ; {ACCOUNT} + {BRANCH.replace('1234', 'SE:BANKGIRO')}",
    ),
    ("SE-R-011", f"{PAY}/{CODE} := 56", ""),
    ("SE-R-012", f"{PAY}/{CODE} := 31", f"{PAY}/{CODE} := 31 ; {B}/{COUNTRY} := NO"),
]

GREECE = [
    ("GR-R-001-1", "cbc:ID := 094259216|01/11/2026|0|1.1|A", ""),
    ("GR-R-001-2", "cbc:ID := 094259217|01/11/2026|0|1.1|A|1", ""),
    ("GR-R-001-2", f"{S}/{VAT_NUMBER} := EL090000045", f"{R}/{VAT_NUMBER} := EL090000045"),
    ("GR-R-001-3", "cbc:ID := 094259216|02/11/2026|0|1.1|A|1", ""),
    (
        "GR-R-001-4",
        "cbc:ID := 094259216|01/11/2026|-1|1.1|A|1",
        "cbc:ID := 094259216|01/11/2026|+12|1.1|A|1",
    ),
    (
        "GR-R-001-5",
        "cbc:ID := 094259216|01/11/2026|0|1.2|A|1",
        "cbc:ID := 094259216|01/11/2026|0|5.2|A|1",
    ),
    ("GR-R-001-6", "cbc:ID := 094259216|01/11/2026|0|1.1||1", ""),
    ("GR-R-001-7", "cbc:ID := 094259216|01/11/2026|0|1.1|A|", ""),
    ("GR-R-002", f"- {S}/{NAME}", ""),
    ("GR-R-005", f"- {B}/{NAME}", ""),
    ("GR-R-003", f"{S}/{VAT_NUMBER} := EL094259217", ""),
    ("GR-S-011", f"{S}/{VAT_NUMBER} := GR094259216", ""),
    ("GR-R-006", f"{B}/{VAT_NUMBER} := EL094259217", f"{B}/{VAT_NUMBER} := BE0403019261"),
    ("GR-R-009", f"{S}/{ENDPOINT}@schemeID := 9944", ""),
    (
        "GR-R-010",
        f"{B}/{ENDPOINT} := 094259217",
        f"{B}/{ENDPOINT} := 094259217 ; {B}/{VAT_NUMBER} := BE0403019261",
    ),
    ("GR-R-004-1", f". + {DESCRIBED.format('400002', '##M.AR.K##', '')}", ""),
    ("GR-R-004-2", f"{REF}[2]/cbc:ID := 0400001", f"{REF}[2]/cbc:ID := 1x"),
    ("GR-S-008-1", f"{REF}[3]/cbc:DocumentDescription := x", ""),
    (
        "GR-R-008-2",
        f". + {DESCRIBED.format('V', '##INVOICE|URL##', URL.format('x'))}",
        f"- {REF}[3]",
    ),
    ("GR-R-008-3", f"{REF}[3]//cbc:URI := ' '", ""),
]

DUE = "{} ; . + " + DESCRIBED.format("{}", "EINDAGI", "")
ICELAND = [
    ("IS-R-001", "cbc:InvoiceTypeCode := 386", "cbc:InvoiceTypeCode := 381"),
    ("IS-R-002", f"{S}/{LEGAL}@schemeID := 0088", ""),
    ("IS-R-004", f"- {B}/{LEGAL}", f"- {B}/{LEGAL} ; {B}/{COUNTRY} := NO"),
    ("IS-R-003", f"- {S}/cac:PostalAddress/cbc:PostalZone", ""),
    ("IS-R-005", f"- {B}/cac:PostalAddress/cbc:StreetName", ""),
    ("IS-R-006", paid_by("9", account="12345678901"), paid_by("9", account="123456789012")),
    ("IS-R-007", paid_by("42", account="1234567890123"), paid_by("42", account="123456789012")),
    ("IS-R-008", DUE.format("cbc:ID := 1", "2026-12-32"), DUE.format("cbc:ID := 1", "2026-12-31")),
    ("IS-R-009", DUE.format("- cbc:DueDate", "2026-12-31"), "- cbc:DueDate"),
    ("IS-R-010", DUE.format("cbc:ID := 1", "2026-11-30"), DUE.format("cbc:ID := 1", "2026-12-01")),
]

ORDER_LINE = "<cac:OrderLineReference><cbc:LineID>1</cbc:LineID></cac:OrderLineReference>"
NETHERLANDS = [
    ("NL-R-002", f"- {S}/cac:PostalAddress/cbc:CityName", ""),
    ("NL-R-003", f"{S}/{LEGAL}@schemeID := 0088", f"{S}/{LEGAL}@schemeID := 0190"),
    (
        "NL-R-004",
        f"- {B}/cac:PostalAddress/cbc:PostalZone",
        f"- {B}/cac:PostalAddress/cbc:PostalZone ; {B}/{COUNTRY} := BE",
    ),
    ("NL-R-005", f"- {B}/{LEGAL}@schemeID", f"- {B}/{LEGAL}"),
    (
        "NL-R-006",
        f"- {R}/cac:PostalAddress/cbc:StreetName",
        f"- {R}/cac:PostalAddress/cbc:StreetName ; {R}/{COUNTRY} := BE",
    ),
    ("NL-R-007", f"- {PAY}", f"- {PAY} ; {T}/cbc:PayableAmount := 0"),
    ("NL-R-008", f"{PAY}/{CODE} := 31", f"{PAY}/{CODE} := 57"),
    (
        "NL-R-009",
        f"{L} + {ORDER_LINE}",
        f"{L} + {ORDER_LINE} ; . + <cac:OrderReference><cbc:ID>1</cbc:ID></cac:OrderReference>",
    ),
]
DUTCH_CREDIT_NOTE = [("NL-R-001", "- cac:BillingReference", "")]

IBAN, WRONG_IBAN = "DE89 3704 0044 0532 0130 00", "DE88370400440532013000"
BY_DEBIT = f"{PAY}/{CODE} := 59 ; - {ACCOUNT} ; {S} + {SEPA}"
BY_CARD = f"{PAY}/{CODE} := 48 ; - {ACCOUNT}"
GERMANY = [
    ("DE-R-001", f"- {PAY}", ""),
    ("DE-R-002", f"- {S}/cac:Contact", f"- {S}/cac:Contact ; {B}/{COUNTRY} := AT"),
    ("DE-R-003", f"{S}/cac:PostalAddress/cbc:CityName := ' '", ""),
    ("DE-R-004", f"- {S}/cac:PostalAddress/cbc:PostalZone", ""),
    ("DE-R-005", f"- {S}/cac:Contact/cbc:Name", ""),
    ("DE-R-006", f"- {S}/cac:Contact/cbc:Telephone", ""),
    ("DE-R-007", f"- {S}/cac:Contact/cbc:ElectronicMail", ""),
    ("DE-R-008", f"- {B}/cac:PostalAddress/cbc:CityName", ""),
    ("DE-R-009", f"{B}/cac:PostalAddress/cbc:PostalZone := ' '", ""),
    ("DE-R-010", "- cac:Delivery//cbc:CityName", "- cac:Delivery//cac:Address"),
    ("DE-R-011", "- cac:Delivery//cbc:PostalZone", "- cac:Delivery//cac:Address"),
    ("DE-R-014", f"{SUB}/cac:TaxCategory/cbc:Percent := ' '", ""),
    ("DE-R-015", "cbc:BuyerReference := ' '", ""),
    ("DE-R-016", f"- {S}/cac:PartyTaxScheme ; - {R}", f"- {S}/cac:PartyTaxScheme"),
    ("DE-R-017", "cbc:InvoiceTypeCode := 325", "cbc:InvoiceTypeCode := 389"),
    ("DE-R-018", f". + {TERMS.format('2.0')}", f". + {TERMS.format('2.00')}"),
    ("DE-R-018", f". + {TERMS.format('2.00#x')}", f". + {TERMS.format('2.00#BASISBETRAG=-1.00')}"),
    (
        "DE-R-019",
        f"{PAY}/{CODE} := 58 ; {ACCOUNT}/cbc:ID := {WRONG_IBAN}",
        f"{PAY}/{CODE} := 58 ; {ACCOUNT}/cbc:ID := {IBAN}",
    ),
    (
        "DE-R-020",
        f"{BY_DEBIT} ; {PAY} + {MANDATE.replace('DE02', 'DE03')}",
        f"{BY_DEBIT} ; {PAY} + {MANDATE}",
    ),
    (
        "DE-R-022",
        f"{REF} ++",
        f"{REF} ++ ; {REF}[2]//cbc:EmbeddedDocumentBinaryObject@filename := b.csv",
    ),
    ("DE-R-023-1", f"- {ACCOUNT}", f"{PAY}/{CODE} := 10 ; - {ACCOUNT}"),
    ("DE-R-023-2", f"{PAY} + {CARD}", f"{PAY}/{CODE} := 10 ; {PAY} + {CARD}"),
    ("DE-R-024-1", BY_CARD, f"{BY_CARD} ; {PAY} + {CARD}"),
    ("DE-R-024-2", f"{PAY}/{CODE} := 54 ; {PAY} + {CARD}", f"{BY_CARD} ; {PAY} + {CARD}"),
    ("DE-R-025-1", BY_DEBIT, f"{BY_DEBIT} ; {PAY} + {MANDATE}"),
    ("DE-R-025-2", f"{BY_DEBIT} ; {PAY} + {MANDATE}{CARD}", f"{BY_DEBIT} ; {PAY} + {MANDATE}"),
    (
        "DE-R-026",
        "cbc:InvoiceTypeCode := 384 ; - cac:BillingReference",
        "cbc:InvoiceTypeCode := 384",
    ),
    (
        "DE-R-027",
        f"{S}/cac:Contact/cbc:Telephone := +49",
        f"{S}/cac:Contact/cbc:Telephone := 1-2-3",
    ),
    (
        "DE-R-028",
        f"{S}/cac:Contact/cbc:ElectronicMail := a@b",
        f"{S}/cac:Contact/cbc:ElectronicMail := a@b.c",
    ),
    (
        "DE-R-030",
        f"{PAY}/{CODE} := 10 ; {PAY} + {MANDATE}",
        f"{PAY}/{CODE} := 10 ; {PAY} + {MANDATE} ; cac:PayeeParty + {SEPA}",
    ),
    ("DE-R-031", f"{PAY} + {MANDATE} ; - {PAY}//cac:PayerFinancialAccount", f"{PAY} + {MANDATE}"),
    (
        "DE-R-T02",
        (
            f"{REF}/cac:Attachment + <cac:ExternalReference><cbc:URI>a.pdf</cbc:URI>"
            "</cac:ExternalReference>"
        ),
        (
            f"{REF}/cac:Attachment + <cac:ExternalReference><cbc:URI>urn:a</cbc:URI>"
            "</cac:ExternalReference>"
        ),
    ),
    (
        "PEPPOL-EN16931-R002",
        f". + <cbc:Note>a</cbc:Note><cbc:Note>b</cbc:Note> ; {B}/{COUNTRY} := AT",
        ". + <cbc:Note>a</cbc:Note><cbc:Note>b</cbc:Note>",
    ),
]

TABLES = {
    "EU": [*EU, *WARNINGS],
    "credit note": CREDIT_NOTE,
    "NO": NORWAY,
    "DK": DENMARK,
    "DK credit note": DANISH_CREDIT_NOTE,
    "IT": ITALY,
    "SE": SWEDEN,
    "GR": GREECE,
    "IS": ICELAND,
    "NL": NETHERLANDS,
    "NL credit note": DUTCH_CREDIT_NOTE,
    "DE": GERMANY,
}
CASES = [(rule, base, *changes) for base, rows in TABLES.items() for rule, *changes in rows]


@pytest.mark.parametrize("base", BASES)
def test_the_correct_document_of_each_country_breaks_no_rule(base):
    assert fired(base, "") == set()


@each_row(("rule", "base", "broken", "held"), CASES)
def test_a_rule_is_broken_just_outside_its_limit_and_not_just_inside(rule, base, broken, held):
    assert rule in fired(base, broken)
    assert rule not in fired(base, held)


def test_every_rule_has_a_case():
    """Warnings too."""
    assert {rule.id for rule in BOOK.rules} == {rule for rule, *_ in CASES}


@pytest.mark.parametrize(
    ("base", "change", "country"),
    [
        ("NO", f"{S} + {REGISTRATION.format('FR1', 'VAT')} ; {S}/{VAT_NUMBER} := NO1", "NO"),
        ("GR", f"{S} + {REGISTRATION.format('FR1', 'VAT')} ; cbc:ID := 1", "GR"),
        ("DK", f"{S}/cac:PostalAddress ++ ; - {S}/{LEGAL}", "DK"),
    ],
)
def test_national_rules_do_not_apply_if_the_country_is_ambiguous(base, change, country):
    """With two VAT numbers, or two addresses, no rule of the country is reported."""
    assert not {rule for rule in fired(base, change) if rule.startswith(country)}


def test_the_flags_are_those_of_the_release():
    """139 fatal rules and 26 warnings."""
    flags = [rule.flag for rule in BOOK.rules]

    assert (flags.count(Flag.FATAL), flags.count(Flag.WARNING)) == (139, 26)


@pytest.mark.parametrize(
    ("number", "reported"), [("IT+1234567890", True), ("IT+12345678901", False), ("IT1", False)]
)
def test_an_italian_vat_number_with_a_sign_is_an_evaluation_error(number, reported):
    """The official function takes the sign of an integer of eleven characters for a digit."""
    assert ("STOPPED-NUMBER" in fired("EU", seller_id("0211", number))) is reported
