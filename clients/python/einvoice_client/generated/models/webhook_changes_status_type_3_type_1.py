from enum import StrEnum

class WebhookChangesStatusType3Type1(StrEnum):
    ACTIVE = "active"
    DISABLED = "disabled"

    def __str__(self) -> str:
        return str(self.value)
