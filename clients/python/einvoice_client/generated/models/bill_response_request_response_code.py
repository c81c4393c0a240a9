from enum import StrEnum

class BillResponseRequestResponseCode(StrEnum):
    AB = "AB"
    AP = "AP"
    CA = "CA"
    IP = "IP"
    PD = "PD"
    RE = "RE"
    UQ = "UQ"

    def __str__(self) -> str:
        return str(self.value)
