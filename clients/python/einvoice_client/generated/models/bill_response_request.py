from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.bill_response_request_response_code import BillResponseRequestResponseCode
from ..types import UNSET, Unset
from typing import cast
import datetime

if TYPE_CHECKING:
  from ..models.action_request import ActionRequest
  from ..models.reason_request import ReasonRequest





T = TypeVar("T", bound="BillResponseRequest")



@_attrs_define
class BillResponseRequest:
    """ A response to a bill, in the terms of the Peppol Invoice Response.

     """

    response_code: BillResponseRequestResponseCode
    """ The response: AB (message acknowledged), IP (in process), UQ (under query), CA (conditionally accepted), RE
    (rejected), AP (accepted), PD (paid). """
    reasons: list[ReasonRequest] | None | Unset = UNSET
    """ Why. UQ, CA and RE need a reason or an action. """
    actions: list[ActionRequest] | None | Unset = UNSET
    """ What you expect of the seller. """
    note: None | str | Unset = UNSET
    """ About the whole response. """
    effective_date: datetime.date | None | Unset = UNSET
    """ Since when it is so. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.action_request import ActionRequest # noqa: PLC0415
        from ..models.reason_request import ReasonRequest # noqa: PLC0415
        response_code = self.response_code.value

        reasons: list[dict[str, Any]] | None | Unset
        if isinstance(self.reasons, Unset):
            reasons = UNSET
        elif isinstance(self.reasons, list):
            reasons = []
            for reasons_type_0_item_data in self.reasons:
                reasons_type_0_item = reasons_type_0_item_data.to_dict()
                reasons.append(reasons_type_0_item)


        else:
            reasons = self.reasons

        actions: list[dict[str, Any]] | None | Unset
        if isinstance(self.actions, Unset):
            actions = UNSET
        elif isinstance(self.actions, list):
            actions = []
            for actions_type_0_item_data in self.actions:
                actions_type_0_item = actions_type_0_item_data.to_dict()
                actions.append(actions_type_0_item)


        else:
            actions = self.actions

        note: None | str | Unset
        if isinstance(self.note, Unset):
            note = UNSET
        else:
            note = self.note

        effective_date: None | str | Unset
        if isinstance(self.effective_date, Unset):
            effective_date = UNSET
        elif isinstance(self.effective_date, datetime.date):
            effective_date = self.effective_date.isoformat()
        else:
            effective_date = self.effective_date


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "responseCode": response_code,
        })
        if reasons is not UNSET:
            field_dict["reasons"] = reasons
        if actions is not UNSET:
            field_dict["actions"] = actions
        if note is not UNSET:
            field_dict["note"] = note
        if effective_date is not UNSET:
            field_dict["effectiveDate"] = effective_date

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.action_request import ActionRequest # noqa: PLC0415
        from ..models.reason_request import ReasonRequest # noqa: PLC0415
        d = dict(src_dict)
        response_code = BillResponseRequestResponseCode(d.pop("responseCode"))




        def _parse_reasons(data: object) -> list[ReasonRequest] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                reasons_type_0 = []
                _reasons_type_0 = data
                for reasons_type_0_item_data in (_reasons_type_0):
                    reasons_type_0_item = ReasonRequest.from_dict(reasons_type_0_item_data)



                    reasons_type_0.append(reasons_type_0_item)

                return reasons_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[ReasonRequest] | None | Unset, data)

        reasons = _parse_reasons(d.pop("reasons", UNSET))


        def _parse_actions(data: object) -> list[ActionRequest] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                actions_type_0 = []
                _actions_type_0 = data
                for actions_type_0_item_data in (_actions_type_0):
                    actions_type_0_item = ActionRequest.from_dict(actions_type_0_item_data)



                    actions_type_0.append(actions_type_0_item)

                return actions_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[ActionRequest] | None | Unset, data)

        actions = _parse_actions(d.pop("actions", UNSET))


        def _parse_note(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        note = _parse_note(d.pop("note", UNSET))


        def _parse_effective_date(data: object) -> datetime.date | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                effective_date_type_0 = datetime.date.fromisoformat(data)



                return effective_date_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.date | None | Unset, data)

        effective_date = _parse_effective_date(d.pop("effectiveDate", UNSET))


        bill_response_request = cls(
            response_code=response_code,
            reasons=reasons,
            actions=actions,
            note=note,
            effective_date=effective_date,
        )


        bill_response_request.additional_properties = d
        return bill_response_request

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
