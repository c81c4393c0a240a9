package counterpart;

import java.io.PrintStream;
import java.net.URI;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

import network.oxalis.vefa.peppol.common.model.DocumentTypeIdentifier;
import network.oxalis.vefa.peppol.common.model.ParticipantIdentifier;
import network.oxalis.vefa.peppol.common.model.ProcessIdentifier;
import network.oxalis.vefa.peppol.common.model.TransportProfile;
import network.oxalis.vefa.peppol.lookup.LookupClient;
import network.oxalis.vefa.peppol.lookup.LookupClientBuilder;
import network.oxalis.vefa.peppol.lookup.fetcher.UrlFetcher;
import network.oxalis.vefa.peppol.lookup.locator.StaticLocator;
import network.oxalis.vefa.peppol.lookup.provider.DefaultProvider;
import network.oxalis.vefa.peppol.lookup.reader.MultiReader;
import network.oxalis.vefa.peppol.mode.Mode;
import network.oxalis.vefa.peppol.security.api.CertificateValidator;

/**
 * Looks a participant up at an SMP with the lookup of Oxalis: service group and signed metadata.
 * After the folder of the certificates and the name of a key, name=value: smp (its address),
 * receiver; then type and process, one after the other. Prints a line for each document type: its endpoint, or what is wrong.
 */
public final class OxalisLookup {
  public static void main(String[] given) throws Exception {
    PrintStream out = System.out;
    System.setOut(System.err); // what libraries print
    Map<String, String> values = Home.named(Arrays.copyOfRange(given, 2, 4));
    Map<String, String> processes = new HashMap<>();
    for (int place = 4; place < given.length; place += 2)
      processes.put(given[place], given[place + 1]);
    var injector = Home.injector(given[0], given[1], Files.createTempDirectory("oxalis"));
    Mode mode = injector.getInstance(Mode.class);
    LookupClient client = LookupClientBuilder.newInstance(mode)
        .locator(new StaticLocator(URI.create(values.get("smp")).toString()))
        .fetcher(new UrlFetcher(mode))
        .provider(new DefaultProvider())
        .reader(new MultiReader())
        .certificateValidator(injector.getInstance(CertificateValidator.class))
        .build();
    var receiver = ParticipantIdentifier.of(values.get("receiver"));
    for (DocumentTypeIdentifier type : client.getDocumentIdentifiers(receiver))
      out.println(type.getIdentifier() + "\t" + found(client, receiver, type, processes.get(type.getIdentifier())));
  }

  private static String found(
      LookupClient client, ParticipantIdentifier receiver, DocumentTypeIdentifier type, String process) {
    try {
      return client.getEndpoint(receiver, type, ProcessIdentifier.of(process), TransportProfile.PEPPOL_AS4_2_0)
          .getAddress().toString();
    } catch (Exception problem) {
      return "failure " + problem;
    }
  }
}
