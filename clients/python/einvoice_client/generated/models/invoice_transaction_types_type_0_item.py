from enum import StrEnum

class InvoiceTransactionTypesType0Item(StrEnum):
    CONTINUOUSSUPPLY = "continuousSupply"
    DEEMEDSUPPLY = "deemedSupply"
    DISCLOSEDAGENT = "disclosedAgent"
    ECOMMERCE = "eCommerce"
    EXPORT = "export"
    FREETRADEZONE = "freeTradeZone"
    FULLINVOICE = "fullInvoice"
    IMPORTOFGOODS = "importOfGoods"
    IMPORTREVERSECHARGE = "importReverseCharge"
    MARGINSCHEME = "marginScheme"
    MARGINSELFINVOICE = "marginSelfInvoice"
    NOMINAL = "nominal"
    PREPAYMENT = "prepayment"
    SELFBILLED = "selfBilled"
    SIMPLIFIEDINVOICE = "simplifiedInvoice"
    SPECIALZONE = "specialZone"
    SUMMARY = "summary"
    THIRDPARTY = "thirdParty"

    def __str__(self) -> str:
        return str(self.value)
