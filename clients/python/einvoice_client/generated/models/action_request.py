from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.action_request_code import ActionRequestCode
from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.condition_request import ConditionRequest





T = TypeVar("T", bound="ActionRequest")



@_attrs_define
class ActionRequest:
    """ An action that you expect of the seller.

     """

    code: ActionRequestCode
    """ The action: NOA (no action required), PIN (provide information), NIN (issue new invoice), CNF (credit
    fully), CNP (credit partially), CNA (credit the amount), OTH (other). """
    text: None | str | Unset = UNSET
    """ In words. """
    conditions: list[ConditionRequest] | None | Unset = UNSET
    """ Values you expect in the invoice. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.condition_request import ConditionRequest # noqa: PLC0415
        code = self.code.value

        text: None | str | Unset
        if isinstance(self.text, Unset):
            text = UNSET
        else:
            text = self.text

        conditions: list[dict[str, Any]] | None | Unset
        if isinstance(self.conditions, Unset):
            conditions = UNSET
        elif isinstance(self.conditions, list):
            conditions = []
            for conditions_type_0_item_data in self.conditions:
                conditions_type_0_item = conditions_type_0_item_data.to_dict()
                conditions.append(conditions_type_0_item)


        else:
            conditions = self.conditions


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "code": code,
        })
        if text is not UNSET:
            field_dict["text"] = text
        if conditions is not UNSET:
            field_dict["conditions"] = conditions

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.condition_request import ConditionRequest # noqa: PLC0415
        d = dict(src_dict)
        code = ActionRequestCode(d.pop("code"))




        def _parse_text(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        text = _parse_text(d.pop("text", UNSET))


        def _parse_conditions(data: object) -> list[ConditionRequest] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                conditions_type_0 = []
                _conditions_type_0 = data
                for conditions_type_0_item_data in (_conditions_type_0):
                    conditions_type_0_item = ConditionRequest.from_dict(conditions_type_0_item_data)



                    conditions_type_0.append(conditions_type_0_item)

                return conditions_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[ConditionRequest] | None | Unset, data)

        conditions = _parse_conditions(d.pop("conditions", UNSET))


        action_request = cls(
            code=code,
            text=text,
            conditions=conditions,
        )


        action_request.additional_properties = d
        return action_request

    @property
    def additional_keys(self) -> list[str]:
        return list(self.additional_properties.keys())

    def __getitem__(self, key: str) -> Any:
        return self.additional_properties[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.additional_properties[key] = value

    def __delitem__(self, key: str) -> None:
        del self.additional_properties[key]

    def __contains__(self, key: str) -> bool:
        return key in self.additional_properties
