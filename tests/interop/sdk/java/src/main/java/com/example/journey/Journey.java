package com.example.journey;

import static com.example.journey.Sending.await;
import static com.example.journey.Sending.connect;
import static com.example.journey.Sending.connectWithToken;
import static com.example.journey.Sending.explain;
import static com.example.journey.Sending.invoice;
import static com.example.journey.Sending.lookUp;
import static com.example.journey.Sending.problemOf;
import static com.example.journey.Sending.send;
import static com.example.journey.Sending.slug;
import static com.example.journey.Sending.withRetries;

import com.example.einvoice.ApiClient;
import com.example.einvoice.ApiException;
import com.example.einvoice.api.CustomersApi;
import com.example.einvoice.api.CustomersApi.APICreateCustomerRequest;
import com.example.einvoice.api.CustomersApi.APIDeleteCustomerRequest;
import com.example.einvoice.api.CustomersApi.APIGetCustomerRequest;
import com.example.einvoice.api.CustomersApi.APIListCustomersRequest;
import com.example.einvoice.api.CustomersApi.APIUpdateCustomerRequest;
import com.example.einvoice.api.InvoicesApi;
import com.example.einvoice.api.InvoicesApi.APIDownloadArtefactRequest;
import com.example.einvoice.api.InvoicesApi.APIListArtefactsRequest;
import com.example.einvoice.api.InvoicesApi.APIListInvoicesRequest;
import com.example.einvoice.api.InvoicesApi.APISendInvoiceRequest;
import com.example.einvoice.api.WebhooksApi;
import com.example.einvoice.api.WebhooksApi.APICreateWebhookRequest;
import com.example.einvoice.api.WebhooksApi.APIDeleteWebhookRequest;
import com.example.einvoice.model.CustomerChanges;
import com.example.einvoice.model.InvoiceResponse;
import com.example.einvoice.model.NewCustomer;
import com.example.einvoice.model.NewWebhook;
import com.example.einvoice.model.SendResponse;
import com.example.einvoice.model.TransactionSentEvent;
import java.math.BigDecimal;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/** The journey of an integrator with the generated Java client. Prints a line for each step. */
public final class Journey {
  private static final String RECEIVER = "0088:9520000000004";
  private static final String URL = System.getenv("EINVOICE");
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private Journey() {}

  public static void main(String[] arguments) throws Exception {
    ApiClient client = connect(URL, System.getenv("KEY"));
    String session = "Bearer " + System.getenv("SESSION");
    String sent = firstSend(client);
    System.out.println("first send");
    retry(client, sent);
    System.out.println("retry");
    refusals(client);
    System.out.println("refusals");
    list(client, sent);
    System.out.println("list");
    artefact(client, sent);
    System.out.println("artefact");
    customer(Sending.open(URL).setRequestInterceptor(r -> r.header("Authorization", session)));
    System.out.println("customer");
    withToken("JV-4");
    System.out.println("OAuth");
    webhook(client);
    System.out.println("webhook");
    Onboarding.run(URL, connect(URL, System.getenv("PLATFORM_KEY")));
    System.out.println("onboarding");
  }

  static void equal(Object found, Object expected) {
    if (!Objects.equals(found, expected)) {
      throw new AssertionError(found + " instead of " + expected);
    }
  }

  private static String firstSend(ApiClient client) throws Exception {
    String reference = lookUp(client, RECEIVER);
    SendResponse sent = send(client, invoice("JV-1", RECEIVER, reference), "JV-1");
    InvoiceResponse delivered = await(client, sent, MINUTE);
    equal(sent.getNetworkStatus(), "Processing");
    equal(delivered.getNetworkStatus(), "Delivered");
    equal(delivered.getGrandTotal().compareTo(new BigDecimal("121")), 0);
    return delivered.getInvoiceId().toString();
  }

  /** A repetition with the same key returns the first result. */
  private static void retry(ApiClient client, String first) throws Exception {
    var body = invoice("JV-1", RECEIVER, lookUp(client, RECEIVER));
    var again = withRetries(() -> send(client, body, "JV-1"), 5);
    equal(again.getInvoiceId().toString(), first);
    var request =
        APISendInvoiceRequest.newBuilder().sendRequest(body).idempotencyKey("JV-1").build();
    var answer = new InvoicesApi(client).sendInvoiceWithHttpInfo(request);
    equal(answer.getHeaders().get("idempotency-replay"), List.of("true"));
  }

  static ApiException refusal(Sending.Request<?> request) {
    try {
      request.make();
    } catch (ApiException refused) {
      return refused;
    }
    throw new AssertionError("The request was not refused.");
  }

  /** Each problem has its class, with its own members. */
  private static void refusals(ApiClient client) throws Exception {
    var body = invoice("JV-2", RECEIVER, lookUp(client, RECEIVER));
    body.getInvoice().setCurrency("ABC");
    ApiException field = refusal(() -> send(client, body, "JV-2"));
    equal(field.getCode(), 400);
    equal(explain(field), "/invoice/currency: 'ABC' is not an ISO 4217 currency code");
    body.getInvoice().currency("EUR").getTotals().setGrandTotal(new BigDecimal("120"));
    equal(explain(refusal(() -> send(client, body, "JV-2"))), "the lines add up to 121.00");
    ApiClient unknown = connect(URL, "sk_test_unknown");
    equal(slug(problemOf(refusal(() -> lookUp(unknown, RECEIVER)))), "invalid-api-key");
  }

  private static void list(ApiClient client, String sent) throws ApiException {
    var request = APIListInvoicesRequest.newBuilder().number("JV-1").limit(10).build();
    var page = new InvoicesApi(client).listInvoices(request);
    equal(page.getItems().stream().map(item -> item.getInvoiceId().toString()).toList(),
        List.of(sent));
    equal(page.getHasMore(), false);
  }

  private static void artefact(ApiClient client, String invoiceId) throws Exception {
    var invoices = new InvoicesApi(client);
    var all =
        invoices.listArtefacts(APIListArtefactsRequest.newBuilder().invoiceId(invoiceId).build());
    var receipt =
        all.getItems().stream().filter(one -> "RECEIPT".equals(one.getType())).findFirst()
            .orElseThrow();
    var wanted =
        APIDownloadArtefactRequest.newBuilder()
            .invoiceId(invoiceId)
            .artefactId(receipt.getArtefactId())
            .build();
    byte[] content = Files.readAllBytes(invoices.downloadArtefact(wanted).toPath());
    byte[] hash = MessageDigest.getInstance("SHA-256").digest(content);
    equal(HexFormat.of().formatHex(hash), receipt.getSha256());
  }

  private static void customer(ApiClient session) throws Exception {
    var customers = new CustomersApi(session);
    var fresh = new NewCustomer().name("Buyer BV").taxId("BE0403019261");
    var made =
        customers.createCustomer(APICreateCustomerRequest.newBuilder().newCustomer(fresh).build());
    String id = made.getCustomerId().toString();
    var changes = new CustomerChanges().email("ap@example.com");
    customers.updateCustomer(
        APIUpdateCustomerRequest.newBuilder().customerId(id).customerChanges(changes).build());
    var one = APIGetCustomerRequest.newBuilder().customerId(id).build();
    var read = customers.getCustomer(one);
    equal(read.getName(), "Buyer BV");
    equal(read.getEmail(), "ap@example.com");
    equal(read.getAddress(), null);
    var page = customers.listCustomers(APIListCustomersRequest.newBuilder().build());
    equal(page.getItems().stream().anyMatch(i -> i.getCustomerId().equals(made.getCustomerId())),
        true);
    customers.deleteCustomer(APIDeleteCustomerRequest.newBuilder().customerId(id).build());
    equal(slug(problemOf(refusal(() -> customers.getCustomer(one)))), "not-found");
  }

  /** An OAuth client sends and follows an invoice as a key does. */
  private static void withToken(String number) throws Exception {
    ApiClient client =
        connectWithToken(URL, System.getenv("CLIENT_ID"), System.getenv("CLIENT_SECRET"));
    var sent = send(client, invoice(number, RECEIVER, lookUp(client, RECEIVER)), number);
    equal(await(client, sent, MINUTE).getNetworkStatus(), "Delivered");
    artefact(client, sent.getInvoiceId().toString());
  }

  /** A verified event names the invoice; a forged request is refused. */
  private static void webhook(ApiClient client) throws Exception {
    try (Receiver receiver = new Receiver()) {
      var webhooks = new WebhooksApi(client);
      var wanted = new NewWebhook().url(URI.create(receiver.url()).toString());
      var made =
          webhooks.createWebhook(APICreateWebhookRequest.newBuilder().newWebhook(wanted).build());
      receiver.secret = made.getSecret();
      receiver.signingSecret = made.getSigningSecret();
      var sent = send(client, invoice("JV-5", RECEIVER, lookUp(client, RECEIVER)), "JV-5");
      var event = (TransactionSentEvent) receiver.events.poll(60, TimeUnit.SECONDS);
      equal(event.getInvoiceId(), sent.getInvoiceId());
      equal(event.getTransactionId(), sent.getTransactionId());
      equal(statusOfForged(receiver, made.getSecret()), 401);
      webhooks.deleteWebhook(
          APIDeleteWebhookRequest.newBuilder().webhookId(made.getWebhookId().toString()).build());
    }
  }

  private static int statusOfForged(Receiver receiver, String secret) throws Exception {
    HttpRequest forged =
        HttpRequest.newBuilder(URI.create(receiver.url()))
            .header("X-Webhook-Secret", secret)
            .header("webhook-timestamp", "1")
            .POST(HttpRequest.BodyPublishers.ofString("{}"))
            .build();
    return HttpClient.newHttpClient().send(forged, HttpResponse.BodyHandlers.discarding())
        .statusCode();
  }
}
