from enum import StrEnum

class NewConnectionLinkEnvironmentType2Type1(StrEnum):
    LIVE = "live"
    TEST = "test"

    def __str__(self) -> str:
        return str(self.value)
