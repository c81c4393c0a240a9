from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.line_item_item_type_type_1 import LineItemItemTypeType1
from ..models.line_item_item_type_type_2_type_1 import LineItemItemTypeType2Type1
from ..models.line_item_item_type_type_3_type_1 import LineItemItemTypeType3Type1
from ..models.line_item_tax_category_type_1 import LineItemTaxCategoryType1
from ..models.line_item_tax_category_type_2_type_1 import LineItemTaxCategoryType2Type1
from ..models.line_item_tax_category_type_3_type_1 import LineItemTaxCategoryType3Type1
from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.attribute import Attribute
  from ..models.classification import Classification
  from ..models.line_adjustment import LineAdjustment
  from ..models.object_reference import ObjectReference
  from ..models.period import Period
  from ..models.standard_item import StandardItem
  from ..models.tax_exemption import TaxExemption





T = TypeVar("T", bound="LineItem")



@_attrs_define
class LineItem:


    description: str
    """ The item. Without a name, its first 100 characters become the item's name. """
    quantity: float
    """ Number of units; may be negative. """
    unit_price: float
    """ Price of one unit (or of priceBaseQuantity units) without VAT. """
    tax_rate: float
    """ VAT rate in percent: 21.0 is 21 %. """
    name: None | str | Unset = UNSET
    """ Item name. """
    unit_code: None | str | Unset = UNSET
    """ UN/ECE Recommendation 20 or 21; default C62 (one). """
    tax_category: LineItemTaxCategoryType1 | LineItemTaxCategoryType2Type1 | LineItemTaxCategoryType3Type1 | None | Unset = UNSET
    """ VAT category (UNTDID 5305); absent: S above 0 %, Z at 0 %. """
    tax_exemption: None | TaxExemption | Unset = UNSET
    """ Reason for the VAT exemption (categories E, AE, K, G, O). """
    seller_item_id: None | str | Unset = UNSET
    """ The supplier's item number. """
    buyer_item_id: None | str | Unset = UNSET
    """ The buyer's item number. """
    standard_item_id: None | StandardItem | Unset = UNSET
    """ Item number of a registered scheme, such as a GTIN. """
    classifications: list[Classification] | None | Unset = UNSET
    """ Item classifications. """
    note: None | str | Unset = UNSET
    """ Note on the line. """
    period: None | Period | Unset = UNSET
    """ Period of the line. """
    order_line_reference: None | str | Unset = UNSET
    """ Line of the order. """
    allowances: list[LineAdjustment] | None | Unset = UNSET
    """ Allowances of the line. """
    charges: list[LineAdjustment] | None | Unset = UNSET
    """ Charges of the line. """
    price_base_quantity: float | None | Unset = UNSET
    """ Number of units to which unitPrice applies; default 1. """
    price_base_unit_code: None | str | Unset = UNSET
    """ Unit of priceBaseQuantity; default unitCode. """
    gross_price: float | None | Unset = UNSET
    """ Price before priceDiscount, of as many units as unitPrice. """
    price_discount: float | None | Unset = UNSET
    """ What unitPrice is less than grossPrice; default: the difference. """
    line_id: None | str | Unset = UNSET
    """ Identifier of the line; default its number, from 1 on. All or none of the lines have one. """
    object_reference: None | ObjectReference | Unset = UNSET
    """ The object that the line is about, such as a meter or a subscription. """
    attributes: list[Attribute] | None | Unset = UNSET
    """ Attributes of the item. """
    origin_country: None | str | Unset = UNSET
    """ Country of origin, ISO 3166-1 alpha-2. """
    accounting_cost: None | str | Unset = UNSET
    """ The buyer's cost centre or account for the line. """
    item_type: LineItemItemTypeType1 | LineItemItemTypeType2Type1 | LineItemItemTypeType3Type1 | None | Unset = UNSET
    """ Of PINT: goods (G), service (S) or, in the Emirates, both (B). """
    service_code: None | str | Unset = UNSET
    """ Of PINT: the code of the service, in the Emirates of the list SAC, in Oman of its list of services (00000000
    for goods). """
    supply_nature: None | str | Unset = UNSET
    """ Of PINT: in the Emirates the nature of a supply under reverse charge, such as DL8.48.8.1; in Oman the nature
    of the goods. """
    economic_activity: None | str | Unset = UNSET
    """ Of PINT OM: the economic activity (ISIC), six digits. """
    lot_number: None | str | Unset = UNSET
    """ Of PINT AE: the number of the lot. """
    order_reference: None | str | Unset = UNSET
    """ Of PINT: the number of the order of orderLineReference. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.attribute import Attribute # noqa: PLC0415
        from ..models.classification import Classification # noqa: PLC0415
        from ..models.line_adjustment import LineAdjustment # noqa: PLC0415
        from ..models.object_reference import ObjectReference # noqa: PLC0415
        from ..models.period import Period # noqa: PLC0415
        from ..models.standard_item import StandardItem # noqa: PLC0415
        from ..models.tax_exemption import TaxExemption # noqa: PLC0415
        description = self.description

        quantity = self.quantity

        unit_price = self.unit_price

        tax_rate = self.tax_rate

        name: None | str | Unset
        if isinstance(self.name, Unset):
            name = UNSET
        else:
            name = self.name

        unit_code: None | str | Unset
        if isinstance(self.unit_code, Unset):
            unit_code = UNSET
        else:
            unit_code = self.unit_code

        tax_category: None | str | Unset
        if isinstance(self.tax_category, Unset):
            tax_category = UNSET
        elif isinstance(self.tax_category, LineItemTaxCategoryType1):
            tax_category = self.tax_category.value
        elif isinstance(self.tax_category, LineItemTaxCategoryType2Type1):
            tax_category = self.tax_category.value
        elif isinstance(self.tax_category, LineItemTaxCategoryType3Type1):
            tax_category = self.tax_category.value
        else:
            tax_category = self.tax_category

        tax_exemption: dict[str, Any] | None | Unset
        if isinstance(self.tax_exemption, Unset):
            tax_exemption = UNSET
        elif isinstance(self.tax_exemption, TaxExemption):
            tax_exemption = self.tax_exemption.to_dict()
        else:
            tax_exemption = self.tax_exemption

        seller_item_id: None | str | Unset
        if isinstance(self.seller_item_id, Unset):
            seller_item_id = UNSET
        else:
            seller_item_id = self.seller_item_id

        buyer_item_id: None | str | Unset
        if isinstance(self.buyer_item_id, Unset):
            buyer_item_id = UNSET
        else:
            buyer_item_id = self.buyer_item_id

        standard_item_id: dict[str, Any] | None | Unset
        if isinstance(self.standard_item_id, Unset):
            standard_item_id = UNSET
        elif isinstance(self.standard_item_id, StandardItem):
            standard_item_id = self.standard_item_id.to_dict()
        else:
            standard_item_id = self.standard_item_id

        classifications: list[dict[str, Any]] | None | Unset
        if isinstance(self.classifications, Unset):
            classifications = UNSET
        elif isinstance(self.classifications, list):
            classifications = []
            for classifications_type_0_item_data in self.classifications:
                classifications_type_0_item = classifications_type_0_item_data.to_dict()
                classifications.append(classifications_type_0_item)


        else:
            classifications = self.classifications

        note: None | str | Unset
        if isinstance(self.note, Unset):
            note = UNSET
        else:
            note = self.note

        period: dict[str, Any] | None | Unset
        if isinstance(self.period, Unset):
            period = UNSET
        elif isinstance(self.period, Period):
            period = self.period.to_dict()
        else:
            period = self.period

        order_line_reference: None | str | Unset
        if isinstance(self.order_line_reference, Unset):
            order_line_reference = UNSET
        else:
            order_line_reference = self.order_line_reference

        allowances: list[dict[str, Any]] | None | Unset
        if isinstance(self.allowances, Unset):
            allowances = UNSET
        elif isinstance(self.allowances, list):
            allowances = []
            for allowances_type_0_item_data in self.allowances:
                allowances_type_0_item = allowances_type_0_item_data.to_dict()
                allowances.append(allowances_type_0_item)


        else:
            allowances = self.allowances

        charges: list[dict[str, Any]] | None | Unset
        if isinstance(self.charges, Unset):
            charges = UNSET
        elif isinstance(self.charges, list):
            charges = []
            for charges_type_0_item_data in self.charges:
                charges_type_0_item = charges_type_0_item_data.to_dict()
                charges.append(charges_type_0_item)


        else:
            charges = self.charges

        price_base_quantity: float | None | Unset
        if isinstance(self.price_base_quantity, Unset):
            price_base_quantity = UNSET
        else:
            price_base_quantity = self.price_base_quantity

        price_base_unit_code: None | str | Unset
        if isinstance(self.price_base_unit_code, Unset):
            price_base_unit_code = UNSET
        else:
            price_base_unit_code = self.price_base_unit_code

        gross_price: float | None | Unset
        if isinstance(self.gross_price, Unset):
            gross_price = UNSET
        else:
            gross_price = self.gross_price

        price_discount: float | None | Unset
        if isinstance(self.price_discount, Unset):
            price_discount = UNSET
        else:
            price_discount = self.price_discount

        line_id: None | str | Unset
        if isinstance(self.line_id, Unset):
            line_id = UNSET
        else:
            line_id = self.line_id

        object_reference: dict[str, Any] | None | Unset
        if isinstance(self.object_reference, Unset):
            object_reference = UNSET
        elif isinstance(self.object_reference, ObjectReference):
            object_reference = self.object_reference.to_dict()
        else:
            object_reference = self.object_reference

        attributes: list[dict[str, Any]] | None | Unset
        if isinstance(self.attributes, Unset):
            attributes = UNSET
        elif isinstance(self.attributes, list):
            attributes = []
            for attributes_type_0_item_data in self.attributes:
                attributes_type_0_item = attributes_type_0_item_data.to_dict()
                attributes.append(attributes_type_0_item)


        else:
            attributes = self.attributes

        origin_country: None | str | Unset
        if isinstance(self.origin_country, Unset):
            origin_country = UNSET
        else:
            origin_country = self.origin_country

        accounting_cost: None | str | Unset
        if isinstance(self.accounting_cost, Unset):
            accounting_cost = UNSET
        else:
            accounting_cost = self.accounting_cost

        item_type: None | str | Unset
        if isinstance(self.item_type, Unset):
            item_type = UNSET
        elif isinstance(self.item_type, LineItemItemTypeType1):
            item_type = self.item_type.value
        elif isinstance(self.item_type, LineItemItemTypeType2Type1):
            item_type = self.item_type.value
        elif isinstance(self.item_type, LineItemItemTypeType3Type1):
            item_type = self.item_type.value
        else:
            item_type = self.item_type

        service_code: None | str | Unset
        if isinstance(self.service_code, Unset):
            service_code = UNSET
        else:
            service_code = self.service_code

        supply_nature: None | str | Unset
        if isinstance(self.supply_nature, Unset):
            supply_nature = UNSET
        else:
            supply_nature = self.supply_nature

        economic_activity: None | str | Unset
        if isinstance(self.economic_activity, Unset):
            economic_activity = UNSET
        else:
            economic_activity = self.economic_activity

        lot_number: None | str | Unset
        if isinstance(self.lot_number, Unset):
            lot_number = UNSET
        else:
            lot_number = self.lot_number

        order_reference: None | str | Unset
        if isinstance(self.order_reference, Unset):
            order_reference = UNSET
        else:
            order_reference = self.order_reference


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "description": description,
            "quantity": quantity,
            "unitPrice": unit_price,
            "taxRate": tax_rate,
        })
        if name is not UNSET:
            field_dict["name"] = name
        if unit_code is not UNSET:
            field_dict["unitCode"] = unit_code
        if tax_category is not UNSET:
            field_dict["taxCategory"] = tax_category
        if tax_exemption is not UNSET:
            field_dict["taxExemption"] = tax_exemption
        if seller_item_id is not UNSET:
            field_dict["sellerItemId"] = seller_item_id
        if buyer_item_id is not UNSET:
            field_dict["buyerItemId"] = buyer_item_id
        if standard_item_id is not UNSET:
            field_dict["standardItemId"] = standard_item_id
        if classifications is not UNSET:
            field_dict["classifications"] = classifications
        if note is not UNSET:
            field_dict["note"] = note
        if period is not UNSET:
            field_dict["period"] = period
        if order_line_reference is not UNSET:
            field_dict["orderLineReference"] = order_line_reference
        if allowances is not UNSET:
            field_dict["allowances"] = allowances
        if charges is not UNSET:
            field_dict["charges"] = charges
        if price_base_quantity is not UNSET:
            field_dict["priceBaseQuantity"] = price_base_quantity
        if price_base_unit_code is not UNSET:
            field_dict["priceBaseUnitCode"] = price_base_unit_code
        if gross_price is not UNSET:
            field_dict["grossPrice"] = gross_price
        if price_discount is not UNSET:
            field_dict["priceDiscount"] = price_discount
        if line_id is not UNSET:
            field_dict["lineId"] = line_id
        if object_reference is not UNSET:
            field_dict["objectReference"] = object_reference
        if attributes is not UNSET:
            field_dict["attributes"] = attributes
        if origin_country is not UNSET:
            field_dict["originCountry"] = origin_country
        if accounting_cost is not UNSET:
            field_dict["accountingCost"] = accounting_cost
        if item_type is not UNSET:
            field_dict["itemType"] = item_type
        if service_code is not UNSET:
            field_dict["serviceCode"] = service_code
        if supply_nature is not UNSET:
            field_dict["supplyNature"] = supply_nature
        if economic_activity is not UNSET:
            field_dict["economicActivity"] = economic_activity
        if lot_number is not UNSET:
            field_dict["lotNumber"] = lot_number
        if order_reference is not UNSET:
            field_dict["orderReference"] = order_reference

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.attribute import Attribute # noqa: PLC0415
        from ..models.classification import Classification # noqa: PLC0415
        from ..models.line_adjustment import LineAdjustment # noqa: PLC0415
        from ..models.object_reference import ObjectReference # noqa: PLC0415
        from ..models.period import Period # noqa: PLC0415
        from ..models.standard_item import StandardItem # noqa: PLC0415
        from ..models.tax_exemption import TaxExemption # noqa: PLC0415
        d = dict(src_dict)
        description = d.pop("description")

        quantity = d.pop("quantity")

        unit_price = d.pop("unitPrice")

        tax_rate = d.pop("taxRate")

        def _parse_name(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        name = _parse_name(d.pop("name", UNSET))


        def _parse_unit_code(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        unit_code = _parse_unit_code(d.pop("unitCode", UNSET))


        def _parse_tax_category(data: object) -> LineItemTaxCategoryType1 | LineItemTaxCategoryType2Type1 | LineItemTaxCategoryType3Type1 | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                tax_category_type_1 = LineItemTaxCategoryType1(data)



                return tax_category_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, str):
                    raise TypeError()
                tax_category_type_2_type_1 = LineItemTaxCategoryType2Type1(data)



                return tax_category_type_2_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, str):
                    raise TypeError()
                tax_category_type_3_type_1 = LineItemTaxCategoryType3Type1(data)



                return tax_category_type_3_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(LineItemTaxCategoryType1 | LineItemTaxCategoryType2Type1 | LineItemTaxCategoryType3Type1 | None | Unset, data)

        tax_category = _parse_tax_category(d.pop("taxCategory", UNSET))


        def _parse_tax_exemption(data: object) -> None | TaxExemption | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                tax_exemption_type_0 = TaxExemption.from_dict(data)



                return tax_exemption_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | TaxExemption | Unset, data)

        tax_exemption = _parse_tax_exemption(d.pop("taxExemption", UNSET))


        def _parse_seller_item_id(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        seller_item_id = _parse_seller_item_id(d.pop("sellerItemId", UNSET))


        def _parse_buyer_item_id(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        buyer_item_id = _parse_buyer_item_id(d.pop("buyerItemId", UNSET))


        def _parse_standard_item_id(data: object) -> None | StandardItem | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                standard_item_id_type_0 = StandardItem.from_dict(data)



                return standard_item_id_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | StandardItem | Unset, data)

        standard_item_id = _parse_standard_item_id(d.pop("standardItemId", UNSET))


        def _parse_classifications(data: object) -> list[Classification] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                classifications_type_0 = []
                _classifications_type_0 = data
                for classifications_type_0_item_data in (_classifications_type_0):
                    classifications_type_0_item = Classification.from_dict(classifications_type_0_item_data)



                    classifications_type_0.append(classifications_type_0_item)

                return classifications_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[Classification] | None | Unset, data)

        classifications = _parse_classifications(d.pop("classifications", UNSET))


        def _parse_note(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        note = _parse_note(d.pop("note", UNSET))


        def _parse_period(data: object) -> None | Period | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                period_type_0 = Period.from_dict(data)



                return period_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Period | Unset, data)

        period = _parse_period(d.pop("period", UNSET))


        def _parse_order_line_reference(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        order_line_reference = _parse_order_line_reference(d.pop("orderLineReference", UNSET))


        def _parse_allowances(data: object) -> list[LineAdjustment] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                allowances_type_0 = []
                _allowances_type_0 = data
                for allowances_type_0_item_data in (_allowances_type_0):
                    allowances_type_0_item = LineAdjustment.from_dict(allowances_type_0_item_data)



                    allowances_type_0.append(allowances_type_0_item)

                return allowances_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[LineAdjustment] | None | Unset, data)

        allowances = _parse_allowances(d.pop("allowances", UNSET))


        def _parse_charges(data: object) -> list[LineAdjustment] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                charges_type_0 = []
                _charges_type_0 = data
                for charges_type_0_item_data in (_charges_type_0):
                    charges_type_0_item = LineAdjustment.from_dict(charges_type_0_item_data)



                    charges_type_0.append(charges_type_0_item)

                return charges_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[LineAdjustment] | None | Unset, data)

        charges = _parse_charges(d.pop("charges", UNSET))


        def _parse_price_base_quantity(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        price_base_quantity = _parse_price_base_quantity(d.pop("priceBaseQuantity", UNSET))


        def _parse_price_base_unit_code(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        price_base_unit_code = _parse_price_base_unit_code(d.pop("priceBaseUnitCode", UNSET))


        def _parse_gross_price(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        gross_price = _parse_gross_price(d.pop("grossPrice", UNSET))


        def _parse_price_discount(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        price_discount = _parse_price_discount(d.pop("priceDiscount", UNSET))


        def _parse_line_id(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        line_id = _parse_line_id(d.pop("lineId", UNSET))


        def _parse_object_reference(data: object) -> None | ObjectReference | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                object_reference_type_0 = ObjectReference.from_dict(data)



                return object_reference_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | ObjectReference | Unset, data)

        object_reference = _parse_object_reference(d.pop("objectReference", UNSET))


        def _parse_attributes(data: object) -> list[Attribute] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                attributes_type_0 = []
                _attributes_type_0 = data
                for attributes_type_0_item_data in (_attributes_type_0):
                    attributes_type_0_item = Attribute.from_dict(attributes_type_0_item_data)



                    attributes_type_0.append(attributes_type_0_item)

                return attributes_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[Attribute] | None | Unset, data)

        attributes = _parse_attributes(d.pop("attributes", UNSET))


        def _parse_origin_country(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        origin_country = _parse_origin_country(d.pop("originCountry", UNSET))


        def _parse_accounting_cost(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        accounting_cost = _parse_accounting_cost(d.pop("accountingCost", UNSET))


        def _parse_item_type(data: object) -> LineItemItemTypeType1 | LineItemItemTypeType2Type1 | LineItemItemTypeType3Type1 | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                item_type_type_1 = LineItemItemTypeType1(data)



                return item_type_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, str):
                    raise TypeError()
                item_type_type_2_type_1 = LineItemItemTypeType2Type1(data)



                return item_type_type_2_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, str):
                    raise TypeError()
                item_type_type_3_type_1 = LineItemItemTypeType3Type1(data)



                return item_type_type_3_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(LineItemItemTypeType1 | LineItemItemTypeType2Type1 | LineItemItemTypeType3Type1 | None | Unset, data)

        item_type = _parse_item_type(d.pop("itemType", UNSET))


        def _parse_service_code(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        service_code = _parse_service_code(d.pop("serviceCode", UNSET))


        def _parse_supply_nature(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        supply_nature = _parse_supply_nature(d.pop("supplyNature", UNSET))


        def _parse_economic_activity(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        economic_activity = _parse_economic_activity(d.pop("economicActivity", UNSET))


        def _parse_lot_number(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        lot_number = _parse_lot_number(d.pop("lotNumber", UNSET))


        def _parse_order_reference(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        order_reference = _parse_order_reference(d.pop("orderReference", UNSET))


        line_item = cls(
            description=description,
            quantity=quantity,
            unit_price=unit_price,
            tax_rate=tax_rate,
            name=name,
            unit_code=unit_code,
            tax_category=tax_category,
            tax_exemption=tax_exemption,
            seller_item_id=seller_item_id,
            buyer_item_id=buyer_item_id,
            standard_item_id=standard_item_id,
            classifications=classifications,
            note=note,
            period=period,
            order_line_reference=order_line_reference,
            allowances=allowances,
            charges=charges,
            price_base_quantity=price_base_quantity,
            price_base_unit_code=price_base_unit_code,
            gross_price=gross_price,
            price_discount=price_discount,
            line_id=line_id,
            object_reference=object_reference,
            attributes=attributes,
            origin_country=origin_country,
            accounting_cost=accounting_cost,
            item_type=item_type,
            service_code=service_code,
            supply_nature=supply_nature,
            economic_activity=economic_activity,
            lot_number=lot_number,
            order_reference=order_reference,
        )


        line_item.additional_properties = d
        return line_item

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
