"""The children of the elements of UBL 2.1 that terms are added to, in the order of the schema.

Source: OASIS UBL 2.1, the sequences of the types.
"""

from __future__ import annotations

from collections.abc import Mapping

# The elements of one type, then their children.
_TYPES: tuple[tuple[str, str], ...] = (
    (
        "Invoice",
        """
        cbc:UBLVersionID cbc:CustomizationID cbc:ProfileID cbc:ProfileExecutionID cbc:ID
        cbc:CopyIndicator cbc:UUID cbc:IssueDate cbc:IssueTime cbc:DueDate cbc:InvoiceTypeCode
        cbc:Note cbc:TaxPointDate cbc:DocumentCurrencyCode cbc:TaxCurrencyCode
        cbc:PricingCurrencyCode cbc:PaymentCurrencyCode cbc:PaymentAlternativeCurrencyCode
        cbc:AccountingCostCode cbc:AccountingCost cbc:LineCountNumeric cbc:BuyerReference
        cac:InvoicePeriod cac:OrderReference cac:BillingReference cac:DespatchDocumentReference
        cac:ReceiptDocumentReference cac:StatementDocumentReference
        cac:OriginatorDocumentReference cac:ContractDocumentReference
        cac:AdditionalDocumentReference cac:ProjectReference cac:Signature
        cac:AccountingSupplierParty cac:AccountingCustomerParty cac:PayeeParty
        cac:BuyerCustomerParty cac:SellerSupplierParty cac:TaxRepresentativeParty cac:Delivery
        cac:DeliveryTerms cac:PaymentMeans cac:PaymentTerms cac:PrepaidPayment
        cac:AllowanceCharge cac:TaxExchangeRate cac:PricingExchangeRate cac:PaymentExchangeRate
        cac:PaymentAlternativeExchangeRate cac:TaxTotal cac:WithholdingTaxTotal
        cac:LegalMonetaryTotal cac:InvoiceLine
        """,
    ),
    (
        "CreditNote",
        """
        cbc:UBLVersionID cbc:CustomizationID cbc:ProfileID cbc:ProfileExecutionID cbc:ID
        cbc:CopyIndicator cbc:UUID cbc:IssueDate cbc:IssueTime cbc:TaxPointDate
        cbc:CreditNoteTypeCode cbc:Note cbc:DocumentCurrencyCode cbc:TaxCurrencyCode
        cbc:PricingCurrencyCode cbc:PaymentCurrencyCode cbc:PaymentAlternativeCurrencyCode
        cbc:AccountingCostCode cbc:AccountingCost cbc:LineCountNumeric cbc:BuyerReference
        cac:InvoicePeriod cac:DiscrepancyResponse cac:OrderReference cac:BillingReference
        cac:DespatchDocumentReference cac:ReceiptDocumentReference cac:ContractDocumentReference
        cac:AdditionalDocumentReference cac:StatementDocumentReference
        cac:OriginatorDocumentReference cac:Signature cac:AccountingSupplierParty
        cac:AccountingCustomerParty cac:PayeeParty cac:BuyerCustomerParty
        cac:SellerSupplierParty cac:TaxRepresentativeParty cac:Delivery cac:DeliveryTerms
        cac:PaymentMeans cac:PaymentTerms cac:TaxExchangeRate cac:PricingExchangeRate
        cac:PaymentExchangeRate cac:PaymentAlternativeExchangeRate cac:AllowanceCharge
        cac:TaxTotal cac:LegalMonetaryTotal cac:CreditNoteLine
        """,
    ),
    (
        "cac:InvoiceLine",
        """
        cbc:ID cbc:UUID cbc:Note cbc:InvoicedQuantity cbc:LineExtensionAmount cbc:TaxPointDate
        cbc:AccountingCostCode cbc:AccountingCost cbc:PaymentPurposeCode
        cbc:FreeOfChargeIndicator cac:InvoicePeriod cac:OrderLineReference
        cac:DespatchLineReference cac:ReceiptLineReference cac:BillingReference
        cac:DocumentReference cac:PricingReference cac:OriginatorParty cac:Delivery
        cac:PaymentTerms cac:AllowanceCharge cac:TaxTotal cac:WithholdingTaxTotal cac:Item
        cac:Price cac:DeliveryTerms cac:SubInvoiceLine cac:ItemPriceExtension
        """,
    ),
    (
        "cac:CreditNoteLine",
        """
        cbc:ID cbc:UUID cbc:Note cbc:CreditedQuantity cbc:LineExtensionAmount cbc:TaxPointDate
        cbc:AccountingCostCode cbc:AccountingCost cbc:PaymentPurposeCode
        cbc:FreeOfChargeIndicator cac:InvoicePeriod cac:OrderLineReference
        cac:DiscrepancyResponse cac:DespatchLineReference cac:ReceiptLineReference
        cac:BillingReference cac:DocumentReference cac:PricingReference cac:OriginatorParty
        cac:Delivery cac:PaymentTerms cac:TaxTotal cac:AllowanceCharge cac:Item cac:Price
        cac:DeliveryTerms cac:SubCreditNoteLine cac:ItemPriceExtension
        """,
    ),
    (
        "cac:AccountingSupplierParty cac:SellerSupplierParty",
        """
        cbc:CustomerAssignedAccountID cbc:AdditionalAccountID cbc:DataSendingCapability
        cac:Party cac:DespatchContact cac:AccountingContact cac:SellerContact
        """,
    ),
    (
        "cac:AccountingCustomerParty cac:BuyerCustomerParty",
        """
        cbc:CustomerAssignedAccountID cbc:SupplierAssignedAccountID cbc:AdditionalAccountID
        cac:Party cac:DeliveryContact cac:AccountingContact cac:BuyerContact
        """,
    ),
    (
        "cac:Party cac:AgentParty cac:TaxRepresentativeParty cac:DeliveryParty",
        """
        cbc:MarkCareIndicator cbc:MarkAttentionIndicator cbc:WebsiteURI cbc:LogoReferenceID
        cbc:EndpointID cbc:IndustryClassificationCode cac:PartyIdentification cac:PartyName
        cac:Language cac:PostalAddress cac:PhysicalLocation cac:PartyTaxScheme
        cac:PartyLegalEntity cac:Contact cac:Person cac:AgentParty cac:ServiceProviderParty
        cac:PowerOfAttorney cac:FinancialAccount
        """,
    ),
    (
        "cac:PostalAddress cac:Address",
        """
        cbc:ID cbc:AddressTypeCode cbc:AddressFormatCode cbc:Postbox cbc:Floor cbc:Room
        cbc:StreetName cbc:AdditionalStreetName cbc:BlockName cbc:BuildingName
        cbc:BuildingNumber cbc:InhouseMail cbc:Department cbc:MarkAttention cbc:MarkCare
        cbc:PlotIdentification cbc:CitySubdivisionName cbc:CityName cbc:PostalZone
        cbc:CountrySubentity cbc:CountrySubentityCode cbc:Region cbc:District cbc:TimezoneOffset
        cac:AddressLine cac:Country cac:LocationCoordinate
        """,
    ),
    (
        "cac:InvoicePeriod",
        """
        cbc:StartDate cbc:StartTime cbc:EndDate cbc:EndTime cbc:DurationMeasure
        cbc:DescriptionCode cbc:Description
        """,
    ),
    (
        "cac:DiscrepancyResponse",
        """
        cbc:ReferenceID cbc:ResponseCode cbc:Description cbc:EffectiveDate cbc:EffectiveTime
        cac:Status
        """,
    ),
    (
        """
        cac:InvoiceDocumentReference cac:ContractDocumentReference
        cac:StatementDocumentReference cac:ItemSpecificationDocumentReference
        cac:DocumentReference
        """,
        """
        cbc:ID cbc:CopyIndicator cbc:UUID cbc:IssueDate cbc:IssueTime cbc:DocumentTypeCode
        cbc:DocumentType cbc:XPath cbc:LanguageID cbc:LocaleCode cbc:VersionID
        cbc:DocumentStatusCode cbc:DocumentDescription cac:Attachment cac:ValidityPeriod
        cac:IssuerParty cac:ResultOfVerification
        """,
    ),
    (
        "cac:BillingReference",
        """
        cac:InvoiceDocumentReference cac:SelfBilledInvoiceDocumentReference
        cac:CreditNoteDocumentReference cac:SelfBilledCreditNoteDocumentReference
        cac:DebitNoteDocumentReference cac:ReminderDocumentReference
        cac:AdditionalDocumentReference cac:BillingReferenceLine
        """,
    ),
    (
        "cac:Delivery",
        """
        cbc:ID cbc:Quantity cbc:MinimumQuantity cbc:MaximumQuantity cbc:ActualDeliveryDate
        cbc:ActualDeliveryTime cbc:LatestDeliveryDate cbc:LatestDeliveryTime cbc:ReleaseID
        cbc:TrackingID cac:DeliveryAddress cac:DeliveryLocation cac:AlternativeDeliveryLocation
        cac:RequestedDeliveryPeriod cac:PromisedDeliveryPeriod cac:EstimatedDeliveryPeriod
        cac:CarrierParty cac:DeliveryParty cac:NotifyParty cac:Despatch cac:DeliveryTerms
        cac:MinimumDeliveryUnit cac:MaximumDeliveryUnit cac:Shipment
        """,
    ),
    (
        "cac:Shipment",
        """
        cbc:ID cbc:ShippingPriorityLevelCode cbc:HandlingCode cbc:HandlingInstructions
        cbc:Information cbc:GrossWeightMeasure cbc:NetWeightMeasure cbc:NetNetWeightMeasure
        cbc:GrossVolumeMeasure cbc:NetVolumeMeasure cbc:TotalGoodsItemQuantity
        cbc:TotalTransportHandlingUnitQuantity cbc:InsuranceValueAmount
        cbc:DeclaredCustomsValueAmount cbc:DeclaredForCarriageValueAmount
        cbc:DeclaredStatisticsValueAmount cbc:FreeOnBoardValueAmount cbc:SpecialInstructions
        cbc:DeliveryInstructions cbc:SplitConsignmentIndicator cbc:ConsignmentQuantity
        cac:Consignment cac:GoodsItem cac:ShipmentStage cac:Delivery cac:TransportHandlingUnit
        cac:ReturnAddress cac:OriginAddress cac:FirstArrivalPortLocation
        cac:LastExitPortLocation cac:ExportCountry cac:FreightAllowanceCharge
        """,
    ),
    (
        "cac:PaymentMeans",
        """
        cbc:ID cbc:PaymentMeansCode cbc:PaymentDueDate cbc:PaymentChannelCode cbc:InstructionID
        cbc:InstructionNote cbc:PaymentID cac:CardAccount cac:PayerFinancialAccount
        cac:PayeeFinancialAccount cac:CreditAccount cac:PaymentMandate cac:TradeFinancing
        """,
    ),
    (
        "cac:PaymentTerms",
        """
        cbc:ID cbc:PaymentMeansID cbc:PrepaidPaymentReferenceID cbc:Note cbc:ReferenceEventCode
        cbc:SettlementDiscountPercent cbc:PenaltySurchargePercent cbc:PaymentPercent cbc:Amount
        cbc:SettlementDiscountAmount cbc:PenaltyAmount cbc:PaymentTermsDetailsURI
        cbc:PaymentDueDate cbc:InstallmentDueDate cbc:InvoicingPartyReference
        cac:SettlementPeriod cac:PenaltyPeriod cac:ExchangeRate cac:ValidityPeriod
        """,
    ),
    (
        "cac:PrepaidPayment",
        "cbc:ID cbc:PaidAmount cbc:ReceivedDate cbc:PaidDate cbc:PaidTime cbc:InstructionID",
    ),
    (
        "cac:PayeeFinancialAccount",
        """
        cbc:ID cbc:Name cbc:AliasName cbc:AccountTypeCode cbc:AccountFormatCode cbc:CurrencyCode
        cbc:PaymentNote cac:FinancialInstitutionBranch cac:Country
        """,
    ),
    ("cac:FinancialInstitutionBranch", "cbc:ID cbc:Name cac:FinancialInstitution cac:Address"),
    (
        "cac:TaxExchangeRate",
        """
        cbc:SourceCurrencyCode cbc:SourceCurrencyBaseRate cbc:TargetCurrencyCode
        cbc:TargetCurrencyBaseRate cbc:ExchangeMarketID cbc:CalculationRate
        cbc:MathematicOperatorCode cbc:Date cac:ForeignExchangeContract
        """,
    ),
    (
        "cac:TaxTotal",
        """
        cbc:TaxAmount cbc:RoundingAmount cbc:TaxEvidenceIndicator cbc:TaxIncludedIndicator
        cac:TaxSubtotal
        """,
    ),
    (
        "cac:ClassifiedTaxCategory",
        """
        cbc:ID cbc:Name cbc:Percent cbc:BaseUnitMeasure cbc:PerUnitAmount
        cbc:TaxExemptionReasonCode cbc:TaxExemptionReason cbc:TierRange cbc:TierRatePercent
        cac:TaxScheme
        """,
    ),
    (
        "cac:OrderLineReference",
        "cbc:LineID cbc:SalesOrderLineID cbc:UUID cbc:LineStatusCode cac:OrderReference",
    ),
    ("cac:DespatchLineReference", "cbc:LineID cbc:UUID cbc:LineStatusCode cac:DocumentReference"),
    (
        "cac:Item",
        """
        cbc:Description cbc:PackQuantity cbc:PackSizeNumeric cbc:CatalogueIndicator cbc:Name
        cbc:HazardousRiskIndicator cbc:AdditionalInformation cbc:Keyword cbc:BrandName
        cbc:ModelName cac:BuyersItemIdentification cac:SellersItemIdentification
        cac:ManufacturersItemIdentification cac:StandardItemIdentification
        cac:CatalogueItemIdentification cac:AdditionalItemIdentification
        cac:CatalogueDocumentReference cac:ItemSpecificationDocumentReference cac:OriginCountry
        cac:CommodityClassification cac:TransactionConditions cac:HazardousItem
        cac:ClassifiedTaxCategory cac:AdditionalItemProperty cac:ManufacturerParty
        cac:InformationContentProviderParty cac:OriginAddress cac:ItemInstance cac:Certificate
        cac:Dimension
        """,
    ),
    (
        "cac:CommodityClassification",
        "cbc:NatureCode cbc:CargoTypeCode cbc:CommodityCode cbc:ItemClassificationCode",
    ),
    (
        "cac:ItemInstance",
        """
        cbc:ProductTraceID cbc:ManufactureDate cbc:ManufactureTime cbc:BestBeforeDate
        cbc:RegistrationID cbc:SerialID cac:AdditionalItemProperty cac:LotIdentification
        """,
    ),
    (
        "cac:AdditionalItemProperty",
        """
        cbc:ID cbc:Name cbc:NameCode cbc:TestMethod cbc:Value cbc:ValueQuantity
        cbc:ValueQualifier cbc:ImportanceCode cbc:ListValue cac:UsabilityPeriod
        cac:ItemPropertyGroup cac:RangeDimension cac:ItemPropertyRange
        """,
    ),
    ("cac:ItemPriceExtension", "cbc:Amount cac:TaxTotal"),
    ("cac:PartyIdentification", "cbc:ID"),
    ("cac:PartyName", "cbc:Name"),
    ("cac:AddressLine", "cbc:Line"),
    ("cac:Country", "cbc:IdentificationCode cbc:Name"),
    ("cac:DeliveryTerms", "cbc:ID"),
    (
        "cac:PartyLegalEntity",
        """
        cbc:RegistrationName cbc:CompanyID cbc:RegistrationDate cbc:RegistrationExpirationDate
        cbc:CompanyLegalFormCode cbc:CompanyLegalForm cbc:SoleProprietorshipIndicator
        cbc:CompanyLiquidationStatusCode cbc:CorporateStockAmount cbc:FullyPaidSharesIndicator
        cac:RegistrationAddress cac:CorporateRegistrationScheme cac:HeadOfficeParty
        cac:ShareholderParty
        """,
    ),
    ("cac:Consignment", "cbc:ID cac:DeliveryTerms"),
    (
        "cac:FreightAllowanceCharge",
        """
        cbc:ID cbc:ChargeIndicator cbc:AllowanceChargeReasonCode cbc:AllowanceChargeReason
        cbc:MultiplierFactorNumeric cbc:PrepaidIndicator cbc:SequenceNumeric cbc:Amount
        cbc:BaseAmount
        """,
    ),
    ("cac:LotIdentification", "cbc:LotNumberID cbc:ExpiryDate"),
    ("cac:AdditionalItemIdentification", "cbc:ID"),
    ("cac:OrderReference", "cbc:ID cbc:SalesOrderID"),
    ("cac:TaxScheme", "cbc:ID"),
    (
        "cac:PartyTaxScheme",
        """
        cbc:RegistrationName cbc:CompanyID cbc:TaxLevelCode cbc:ExemptionReasonCode
        cbc:ExemptionReason cac:RegistrationAddress cac:TaxScheme
        """,
    ),
    ("cac:DeliveryLocation", "cbc:ID cac:Address"),
)
SEQUENCES: Mapping[str, tuple[str, ...]] = {
    name: tuple(children.split()) for names, children in _TYPES for name in names.split()
}
