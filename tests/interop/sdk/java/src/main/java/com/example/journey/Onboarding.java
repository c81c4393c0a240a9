package com.example.journey;

import static com.example.journey.Journey.equal;
import static com.example.journey.Journey.refusal;
import static com.example.journey.Sending.await;
import static com.example.journey.Sending.connect;
import static com.example.journey.Sending.invoice;
import static com.example.journey.Sending.lookUp;
import static com.example.journey.Sending.problemOf;
import static com.example.journey.Sending.send;
import static com.example.journey.Sending.slug;

import com.example.einvoice.ApiClient;
import com.example.einvoice.api.InvoicesApi;
import com.example.einvoice.api.InvoicesApi.APIListInvoicesRequest;
import com.example.einvoice.api.KeysApi;
import com.example.einvoice.api.KeysApi.APICreateKeyRequest;
import com.example.einvoice.api.PlatformsApi;
import com.example.einvoice.api.PlatformsApi.APIAddTenantIdentificationRequest;
import com.example.einvoice.api.PlatformsApi.APIClaimTenantParticipantRequest;
import com.example.einvoice.api.PlatformsApi.APICreatePlatformTenantRequest;
import com.example.einvoice.model.NewApiKey;
import com.example.einvoice.model.NewClaim;
import com.example.einvoice.model.NewIdentification;
import com.example.einvoice.model.NewPlatformTenant;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A platform brings a customer onto the network: tenant, identification, participant id and key;
 * then a first invoice and a first bill. A second run changes nothing.
 */
final class Onboarding {
  private static final String ME = "jv-customer";
  private static final String MINE = "9915:jv-customer";
  private static final String BILLER = "0088:9520000000127"; // sends a bill back

  private Onboarding() {}

  static void run(String url, ApiClient platform) throws Exception {
    List<String> first = enrol(platform);
    equal(enrol(platform), first);
    equal(first.get(2), "verified");
    var wanted =
        new NewApiKey().name("ERP of the customer").environment(NewApiKey.EnvironmentEnum.TEST);
    var made =
        new KeysApi(platform)
            .createKey(
                APICreateKeyRequest.newBuilder()
                    .newApiKey(wanted)
                    .xTenant(ME)
                    .idempotencyKey("key-" + ME)
                    .build());
    ApiClient own = connect(url, made.getKey());
    var body = invoice("JV-6", BILLER, lookUp(own, BILLER));
    body.getRouting().setSenderParticipantId(MINE);
    var delivered = await(own, send(own, body, "JV-6"), Duration.ofMinutes(1));
    equal(delivered.getNetworkStatus(), "Delivered");
    equal(bill(platform).compareTo(new BigDecimal("100")), 0); // what the simulator bills
    var nobody = APIListInvoicesRequest.newBuilder().xTenant("nobody").build();
    var refused = refusal(() -> new InvoicesApi(platform).listInvoices(nobody));
    equal(slug(problemOf(refused)), "not-found");
  }

  /** The ids of tenant and identification, and the status of the participant id. */
  private static List<String> enrol(ApiClient platform) throws Exception {
    var platforms = new PlatformsApi(platform);
    var found = new ArrayList<String>();
    var tenant = new NewPlatformTenant().externalId(ME).name("Brewery");
    var request = APICreatePlatformTenantRequest.newBuilder().newPlatformTenant(tenant).build();
    found.add(platforms.createPlatformTenant(request).getTenantId().toString());
    var said =
        new NewIdentification()
            .method("register-extract")
            .numbers(List.of("BE0403019261"))
            .identifiedAt("2026-11-20")
            .identifiedBy("ERP");
    var identification =
        APIAddTenantIdentificationRequest.newBuilder().tenant(ME).newIdentification(said).build();
    found.add(platforms.addTenantIdentification(identification).getIdentificationId().toString());
    var claim = new NewClaim().participantId(MINE);
    var claiming = APIClaimTenantParticipantRequest.newBuilder().tenant(ME).newClaim(claim).build();
    found.add(platforms.claimTenantParticipant(claiming).getStatus());
    return found;
  }

  /** The amount of the customer's first bill. */
  private static BigDecimal bill(ApiClient platform) throws Exception {
    var direction = "received";
    for (int second = 0; second < 60; second++) {
      var wanted = APIListInvoicesRequest.newBuilder().xTenant(ME).direction(direction).build();
      var items = new InvoicesApi(platform).listInvoices(wanted).getItems();
      if (!items.isEmpty()) {
        return items.get(0).getGrandTotal();
      }
      Thread.sleep(1_000);
    }
    throw new AssertionError("The customer has no bill.");
  }
}
