""" Contains all the data models used in inputs/outputs """

from .account import Account
from .action_request import ActionRequest
from .action_request_code import ActionRequestCode
from .address import Address
from .adjustment import Adjustment
from .adjustment_tax_category_type_1 import AdjustmentTaxCategoryType1
from .adjustment_tax_category_type_2_type_1 import AdjustmentTaxCategoryType2Type1
from .adjustment_tax_category_type_3_type_1 import AdjustmentTaxCategoryType3Type1
from .advance_result import AdvanceResult
from .agent import Agent
from .api_key import ApiKey
from .api_key_changes import ApiKeyChanges
from .api_key_changes_scopes_type_0_item import ApiKeyChangesScopesType0Item
from .api_key_list import ApiKeyList
from .api_key_response import ApiKeyResponse
from .api_key_with_secret import ApiKeyWithSecret
from .artefact_list import ArtefactList
from .artefact_record import ArtefactRecord
from .attachment import Attachment
from .attachment_mime_type import AttachmentMimeType
from .attribute import Attribute
from .audit_entry import AuditEntry
from .audit_entry_detail import AuditEntryDetail
from .audit_log import AuditLog
from .batch_counts import BatchCounts
from .batch_entry import BatchEntry
from .batch_entry_format_type_1 import BatchEntryFormatType1
from .batch_entry_format_type_2_type_1 import BatchEntryFormatType2Type1
from .batch_entry_format_type_3_type_1 import BatchEntryFormatType3Type1
from .batch_entry_metadata_type_0 import BatchEntryMetadataType0
from .batch_request import BatchRequest
from .batch_response import BatchResponse
from .batch_result import BatchResult
from .batch_state import BatchState
from .batch_status import BatchStatus
from .bill_account_request import BillAccountRequest
from .bill_arrival import BillArrival
from .bill_response_accepted import BillResponseAccepted
from .bill_response_request import BillResponseRequest
from .bill_response_request_response_code import BillResponseRequestResponseCode
from .card import Card
from .cash_discount import CashDiscount
from .classification import Classification
from .clock_result import ClockResult
from .clock_step import ClockStep
from .close_account_request import CloseAccountRequest
from .close_account_response import CloseAccountResponse
from .condition_request import ConditionRequest
from .connection_changes import ConnectionChanges
from .connection_changes_credentials_type_0 import ConnectionChangesCredentialsType0
from .connection_form import ConnectionForm
from .connection_form_field import ConnectionFormField
from .connection_form_list import ConnectionFormList
from .connection_link_list import ConnectionLinkList
from .connection_link_record import ConnectionLinkRecord
from .connection_link_response import ConnectionLinkResponse
from .connection_link_with_url import ConnectionLinkWithUrl
from .connection_list import ConnectionList
from .connection_record import ConnectionRecord
from .connection_response import ConnectionResponse
from .consent_response import ConsentResponse
from .contact import Contact
from .content_response import ContentResponse
from .content_response_invoice import ContentResponseInvoice
from .content_response_options import ContentResponseOptions
from .content_response_routing import ContentResponseRouting
from .conversion_warning_record import ConversionWarningRecord
from .convert_document_to import ConvertDocumentTo
from .convert_response import ConvertResponse
from .country import Country
from .country_list import CountryList
from .delivery_times import DeliveryTimes
from .document_list import DocumentList
from .document_party import DocumentParty
from .document_response import DocumentResponse
from .document_response_metadata import DocumentResponseMetadata
from .document_summary import DocumentSummary
from .document_summary_metadata import DocumentSummaryMetadata
from .download_documents_attention import DownloadDocumentsAttention
from .download_documents_direction import DownloadDocumentsDirection
from .download_documents_environment import DownloadDocumentsEnvironment
from .download_documents_failure_done import DownloadDocumentsFailureDone
from .download_documents_metadata import DownloadDocumentsMetadata
from .download_documents_network_status import DownloadDocumentsNetworkStatus
from .download_documents_paid import DownloadDocumentsPaid
from .download_documents_processed import DownloadDocumentsProcessed
from .download_documents_response import DownloadDocumentsResponse
from .download_documents_sort import DownloadDocumentsSort
from .draft import Draft
from .draft_changes import DraftChanges
from .draft_changes_invoice_type_0 import DraftChangesInvoiceType0
from .draft_changes_routing_type_0 import DraftChangesRoutingType0
from .draft_list import DraftList
from .draft_response import DraftResponse
from .empty_body import EmptyBody
from .event import Event
from .event_addresses import EventAddresses
from .event_list import EventList
from .event_metadata import EventMetadata
from .event_response import EventResponse
from .event_response_metadata import EventResponseMetadata
from .file_of_identification import FileOfIdentification
from .finding import Finding
from .found_participant import FoundParticipant
from .get_document_pdf_format import GetDocumentPdfFormat
from .get_invoice_pdf_format import GetInvoicePdfFormat
from .get_usage_environment import GetUsageEnvironment
from .held_address_list import HeldAddressList
from .held_address_record import HeldAddressRecord
from .history_entry import HistoryEntry
from .identification_file import IdentificationFile
from .identifier import Identifier
from .inbound_result import InboundResult
from .invoice import Invoice
from .invoice_answered import InvoiceAnswered
from .invoice_billing_frequency_type_1 import InvoiceBillingFrequencyType1
from .invoice_billing_frequency_type_2_type_1 import InvoiceBillingFrequencyType2Type1
from .invoice_billing_frequency_type_3_type_1 import InvoiceBillingFrequencyType3Type1
from .invoice_delivery_zone_type_1 import InvoiceDeliveryZoneType1
from .invoice_delivery_zone_type_2_type_1 import InvoiceDeliveryZoneType2Type1
from .invoice_delivery_zone_type_3_type_1 import InvoiceDeliveryZoneType3Type1
from .invoice_list import InvoiceList
from .invoice_metadata_type_0 import InvoiceMetadataType0
from .invoice_response import InvoiceResponse
from .invoice_response_metadata import InvoiceResponseMetadata
from .invoice_summary import InvoiceSummary
from .invoice_summary_metadata import InvoiceSummaryMetadata
from .invoice_tax_point_code_type_1 import InvoiceTaxPointCodeType1
from .invoice_tax_point_code_type_2_type_1 import InvoiceTaxPointCodeType2Type1
from .invoice_tax_point_code_type_3_type_1 import InvoiceTaxPointCodeType3Type1
from .invoice_totals import InvoiceTotals
from .invoice_transaction_types_type_0_item import InvoiceTransactionTypesType0Item
from .invoice_type_type_1 import InvoiceTypeType1
from .invoice_type_type_2_type_1 import InvoiceTypeType2Type1
from .invoice_type_type_3_type_1 import InvoiceTypeType3Type1
from .left_out_document import LeftOutDocument
from .line_adjustment import LineAdjustment
from .line_item import LineItem
from .line_item_item_type_type_1 import LineItemItemTypeType1
from .line_item_item_type_type_2_type_1 import LineItemItemTypeType2Type1
from .line_item_item_type_type_3_type_1 import LineItemItemTypeType3Type1
from .line_item_tax_category_type_1 import LineItemTaxCategoryType1
from .line_item_tax_category_type_2_type_1 import LineItemTaxCategoryType2Type1
from .line_item_tax_category_type_3_type_1 import LineItemTaxCategoryType3Type1
from .list_connection_links_environment import ListConnectionLinksEnvironment
from .list_connections_environment import ListConnectionsEnvironment
from .list_connections_state import ListConnectionsState
from .list_documents_attention import ListDocumentsAttention
from .list_documents_direction import ListDocumentsDirection
from .list_documents_environment import ListDocumentsEnvironment
from .list_documents_failure_done import ListDocumentsFailureDone
from .list_documents_include import ListDocumentsInclude
from .list_documents_metadata import ListDocumentsMetadata
from .list_documents_network_status import ListDocumentsNetworkStatus
from .list_documents_paid import ListDocumentsPaid
from .list_documents_processed import ListDocumentsProcessed
from .list_documents_response import ListDocumentsResponse
from .list_documents_sort import ListDocumentsSort
from .list_drafts_environment import ListDraftsEnvironment
from .list_events_environment import ListEventsEnvironment
from .list_held_addresses_environment import ListHeldAddressesEnvironment
from .list_invoices_attention import ListInvoicesAttention
from .list_invoices_direction import ListInvoicesDirection
from .list_invoices_environment import ListInvoicesEnvironment
from .list_invoices_failure_done import ListInvoicesFailureDone
from .list_invoices_include import ListInvoicesInclude
from .list_invoices_metadata import ListInvoicesMetadata
from .list_invoices_network_status import ListInvoicesNetworkStatus
from .list_invoices_paid import ListInvoicesPaid
from .list_invoices_processed import ListInvoicesProcessed
from .list_invoices_response import ListInvoicesResponse
from .list_invoices_sort import ListInvoicesSort
from .list_keys_environment import ListKeysEnvironment
from .list_mail_addresses_environment import ListMailAddressesEnvironment
from .list_oauth_clients_environment import ListOauthClientsEnvironment
from .list_participants_environment import ListParticipantsEnvironment
from .list_platform_events_environment import ListPlatformEventsEnvironment
from .list_platform_tenants_state import ListPlatformTenantsState
from .list_platform_webhook_deliveries_status import ListPlatformWebhookDeliveriesStatus
from .list_platform_webhooks_environment import ListPlatformWebhooksEnvironment
from .list_webhook_deliveries_status import ListWebhookDeliveriesStatus
from .list_webhooks_environment import ListWebhooksEnvironment
from .logo_info import LogoInfo
from .logo_response import LogoResponse
from .lookup_response import LookupResponse
from .mail_address_changes import MailAddressChanges
from .mail_address_list import MailAddressList
from .mail_address_record import MailAddressRecord
from .mail_address_response import MailAddressResponse
from .mail_files import MailFiles
from .mail_files_attachments import MailFilesAttachments
from .mail_files_record import MailFilesRecord
from .mail_settings import MailSettings
from .mail_settings_attachments_type_1 import MailSettingsAttachmentsType1
from .mail_settings_attachments_type_2_type_1 import MailSettingsAttachmentsType2Type1
from .mail_settings_attachments_type_3_type_1 import MailSettingsAttachmentsType3Type1
from .mail_settings_record import MailSettingsRecord
from .mail_words import MailWords
from .mail_words_language import MailWordsLanguage
from .mail_words_record import MailWordsRecord
from .mandate import Mandate
from .mark_processed_request import MarkProcessedRequest
from .migration_key import MigrationKey
from .network_choice import NetworkChoice
from .network_choice_record import NetworkChoiceRecord
from .network_finding import NetworkFinding
from .network_registration import NetworkRegistration
from .new_api_key import NewApiKey
from .new_api_key_environment import NewApiKeyEnvironment
from .new_api_key_scopes_type_0_item import NewApiKeyScopesType0Item
from .new_claim import NewClaim
from .new_connection import NewConnection
from .new_connection_credentials_type_0 import NewConnectionCredentialsType0
from .new_connection_environment import NewConnectionEnvironment
from .new_connection_link import NewConnectionLink
from .new_connection_link_environment_type_1 import NewConnectionLinkEnvironmentType1
from .new_connection_link_environment_type_2_type_1 import NewConnectionLinkEnvironmentType2Type1
from .new_connection_link_environment_type_3_type_1 import NewConnectionLinkEnvironmentType3Type1
from .new_draft import NewDraft
from .new_draft_environment_type_1 import NewDraftEnvironmentType1
from .new_draft_environment_type_2_type_1 import NewDraftEnvironmentType2Type1
from .new_draft_environment_type_3_type_1 import NewDraftEnvironmentType3Type1
from .new_draft_invoice_type_0 import NewDraftInvoiceType0
from .new_draft_routing_type_0 import NewDraftRoutingType0
from .new_identification import NewIdentification
from .new_mail_address import NewMailAddress
from .new_mail_address_environment import NewMailAddressEnvironment
from .new_migration_key import NewMigrationKey
from .new_o_auth_client import NewOAuthClient
from .new_o_auth_client_environment import NewOAuthClientEnvironment
from .new_o_auth_client_scopes_type_0_item import NewOAuthClientScopesType0Item
from .new_participant import NewParticipant
from .new_participant_environment import NewParticipantEnvironment
from .new_platform_tenant import NewPlatformTenant
from .new_webhook import NewWebhook
from .new_webhook_environment_type_1 import NewWebhookEnvironmentType1
from .new_webhook_environment_type_2_type_1 import NewWebhookEnvironmentType2Type1
from .new_webhook_environment_type_3_type_1 import NewWebhookEnvironmentType3Type1
from .not_carried_over import NotCarriedOver
from .note import Note
from .o_auth_client import OAuthClient
from .o_auth_client_changes import OAuthClientChanges
from .o_auth_client_changes_scopes_type_0_item import OAuthClientChangesScopesType0Item
from .o_auth_client_list import OAuthClientList
from .o_auth_client_response import OAuthClientResponse
from .o_auth_client_with_secret import OAuthClientWithSecret
from .object_reference import ObjectReference
from .own_credential import OwnCredential
from .owned_participant import OwnedParticipant
from .participant import Participant
from .participant_list import ParticipantList
from .participant_registrations import ParticipantRegistrations
from .participant_response import ParticipantResponse
from .participant_search_response import ParticipantSearchResponse
from .party import Party
from .party_company_id_type_type_1 import PartyCompanyIdTypeType1
from .party_company_id_type_type_2_type_1 import PartyCompanyIdTypeType2Type1
from .party_company_id_type_type_3_type_1 import PartyCompanyIdTypeType3Type1
from .party_identifier_type_type_1 import PartyIdentifierTypeType1
from .party_identifier_type_type_2_type_1 import PartyIdentifierTypeType2Type1
from .party_identifier_type_type_3_type_1 import PartyIdentifierTypeType3Type1
from .party_record import PartyRecord
from .party_special_zone_type_1 import PartySpecialZoneType1
from .party_special_zone_type_2_type_1 import PartySpecialZoneType2Type1
from .party_special_zone_type_3_type_1 import PartySpecialZoneType3Type1
from .payee import Payee
from .payment_entry import PaymentEntry
from .payment_list import PaymentList
from .payment_made import PaymentMade
from .payment_means import PaymentMeans
from .payment_of_invoice_request import PaymentOfInvoiceRequest
from .payment_request import PaymentRequest
from .payment_response import PaymentResponse
from .payments_request import PaymentsRequest
from .payments_response import PaymentsResponse
from .period import Period
from .period_report import PeriodReport
from .period_report_list import PeriodReportList
from .period_report_response import PeriodReportResponse
from .plan_changes import PlanChanges
from .plan_changes_above_limit_type_1 import PlanChangesAboveLimitType1
from .plan_changes_above_limit_type_2_type_1 import PlanChangesAboveLimitType2Type1
from .plan_changes_above_limit_type_3_type_1 import PlanChangesAboveLimitType3Type1
from .platform_tenant import PlatformTenant
from .platform_tenant_changes import PlatformTenantChanges
from .platform_tenant_list import PlatformTenantList
from .platform_tenant_response import PlatformTenantResponse
from .platform_tenant_usage import PlatformTenantUsage
from .platform_usage_count import PlatformUsageCount
from .platform_usage_list import PlatformUsageList
from .preceding_invoice import PrecedingInvoice
from .prepayment import Prepayment
from .prepayment_tax_category_type_1 import PrepaymentTaxCategoryType1
from .prepayment_tax_category_type_2_type_1 import PrepaymentTaxCategoryType2Type1
from .prepayment_tax_category_type_3_type_1 import PrepaymentTaxCategoryType3Type1
from .problem import Problem
from .profile import Profile
from .profile_changes import ProfileChanges
from .profile_changes_totals_type_1 import ProfileChangesTotalsType1
from .profile_changes_totals_type_2_type_1 import ProfileChangesTotalsType2Type1
from .profile_changes_totals_type_3_type_1 import ProfileChangesTotalsType3Type1
from .rate_limits import RateLimits
from .reason_request import ReasonRequest
from .reason_request_code import ReasonRequestCode
from .recovery_request import RecoveryRequest
from .recovery_result import RecoveryResult
from .report_entry import ReportEntry
from .resend_request import ResendRequest
from .response_record import ResponseRecord
from .rotation_request import RotationRequest
from .routing_ids import RoutingIds
from .searched_source_record import SearchedSourceRecord
from .send_batch_counts import SendBatchCounts
from .send_batch_entry import SendBatchEntry
from .send_batch_request import SendBatchRequest
from .send_batch_response import SendBatchResponse
from .send_batch_result import SendBatchResult
from .send_batch_state import SendBatchState
from .send_batch_status import SendBatchStatus
from .send_options import SendOptions
from .send_options_totals_type_1 import SendOptionsTotalsType1
from .send_options_totals_type_2_type_1 import SendOptionsTotalsType2Type1
from .send_options_totals_type_3_type_1 import SendOptionsTotalsType3Type1
from .send_request import SendRequest
from .send_response import SendResponse
from .sent_documents import SentDocuments
from .standard_item import StandardItem
from .submit_request import SubmitRequest
from .submit_request_format_type_1 import SubmitRequestFormatType1
from .submit_request_format_type_2_type_1 import SubmitRequestFormatType2Type1
from .submit_request_format_type_3_type_1 import SubmitRequestFormatType3Type1
from .submit_request_metadata_type_0 import SubmitRequestMetadataType0
from .submit_response import SubmitResponse
from .supplier_party import SupplierParty
from .supplier_party_company_id_type_type_1 import SupplierPartyCompanyIdTypeType1
from .supplier_party_company_id_type_type_2_type_1 import SupplierPartyCompanyIdTypeType2Type1
from .supplier_party_company_id_type_type_3_type_1 import SupplierPartyCompanyIdTypeType3Type1
from .supplier_party_identifier_type_type_1 import SupplierPartyIdentifierTypeType1
from .supplier_party_identifier_type_type_2_type_1 import SupplierPartyIdentifierTypeType2Type1
from .supplier_party_identifier_type_type_3_type_1 import SupplierPartyIdentifierTypeType3Type1
from .supplier_party_special_zone_type_1 import SupplierPartySpecialZoneType1
from .supplier_party_special_zone_type_2_type_1 import SupplierPartySpecialZoneType2Type1
from .supplier_party_special_zone_type_3_type_1 import SupplierPartySpecialZoneType3Type1
from .supporting_document import SupportingDocument
from .suspension_request import SuspensionRequest
from .tax_exemption import TaxExemption
from .tax_representative import TaxRepresentative
from .tenant_identification import TenantIdentification
from .tenant_identification_list import TenantIdentificationList
from .tenant_identification_response import TenantIdentificationResponse
from .tenant_limits import TenantLimits
from .tenant_plan import TenantPlan
from .tenant_plan_state import TenantPlanState
from .tenant_rate_limits import TenantRateLimits
from .totals import Totals
from .usage_day import UsageDay
from .usage_list import UsageList
from .validate_request import ValidateRequest
from .validate_request_format_type_1 import ValidateRequestFormatType1
from .validate_request_format_type_2_type_1 import ValidateRequestFormatType2Type1
from .validate_request_format_type_3_type_1 import ValidateRequestFormatType3Type1
from .validate_request_metadata_type_0 import ValidateRequestMetadataType0
from .validate_response import ValidateResponse
from .validation_finding import ValidationFinding
from .validation_record import ValidationRecord
from .vat_row import VatRow
from .warning_record import WarningRecord
from .webhook import Webhook
from .webhook_changes import WebhookChanges
from .webhook_changes_status_type_1 import WebhookChangesStatusType1
from .webhook_changes_status_type_2_type_1 import WebhookChangesStatusType2Type1
from .webhook_changes_status_type_3_type_1 import WebhookChangesStatusType3Type1
from .webhook_delivery import WebhookDelivery
from .webhook_delivery_list import WebhookDeliveryList
from .webhook_delivery_response import WebhookDeliveryResponse
from .webhook_list import WebhookList
from .webhook_response import WebhookResponse
from .webhook_with_secrets import WebhookWithSecrets
from .whole_draft import WholeDraft
from .whole_draft_invoice import WholeDraftInvoice
from .whole_draft_routing import WholeDraftRouting

__all__ = (
    "Account",
    "ActionRequest",
    "ActionRequestCode",
    "Address",
    "Adjustment",
    "AdjustmentTaxCategoryType1",
    "AdjustmentTaxCategoryType2Type1",
    "AdjustmentTaxCategoryType3Type1",
    "AdvanceResult",
    "Agent",
    "ApiKey",
    "ApiKeyChanges",
    "ApiKeyChangesScopesType0Item",
    "ApiKeyList",
    "ApiKeyResponse",
    "ApiKeyWithSecret",
    "ArtefactList",
    "ArtefactRecord",
    "Attachment",
    "AttachmentMimeType",
    "Attribute",
    "AuditEntry",
    "AuditEntryDetail",
    "AuditLog",
    "BatchCounts",
    "BatchEntry",
    "BatchEntryFormatType1",
    "BatchEntryFormatType2Type1",
    "BatchEntryFormatType3Type1",
    "BatchEntryMetadataType0",
    "BatchRequest",
    "BatchResponse",
    "BatchResult",
    "BatchState",
    "BatchStatus",
    "BillAccountRequest",
    "BillArrival",
    "BillResponseAccepted",
    "BillResponseRequest",
    "BillResponseRequestResponseCode",
    "Card",
    "CashDiscount",
    "Classification",
    "ClockResult",
    "ClockStep",
    "CloseAccountRequest",
    "CloseAccountResponse",
    "ConditionRequest",
    "ConnectionChanges",
    "ConnectionChangesCredentialsType0",
    "ConnectionForm",
    "ConnectionFormField",
    "ConnectionFormList",
    "ConnectionLinkList",
    "ConnectionLinkRecord",
    "ConnectionLinkResponse",
    "ConnectionLinkWithUrl",
    "ConnectionList",
    "ConnectionRecord",
    "ConnectionResponse",
    "ConsentResponse",
    "Contact",
    "ContentResponse",
    "ContentResponseInvoice",
    "ContentResponseOptions",
    "ContentResponseRouting",
    "ConversionWarningRecord",
    "ConvertDocumentTo",
    "ConvertResponse",
    "Country",
    "CountryList",
    "DeliveryTimes",
    "DocumentList",
    "DocumentParty",
    "DocumentResponse",
    "DocumentResponseMetadata",
    "DocumentSummary",
    "DocumentSummaryMetadata",
    "DownloadDocumentsAttention",
    "DownloadDocumentsDirection",
    "DownloadDocumentsEnvironment",
    "DownloadDocumentsFailureDone",
    "DownloadDocumentsMetadata",
    "DownloadDocumentsNetworkStatus",
    "DownloadDocumentsPaid",
    "DownloadDocumentsProcessed",
    "DownloadDocumentsResponse",
    "DownloadDocumentsSort",
    "Draft",
    "DraftChanges",
    "DraftChangesInvoiceType0",
    "DraftChangesRoutingType0",
    "DraftList",
    "DraftResponse",
    "EmptyBody",
    "Event",
    "EventAddresses",
    "EventList",
    "EventMetadata",
    "EventResponse",
    "EventResponseMetadata",
    "FileOfIdentification",
    "Finding",
    "FoundParticipant",
    "GetDocumentPdfFormat",
    "GetInvoicePdfFormat",
    "GetUsageEnvironment",
    "HeldAddressList",
    "HeldAddressRecord",
    "HistoryEntry",
    "IdentificationFile",
    "Identifier",
    "InboundResult",
    "Invoice",
    "InvoiceAnswered",
    "InvoiceBillingFrequencyType1",
    "InvoiceBillingFrequencyType2Type1",
    "InvoiceBillingFrequencyType3Type1",
    "InvoiceDeliveryZoneType1",
    "InvoiceDeliveryZoneType2Type1",
    "InvoiceDeliveryZoneType3Type1",
    "InvoiceList",
    "InvoiceMetadataType0",
    "InvoiceResponse",
    "InvoiceResponseMetadata",
    "InvoiceSummary",
    "InvoiceSummaryMetadata",
    "InvoiceTaxPointCodeType1",
    "InvoiceTaxPointCodeType2Type1",
    "InvoiceTaxPointCodeType3Type1",
    "InvoiceTotals",
    "InvoiceTransactionTypesType0Item",
    "InvoiceTypeType1",
    "InvoiceTypeType2Type1",
    "InvoiceTypeType3Type1",
    "LeftOutDocument",
    "LineAdjustment",
    "LineItem",
    "LineItemItemTypeType1",
    "LineItemItemTypeType2Type1",
    "LineItemItemTypeType3Type1",
    "LineItemTaxCategoryType1",
    "LineItemTaxCategoryType2Type1",
    "LineItemTaxCategoryType3Type1",
    "ListConnectionLinksEnvironment",
    "ListConnectionsEnvironment",
    "ListConnectionsState",
    "ListDocumentsAttention",
    "ListDocumentsDirection",
    "ListDocumentsEnvironment",
    "ListDocumentsFailureDone",
    "ListDocumentsInclude",
    "ListDocumentsMetadata",
    "ListDocumentsNetworkStatus",
    "ListDocumentsPaid",
    "ListDocumentsProcessed",
    "ListDocumentsResponse",
    "ListDocumentsSort",
    "ListDraftsEnvironment",
    "ListEventsEnvironment",
    "ListHeldAddressesEnvironment",
    "ListInvoicesAttention",
    "ListInvoicesDirection",
    "ListInvoicesEnvironment",
    "ListInvoicesFailureDone",
    "ListInvoicesInclude",
    "ListInvoicesMetadata",
    "ListInvoicesNetworkStatus",
    "ListInvoicesPaid",
    "ListInvoicesProcessed",
    "ListInvoicesResponse",
    "ListInvoicesSort",
    "ListKeysEnvironment",
    "ListMailAddressesEnvironment",
    "ListOauthClientsEnvironment",
    "ListParticipantsEnvironment",
    "ListPlatformEventsEnvironment",
    "ListPlatformTenantsState",
    "ListPlatformWebhookDeliveriesStatus",
    "ListPlatformWebhooksEnvironment",
    "ListWebhookDeliveriesStatus",
    "ListWebhooksEnvironment",
    "LogoInfo",
    "LogoResponse",
    "LookupResponse",
    "MailAddressChanges",
    "MailAddressList",
    "MailAddressRecord",
    "MailAddressResponse",
    "MailFiles",
    "MailFilesAttachments",
    "MailFilesRecord",
    "MailSettings",
    "MailSettingsAttachmentsType1",
    "MailSettingsAttachmentsType2Type1",
    "MailSettingsAttachmentsType3Type1",
    "MailSettingsRecord",
    "MailWords",
    "MailWordsLanguage",
    "MailWordsRecord",
    "Mandate",
    "MarkProcessedRequest",
    "MigrationKey",
    "NetworkChoice",
    "NetworkChoiceRecord",
    "NetworkFinding",
    "NetworkRegistration",
    "NewApiKey",
    "NewApiKeyEnvironment",
    "NewApiKeyScopesType0Item",
    "NewClaim",
    "NewConnection",
    "NewConnectionCredentialsType0",
    "NewConnectionEnvironment",
    "NewConnectionLink",
    "NewConnectionLinkEnvironmentType1",
    "NewConnectionLinkEnvironmentType2Type1",
    "NewConnectionLinkEnvironmentType3Type1",
    "NewDraft",
    "NewDraftEnvironmentType1",
    "NewDraftEnvironmentType2Type1",
    "NewDraftEnvironmentType3Type1",
    "NewDraftInvoiceType0",
    "NewDraftRoutingType0",
    "NewIdentification",
    "NewMailAddress",
    "NewMailAddressEnvironment",
    "NewMigrationKey",
    "NewOAuthClient",
    "NewOAuthClientEnvironment",
    "NewOAuthClientScopesType0Item",
    "NewParticipant",
    "NewParticipantEnvironment",
    "NewPlatformTenant",
    "NewWebhook",
    "NewWebhookEnvironmentType1",
    "NewWebhookEnvironmentType2Type1",
    "NewWebhookEnvironmentType3Type1",
    "NotCarriedOver",
    "Note",
    "OAuthClient",
    "OAuthClientChanges",
    "OAuthClientChangesScopesType0Item",
    "OAuthClientList",
    "OAuthClientResponse",
    "OAuthClientWithSecret",
    "ObjectReference",
    "OwnCredential",
    "OwnedParticipant",
    "Participant",
    "ParticipantList",
    "ParticipantRegistrations",
    "ParticipantResponse",
    "ParticipantSearchResponse",
    "Party",
    "PartyCompanyIdTypeType1",
    "PartyCompanyIdTypeType2Type1",
    "PartyCompanyIdTypeType3Type1",
    "PartyIdentifierTypeType1",
    "PartyIdentifierTypeType2Type1",
    "PartyIdentifierTypeType3Type1",
    "PartyRecord",
    "PartySpecialZoneType1",
    "PartySpecialZoneType2Type1",
    "PartySpecialZoneType3Type1",
    "Payee",
    "PaymentEntry",
    "PaymentList",
    "PaymentMade",
    "PaymentMeans",
    "PaymentOfInvoiceRequest",
    "PaymentRequest",
    "PaymentResponse",
    "PaymentsRequest",
    "PaymentsResponse",
    "Period",
    "PeriodReport",
    "PeriodReportList",
    "PeriodReportResponse",
    "PlanChanges",
    "PlanChangesAboveLimitType1",
    "PlanChangesAboveLimitType2Type1",
    "PlanChangesAboveLimitType3Type1",
    "PlatformTenant",
    "PlatformTenantChanges",
    "PlatformTenantList",
    "PlatformTenantResponse",
    "PlatformTenantUsage",
    "PlatformUsageCount",
    "PlatformUsageList",
    "PrecedingInvoice",
    "Prepayment",
    "PrepaymentTaxCategoryType1",
    "PrepaymentTaxCategoryType2Type1",
    "PrepaymentTaxCategoryType3Type1",
    "Problem",
    "Profile",
    "ProfileChanges",
    "ProfileChangesTotalsType1",
    "ProfileChangesTotalsType2Type1",
    "ProfileChangesTotalsType3Type1",
    "RateLimits",
    "ReasonRequest",
    "ReasonRequestCode",
    "RecoveryRequest",
    "RecoveryResult",
    "ReportEntry",
    "ResendRequest",
    "ResponseRecord",
    "RotationRequest",
    "RoutingIds",
    "SearchedSourceRecord",
    "SendBatchCounts",
    "SendBatchEntry",
    "SendBatchRequest",
    "SendBatchResponse",
    "SendBatchResult",
    "SendBatchState",
    "SendBatchStatus",
    "SendOptions",
    "SendOptionsTotalsType1",
    "SendOptionsTotalsType2Type1",
    "SendOptionsTotalsType3Type1",
    "SendRequest",
    "SendResponse",
    "SentDocuments",
    "StandardItem",
    "SubmitRequest",
    "SubmitRequestFormatType1",
    "SubmitRequestFormatType2Type1",
    "SubmitRequestFormatType3Type1",
    "SubmitRequestMetadataType0",
    "SubmitResponse",
    "SupplierParty",
    "SupplierPartyCompanyIdTypeType1",
    "SupplierPartyCompanyIdTypeType2Type1",
    "SupplierPartyCompanyIdTypeType3Type1",
    "SupplierPartyIdentifierTypeType1",
    "SupplierPartyIdentifierTypeType2Type1",
    "SupplierPartyIdentifierTypeType3Type1",
    "SupplierPartySpecialZoneType1",
    "SupplierPartySpecialZoneType2Type1",
    "SupplierPartySpecialZoneType3Type1",
    "SupportingDocument",
    "SuspensionRequest",
    "TaxExemption",
    "TaxRepresentative",
    "TenantIdentification",
    "TenantIdentificationList",
    "TenantIdentificationResponse",
    "TenantLimits",
    "TenantPlan",
    "TenantPlanState",
    "TenantRateLimits",
    "Totals",
    "UsageDay",
    "UsageList",
    "ValidateRequest",
    "ValidateRequestFormatType1",
    "ValidateRequestFormatType2Type1",
    "ValidateRequestFormatType3Type1",
    "ValidateRequestMetadataType0",
    "ValidateResponse",
    "ValidationFinding",
    "ValidationRecord",
    "VatRow",
    "WarningRecord",
    "Webhook",
    "WebhookChanges",
    "WebhookChangesStatusType1",
    "WebhookChangesStatusType2Type1",
    "WebhookChangesStatusType3Type1",
    "WebhookDelivery",
    "WebhookDeliveryList",
    "WebhookDeliveryResponse",
    "WebhookList",
    "WebhookResponse",
    "WebhookWithSecrets",
    "WholeDraft",
    "WholeDraftInvoice",
    "WholeDraftRouting",
)
