"""Contracts: objects of the API as marshmallow schemas that are strict.

Every field has a description, and every fault a stable code. null is the same as absent; unknown
fields are refused; values of another JSON type are not converted. Limits are arguments of the
fields, never marshmallow validators or hooks, so that `web/compiled_schema` can compile them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from difflib import get_close_matches
from typing import Any, ClassVar, cast

from marshmallow import RAISE, Schema, ValidationError, fields
from marshmallow.constants import missing

from einvoice.domain.errors import Phrase
from einvoice.web.refusal_messages import message_of, refusal

# What XML 1.0 cannot carry, and halves of surrogate pairs.
FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
# Faulty items of one list, and unknown names of one object, that are examined: one more than a
# problem lists, which so says that there are more.
MAX_EXAMINED = 101
# Unknown names of one object that are compared with its fields, and characters of such a name.
_COMPARED, _LONGEST = 10, 40


class NotAccepted(Exception):
    """A value is wrong; reading it with its contract raises the ValidationError that says how."""


_MESSAGES: dict[str, str] = {
    "unknown": message_of("unknown"),
    "type": message_of("object"),
}


class Contract(Schema):
    """An object of the API; fields that it does not define are refused."""

    class Meta:
        unknown = RAISE

    # In a query: `<dotted>.<name>` are parameters, which are read into an object of that name.
    dotted: ClassVar[str] = ""
    error_messages = _MESSAGES

    def read(self, value: Any) -> Any:
        """`load`, but only the first MAX_EXAMINED of many unknown names are examined."""
        if isinstance(value, dict) and len(value) > len(self.fields) + MAX_EXAMINED:
            unknown = [name for name in value if name not in self.fields]
            beyond = frozenset(unknown[MAX_EXAMINED:])
            value = {name: item for name, item in value.items() if name not in beyond}
        return self.load(value)

    def handle_error(self, error: ValidationError, data: Any, **_: Any) -> None:
        """Suggest a field for unknown names that resemble one."""
        if not isinstance(data, dict) or not isinstance(error.messages, dict):
            return
        unknown = [name for name in error.messages if name in data and name not in self.fields]
        for name in unknown[:_COMPARED]:
            if hint := self._resembling(name):
                error.messages[name] = [message_of("unknown", hint)]

    def _resembling(self, name: str) -> Phrase | None:
        """The end of a refusal that names the field most like an unknown name."""
        by_lower = {field.lower(): field for field in self.fields}
        alike = get_close_matches(name[:_LONGEST].lower(), by_lower, n=1)
        return Phrase("meant", {"codes": by_lower[alike[0]]}) if alike else None


class Described(fields.Field[Any]):
    """A field with a description. Subclasses implement `read`: what they accept and refuse."""

    def __init__(
        self,
        description: str,
        *,
        required: bool = False,
        example: object = None,
        openapi: Mapping[str, object] | None = None,
        **options: Any,
    ) -> None:
        metadata = {"description": description, **(openapi or {})}
        if not required and "enum" in metadata:
            metadata["enum"] = [*cast("list[object]", metadata["enum"]), None]
        if example is not None:
            metadata["example"] = example
        super().__init__(required=required, allow_none=not required, metadata=metadata, **options)

    def deserialize(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        if value is not None and value is not missing:
            return self.read(value)
        if self.required:
            raise refusal("required")
        return missing

    def read(self, value: Any) -> Any:
        """The value of JSON input that is not null. Raises ValidationError with codes."""
        raise NotImplementedError


class Part(Described, fields.Nested):
    """An object inside an object."""

    def __init__(self, contract: type[Contract], description: str, **options: Any) -> None:
        super().__init__(description, nested=contract, **options)

    def read(self, value: Any) -> Any:
        return cast("Contract", self.schema).read(value)


class Items(Described, fields.List[Any]):
    """A list. Its length is checked before its items; MAX_EXAMINED faulty ones are examined.

    `quick`, set by `web/compiled_schema`, reads a correct item and raises NotAccepted for others;
    only those are read again with the schema, for their errors.
    """

    quick: Callable[[Any], Any] | None = None

    def __init__(
        self,
        inner: fields.Field[Any],
        description: str,
        *,
        max_items: int,
        min_items: int = 0,
        **options: Any,
    ) -> None:
        self.max_items, self.min_items = max_items, min_items
        openapi = {"maxItems": max_items, "minItems": min_items}
        inner.allow_none = False
        super().__init__(description, cls_or_instance=inner, openapi=openapi, **options)

    def read(self, value: Any) -> list[Any]:
        if not isinstance(value, list):
            raise refusal("list")
        if not self.min_items <= len(value) <= self.max_items:
            name = "manyItems" if value else "fewItems"
            raise refusal(name, count=len(value), least=self.min_items, most=self.max_items)
        return self._items(value)

    def _items(self, value: list[Any]) -> list[Any]:
        result: list[Any] = []
        errors: dict[int, Any] = {}
        for index, item in enumerate(value):
            try:
                result.append(self._item(item))
            except ValidationError as error:
                errors[index] = error.messages
                if len(errors) >= MAX_EXAMINED:
                    break
        if errors:
            raise ValidationError(errors)
        return result

    def _item(self, item: Any) -> Any:
        if item is None:
            raise refusal("null")
        if self.quick is not None:
            with suppress(NotAccepted):
                return self.quick(item)
        return self.inner.deserialize(item)


class Labels(Described, fields.Dict):
    """The caller's own names and texts, stored and returned, never interpreted.

    max_bytes   of the whole object as compact JSON in UTF-8
    keeps_null  a name without a text stays; otherwise it is left out
    """

    def __init__(
        self,
        description: str,
        *,
        max_names: int,
        max_name_length: int,
        max_length: int,
        max_bytes: int,
        keeps_null: bool = False,
        **options: Any,
    ) -> None:
        self.keeps_null = keeps_null
        self.max_names, self.max_name_length, self.max_length = (
            max_names,
            max_name_length,
            max_length,
        )
        self.max_bytes = max_bytes
        openapi = {
            "maxProperties": max_names,
            "additionalProperties": {
                "type": ["string", "null"] if keeps_null else "string",
                "maxLength": max_length,
            },
        }
        super().__init__(description, openapi=openapi, **options)

    def read(self, value: Any) -> dict[str, str | None]:
        if not isinstance(value, Mapping):
            raise refusal("object")
        if len(value) > self.max_names:
            raise refusal("manyNames", count=len(value), most=self.max_names)
        errors = {name: found for name, text in value.items() if (found := self.wrong(name, text))}
        if errors:
            raise ValidationError(errors)
        labels = self.kept(value)
        if self.too_large(labels):
            raise refusal("large", count=_size(labels), most=self.max_bytes)
        return labels

    def kept(self, labels: Mapping[str, str | None]) -> dict[str, str | None]:
        return {name: text for name, text in labels.items() if self.keeps_null or text is not None}

    def too_large(self, labels: Mapping[str, str | None]) -> bool:
        return _size(labels) > self.max_bytes

    def wrong(self, name: str, text: object) -> list[str]:
        if not name or len(name) > self.max_name_length or FORBIDDEN.search(name):
            return [message_of("name", most=self.max_name_length)]
        if text is None:
            return []
        if not isinstance(text, str):
            return [message_of("string")]
        if FORBIDDEN.search(text):
            return [message_of("notText")]
        if len(text) > self.max_length:
            return [message_of("longLabel", most=self.max_length)]
        return []


def _size(labels: Mapping[str, str | None]) -> int:
    return len(json.dumps(labels, ensure_ascii=False, separators=(",", ":")).encode())
