"""The network of a toll authority that does not exist: what a network may ask of a plugin, at once.

Its plugin is this package. Nothing of it is part of the service.
"""

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

from einvoice.domain.profiles import Profile
from einvoice.network import checks
from einvoice.network.checks import Check, CheckResult
from einvoice.network.duties import Duty
from einvoice.network.hookspec import hookimpl
from einvoice.network.plugin_store import PluginStore
from einvoice.network.settings import Setting
from einvoice.rules import RuleSet
from tests.networks.toll import form
from tests.networks.toll.access_point import Toll

EINVOICE_INTERFACE = 2


@hookimpl
def einvoice_settings() -> Iterator[Setting]:
    """How the authority knows the service."""
    yield Setting("EINVOICE_TOLL_ACCOUNT", "Account at the authority", default="demo")
    yield Setting("EINVOICE_TOLL_PASSWORD", "Password of the account", secret=True)
    yield Setting("EINVOICE_TOLL_QUOTA", "Requests an hour", type=int, default=100)


@hookimpl
def einvoice_checks(settings: Mapping[str, Any]) -> Iterator[Check]:
    """Whether the account has a password, and how large the quota is."""
    yield Check("password", lambda: password_is_set(settings["EINVOICE_TOLL_PASSWORD"]))
    yield Check("quota", lambda: quota_suffices(settings["EINVOICE_TOLL_QUOTA"]))


def password_is_set(password: str | None) -> CheckResult:
    if password is None:
        return checks.error("The account has no password: set EINVOICE_TOLL_PASSWORD.")
    return checks.good(f"The account has the password {password}.")


def quota_suffices(quota: int) -> CheckResult:
    if quota < 10:
        return checks.warning(f"{quota} requests an hour are few.")
    return checks.good(f"{quota} requests an hour.")


@hookimpl
def einvoice_duties(settings: Mapping[str, Any], store: PluginStore) -> Iterator[Duty]:
    """A report to the authority every day."""
    yield Duty(
        "report", timedelta(days=1), lambda: report(settings["EINVOICE_TOLL_ACCOUNT"], store)
    )


def report(account: str, store: PluginStore) -> None:
    """Give the report of an account the next number, and keep it."""
    while True:
        last = store.get("last-report")
        number = int(last or 0) + 1
        if store.change("last-report", last, str(number)):
            break
    store.append("reports", f"{account}-{number}")


@hookimpl
def einvoice_access_points() -> Iterator[Toll]:
    """The access point to the authority."""
    yield Toll()


@hookimpl
def einvoice_rule_sets() -> Iterator[RuleSet]:
    """The rules for toll bills."""
    yield form.RULES


@hookimpl
def einvoice_profiles() -> Iterator[Profile]:
    """The form of toll bills."""
    yield form.PROFILE
