from enum import StrEnum

class PlanChangesAboveLimitType1(StrEnum):
    ALLOW = "allow"
    REFUSE = "refuse"
    WAIT = "wait"

    def __str__(self) -> str:
        return str(self.value)
