package com.example.journey;

import com.example.einvoice.ApiClient;
import com.example.einvoice.ApiException;
import com.example.einvoice.JSON;
import com.example.einvoice.api.InvoicesApi;
import com.example.einvoice.api.InvoicesApi.APIGetInvoiceRequest;
import com.example.einvoice.api.InvoicesApi.APISendInvoiceRequest;
import com.example.einvoice.api.OAuthApi;
import com.example.einvoice.api.OAuthApi.APIIssueTokenRequest;
import com.example.einvoice.api.ParticipantsApi;
import com.example.einvoice.api.ParticipantsApi.APILookupParticipantRequest;
import com.example.einvoice.model.Address;
import com.example.einvoice.model.DeclaredTotalsMismatchProblem;
import com.example.einvoice.model.InvalidFieldProblem;
import com.example.einvoice.model.Invoice;
import com.example.einvoice.model.InvoiceResponse;
import com.example.einvoice.model.LineItem;
import com.example.einvoice.model.Party;
import com.example.einvoice.model.Problem;
import com.example.einvoice.model.RoutingIds;
import com.example.einvoice.model.SendRequest;
import com.example.einvoice.model.SendResponse;
import com.example.einvoice.model.SupplierParty;
import com.example.einvoice.model.Totals;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.stream.Collectors;

/** Send an invoice with the generated client: first send, refusals, retries, OAuth. */
final class Sending {
  private Sending() {}

  static ApiClient connect(String url, String key) {
    return open(url).setRequestInterceptor(request -> request.header("x-api-key", key));
  }

  static ApiClient open(String url) {
    ApiClient client = new ApiClient();
    client.updateBaseUri(url);
    return client.setReadTimeout(Duration.ofSeconds(30)).setConnectTimeout(Duration.ofSeconds(10));
  }

  static String lookUp(ApiClient client, String receiver) throws ApiException {
    var wanted = APILookupParticipantRequest.newBuilder().participantId(receiver).build();
    var found = new ParticipantsApi(client).lookupParticipant(wanted);
    if (found.getAccessPointRef() == null) {
      throw new IllegalArgumentException(receiver + " is not registered");
    }
    return found.getAccessPointRef().toString();
  }

  static SendRequest invoice(String number, String receiver, String reference) {
    Address belgium = new Address().countryCode("BE");
    Invoice invoice =
        new Invoice()
            .number(number)
            .issueDate(LocalDate.parse("2026-11-21"))
            .dueDate(LocalDate.parse("2026-12-21"))
            .currency("EUR")
            .buyerReference("PO-1")
            .supplier(
                new SupplierParty().name("Example NV").taxId("BE0123456749").address(belgium))
            .buyer(new Party().name("Sandbox Buyer").address(belgium))
            .addLineItemsItem(
                new LineItem()
                    .description("Consulting")
                    .quantity(new BigDecimal("2"))
                    .unitPrice(new BigDecimal("50.00"))
                    .taxRate(new BigDecimal("21.0")))
            .totals(
                new Totals()
                    .subtotal(new BigDecimal("100.00"))
                    .taxAmount(new BigDecimal("21.00"))
                    .grandTotal(new BigDecimal("121.00")));
    RoutingIds routing =
        new RoutingIds()
            .senderParticipantId("0208:0123456749")
            .receiverParticipantId(receiver)
            .accessPointRef(reference);
    return new SendRequest().invoice(invoice).routing(routing);
  }

  static SendResponse send(ApiClient client, SendRequest body, String key) throws ApiException {
    var request = APISendInvoiceRequest.newBuilder().sendRequest(body).idempotencyKey(key).build();
    return new InvoicesApi(client).sendInvoice(request);
  }

  /** The invoice, once it is Delivered or Failed. */
  static InvoiceResponse await(ApiClient client, SendResponse sent, Duration atMost)
      throws ApiException, InterruptedException {
    String id = sent.getInvoiceId().toString();
    var request = APIGetInvoiceRequest.newBuilder().invoiceId(id).build();
    for (Instant until = Instant.now().plus(atMost); Instant.now().isBefore(until); ) {
      InvoiceResponse found = new InvoicesApi(client).getInvoice(request);
      if (!"Processing".equals(found.getNetworkStatus())) {
        return found;
      }
      Thread.sleep(500);
    }
    throw new IllegalStateException(id + " is still Processing");
  }

  /** The problem of a refused request: an object of the class of its type. */
  static Problem problemOf(ApiException refused) throws IOException {
    return JSON.getDefault().getMapper().readValue(refused.getResponseBody(), Problem.class);
  }

  /** The last part of `type`, which never changes. */
  static String slug(Problem problem) {
    return problem.getType().substring(problem.getType().lastIndexOf('/') + 1);
  }

  /** What is wrong with a refused request. */
  static String explain(ApiException refused) throws IOException {
    Problem problem = problemOf(refused);
    if (problem instanceof InvalidFieldProblem field) {
      return field.getErrors().stream()
          .map(error -> error.getPointer() + ": " + error.getMessage())
          .collect(Collectors.joining("; "));
    }
    if (problem instanceof DeclaredTotalsMismatchProblem totals) {
      return "the lines add up to " + totals.getComputedGrandTotal();
    }
    return slug(problem) + ": " + problem.getDetail();
  }

  /** A request that can be made more than once. */
  interface Request<T> {
    T make() throws ApiException;
  }

  /** Repeat what may be repeated: no answer, 409 idempotency-in-progress, 429 and 5xx. */
  static <T> T withRetries(Request<T> request, int attempts)
      throws ApiException, IOException, InterruptedException {
    Duration pause = Duration.ofSeconds(1);
    for (int left = attempts - 1; left > 0; left -= 1, pause = pause.multipliedBy(2)) {
      try {
        return request.make();
      } catch (ApiException failure) {
        if (!mayBeRepeated(failure)) {
          throw failure;
        }
        Thread.sleep(retryAfter(failure, pause).toMillis());
      }
    }
    return request.make();
  }

  private static boolean mayBeRepeated(ApiException failure) throws IOException {
    return switch (failure.getCode()) {
      case 0 -> failure.getCause() instanceof IOException; // no answer
      case 409 -> slug(problemOf(failure)).equals("idempotency-in-progress");
      case 429 -> true;
      default -> failure.getCode() >= 500;
    };
  }

  private static Duration retryAfter(ApiException failure, Duration pause) {
    return failure.getResponseHeaders() == null
        ? pause
        : failure.getResponseHeaders().firstValue("Retry-After")
            .map(seconds -> Duration.ofSeconds(Long.parseLong(seconds)))
            .orElse(pause);
  }

  /** A client with an access token of one hour; request the next one a minute before its end. */
  static ApiClient connectWithToken(String url, String clientId, String clientSecret)
      throws ApiException {
    var request =
        APIIssueTokenRequest.newBuilder()
            .grantType("client_credentials")
            .clientId(clientId)
            .clientSecret(clientSecret)
            .build();
    String token = new OAuthApi(open(url)).issueToken(request).getAccessToken();
    return open(url).setRequestInterceptor(r -> r.header("Authorization", "Bearer " + token));
  }
}
