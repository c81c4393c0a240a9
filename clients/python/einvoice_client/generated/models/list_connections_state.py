from enum import StrEnum

class ListConnectionsState(StrEnum):
    ACTIVE = "active"
    BROKEN = "broken"
    NEEDS_PERSON = "needs-person"
    RENEWAL_DUE = "renewal-due"
    REVOKED = "revoked"
    SETTING_UP = "setting-up"

    def __str__(self) -> str:
        return str(self.value)
