from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.invoice_billing_frequency_type_1 import InvoiceBillingFrequencyType1
from ..models.invoice_billing_frequency_type_2_type_1 import InvoiceBillingFrequencyType2Type1
from ..models.invoice_billing_frequency_type_3_type_1 import InvoiceBillingFrequencyType3Type1
from ..models.invoice_delivery_zone_type_1 import InvoiceDeliveryZoneType1
from ..models.invoice_delivery_zone_type_2_type_1 import InvoiceDeliveryZoneType2Type1
from ..models.invoice_delivery_zone_type_3_type_1 import InvoiceDeliveryZoneType3Type1
from ..models.invoice_tax_point_code_type_1 import InvoiceTaxPointCodeType1
from ..models.invoice_tax_point_code_type_2_type_1 import InvoiceTaxPointCodeType2Type1
from ..models.invoice_tax_point_code_type_3_type_1 import InvoiceTaxPointCodeType3Type1
from ..models.invoice_transaction_types_type_0_item import InvoiceTransactionTypesType0Item
from ..models.invoice_type_type_1 import InvoiceTypeType1
from ..models.invoice_type_type_2_type_1 import InvoiceTypeType2Type1
from ..models.invoice_type_type_3_type_1 import InvoiceTypeType3Type1
from ..types import UNSET, Unset
from typing import cast
import datetime

if TYPE_CHECKING:
  from ..models.address import Address
  from ..models.adjustment import Adjustment
  from ..models.agent import Agent
  from ..models.attachment import Attachment
  from ..models.cash_discount import CashDiscount
  from ..models.identifier import Identifier
  from ..models.invoice_metadata_type_0 import InvoiceMetadataType0
  from ..models.line_item import LineItem
  from ..models.note import Note
  from ..models.object_reference import ObjectReference
  from ..models.party import Party
  from ..models.payee import Payee
  from ..models.payment_means import PaymentMeans
  from ..models.period import Period
  from ..models.preceding_invoice import PrecedingInvoice
  from ..models.prepayment import Prepayment
  from ..models.supplier_party import SupplierParty
  from ..models.supporting_document import SupportingDocument
  from ..models.tax_exemption import TaxExemption
  from ..models.tax_representative import TaxRepresentative
  from ..models.totals import Totals





T = TypeVar("T", bound="Invoice")



@_attrs_define
class Invoice:


    number: str
    """ Invoice number, unique for the supplier. """
    issue_date: datetime.date
    """ Date of issue. """
    currency: str
    """ ISO 4217. """
    supplier: SupplierParty
    buyer: Party
    line_items: list[LineItem]
    """ The lines. """
    totals: Totals
    type_: InvoiceTypeType1 | InvoiceTypeType2Type1 | InvoiceTypeType3Type1 | None | Unset = UNSET
    """ Kind of document; default invoice. A self-billed one is issued by the buyer: senderParticipantId is the
    buyer's, receiverParticipantId the supplier's. """
    type_code: None | str | Unset = UNSET
    """ Type of document (BT-3), a code of UNTDID 1001, such as 326 (partial), 384 (corrected), 386 (prepayment) or
    875 to 877 (construction); default 380, 381, 389 or 261 by type. The rules of the network decide which it takes.
    """
    profile: None | str | Unset = UNSET
    """ The profile that the document follows, of those of the network; default: the first for its type that the
    receiver's lookup lists. """
    tax_currency: None | str | Unset = UNSET
    """ ISO 4217 code of the currency in which VAT is accounted for (BT-6), if it is another one than currency. Send
    totals.taxAmountInTaxCurrency with it. """
    due_date: datetime.date | None | Unset = UNSET
    """ Date payment is due; default by the customer's terms. """
    preceding_invoice: None | PrecedingInvoice | Unset = UNSET
    """ The invoice that this one corrects or credits. """
    preceding_invoices: list[PrecedingInvoice] | None | Unset = UNSET
    """ Invoices that this one corrects, credits or deducts, after precedingInvoice. """
    prepayments: list[Prepayment] | None | Unset = UNSET
    """ Invoices of advance payments that this one deducts, for networks that want them one by one (ZATCA);
    totals.prepaidAmount is their sum. """
    buyer_reference: None | str | Unset = UNSET
    """ Reference the buyer asked to see. """
    order_reference: None | str | Unset = UNSET
    """ Number of the buyer's order. """
    sales_order_reference: None | str | Unset = UNSET
    """ Number of the supplier's order. """
    contract_reference: None | str | Unset = UNSET
    """ Number of the contract. """
    project_reference: None | str | Unset = UNSET
    """ Number of the project. """
    despatch_reference: None | str | Unset = UNSET
    """ Number of the despatch advice. """
    receiving_reference: None | str | Unset = UNSET
    """ Number of the receiving advice. """
    tender_reference: None | str | Unset = UNSET
    """ Number of the call for tenders or lot. """
    object_reference: None | ObjectReference | Unset = UNSET
    """ The object that is invoiced, such as a meter or a subscription. """
    note: None | str | Unset = UNSET
    """ Note on the invoice. """
    notes: list[Note] | None | Unset = UNSET
    """ Notes on the invoice, after note. """
    tax_point_date: datetime.date | None | Unset = UNSET
    """ Date VAT becomes due, if not the issue date. """
    tax_point_code: InvoiceTaxPointCodeType1 | InvoiceTaxPointCodeType2Type1 | InvoiceTaxPointCodeType3Type1 | None | Unset = UNSET
    """ When VAT becomes due, in place of taxPointDate: 3 (on the issue date), 35 (on delivery) or 432 (on payment),
    codes of UNTDID 2005. """
    payee: None | Payee | Unset = UNSET
    """ Who is paid, if not the seller. """
    tax_representative: None | TaxRepresentative | Unset = UNSET
    """ The seller's tax representative. """
    delivery_date: datetime.date | None | Unset = UNSET
    """ Date of delivery. """
    delivery_name: None | str | Unset = UNSET
    """ Name of whom it is delivered to. """
    delivery_location: Identifier | None | Unset = UNSET
    """ Identifier of the place of delivery, such as its GLN. """
    delivery_address: Address | None | Unset = UNSET
    """ Place of delivery. """
    period: None | Period | Unset = UNSET
    """ Period of the invoice. """
    payment_terms: None | str | Unset = UNSET
    """ Payment terms as text. """
    cash_discounts: list[CashDiscount] | None | Unset = UNSET
    """ Cash discounts, written after the payment terms as German programs read them: #SKONTO#TAGE=14#PROZENT=2.00#.
    """
    payment_means: None | PaymentMeans | Unset = UNSET
    """ Payment means; default: the account of the profile. """
    allowances: list[Adjustment] | None | Unset = UNSET
    """ Allowances of the invoice. """
    charges: list[Adjustment] | None | Unset = UNSET
    """ Charges of the invoice. """
    tax_exemption: None | TaxExemption | Unset = UNSET
    """ Reason for the VAT exemption of lines without one. """
    attachments: list[Attachment] | None | Unset = UNSET
    """ Files to send with the invoice. """
    supporting_documents: list[SupportingDocument] | None | Unset = UNSET
    """ Documents that the invoice refers to, without their files. """
    embed_pdf: bool | None | Unset = UNSET
    """ Send a rendered PDF inside the document. """
    accounting_cost: None | str | Unset = UNSET
    """ The buyer's cost centre or account. """
    metadata: InvoiceMetadataType0 | None | Unset = UNSET
    """ Your own names and texts: returned with the invoice and in its events, never sent to the receiver; at most
    4096 bytes as JSON. """
    uuid: None | str | Unset = UNSET
    """ Of PINT: the UUID of the document; default one made of seller, number and day. """
    issue_time: None | str | Unset = UNSET
    """ Of PINT: the time of issue. """
    transaction_types: list[InvoiceTransactionTypesType0Item] | None | Unset = UNSET
    """ Of PINT and ZATCA: the kinds of transaction that the invoice is; each country has its own. """
    exchange_rate: float | None | Unset = UNSET
    """ Of PINT, KSeF and ZATCA: units of the country's currency for one of currency. """
    statement_reference: None | str | Unset = UNSET
    """ Of PINT: number of the statement. """
    contract_value: None | str | Unset = UNSET
    """ Of PINT: the value of the contract. """
    billing_frequency: InvoiceBillingFrequencyType1 | InvoiceBillingFrequencyType2Type1 | InvoiceBillingFrequencyType3Type1 | None | Unset = UNSET
    """ Of PINT AE: how often a continuous supply is billed; OTH is explained in a note. """
    billing_frequency_text: None | str | Unset = UNSET
    """ Of PINT AE: the billing frequency in words. """
    correction_reason: None | str | Unset = UNSET
    """ Of PINT: why an invoice is corrected: in the Emirates DL8.61.1.A to E or VD (volume discount), in Oman CAN,
    VAT, VAL, QTY or OTH. """
    correction_text: None | str | Unset = UNSET
    """ Of PINT AE: the reason in words. """
    beneficiary_id: None | str | Unset = UNSET
    """ Of PINT AE: the number of the beneficiary of a supply of a free trade zone. """
    principal_id: None | str | Unset = UNSET
    """ Of PINT AE: the number of the principal for whom a disclosed agent bills. """
    agent: Agent | None | Unset = UNSET
    """ Of PINT OM: the third party that bills for the seller. """
    delivery_terms: None | str | Unset = UNSET
    """ Of PINT: the code of Incoterms. """
    delivery_zone: InvoiceDeliveryZoneType1 | InvoiceDeliveryZoneType2Type1 | InvoiceDeliveryZoneType3Type1 | None | Unset = UNSET
    """ Of PINT OM: the special zone of the place of delivery. """
    customs_declaration: None | str | Unset = UNSET
    """ Of PINT OM: the customs declaration of imported goods. """
    arrival_date: datetime.date | None | Unset = UNSET
    """ Of PINT OM: the day on which imported goods arrived. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.address import Address # noqa: PLC0415
        from ..models.adjustment import Adjustment # noqa: PLC0415
        from ..models.agent import Agent # noqa: PLC0415
        from ..models.attachment import Attachment # noqa: PLC0415
        from ..models.cash_discount import CashDiscount # noqa: PLC0415
        from ..models.identifier import Identifier # noqa: PLC0415
        from ..models.invoice_metadata_type_0 import InvoiceMetadataType0 # noqa: PLC0415
        from ..models.line_item import LineItem # noqa: PLC0415
        from ..models.note import Note # noqa: PLC0415
        from ..models.object_reference import ObjectReference # noqa: PLC0415
        from ..models.party import Party # noqa: PLC0415
        from ..models.payee import Payee # noqa: PLC0415
        from ..models.payment_means import PaymentMeans # noqa: PLC0415
        from ..models.period import Period # noqa: PLC0415
        from ..models.preceding_invoice import PrecedingInvoice # noqa: PLC0415
        from ..models.prepayment import Prepayment # noqa: PLC0415
        from ..models.supplier_party import SupplierParty # noqa: PLC0415
        from ..models.supporting_document import SupportingDocument # noqa: PLC0415
        from ..models.tax_exemption import TaxExemption # noqa: PLC0415
        from ..models.tax_representative import TaxRepresentative # noqa: PLC0415
        from ..models.totals import Totals # noqa: PLC0415
        number = self.number

        issue_date = self.issue_date.isoformat()

        currency = self.currency

        supplier = self.supplier.to_dict()

        buyer = self.buyer.to_dict()

        line_items = []
        for line_items_item_data in self.line_items:
            line_items_item = line_items_item_data.to_dict()
            line_items.append(line_items_item)



        totals = self.totals.to_dict()

        type_: None | str | Unset
        if isinstance(self.type_, Unset):
            type_ = UNSET
        elif isinstance(self.type_, InvoiceTypeType1):
            type_ = self.type_.value
        elif isinstance(self.type_, InvoiceTypeType2Type1):
            type_ = self.type_.value
        elif isinstance(self.type_, InvoiceTypeType3Type1):
            type_ = self.type_.value
        else:
            type_ = self.type_

        type_code: None | str | Unset
        if isinstance(self.type_code, Unset):
            type_code = UNSET
        else:
            type_code = self.type_code

        profile: None | str | Unset
        if isinstance(self.profile, Unset):
            profile = UNSET
        else:
            profile = self.profile

        tax_currency: None | str | Unset
        if isinstance(self.tax_currency, Unset):
            tax_currency = UNSET
        else:
            tax_currency = self.tax_currency

        due_date: None | str | Unset
        if isinstance(self.due_date, Unset):
            due_date = UNSET
        elif isinstance(self.due_date, datetime.date):
            due_date = self.due_date.isoformat()
        else:
            due_date = self.due_date

        preceding_invoice: dict[str, Any] | None | Unset
        if isinstance(self.preceding_invoice, Unset):
            preceding_invoice = UNSET
        elif isinstance(self.preceding_invoice, PrecedingInvoice):
            preceding_invoice = self.preceding_invoice.to_dict()
        else:
            preceding_invoice = self.preceding_invoice

        preceding_invoices: list[dict[str, Any]] | None | Unset
        if isinstance(self.preceding_invoices, Unset):
            preceding_invoices = UNSET
        elif isinstance(self.preceding_invoices, list):
            preceding_invoices = []
            for preceding_invoices_type_0_item_data in self.preceding_invoices:
                preceding_invoices_type_0_item = preceding_invoices_type_0_item_data.to_dict()
                preceding_invoices.append(preceding_invoices_type_0_item)


        else:
            preceding_invoices = self.preceding_invoices

        prepayments: list[dict[str, Any]] | None | Unset
        if isinstance(self.prepayments, Unset):
            prepayments = UNSET
        elif isinstance(self.prepayments, list):
            prepayments = []
            for prepayments_type_0_item_data in self.prepayments:
                prepayments_type_0_item = prepayments_type_0_item_data.to_dict()
                prepayments.append(prepayments_type_0_item)


        else:
            prepayments = self.prepayments

        buyer_reference: None | str | Unset
        if isinstance(self.buyer_reference, Unset):
            buyer_reference = UNSET
        else:
            buyer_reference = self.buyer_reference

        order_reference: None | str | Unset
        if isinstance(self.order_reference, Unset):
            order_reference = UNSET
        else:
            order_reference = self.order_reference

        sales_order_reference: None | str | Unset
        if isinstance(self.sales_order_reference, Unset):
            sales_order_reference = UNSET
        else:
            sales_order_reference = self.sales_order_reference

        contract_reference: None | str | Unset
        if isinstance(self.contract_reference, Unset):
            contract_reference = UNSET
        else:
            contract_reference = self.contract_reference

        project_reference: None | str | Unset
        if isinstance(self.project_reference, Unset):
            project_reference = UNSET
        else:
            project_reference = self.project_reference

        despatch_reference: None | str | Unset
        if isinstance(self.despatch_reference, Unset):
            despatch_reference = UNSET
        else:
            despatch_reference = self.despatch_reference

        receiving_reference: None | str | Unset
        if isinstance(self.receiving_reference, Unset):
            receiving_reference = UNSET
        else:
            receiving_reference = self.receiving_reference

        tender_reference: None | str | Unset
        if isinstance(self.tender_reference, Unset):
            tender_reference = UNSET
        else:
            tender_reference = self.tender_reference

        object_reference: dict[str, Any] | None | Unset
        if isinstance(self.object_reference, Unset):
            object_reference = UNSET
        elif isinstance(self.object_reference, ObjectReference):
            object_reference = self.object_reference.to_dict()
        else:
            object_reference = self.object_reference

        note: None | str | Unset
        if isinstance(self.note, Unset):
            note = UNSET
        else:
            note = self.note

        notes: list[dict[str, Any]] | None | Unset
        if isinstance(self.notes, Unset):
            notes = UNSET
        elif isinstance(self.notes, list):
            notes = []
            for notes_type_0_item_data in self.notes:
                notes_type_0_item = notes_type_0_item_data.to_dict()
                notes.append(notes_type_0_item)


        else:
            notes = self.notes

        tax_point_date: None | str | Unset
        if isinstance(self.tax_point_date, Unset):
            tax_point_date = UNSET
        elif isinstance(self.tax_point_date, datetime.date):
            tax_point_date = self.tax_point_date.isoformat()
        else:
            tax_point_date = self.tax_point_date

        tax_point_code: None | str | Unset
        if isinstance(self.tax_point_code, Unset):
            tax_point_code = UNSET
        elif isinstance(self.tax_point_code, InvoiceTaxPointCodeType1):
            tax_point_code = self.tax_point_code.value
        elif isinstance(self.tax_point_code, InvoiceTaxPointCodeType2Type1):
            tax_point_code = self.tax_point_code.value
        elif isinstance(self.tax_point_code, InvoiceTaxPointCodeType3Type1):
            tax_point_code = self.tax_point_code.value
        else:
            tax_point_code = self.tax_point_code

        payee: dict[str, Any] | None | Unset
        if isinstance(self.payee, Unset):
            payee = UNSET
        elif isinstance(self.payee, Payee):
            payee = self.payee.to_dict()
        else:
            payee = self.payee

        tax_representative: dict[str, Any] | None | Unset
        if isinstance(self.tax_representative, Unset):
            tax_representative = UNSET
        elif isinstance(self.tax_representative, TaxRepresentative):
            tax_representative = self.tax_representative.to_dict()
        else:
            tax_representative = self.tax_representative

        delivery_date: None | str | Unset
        if isinstance(self.delivery_date, Unset):
            delivery_date = UNSET
        elif isinstance(self.delivery_date, datetime.date):
            delivery_date = self.delivery_date.isoformat()
        else:
            delivery_date = self.delivery_date

        delivery_name: None | str | Unset
        if isinstance(self.delivery_name, Unset):
            delivery_name = UNSET
        else:
            delivery_name = self.delivery_name

        delivery_location: dict[str, Any] | None | Unset
        if isinstance(self.delivery_location, Unset):
            delivery_location = UNSET
        elif isinstance(self.delivery_location, Identifier):
            delivery_location = self.delivery_location.to_dict()
        else:
            delivery_location = self.delivery_location

        delivery_address: dict[str, Any] | None | Unset
        if isinstance(self.delivery_address, Unset):
            delivery_address = UNSET
        elif isinstance(self.delivery_address, Address):
            delivery_address = self.delivery_address.to_dict()
        else:
            delivery_address = self.delivery_address

        period: dict[str, Any] | None | Unset
        if isinstance(self.period, Unset):
            period = UNSET
        elif isinstance(self.period, Period):
            period = self.period.to_dict()
        else:
            period = self.period

        payment_terms: None | str | Unset
        if isinstance(self.payment_terms, Unset):
            payment_terms = UNSET
        else:
            payment_terms = self.payment_terms

        cash_discounts: list[dict[str, Any]] | None | Unset
        if isinstance(self.cash_discounts, Unset):
            cash_discounts = UNSET
        elif isinstance(self.cash_discounts, list):
            cash_discounts = []
            for cash_discounts_type_0_item_data in self.cash_discounts:
                cash_discounts_type_0_item = cash_discounts_type_0_item_data.to_dict()
                cash_discounts.append(cash_discounts_type_0_item)


        else:
            cash_discounts = self.cash_discounts

        payment_means: dict[str, Any] | None | Unset
        if isinstance(self.payment_means, Unset):
            payment_means = UNSET
        elif isinstance(self.payment_means, PaymentMeans):
            payment_means = self.payment_means.to_dict()
        else:
            payment_means = self.payment_means

        allowances: list[dict[str, Any]] | None | Unset
        if isinstance(self.allowances, Unset):
            allowances = UNSET
        elif isinstance(self.allowances, list):
            allowances = []
            for allowances_type_0_item_data in self.allowances:
                allowances_type_0_item = allowances_type_0_item_data.to_dict()
                allowances.append(allowances_type_0_item)


        else:
            allowances = self.allowances

        charges: list[dict[str, Any]] | None | Unset
        if isinstance(self.charges, Unset):
            charges = UNSET
        elif isinstance(self.charges, list):
            charges = []
            for charges_type_0_item_data in self.charges:
                charges_type_0_item = charges_type_0_item_data.to_dict()
                charges.append(charges_type_0_item)


        else:
            charges = self.charges

        tax_exemption: dict[str, Any] | None | Unset
        if isinstance(self.tax_exemption, Unset):
            tax_exemption = UNSET
        elif isinstance(self.tax_exemption, TaxExemption):
            tax_exemption = self.tax_exemption.to_dict()
        else:
            tax_exemption = self.tax_exemption

        attachments: list[dict[str, Any]] | None | Unset
        if isinstance(self.attachments, Unset):
            attachments = UNSET
        elif isinstance(self.attachments, list):
            attachments = []
            for attachments_type_0_item_data in self.attachments:
                attachments_type_0_item = attachments_type_0_item_data.to_dict()
                attachments.append(attachments_type_0_item)


        else:
            attachments = self.attachments

        supporting_documents: list[dict[str, Any]] | None | Unset
        if isinstance(self.supporting_documents, Unset):
            supporting_documents = UNSET
        elif isinstance(self.supporting_documents, list):
            supporting_documents = []
            for supporting_documents_type_0_item_data in self.supporting_documents:
                supporting_documents_type_0_item = supporting_documents_type_0_item_data.to_dict()
                supporting_documents.append(supporting_documents_type_0_item)


        else:
            supporting_documents = self.supporting_documents

        embed_pdf: bool | None | Unset
        if isinstance(self.embed_pdf, Unset):
            embed_pdf = UNSET
        else:
            embed_pdf = self.embed_pdf

        accounting_cost: None | str | Unset
        if isinstance(self.accounting_cost, Unset):
            accounting_cost = UNSET
        else:
            accounting_cost = self.accounting_cost

        metadata: dict[str, Any] | None | Unset
        if isinstance(self.metadata, Unset):
            metadata = UNSET
        elif isinstance(self.metadata, InvoiceMetadataType0):
            metadata = self.metadata.to_dict()
        else:
            metadata = self.metadata

        uuid: None | str | Unset
        if isinstance(self.uuid, Unset):
            uuid = UNSET
        else:
            uuid = self.uuid

        issue_time: None | str | Unset
        if isinstance(self.issue_time, Unset):
            issue_time = UNSET
        else:
            issue_time = self.issue_time

        transaction_types: list[str] | None | Unset
        if isinstance(self.transaction_types, Unset):
            transaction_types = UNSET
        elif isinstance(self.transaction_types, list):
            transaction_types = []
            for transaction_types_type_0_item_data in self.transaction_types:
                transaction_types_type_0_item = transaction_types_type_0_item_data.value
                transaction_types.append(transaction_types_type_0_item)


        else:
            transaction_types = self.transaction_types

        exchange_rate: float | None | Unset
        if isinstance(self.exchange_rate, Unset):
            exchange_rate = UNSET
        else:
            exchange_rate = self.exchange_rate

        statement_reference: None | str | Unset
        if isinstance(self.statement_reference, Unset):
            statement_reference = UNSET
        else:
            statement_reference = self.statement_reference

        contract_value: None | str | Unset
        if isinstance(self.contract_value, Unset):
            contract_value = UNSET
        else:
            contract_value = self.contract_value

        billing_frequency: None | str | Unset
        if isinstance(self.billing_frequency, Unset):
            billing_frequency = UNSET
        elif isinstance(self.billing_frequency, InvoiceBillingFrequencyType1):
            billing_frequency = self.billing_frequency.value
        elif isinstance(self.billing_frequency, InvoiceBillingFrequencyType2Type1):
            billing_frequency = self.billing_frequency.value
        elif isinstance(self.billing_frequency, InvoiceBillingFrequencyType3Type1):
            billing_frequency = self.billing_frequency.value
        else:
            billing_frequency = self.billing_frequency

        billing_frequency_text: None | str | Unset
        if isinstance(self.billing_frequency_text, Unset):
            billing_frequency_text = UNSET
        else:
            billing_frequency_text = self.billing_frequency_text

        correction_reason: None | str | Unset
        if isinstance(self.correction_reason, Unset):
            correction_reason = UNSET
        else:
            correction_reason = self.correction_reason

        correction_text: None | str | Unset
        if isinstance(self.correction_text, Unset):
            correction_text = UNSET
        else:
            correction_text = self.correction_text

        beneficiary_id: None | str | Unset
        if isinstance(self.beneficiary_id, Unset):
            beneficiary_id = UNSET
        else:
            beneficiary_id = self.beneficiary_id

        principal_id: None | str | Unset
        if isinstance(self.principal_id, Unset):
            principal_id = UNSET
        else:
            principal_id = self.principal_id

        agent: dict[str, Any] | None | Unset
        if isinstance(self.agent, Unset):
            agent = UNSET
        elif isinstance(self.agent, Agent):
            agent = self.agent.to_dict()
        else:
            agent = self.agent

        delivery_terms: None | str | Unset
        if isinstance(self.delivery_terms, Unset):
            delivery_terms = UNSET
        else:
            delivery_terms = self.delivery_terms

        delivery_zone: None | str | Unset
        if isinstance(self.delivery_zone, Unset):
            delivery_zone = UNSET
        elif isinstance(self.delivery_zone, InvoiceDeliveryZoneType1):
            delivery_zone = self.delivery_zone.value
        elif isinstance(self.delivery_zone, InvoiceDeliveryZoneType2Type1):
            delivery_zone = self.delivery_zone.value
        elif isinstance(self.delivery_zone, InvoiceDeliveryZoneType3Type1):
            delivery_zone = self.delivery_zone.value
        else:
            delivery_zone = self.delivery_zone

        customs_declaration: None | str | Unset
        if isinstance(self.customs_declaration, Unset):
            customs_declaration = UNSET
        else:
            customs_declaration = self.customs_declaration

        arrival_date: None | str | Unset
        if isinstance(self.arrival_date, Unset):
            arrival_date = UNSET
        elif isinstance(self.arrival_date, datetime.date):
            arrival_date = self.arrival_date.isoformat()
        else:
            arrival_date = self.arrival_date


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "number": number,
            "issueDate": issue_date,
            "currency": currency,
            "supplier": supplier,
            "buyer": buyer,
            "lineItems": line_items,
            "totals": totals,
        })
        if type_ is not UNSET:
            field_dict["type"] = type_
        if type_code is not UNSET:
            field_dict["typeCode"] = type_code
        if profile is not UNSET:
            field_dict["profile"] = profile
        if tax_currency is not UNSET:
            field_dict["taxCurrency"] = tax_currency
        if due_date is not UNSET:
            field_dict["dueDate"] = due_date
        if preceding_invoice is not UNSET:
            field_dict["precedingInvoice"] = preceding_invoice
        if preceding_invoices is not UNSET:
            field_dict["precedingInvoices"] = preceding_invoices
        if prepayments is not UNSET:
            field_dict["prepayments"] = prepayments
        if buyer_reference is not UNSET:
            field_dict["buyerReference"] = buyer_reference
        if order_reference is not UNSET:
            field_dict["orderReference"] = order_reference
        if sales_order_reference is not UNSET:
            field_dict["salesOrderReference"] = sales_order_reference
        if contract_reference is not UNSET:
            field_dict["contractReference"] = contract_reference
        if project_reference is not UNSET:
            field_dict["projectReference"] = project_reference
        if despatch_reference is not UNSET:
            field_dict["despatchReference"] = despatch_reference
        if receiving_reference is not UNSET:
            field_dict["receivingReference"] = receiving_reference
        if tender_reference is not UNSET:
            field_dict["tenderReference"] = tender_reference
        if object_reference is not UNSET:
            field_dict["objectReference"] = object_reference
        if note is not UNSET:
            field_dict["note"] = note
        if notes is not UNSET:
            field_dict["notes"] = notes
        if tax_point_date is not UNSET:
            field_dict["taxPointDate"] = tax_point_date
        if tax_point_code is not UNSET:
            field_dict["taxPointCode"] = tax_point_code
        if payee is not UNSET:
            field_dict["payee"] = payee
        if tax_representative is not UNSET:
            field_dict["taxRepresentative"] = tax_representative
        if delivery_date is not UNSET:
            field_dict["deliveryDate"] = delivery_date
        if delivery_name is not UNSET:
            field_dict["deliveryName"] = delivery_name
        if delivery_location is not UNSET:
            field_dict["deliveryLocation"] = delivery_location
        if delivery_address is not UNSET:
            field_dict["deliveryAddress"] = delivery_address
        if period is not UNSET:
            field_dict["period"] = period
        if payment_terms is not UNSET:
            field_dict["paymentTerms"] = payment_terms
        if cash_discounts is not UNSET:
            field_dict["cashDiscounts"] = cash_discounts
        if payment_means is not UNSET:
            field_dict["paymentMeans"] = payment_means
        if allowances is not UNSET:
            field_dict["allowances"] = allowances
        if charges is not UNSET:
            field_dict["charges"] = charges
        if tax_exemption is not UNSET:
            field_dict["taxExemption"] = tax_exemption
        if attachments is not UNSET:
            field_dict["attachments"] = attachments
        if supporting_documents is not UNSET:
            field_dict["supportingDocuments"] = supporting_documents
        if embed_pdf is not UNSET:
            field_dict["embedPdf"] = embed_pdf
        if accounting_cost is not UNSET:
            field_dict["accountingCost"] = accounting_cost
        if metadata is not UNSET:
            field_dict["metadata"] = metadata
        if uuid is not UNSET:
            field_dict["uuid"] = uuid
        if issue_time is not UNSET:
            field_dict["issueTime"] = issue_time
        if transaction_types is not UNSET:
            field_dict["transactionTypes"] = transaction_types
        if exchange_rate is not UNSET:
            field_dict["exchangeRate"] = exchange_rate
        if statement_reference is not UNSET:
            field_dict["statementReference"] = statement_reference
        if contract_value is not UNSET:
            field_dict["contractValue"] = contract_value
        if billing_frequency is not UNSET:
            field_dict["billingFrequency"] = billing_frequency
        if billing_frequency_text is not UNSET:
            field_dict["billingFrequencyText"] = billing_frequency_text
        if correction_reason is not UNSET:
            field_dict["correctionReason"] = correction_reason
        if correction_text is not UNSET:
            field_dict["correctionText"] = correction_text
        if beneficiary_id is not UNSET:
            field_dict["beneficiaryId"] = beneficiary_id
        if principal_id is not UNSET:
            field_dict["principalId"] = principal_id
        if agent is not UNSET:
            field_dict["agent"] = agent
        if delivery_terms is not UNSET:
            field_dict["deliveryTerms"] = delivery_terms
        if delivery_zone is not UNSET:
            field_dict["deliveryZone"] = delivery_zone
        if customs_declaration is not UNSET:
            field_dict["customsDeclaration"] = customs_declaration
        if arrival_date is not UNSET:
            field_dict["arrivalDate"] = arrival_date

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.address import Address # noqa: PLC0415
        from ..models.adjustment import Adjustment # noqa: PLC0415
        from ..models.agent import Agent # noqa: PLC0415
        from ..models.attachment import Attachment # noqa: PLC0415
        from ..models.cash_discount import CashDiscount # noqa: PLC0415
        from ..models.identifier import Identifier # noqa: PLC0415
        from ..models.invoice_metadata_type_0 import InvoiceMetadataType0 # noqa: PLC0415
        from ..models.line_item import LineItem # noqa: PLC0415
        from ..models.note import Note # noqa: PLC0415
        from ..models.object_reference import ObjectReference # noqa: PLC0415
        from ..models.party import Party # noqa: PLC0415
        from ..models.payee import Payee # noqa: PLC0415
        from ..models.payment_means import PaymentMeans # noqa: PLC0415
        from ..models.period import Period # noqa: PLC0415
        from ..models.preceding_invoice import PrecedingInvoice # noqa: PLC0415
        from ..models.prepayment import Prepayment # noqa: PLC0415
        from ..models.supplier_party import SupplierParty # noqa: PLC0415
        from ..models.supporting_document import SupportingDocument # noqa: PLC0415
        from ..models.tax_exemption import TaxExemption # noqa: PLC0415
        from ..models.tax_representative import TaxRepresentative # noqa: PLC0415
        from ..models.totals import Totals # noqa: PLC0415
        d = dict(src_dict)
        number = d.pop("number")

        issue_date = datetime.date.fromisoformat(d.pop("issueDate"))




        currency = d.pop("currency")

        supplier = SupplierParty.from_dict(d.pop("supplier"))




        buyer = Party.from_dict(d.pop("buyer"))




        line_items = []
        _line_items = d.pop("lineItems")
        for line_items_item_data in (_line_items):
            line_items_item = LineItem.from_dict(line_items_item_data)



            line_items.append(line_items_item)


        totals = Totals.from_dict(d.pop("totals"))




        def _parse_type_(data: object) -> InvoiceTypeType1 | InvoiceTypeType2Type1 | InvoiceTypeType3Type1 | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                type_type_1 = InvoiceTypeType1(data)



                return type_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, str):
                    raise TypeError()
                type_type_2_type_1 = InvoiceTypeType2Type1(data)



                return type_type_2_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, str):
                    raise TypeError()
                type_type_3_type_1 = InvoiceTypeType3Type1(data)



                return type_type_3_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(InvoiceTypeType1 | InvoiceTypeType2Type1 | InvoiceTypeType3Type1 | None | Unset, data)

        type_ = _parse_type_(d.pop("type", UNSET))


        def _parse_type_code(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        type_code = _parse_type_code(d.pop("typeCode", UNSET))


        def _parse_profile(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        profile = _parse_profile(d.pop("profile", UNSET))


        def _parse_tax_currency(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        tax_currency = _parse_tax_currency(d.pop("taxCurrency", UNSET))


        def _parse_due_date(data: object) -> datetime.date | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                due_date_type_0 = datetime.date.fromisoformat(data)



                return due_date_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.date | None | Unset, data)

        due_date = _parse_due_date(d.pop("dueDate", UNSET))


        def _parse_preceding_invoice(data: object) -> None | PrecedingInvoice | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                preceding_invoice_type_0 = PrecedingInvoice.from_dict(data)



                return preceding_invoice_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | PrecedingInvoice | Unset, data)

        preceding_invoice = _parse_preceding_invoice(d.pop("precedingInvoice", UNSET))


        def _parse_preceding_invoices(data: object) -> list[PrecedingInvoice] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                preceding_invoices_type_0 = []
                _preceding_invoices_type_0 = data
                for preceding_invoices_type_0_item_data in (_preceding_invoices_type_0):
                    preceding_invoices_type_0_item = PrecedingInvoice.from_dict(preceding_invoices_type_0_item_data)



                    preceding_invoices_type_0.append(preceding_invoices_type_0_item)

                return preceding_invoices_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[PrecedingInvoice] | None | Unset, data)

        preceding_invoices = _parse_preceding_invoices(d.pop("precedingInvoices", UNSET))


        def _parse_prepayments(data: object) -> list[Prepayment] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                prepayments_type_0 = []
                _prepayments_type_0 = data
                for prepayments_type_0_item_data in (_prepayments_type_0):
                    prepayments_type_0_item = Prepayment.from_dict(prepayments_type_0_item_data)



                    prepayments_type_0.append(prepayments_type_0_item)

                return prepayments_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[Prepayment] | None | Unset, data)

        prepayments = _parse_prepayments(d.pop("prepayments", UNSET))


        def _parse_buyer_reference(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        buyer_reference = _parse_buyer_reference(d.pop("buyerReference", UNSET))


        def _parse_order_reference(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        order_reference = _parse_order_reference(d.pop("orderReference", UNSET))


        def _parse_sales_order_reference(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        sales_order_reference = _parse_sales_order_reference(d.pop("salesOrderReference", UNSET))


        def _parse_contract_reference(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        contract_reference = _parse_contract_reference(d.pop("contractReference", UNSET))


        def _parse_project_reference(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        project_reference = _parse_project_reference(d.pop("projectReference", UNSET))


        def _parse_despatch_reference(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        despatch_reference = _parse_despatch_reference(d.pop("despatchReference", UNSET))


        def _parse_receiving_reference(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        receiving_reference = _parse_receiving_reference(d.pop("receivingReference", UNSET))


        def _parse_tender_reference(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        tender_reference = _parse_tender_reference(d.pop("tenderReference", UNSET))


        def _parse_object_reference(data: object) -> None | ObjectReference | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                object_reference_type_0 = ObjectReference.from_dict(data)



                return object_reference_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | ObjectReference | Unset, data)

        object_reference = _parse_object_reference(d.pop("objectReference", UNSET))


        def _parse_note(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        note = _parse_note(d.pop("note", UNSET))


        def _parse_notes(data: object) -> list[Note] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                notes_type_0 = []
                _notes_type_0 = data
                for notes_type_0_item_data in (_notes_type_0):
                    notes_type_0_item = Note.from_dict(notes_type_0_item_data)



                    notes_type_0.append(notes_type_0_item)

                return notes_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[Note] | None | Unset, data)

        notes = _parse_notes(d.pop("notes", UNSET))


        def _parse_tax_point_date(data: object) -> datetime.date | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                tax_point_date_type_0 = datetime.date.fromisoformat(data)



                return tax_point_date_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.date | None | Unset, data)

        tax_point_date = _parse_tax_point_date(d.pop("taxPointDate", UNSET))


        def _parse_tax_point_code(data: object) -> InvoiceTaxPointCodeType1 | InvoiceTaxPointCodeType2Type1 | InvoiceTaxPointCodeType3Type1 | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                tax_point_code_type_1 = InvoiceTaxPointCodeType1(data)



                return tax_point_code_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, str):
                    raise TypeError()
                tax_point_code_type_2_type_1 = InvoiceTaxPointCodeType2Type1(data)



                return tax_point_code_type_2_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, str):
                    raise TypeError()
                tax_point_code_type_3_type_1 = InvoiceTaxPointCodeType3Type1(data)



                return tax_point_code_type_3_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(InvoiceTaxPointCodeType1 | InvoiceTaxPointCodeType2Type1 | InvoiceTaxPointCodeType3Type1 | None | Unset, data)

        tax_point_code = _parse_tax_point_code(d.pop("taxPointCode", UNSET))


        def _parse_payee(data: object) -> None | Payee | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                payee_type_0 = Payee.from_dict(data)



                return payee_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Payee | Unset, data)

        payee = _parse_payee(d.pop("payee", UNSET))


        def _parse_tax_representative(data: object) -> None | TaxRepresentative | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                tax_representative_type_0 = TaxRepresentative.from_dict(data)



                return tax_representative_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | TaxRepresentative | Unset, data)

        tax_representative = _parse_tax_representative(d.pop("taxRepresentative", UNSET))


        def _parse_delivery_date(data: object) -> datetime.date | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                delivery_date_type_0 = datetime.date.fromisoformat(data)



                return delivery_date_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.date | None | Unset, data)

        delivery_date = _parse_delivery_date(d.pop("deliveryDate", UNSET))


        def _parse_delivery_name(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        delivery_name = _parse_delivery_name(d.pop("deliveryName", UNSET))


        def _parse_delivery_location(data: object) -> Identifier | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                delivery_location_type_0 = Identifier.from_dict(data)



                return delivery_location_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(Identifier | None | Unset, data)

        delivery_location = _parse_delivery_location(d.pop("deliveryLocation", UNSET))


        def _parse_delivery_address(data: object) -> Address | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                delivery_address_type_0 = Address.from_dict(data)



                return delivery_address_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(Address | None | Unset, data)

        delivery_address = _parse_delivery_address(d.pop("deliveryAddress", UNSET))


        def _parse_period(data: object) -> None | Period | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                period_type_0 = Period.from_dict(data)



                return period_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Period | Unset, data)

        period = _parse_period(d.pop("period", UNSET))


        def _parse_payment_terms(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        payment_terms = _parse_payment_terms(d.pop("paymentTerms", UNSET))


        def _parse_cash_discounts(data: object) -> list[CashDiscount] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                cash_discounts_type_0 = []
                _cash_discounts_type_0 = data
                for cash_discounts_type_0_item_data in (_cash_discounts_type_0):
                    cash_discounts_type_0_item = CashDiscount.from_dict(cash_discounts_type_0_item_data)



                    cash_discounts_type_0.append(cash_discounts_type_0_item)

                return cash_discounts_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[CashDiscount] | None | Unset, data)

        cash_discounts = _parse_cash_discounts(d.pop("cashDiscounts", UNSET))


        def _parse_payment_means(data: object) -> None | PaymentMeans | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                payment_means_type_0 = PaymentMeans.from_dict(data)



                return payment_means_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | PaymentMeans | Unset, data)

        payment_means = _parse_payment_means(d.pop("paymentMeans", UNSET))


        def _parse_allowances(data: object) -> list[Adjustment] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                allowances_type_0 = []
                _allowances_type_0 = data
                for allowances_type_0_item_data in (_allowances_type_0):
                    allowances_type_0_item = Adjustment.from_dict(allowances_type_0_item_data)



                    allowances_type_0.append(allowances_type_0_item)

                return allowances_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[Adjustment] | None | Unset, data)

        allowances = _parse_allowances(d.pop("allowances", UNSET))


        def _parse_charges(data: object) -> list[Adjustment] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                charges_type_0 = []
                _charges_type_0 = data
                for charges_type_0_item_data in (_charges_type_0):
                    charges_type_0_item = Adjustment.from_dict(charges_type_0_item_data)



                    charges_type_0.append(charges_type_0_item)

                return charges_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[Adjustment] | None | Unset, data)

        charges = _parse_charges(d.pop("charges", UNSET))


        def _parse_tax_exemption(data: object) -> None | TaxExemption | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                tax_exemption_type_0 = TaxExemption.from_dict(data)



                return tax_exemption_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | TaxExemption | Unset, data)

        tax_exemption = _parse_tax_exemption(d.pop("taxExemption", UNSET))


        def _parse_attachments(data: object) -> list[Attachment] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                attachments_type_0 = []
                _attachments_type_0 = data
                for attachments_type_0_item_data in (_attachments_type_0):
                    attachments_type_0_item = Attachment.from_dict(attachments_type_0_item_data)



                    attachments_type_0.append(attachments_type_0_item)

                return attachments_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[Attachment] | None | Unset, data)

        attachments = _parse_attachments(d.pop("attachments", UNSET))


        def _parse_supporting_documents(data: object) -> list[SupportingDocument] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                supporting_documents_type_0 = []
                _supporting_documents_type_0 = data
                for supporting_documents_type_0_item_data in (_supporting_documents_type_0):
                    supporting_documents_type_0_item = SupportingDocument.from_dict(supporting_documents_type_0_item_data)



                    supporting_documents_type_0.append(supporting_documents_type_0_item)

                return supporting_documents_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[SupportingDocument] | None | Unset, data)

        supporting_documents = _parse_supporting_documents(d.pop("supportingDocuments", UNSET))


        def _parse_embed_pdf(data: object) -> bool | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | None | Unset, data)

        embed_pdf = _parse_embed_pdf(d.pop("embedPdf", UNSET))


        def _parse_accounting_cost(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        accounting_cost = _parse_accounting_cost(d.pop("accountingCost", UNSET))


        def _parse_metadata(data: object) -> InvoiceMetadataType0 | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                metadata_type_0 = InvoiceMetadataType0.from_dict(data)



                return metadata_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(InvoiceMetadataType0 | None | Unset, data)

        metadata = _parse_metadata(d.pop("metadata", UNSET))


        def _parse_uuid(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        uuid = _parse_uuid(d.pop("uuid", UNSET))


        def _parse_issue_time(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        issue_time = _parse_issue_time(d.pop("issueTime", UNSET))


        def _parse_transaction_types(data: object) -> list[InvoiceTransactionTypesType0Item] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                transaction_types_type_0 = []
                _transaction_types_type_0 = data
                for transaction_types_type_0_item_data in (_transaction_types_type_0):
                    transaction_types_type_0_item = InvoiceTransactionTypesType0Item(transaction_types_type_0_item_data)



                    transaction_types_type_0.append(transaction_types_type_0_item)

                return transaction_types_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[InvoiceTransactionTypesType0Item] | None | Unset, data)

        transaction_types = _parse_transaction_types(d.pop("transactionTypes", UNSET))


        def _parse_exchange_rate(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        exchange_rate = _parse_exchange_rate(d.pop("exchangeRate", UNSET))


        def _parse_statement_reference(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        statement_reference = _parse_statement_reference(d.pop("statementReference", UNSET))


        def _parse_contract_value(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        contract_value = _parse_contract_value(d.pop("contractValue", UNSET))


        def _parse_billing_frequency(data: object) -> InvoiceBillingFrequencyType1 | InvoiceBillingFrequencyType2Type1 | InvoiceBillingFrequencyType3Type1 | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                billing_frequency_type_1 = InvoiceBillingFrequencyType1(data)



                return billing_frequency_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, str):
                    raise TypeError()
                billing_frequency_type_2_type_1 = InvoiceBillingFrequencyType2Type1(data)



                return billing_frequency_type_2_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, str):
                    raise TypeError()
                billing_frequency_type_3_type_1 = InvoiceBillingFrequencyType3Type1(data)



                return billing_frequency_type_3_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(InvoiceBillingFrequencyType1 | InvoiceBillingFrequencyType2Type1 | InvoiceBillingFrequencyType3Type1 | None | Unset, data)

        billing_frequency = _parse_billing_frequency(d.pop("billingFrequency", UNSET))


        def _parse_billing_frequency_text(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        billing_frequency_text = _parse_billing_frequency_text(d.pop("billingFrequencyText", UNSET))


        def _parse_correction_reason(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        correction_reason = _parse_correction_reason(d.pop("correctionReason", UNSET))


        def _parse_correction_text(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        correction_text = _parse_correction_text(d.pop("correctionText", UNSET))


        def _parse_beneficiary_id(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        beneficiary_id = _parse_beneficiary_id(d.pop("beneficiaryId", UNSET))


        def _parse_principal_id(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        principal_id = _parse_principal_id(d.pop("principalId", UNSET))


        def _parse_agent(data: object) -> Agent | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                agent_type_0 = Agent.from_dict(data)



                return agent_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(Agent | None | Unset, data)

        agent = _parse_agent(d.pop("agent", UNSET))


        def _parse_delivery_terms(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        delivery_terms = _parse_delivery_terms(d.pop("deliveryTerms", UNSET))


        def _parse_delivery_zone(data: object) -> InvoiceDeliveryZoneType1 | InvoiceDeliveryZoneType2Type1 | InvoiceDeliveryZoneType3Type1 | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                delivery_zone_type_1 = InvoiceDeliveryZoneType1(data)



                return delivery_zone_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, str):
                    raise TypeError()
                delivery_zone_type_2_type_1 = InvoiceDeliveryZoneType2Type1(data)



                return delivery_zone_type_2_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, str):
                    raise TypeError()
                delivery_zone_type_3_type_1 = InvoiceDeliveryZoneType3Type1(data)



                return delivery_zone_type_3_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(InvoiceDeliveryZoneType1 | InvoiceDeliveryZoneType2Type1 | InvoiceDeliveryZoneType3Type1 | None | Unset, data)

        delivery_zone = _parse_delivery_zone(d.pop("deliveryZone", UNSET))


        def _parse_customs_declaration(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        customs_declaration = _parse_customs_declaration(d.pop("customsDeclaration", UNSET))


        def _parse_arrival_date(data: object) -> datetime.date | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                arrival_date_type_0 = datetime.date.fromisoformat(data)



                return arrival_date_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.date | None | Unset, data)

        arrival_date = _parse_arrival_date(d.pop("arrivalDate", UNSET))


        invoice = cls(
            number=number,
            issue_date=issue_date,
            currency=currency,
            supplier=supplier,
            buyer=buyer,
            line_items=line_items,
            totals=totals,
            type_=type_,
            type_code=type_code,
            profile=profile,
            tax_currency=tax_currency,
            due_date=due_date,
            preceding_invoice=preceding_invoice,
            preceding_invoices=preceding_invoices,
            prepayments=prepayments,
            buyer_reference=buyer_reference,
            order_reference=order_reference,
            sales_order_reference=sales_order_reference,
            contract_reference=contract_reference,
            project_reference=project_reference,
            despatch_reference=despatch_reference,
            receiving_reference=receiving_reference,
            tender_reference=tender_reference,
            object_reference=object_reference,
            note=note,
            notes=notes,
            tax_point_date=tax_point_date,
            tax_point_code=tax_point_code,
            payee=payee,
            tax_representative=tax_representative,
            delivery_date=delivery_date,
            delivery_name=delivery_name,
            delivery_location=delivery_location,
            delivery_address=delivery_address,
            period=period,
            payment_terms=payment_terms,
            cash_discounts=cash_discounts,
            payment_means=payment_means,
            allowances=allowances,
            charges=charges,
            tax_exemption=tax_exemption,
            attachments=attachments,
            supporting_documents=supporting_documents,
            embed_pdf=embed_pdf,
            accounting_cost=accounting_cost,
            metadata=metadata,
            uuid=uuid,
            issue_time=issue_time,
            transaction_types=transaction_types,
            exchange_rate=exchange_rate,
            statement_reference=statement_reference,
            contract_value=contract_value,
            billing_frequency=billing_frequency,
            billing_frequency_text=billing_frequency_text,
            correction_reason=correction_reason,
            correction_text=correction_text,
            beneficiary_id=beneficiary_id,
            principal_id=principal_id,
            agent=agent,
            delivery_terms=delivery_terms,
            delivery_zone=delivery_zone,
            customs_declaration=customs_declaration,
            arrival_date=arrival_date,
        )


        invoice.additional_properties = d
        return invoice

    @property
    def additional_keys(self) -> list[str]:
        return list(self.additional_properties.keys())

    def __getitem__(self, key: str) -> Any:
        return self.additional_properties[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.additional_properties[key] = value

    def __delitem__(self, key: str) -> None:
        del self.additional_properties[key]

    def __contains__(self, key: str) -> bool:
        return key in self.additional_properties
