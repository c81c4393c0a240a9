package counterpart;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

import com.google.inject.AbstractModule;
import com.google.inject.Guice;
import com.google.inject.Injector;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import com.google.inject.util.Modules;
import com.typesafe.config.Config;

import network.oxalis.api.model.Direction;
import network.oxalis.api.transmission.TransmissionVerifier;
import network.oxalis.as4.lang.OxalisAs4Exception;
import network.oxalis.as4.util.AS4ErrorCode;
import network.oxalis.commons.guice.GuiceModuleLoader;
import network.oxalis.vefa.peppol.mode.Mode;

/** The configuration of Oxalis for a key in a folder, which is also on the class path. */
final class Home {
  private Home() {}

  /** The values of name=value. */
  static Map<String, String> named(String... pairs) {
    Map<String, String> values = new HashMap<>();
    for (String pair : pairs)
      values.put(pair.substring(0, pair.indexOf('=')), pair.substring(pair.indexOf('=') + 1));
    return values;
  }

  static Injector injector(String folder, String key, Path home) throws Exception {
    Path inbound = Files.createDirectories(home.resolve("inbound"));
    Path store = Path.of(folder, key + ".p12").toAbsolutePath();
    Files.writeString(home.resolve("oxalis.conf"), String.join("\n",
        "oxalis.keystore { path = \"" + store + "\", password = test, key.alias = cert, key.password = test }",
        "oxalis.path.inbound = \"" + inbound + "\"",
        "brave.reporter = noop",
        "oxalis.statistics.service = noop"));
    System.setProperty("OXALIS_HOME", home.toString());
    // Oxalis reads its networks from properties, and knows those of Peppol only.
    System.setProperty("mode.CLOSED.security.pki", "/oxalis-pki.xml");
    System.setProperty("mode.CLOSED.security.truststore.ap", "/trust.p12");
    System.setProperty("mode.CLOSED.security.truststore.smp", "/smp-trust.p12");
    System.setProperty("mode.CLOSED.security.truststore.password", "test");
    System.setProperty("mode.CLOSED.lookup.locator.hostname", "closed.invalid");
    return Guice.createInjector(Modules.override(new GuiceModuleLoader()).with(new Closed()));
  }

  private static final class Closed extends AbstractModule {
    @Provides
    @Singleton
    Mode mode(Config config) {
      return Mode.of(config, "CLOSED");
    }

    /**
     * Participants that end in 97 are not served, with the error of Oxalis's own check, which would
     * look them up; those that end in 98 make the handler fail.
     */
    @Provides
    @Singleton
    TransmissionVerifier verifier() {
      return (header, direction) -> {
        String receiver = header.getReceiver().getIdentifier();
        if (direction == Direction.IN && receiver.endsWith("97"))
          Closed.<RuntimeException>raise(new OxalisAs4Exception(
              "PEPPOL:NOT_SERVICED", AS4ErrorCode.EBMS_0004, AS4ErrorCode.Severity.FAILURE));
        if (direction == Direction.IN && receiver.endsWith("98"))
          throw new IllegalStateException("the handler failed");
      };
    }

    /** The interface declares another exception. */
    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void raise(Throwable problem) throws T {
      throw (T) problem;
    }
  }
}
