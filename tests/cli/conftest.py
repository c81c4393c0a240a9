from tests.services.webhooks.ground import ground, receiver, settings, webhook_app

__all__ = ["ground", "receiver", "settings", "webhook_app"]
