from enum import StrEnum

class NewApiKeyScopesType0Item(StrEnum):
    ARTEFACTSREAD = "artefacts:read"
    CONNECTIONSLINK = "connections:link"
    INVOICESREAD = "invoices:read"
    INVOICESSEND = "invoices:send"
    PARTICIPANTSREAD = "participants:read"
    WEBHOOKSMANAGE = "webhooks:manage"

    def __str__(self) -> str:
        return str(self.value)
