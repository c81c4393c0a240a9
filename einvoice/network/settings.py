"""Settings that a plugin declares (hook `einvoice_settings`): checked at start, listed by
`einvoice plugins` and `einvoice doctor`.

A setting is an environment variable. <variable>_FILE names a file that holds the value, as for the
settings of the service. A blank value counts as not given.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from einvoice.config import KINDS, PARSE, SettingsFault, given

_NAME = re.compile(r"EINVOICE(_[A-Z0-9]+){2,}", re.ASCII)
_TYPES = (str, int, float, bool)
REDACTED = "[secret]"


class InvalidSetting(Exception):
    """A setting that is declared or given wrongly. The message names it, and shows no secret."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting of a plugin.

    name      the environment variable: EINVOICE_<PLUGIN>_…
    doc       one line of documentation
    type      str, int, float or bool
    default   the value if none is given; None: there is none
    secret    whether the value is never shown
    required  whether the service does not start without a value
    """

    name: str
    doc: str
    type: type[str | int | float | bool] = str
    default: str | int | float | bool | None = field(default=None, repr=False)
    secret: bool = False
    required: bool = False


@dataclass(frozen=True, slots=True)
class SettingValue:
    """A declared setting with its value."""

    plugin: str
    setting: Setting
    value: Any = field(repr=False)

    @property
    def shown(self) -> str:
        """The value for people; of a secret only whether it is set."""
        if self.value is None:
            return "not set"
        return "set" if self.setting.secret else str(self.value)


@dataclass(frozen=True, slots=True)
class PluginSettings:
    """The settings of one plugin: all variables; the declared ones are validated."""

    values: Mapping[str, Any] = field(repr=False)
    declared: tuple[SettingValue, ...] = ()

    def redacted(self, text: str) -> str:
        """The text without the values of secrets."""
        for each in self.declared:
            if each.setting.secret and each.value not in (None, ""):
                text = text.replace(str(each.value), REDACTED)
        return text


def validated(
    plugin: str,
    declared: Iterable[Setting],
    variables: Mapping[str, str],
    taken: Mapping[str, str],
) -> PluginSettings:
    """The settings of a plugin. `taken` has the owner of each name that is in use already.

    Raises InvalidSetting.
    """
    values: list[SettingValue] = []
    names: dict[str, str] = dict(taken)
    for setting in declared:
        _check(setting, names)
        names[setting.name] = f"plugin {plugin!r}"
        values.append(SettingValue(plugin, setting, _value(setting, variables)))
    own = {each.setting.name: each.value for each in values}
    return PluginSettings({**variables, **own}, tuple(values))


def _check(setting: Setting, taken: Mapping[str, str]) -> None:
    if not isinstance(setting, Setting):
        raise InvalidSetting(f"{setting!r} is not a Setting")
    for wrong in _faults(setting):
        raise InvalidSetting(f"setting {setting.name!r}: {wrong}")
    for name in (setting.name, f"{setting.name}_FILE", setting.name.removesuffix("_FILE")):
        if name in taken:
            raise InvalidSetting(f"setting {setting.name!r}: {taken[name]} has {name} already")


def _faults(setting: Setting) -> Iterator[str]:
    if not isinstance(setting.name, str) or not _NAME.fullmatch(setting.name):
        yield "a name is EINVOICE_<PLUGIN>_… in upper case"
    if not isinstance(setting.doc, str) or not setting.doc.strip() or "\n" in setting.doc:
        yield "it needs one line of documentation"
    if setting.type not in _TYPES:
        yield "its type is not str, int, float or bool"
    elif setting.default is not None and type(setting.default) is not setting.type:
        yield f"its default is not of its type, {setting.type.__name__}"
    if setting.required and setting.default is not None:
        yield "a required setting has no default"


def _value(setting: Setting, variables: Mapping[str, str]) -> Any:
    text = _text(setting, variables)
    if not text:
        if setting.required:
            raise InvalidSetting(f"setting {setting.name!r} is required: {setting.doc}")
        return setting.default
    if setting.type is str:
        return text
    try:
        value = PARSE[setting.type](text)
        if not math.isfinite(value):
            raise ValueError("not finite")
    except (ValueError, OverflowError):
        shown = "its value" if setting.secret else repr(text[:40])
        message = f"setting {setting.name!r}: {shown} is not {KINDS[setting.type]}"
        raise InvalidSetting(message) from None
    return value


def _text(setting: Setting, variables: Mapping[str, str]) -> str:
    try:
        return (given(variables, setting.name) or "").strip()
    except SettingsFault as fault:
        raise InvalidSetting(f"setting {setting.name!r}: {fault}") from fault
