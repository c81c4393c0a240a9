from enum import StrEnum

class NewDraftEnvironmentType1(StrEnum):
    LIVE = "live"
    TEST = "test"

    def __str__(self) -> str:
        return str(self.value)
