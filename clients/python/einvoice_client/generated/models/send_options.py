from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.send_options_totals_type_1 import SendOptionsTotalsType1
from ..models.send_options_totals_type_2_type_1 import SendOptionsTotalsType2Type1
from ..models.send_options_totals_type_3_type_1 import SendOptionsTotalsType3Type1
from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="SendOptions")



@_attrs_define
class SendOptions:


    dry_run: bool | None | Unset = UNSET
    """ Check everything, send and store nothing. """
    include_document: bool | None | Unset = UNSET
    """ Answer with the document that would be sent; with dryRun only. """
    embed_pdf: bool | None | Unset = UNSET
    """ Send a rendered PDF inside the document. """
    totals: None | SendOptionsTotalsType1 | SendOptionsTotalsType2Type1 | SendOptionsTotalsType3Type1 | Unset = UNSET
    """ How totals are compared: exact, or rounded (line amounts to cents, VAT per line or per rate); default: the
    setting of the account, else exact. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        dry_run: bool | None | Unset
        if isinstance(self.dry_run, Unset):
            dry_run = UNSET
        else:
            dry_run = self.dry_run

        include_document: bool | None | Unset
        if isinstance(self.include_document, Unset):
            include_document = UNSET
        else:
            include_document = self.include_document

        embed_pdf: bool | None | Unset
        if isinstance(self.embed_pdf, Unset):
            embed_pdf = UNSET
        else:
            embed_pdf = self.embed_pdf

        totals: None | str | Unset
        if isinstance(self.totals, Unset):
            totals = UNSET
        elif isinstance(self.totals, SendOptionsTotalsType1):
            totals = self.totals.value
        elif isinstance(self.totals, SendOptionsTotalsType2Type1):
            totals = self.totals.value
        elif isinstance(self.totals, SendOptionsTotalsType3Type1):
            totals = self.totals.value
        else:
            totals = self.totals


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
        })
        if dry_run is not UNSET:
            field_dict["dryRun"] = dry_run
        if include_document is not UNSET:
            field_dict["includeDocument"] = include_document
        if embed_pdf is not UNSET:
            field_dict["embedPdf"] = embed_pdf
        if totals is not UNSET:
            field_dict["totals"] = totals

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        def _parse_dry_run(data: object) -> bool | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | None | Unset, data)

        dry_run = _parse_dry_run(d.pop("dryRun", UNSET))


        def _parse_include_document(data: object) -> bool | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | None | Unset, data)

        include_document = _parse_include_document(d.pop("includeDocument", UNSET))


        def _parse_embed_pdf(data: object) -> bool | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | None | Unset, data)

        embed_pdf = _parse_embed_pdf(d.pop("embedPdf", UNSET))


        def _parse_totals(data: object) -> None | SendOptionsTotalsType1 | SendOptionsTotalsType2Type1 | SendOptionsTotalsType3Type1 | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                totals_type_1 = SendOptionsTotalsType1(data)



                return totals_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, str):
                    raise TypeError()
                totals_type_2_type_1 = SendOptionsTotalsType2Type1(data)



                return totals_type_2_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, str):
                    raise TypeError()
                totals_type_3_type_1 = SendOptionsTotalsType3Type1(data)



                return totals_type_3_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | SendOptionsTotalsType1 | SendOptionsTotalsType2Type1 | SendOptionsTotalsType3Type1 | Unset, data)

        totals = _parse_totals(d.pop("totals", UNSET))


        send_options = cls(
            dry_run=dry_run,
            include_document=include_document,
            embed_pdf=embed_pdf,
            totals=totals,
        )


        send_options.additional_properties = d
        return send_options

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
