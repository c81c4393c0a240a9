from enum import StrEnum

class ActionRequestCode(StrEnum):
    CNA = "CNA"
    CNF = "CNF"
    CNP = "CNP"
    NIN = "NIN"
    NOA = "NOA"
    OTH = "OTH"
    PIN = "PIN"

    def __str__(self) -> str:
        return str(self.value)
