from tests.services.webhooks.fixtures import (
    app_with_tenants,
    endpoint,
    receiver,
    settings,
    webhook_app,
)

__all__ = ["app_with_tenants", "endpoint", "receiver", "settings", "webhook_app"]
