// Short names of the bodies that the client takes and returns.

import type { components, operations } from "./generated/contract.js";

type Schemas = components["schemas"];

export type SendRequest = Schemas["SendRequest"];
export type SendResult = Schemas["SendResponse"];
export type Invoice = Schemas["InvoiceResponse"];
export type InvoiceSummary = Schemas["InvoiceSummary"];
export type Content =
  operations["getInvoiceContent"]["responses"][200]["content"]["application/json"];
export type LookupResult = Schemas["LookupResponse"];
export type BatchResult = Schemas["SendBatchResult"];
export type Event = Schemas["Event"];
export type InvoiceFilters = NonNullable<operations["listInvoices"]["parameters"]["query"]>;
export type EventFilters = NonNullable<operations["listEvents"]["parameters"]["query"]>;
