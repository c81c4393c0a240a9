from tests.services.webhook_ground import ground, receiver, settings, webhook_app

__all__ = ["ground", "receiver", "settings", "webhook_app"]
