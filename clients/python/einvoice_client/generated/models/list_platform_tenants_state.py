from enum import StrEnum

class ListPlatformTenantsState(StrEnum):
    ACTIVE = "active"
    CLOSED = "closed"
    SUSPENDED = "suspended"

    def __str__(self) -> str:
        return str(self.value)
