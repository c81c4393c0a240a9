from enum import StrEnum

class PartyIdentifierTypeType1(StrEnum):
    CID = "CID"
    CR = "CR"
    ICID = "ICID"
    OTHID = "OTHID"
    PASNUM = "PASNUM"
    SZLN = "SZLN"
    TIN = "TIN"

    def __str__(self) -> str:
        return str(self.value)
