from enum import StrEnum

class PlanChangesAboveLimitType2Type1(StrEnum):
    ALLOW = "allow"
    REFUSE = "refuse"
    WAIT = "wait"

    def __str__(self) -> str:
        return str(self.value)
