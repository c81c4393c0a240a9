from enum import StrEnum

class InvoiceDeliveryZoneType3Type1(StrEnum):
    AFZ = "AFZ"
    MO = "MO"
    OTH = "OTH"
    SEZAD = "SEZAD"
    SHRFZ = "SHRFZ"
    SLLFZ = "SLLFZ"

    def __str__(self) -> str:
        return str(self.value)
