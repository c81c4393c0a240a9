"""Each fatal CEN rule for CII: a change to a correct invoice that breaks it.

`FIRES` breaks each rule once. `HOLDS` is the change that just does not break it, for rules with a
limit: a tolerance, a length, a notation.
"""

import csv
from functools import cache
from importlib.resources import files

import pytest

from einvoice.rules import PACKS, Flag, Layer, Syntax
from einvoice.rules.en16931.cii import contexts
from einvoice.xml import parse
from tests.rules.changes import (
    CII,
    SAMPLES,
    add,
    both,
    changed,
    drop,
    drop_all,
    good,
    put,
    put_all,
    twice,
)
from tests.tables import each_row

SAMPLE = "good_cii.xml"
TRADE_ALLOWANCE = "ApplicableHeaderTradeSettlement/SpecifiedTradeAllowanceCharge"
LINE_PERIOD = "SpecifiedLineTradeSettlement/BillingSpecifiedPeriod"
LINE_ALLOWANCE = "SpecifiedLineTradeSettlement/SpecifiedTradeAllowanceCharge"
NO_REASON = drop(f"{TRADE_ALLOWANCE}/Reason"), drop(f"{TRADE_ALLOWANCE}/ReasonCode")
NO_LINE_REASON = drop(f"{LINE_ALLOWANCE}/Reason"), drop(f"{LINE_ALLOWANCE}/ReasonCode")
TOTALS = "SpecifiedTradeSettlementHeaderMonetarySummation"
BREAKDOWN = "ApplicableHeaderTradeSettlement/ApplicableTradeTax"
SETTLEMENT = "ApplicableHeaderTradeSettlement"
LINE = "IncludedSupplyChainTradeLineItem"
MEANS = "SpecifiedTradeSettlementPaymentMeans"


@cache
def engine():
    return PACKS[0].engine(Syntax.CII)


def fired(content):
    """The ids of all findings, including evaluation errors."""
    return {each.id for each in engine().check(parse(content)).findings}


def charge(change, *arguments):
    """A change to the charge; the allowance before it is removed first."""
    return both(drop(TRADE_ALLOWANCE), change(*arguments))


def line_charge(change, *arguments):
    return both(drop(LINE_ALLOWANCE), change(*arguments))


FIRES = {
    # the document
    "BR-01": drop("GuidelineSpecifiedDocumentContextParameter/ID"),
    "BR-02": put("ExchangedDocument/ID", " "),
    "BR-03": put("IssueDateTime/DateTimeString/@format", "203"),
    "BR-04": drop("ExchangedDocument/TypeCode"),
    "BR-05": put("InvoiceCurrencyCode", ""),
    "BR-06": drop("SellerTradeParty/Name"),
    "BR-07": drop("BuyerTradeParty/Name"),
    "BR-08": drop("SellerTradeParty/PostalTradeAddress"),
    "BR-09": drop("SellerTradeParty/PostalTradeAddress/CountryID"),
    "BR-10": drop("BuyerTradeParty/PostalTradeAddress"),
    "BR-11": drop("BuyerTradeParty/PostalTradeAddress/CountryID"),
    "BR-16": drop_all("IncludedSupplyChainTradeLineItem"),
    "BR-62": drop("SellerTradeParty/URIUniversalCommunication/URIID/@schemeID"),
    "BR-63": put("BuyerTradeParty/URIUniversalCommunication/URIID/@schemeID", " "),
    "BR-B-01": put("CategoryCode", "B"),
    "BR-B-02": put("CategoryCode", "B"),
    # parties
    "BR-17": put("PayeeTradeParty/Name", "Larix Furniture BV"),
    "BR-18": drop("SellerTaxRepresentativeTradeParty/Name"),
    "BR-19": drop("SellerTaxRepresentativeTradeParty/PostalTradeAddress"),
    "BR-20": drop("SellerTaxRepresentativeTradeParty/PostalTradeAddress/CountryID"),
    "BR-56": put("SellerTaxRepresentativeTradeParty/SpecifiedTaxRegistration/ID/@schemeID", "FC"),
    "BR-CO-09": put("SellerTradeParty/SpecifiedTaxRegistration/ID", "XQ0403019261"),
    "BR-CO-26": both(
        drop("SellerTradeParty/GlobalID"),
        drop("SellerTradeParty/SpecifiedLegalOrganization/ID"),
        drop("SellerTradeParty/SpecifiedTaxRegistration"),
    ),
    # payment and references
    "BR-49": drop("SpecifiedTradeSettlementPaymentMeans/TypeCode"),
    "BR-50": put("PayeePartyCreditorFinancialAccount/IBANID", " "),
    "BR-51": put("ApplicableTradeSettlementFinancialCard/ID", "12345678901"),
    "BR-52": drop("AdditionalReferencedDocument/IssuerAssignedID"),
    "BR-55": drop("InvoiceReferencedDocument/IssuerAssignedID"),
    "BR-57": drop("ShipToTradeParty/PostalTradeAddress/CountryID"),
    "BR-61": drop("PayeePartyCreditorFinancialAccount/IBANID"),
    # periods
    "BR-29": put(f"{SETTLEMENT}/BillingSpecifiedPeriod/EndDateTime/DateTimeString", "20260930"),
    "BR-30": put(f"{LINE_PERIOD}/EndDateTime/DateTimeString", "20260930"),
    "BR-CO-03": add(BREAKDOWN, "<ram:TaxPointDate/>"),
    "BR-CO-19": both(
        drop(f"{SETTLEMENT}/BillingSpecifiedPeriod/StartDateTime"),
        drop(f"{SETTLEMENT}/BillingSpecifiedPeriod/EndDateTime"),
    ),
    "BR-CO-20": both(
        drop("SpecifiedLineTradeSettlement/BillingSpecifiedPeriod/StartDateTime"),
        drop("SpecifiedLineTradeSettlement/BillingSpecifiedPeriod/EndDateTime"),
    ),
    # allowances and charges
    "BR-31": drop(f"{TRADE_ALLOWANCE}/ActualAmount"),
    "BR-32": drop(f"{TRADE_ALLOWANCE}/CategoryTradeTax/CategoryCode"),
    "BR-33": both(*NO_REASON),
    "BR-CO-21": both(*NO_REASON),
    "BR-DEC-01": put(f"{TRADE_ALLOWANCE}/ActualAmount", "10.000"),
    "BR-DEC-02": put(f"{TRADE_ALLOWANCE}/BasisAmount", "100.000"),
    "BR-36": charge(drop, f"{TRADE_ALLOWANCE}/ActualAmount"),
    "BR-37": charge(drop, f"{TRADE_ALLOWANCE}/CategoryTradeTax/CategoryCode"),
    "BR-38": both(drop(TRADE_ALLOWANCE), *NO_REASON),
    "BR-CO-22": both(drop(TRADE_ALLOWANCE), *NO_REASON),
    "BR-DEC-05": charge(put, f"{TRADE_ALLOWANCE}/ActualAmount", "5.000"),
    "BR-DEC-06": charge(put, f"{TRADE_ALLOWANCE}/BasisAmount", "100.000"),
    "BR-41": drop(f"{LINE_ALLOWANCE}/ActualAmount"),
    "BR-42": both(*NO_LINE_REASON),
    "BR-CO-23": both(*NO_LINE_REASON),
    "BR-DEC-24": put(f"{LINE_ALLOWANCE}/ActualAmount", "5.001"),
    "BR-DEC-25": put(f"{LINE_ALLOWANCE}/BasisAmount", "100.001"),
    "BR-43": line_charge(drop, f"{LINE_ALLOWANCE}/ActualAmount"),
    "BR-44": both(drop(LINE_ALLOWANCE), *NO_LINE_REASON),
    "BR-CO-24": both(drop(LINE_ALLOWANCE), *NO_LINE_REASON),
    "BR-DEC-27": line_charge(put, f"{LINE_ALLOWANCE}/ActualAmount", "2.001"),
    "BR-DEC-28": line_charge(put, f"{LINE_ALLOWANCE}/BasisAmount", "100.001"),
    # totals
    "BR-12": drop(f"{TOTALS}/LineTotalAmount"),
    "BR-13": drop(f"{TOTALS}/TaxBasisTotalAmount"),
    "BR-14": drop(f"{TOTALS}/GrandTotalAmount"),
    "BR-15": drop(f"{TOTALS}/DuePayableAmount"),
    "BR-53": put("TaxCurrencyCode", "NOK"),
    "BR-CO-10": put(f"{TOTALS}/LineTotalAmount", "147.01"),
    "BR-CO-11": put(f"{TOTALS}/AllowanceTotalAmount", "10.01"),
    "BR-CO-12": put(f"{TOTALS}/ChargeTotalAmount", "4.99"),
    "BR-CO-13": put(f"{TOTALS}/TaxBasisTotalAmount", "142.01"),
    "BR-CO-14": put(f"{TOTALS}/TaxTotalAmount", "29.83"),
    "BR-CO-15": put(f"{TOTALS}/GrandTotalAmount", "171.81"),
    "BR-CO-16": put(f"{TOTALS}/DuePayableAmount", "170.51"),
    "BR-DEC-09": put(f"{TOTALS}/LineTotalAmount", "147.000"),
    "BR-DEC-10": put(f"{TOTALS}/AllowanceTotalAmount", "10.000"),
    "BR-DEC-11": put(f"{TOTALS}/ChargeTotalAmount", "5.000"),
    "BR-DEC-12": put(f"{TOTALS}/TaxBasisTotalAmount", "142.000"),
    "BR-DEC-13": both(
        drop(f"{TOTALS}/TaxTotalAmount"),
        put(f"{TOTALS}/TaxTotalAmount/@currencyID", "EUR"),
        put(f"{TOTALS}/TaxTotalAmount", "29.821"),
    ),
    "BR-DEC-14": put(f"{TOTALS}/GrandTotalAmount", "171.820"),
    "BR-DEC-15": both(
        drop(f"{TOTALS}/TaxTotalAmount"), put(f"{TOTALS}/TaxTotalAmount", "342.931")
    ),
    "BR-DEC-16": put(f"{TOTALS}/TotalPrepaidAmount", "1.820"),
    "BR-DEC-17": put(f"{TOTALS}/RoundingAmount", "0.500"),
    "BR-DEC-18": put(f"{TOTALS}/DuePayableAmount", "170.500"),
    # the breakdown
    "BR-45": drop(f"{BREAKDOWN}/BasisAmount"),
    "BR-46": drop(f"{BREAKDOWN}/CalculatedAmount"),
    "BR-47": drop(f"{BREAKDOWN}/CategoryCode"),
    "BR-48": drop(f"{BREAKDOWN}/RateApplicablePercent"),
    "BR-CO-17": put(f"{BREAKDOWN}/CalculatedAmount", "30.83"),
    "BR-DEC-19": put(f"{BREAKDOWN}/BasisAmount", "142.000"),
    "BR-DEC-20": put(f"{BREAKDOWN}/CalculatedAmount", "29.820"),
    # lines
    "BR-21": drop("AssociatedDocumentLineDocument/LineID"),
    "BR-22": drop("BilledQuantity"),
    "BR-23": drop("BilledQuantity/@unitCode"),
    "BR-24": drop("SpecifiedTradeSettlementLineMonetarySummation/LineTotalAmount"),
    "BR-25": drop("SpecifiedTradeProduct/Name"),
    "BR-26": drop("NetPriceProductTradePrice/ChargeAmount"),
    "BR-27": put("NetPriceProductTradePrice/ChargeAmount", "-0.01"),
    "BR-28": put("GrossPriceProductTradePrice/ChargeAmount", "-0.01"),
    "BR-54": drop("ApplicableProductCharacteristic/Value"),
    "BR-64": drop("SpecifiedTradeProduct/GlobalID/@schemeID"),
    "BR-65": drop("ClassCode/@listID"),
    "BR-CO-04": drop("SpecifiedLineTradeSettlement/ApplicableTradeTax"),
    "BR-CO-18": drop(BREAKDOWN),
    "BR-DEC-23": put("SpecifiedTradeSettlementLineMonetarySummation/LineTotalAmount", "97.000"),
    # codes
    "BR-CL-01": put("ExchangedDocument/TypeCode", "999"),
    "BR-CL-03": put("TaxTotalAmount/@currencyID", "EURO"),
    "BR-CL-04": put("InvoiceCurrencyCode", "eur"),
    "BR-CL-05": put("TaxCurrencyCode", "XYZ"),
    "BR-CL-06": put("DueDateTypeCode", "35"),
    "BR-CL-07": put("ReferenceTypeCode", "ZZY"),
    "BR-CL-08": add("IncludedNote", "<ram:SubjectCode>X</ram:SubjectCode>"),
    "BR-CL-10": put("SellerTradeParty/GlobalID/@schemeID", "9999"),
    "BR-CL-11": put("SpecifiedLegalOrganization/ID/@schemeID", "9999"),
    "BR-CL-13": put("ClassCode/@listID", "XXX"),
    "BR-CL-14": put("CountryID", "SS"),
    "BR-CL-15": put("OriginTradeCountry/ID", "UK"),
    "BR-CL-16": put("SpecifiedTradeSettlementPaymentMeans/TypeCode", "71"),
    "BR-CL-17": put("CategoryTradeTax/CategoryCode", "A"),
    "BR-CL-18": put("ApplicableTradeTax/CategoryCode", "A"),
    "BR-CL-19": put(f"{LINE_ALLOWANCE}/ReasonCode", "PC"),
    "BR-CL-20": line_charge(put, f"{LINE_ALLOWANCE}/ReasonCode", "95"),
    "BR-CL-21": put("SpecifiedTradeProduct/GlobalID/@schemeID", "EAN"),
    "BR-CL-22": add(BREAKDOWN, "<ram:ExemptionReasonCode>VATEX-XX</ram:ExemptionReasonCode>"),
    "BR-CL-23": put("BilledQuantity/@unitCode", "PIECE"),
    "BR-CL-24": put("AttachmentBinaryObject/@mimeCode", "text/plain"),
    "BR-CL-25": put("URIUniversalCommunication/URIID/@schemeID", "0001"),
    "BR-CL-26": put("ShipToTradeParty/GlobalID/@schemeID", "9999"),
    # structure rules that are functions, not rows of the table
    "CII-SR-009": drop("GuidelineSpecifiedDocumentContextParameter"),
    "CII-SR-010": twice("GuidelineSpecifiedDocumentContextParameter"),
    "CII-SR-014": drop("ExchangedDocument/TypeCode"),
    "CII-SR-046": drop("SpecifiedTradeProduct/GlobalID/@schemeID"),
    "CII-SR-069": drop("ApplicableProductCharacteristic/Description"),
    "CII-SR-072": drop("ApplicableProductCharacteristic/Value"),
    "CII-SR-090": drop("OriginTradeCountry/ID"),
    "CII-SR-439": drop("NetPriceProductTradePrice/ChargeAmount"),
    "CII-SR-462": both(twice(BREAKDOWN), put("DueDateTypeCode", "29")),
    "CII-SR-463": drop("SpecifiedTradeAllowanceCharge/ChargeIndicator"),
    "CII-SR-467": both(twice(MEANS), put(f"{MEANS}/TypeCode", "30")),
    "CII-SR-468": both(
        add(MEANS, "<ram:Information>a</ram:Information>"),
        twice(MEANS),
        put(f"{MEANS}/Information", "b"),
    ),
    "CII-SR-469": twice("PaymentReference"),
    "CII-SR-470": drop("PayeePartyCreditorFinancialAccount"),
    "CII-DT-015": add("InvoiceReferencedDocument", "<ram:URIID>u</ram:URIID>"),
    "CII-DT-018": put("AdditionalReferencedDocument/TypeCode", "917"),
    "CII-DT-021": add("InvoiceReferencedDocument", "<ram:Name>n</ram:Name>"),
    "CII-DT-022": add("InvoiceReferencedDocument", "<ram:AttachmentBinaryObject/>"),
    "CII-DT-024": add("InvoiceReferencedDocument", "<ram:ReferenceTypeCode/>"),
    "CII-DT-027": add("BuyerOrderReferencedDocument", "<ram:FormattedIssueDateTime/>"),
    "CII-DT-033": drop_all("SpecifiedLineTradeDelivery"),
    "CII-DT-037": put("ApplicableTradeTax/TypeCode", "GST"),
    "CII-DT-097": put("IssueDateTime/DateTimeString", "20261301"),
}  # fmt: skip


HOLDS = {
    "BR-CO-09": put("SellerTradeParty/SpecifiedTaxRegistration/ID", "EL123456789"),
    "BR-CO-17": put(f"{BREAKDOWN}/CalculatedAmount", "30.82"),
    "BR-51": put("ApplicableTradeSettlementFinancialCard/ID", " 1234567890 "),
    "BR-27": put("NetPriceProductTradePrice/ChargeAmount", "0"),
    "BR-28": put("GrossPriceProductTradePrice/ChargeAmount", "-0.00"),
    "BR-29": put(f"{SETTLEMENT}/BillingSpecifiedPeriod/EndDateTime/DateTimeString", "20261001"),
    "BR-DEC-09": put(f"{TOTALS}/LineTotalAmount", "147"),
    "BR-DEC-13": put(f"{TOTALS}/TaxTotalAmount", "29.820"),
    "BR-33": drop(f"{TRADE_ALLOWANCE}/Reason"),
    "BR-CO-26": both(
        drop("SellerTradeParty/GlobalID"), drop("SellerTradeParty/SpecifiedLegalOrganization/ID")
    ),
    "BR-CO-19": drop(f"{SETTLEMENT}/BillingSpecifiedPeriod/EndDateTime"),
    "BR-S-08": put(f"{BREAKDOWN}/BasisAmount", "142"),
    "BR-S-09": put(f"{BREAKDOWN}/CalculatedAmount", "30.81"),
    "BR-CL-01": put("ExchangedDocument/TypeCode", " 380 "),
    "BR-CL-14": put("CountryID", "XI"),
    "BR-CL-22": add(BREAKDOWN, "<ram:ExemptionReasonCode>vatex-eu-ae</ram:ExemptionReasonCode>"),
    "CII-DT-097": put("IssueDateTime/DateTimeString", " 20261231 "),
    "CII-SR-470": put("SpecifiedTradeSettlementPaymentMeans/TypeCode", "10"),
}  # fmt: skip


def test_the_sample_breaks_no_rule():
    """So a finding of a case is caused by its change."""
    assert fired(changed(good(SAMPLE))) == set()


@each_row("rule", FIRES)
def test_a_broken_rule_is_reported(rule):
    assert rule in fired(changed(good(SAMPLE), FIRES[rule]))


@pytest.mark.parametrize("rule", HOLDS)
def test_a_value_just_inside_the_limit_is_not_reported(rule):
    assert rule not in fired(changed(good(SAMPLE), HOLDS[rule]))


# --- VAT categories: a correct invoice in each, then each of its rules broken

LETTERS = {
    "Z": "Z",
    "E": "E",
    "AE": "AE",
    "K": "IC",
    "G": "G",
    "O": "O",
    "L": "AF",
    "M": "AG",
    "S": "S",
}
TAXED = ("S", "L", "M")
EXEMPT = ("E", "AE", "K", "G", "O")


def in_category(code):
    """The change that puts all of the correct invoice into another VAT category."""
    if code in TAXED:
        return put_all("CategoryCode", code)
    rate = (
        drop_all("RateApplicablePercent") if code == "O" else put_all("RateApplicablePercent", "0")
    )
    changes = [
        put_all("CategoryCode", code),
        rate,
        put(f"{BREAKDOWN}/CalculatedAmount", "0"),
        put(f"{TOTALS}/TaxTotalAmount", "0"),
        put(f"{TOTALS}/GrandTotalAmount", "142.00"),
        put(f"{TOTALS}/DuePayableAmount", "140.68"),
    ]
    if code in EXEMPT:
        changes.append(add(BREAKDOWN, "<ram:ExemptionReason>as the law says</ram:ExemptionReason>"))
    if code == "O":
        changes.append(drop_all("SpecifiedTaxRegistration"))
        changes.append(drop_all("SellerTaxRepresentativeTradeParty"))
    return both(*changes)


def broken_in(code):
    """Rule number → the change that breaks it, in an invoice of that category."""
    parties = drop_all("SpecifiedTaxRegistration")
    if code == "O":
        number = '<ram:ID schemeID="VA">BE1</ram:ID>'
        parties = add(
            "SellerTradeParty",
            f"<ram:SpecifiedTaxRegistration>{number}</ram:SpecifiedTaxRegistration>",
        )
    rate = "0" if code in ("S", "L") else "-1" if code == "M" else "7"
    line, header = (
        "SpecifiedLineTradeSettlement/ApplicableTradeTax",
        f"{TRADE_ALLOWANCE}/CategoryTradeTax",
    )

    def rated(path, prepare=None):
        new = add(path, f"<ram:RateApplicablePercent>{rate}</ram:RateApplicablePercent>")
        change = both(drop(f"{path}/RateApplicablePercent"), new) if code != "O" else new
        return both(prepare, change) if prepare else change

    reason = drop(f"{BREAKDOWN}/ExemptionReason") if code in EXEMPT else add(
        BREAKDOWN, "<ram:ExemptionReason>none</ram:ExemptionReason>"
    )  # fmt: skip
    cases = {
        "01": both(drop(BREAKDOWN), drop(LINE)) if code in TAXED else twice(BREAKDOWN),
        "02": parties, "03": parties, "04": parties,
        "05": rated(line), "06": rated(header), "07": rated(header, drop(TRADE_ALLOWANCE)),
        "10": reason,
    }  # fmt: skip
    if code not in ("L", "M"):
        cases["08"] = put(f"{BREAKDOWN}/BasisAmount", "143.00")
        cases["09"] = put(f"{BREAKDOWN}/CalculatedAmount", "1.00")
    if code == "K":
        cases["11"] = both(drop("OccurrenceDateTime"), drop(f"{SETTLEMENT}/BillingSpecifiedPeriod"))
        cases["12"] = drop("ShipToTradeParty")
    if code == "O":
        other = put("SpecifiedLineTradeSettlement/ApplicableTradeTax/CategoryCode", "E")
        cases |= {"11": other, "12": other}
        other = put("CategoryTradeTax/CategoryCode", "E")
        cases |= {"13": other, "14": other}
    return cases


CATEGORY_CASES = [(code, number) for code in LETTERS for number in broken_in(code)]


@pytest.mark.parametrize("code", LETTERS)
def test_an_invoice_in_one_category_breaks_none_of_its_rules(code):
    prefix = f"BR-{LETTERS[code]}-"

    reported = fired(changed(good(SAMPLE), in_category(code)))
    assert not {rule for rule in reported if rule.startswith(prefix)}


@each_row(("code", "number"), CATEGORY_CASES)
def test_a_broken_rule_of_a_category_is_reported(code, number):
    """Each of the ten rules, and the additional ones of K and O."""
    content = changed(good(SAMPLE), in_category(code), broken_in(code)[number])

    assert f"BR-{LETTERS[code]}-{number}" in fired(content)


@pytest.mark.parametrize(
    ("code", "base", "fires"),
    [("Z", "142.99", False), ("Z", "143.00", True), ("O", "142.00", False), ("O", "142.01", True),
     ("S", "142.01", True), ("E", "141.01", False), ("E", "141.00", True)],
)  # fmt: skip
def test_the_tolerance_of_the_taxable_amount_depends_on_the_category(code, base, fires):
    """Less than 1 for most categories, none for S and O."""
    content = changed(good(SAMPLE), in_category(code), put(f"{BREAKDOWN}/BasisAmount", base))

    assert (f"BR-{LETTERS[code]}-08" in fired(content)) is fires


# --- the structure rules that are rows of the table


def structure_rows():
    text = files("einvoice.rules.en16931.cii").joinpath("structure.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(line for line in text.splitlines() if not line.startswith("#")))


CANNOT_FIRE = {"CII-DT-010", "CII-DT-011", "CII-DT-012"}
FATAL_ROWS = [row for row in structure_rows() if row["flag"] == "fatal"]


def build(root, row):
    """Add the element or attribute of the row below its context; twice for "at most one"."""
    node = context_node(root, getattr(contexts, row["context"]))
    steps, _, name = row["path"].partition("@")
    names = [step for step in steps.split("/") if step]
    for number, step in enumerate(names, 1):
        times = 2 if number == len(names) and row["kind"] == "at most one" else 1
        node = child(node, step, times)
    if name:
        node.set(name, "x")


def context_node(root, context):
    for path in context.paths:
        steps = path.replace("ram:*", "*").lstrip("/")
        if "*" in steps:
            ends = steps.removeprefix("*")
            return next(each for each in root.iter("{*}*") if each.tag.endswith(ends))
        found = root.getroottree().xpath(
            path if path.startswith("/") else f"//{path}", namespaces=CII
        )
        if found:
            return found[0]
    raise LookupError(context.paths)


def child(node, step, times):
    prefix, _, local = step.partition(":")
    tag = f"{{{CII[prefix]}}}{local}"
    while len(node.findall(tag)) < times:
        node.append(node.makeelement(tag))
    return node.find(tag)


@each_row("row", FATAL_ROWS, ids=lambda row: row["id"])
def test_an_element_that_must_not_occur_or_repeat_is_reported(row):
    content = changed(good(SAMPLE), lambda root: build(root, row))

    assert (row["id"] in fired(content)) is (row["id"] not in CANNOT_FIRE)


def test_every_fatal_rule_has_a_case():
    """Except the rules that can never fire."""
    never = {f"BR-CO-0{n}" for n in (5, 6, 7, 8)} | {f"BR-A{x}-0{n}" for x in "FG" for n in (8, 9)}
    cases = {*FIRES, *(f"BR-{LETTERS[code]}-{number}" for code, number in CATEGORY_CASES)}
    cases |= {row["id"] for row in FATAL_ROWS}
    rules = {rule.id for rule in PACKS[0].book(Layer.CEN_CII).rules if rule.flag is Flag.FATAL}

    assert rules - never == cases


@pytest.mark.parametrize(
    "place", ["SpecifiedLineTradeSettlement", "ApplicableHeaderTradeAgreement"]
)
def test_a_document_reference_of_two_types_ends_the_verdict(place):
    """As officially: the rules that count references by type cannot be evaluated, even for one."""
    content = (SAMPLES / SAMPLE).read_text()
    start = content.index("<ram:AdditionalReferencedDocument>", content.index(f"<ram:{place}>"))
    at = content.index("<ram:TypeCode>", start)
    two = content[:at] + "<ram:TypeCode>AVE</ram:TypeCode>" + content[at:]

    assert engine().check(parse(two.encode())).failed_layers == {Layer.CEN_CII}
