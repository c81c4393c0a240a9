from enum import StrEnum

class SupplierPartyCompanyIdTypeType1(StrEnum):
    CD = "CD"
    CL = "CL"
    EID = "EID"
    PAS = "PAS"
    TL = "TL"

    def __str__(self) -> str:
        return str(self.value)
