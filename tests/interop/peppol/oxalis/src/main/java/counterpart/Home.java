package counterpart;

import java.nio.file.Files;
import java.nio.file.Path;

import com.google.inject.AbstractModule;
import com.google.inject.Guice;
import com.google.inject.Injector;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import com.google.inject.util.Modules;
import com.typesafe.config.Config;

import network.oxalis.commons.guice.GuiceModuleLoader;
import network.oxalis.vefa.peppol.mode.Mode;

/** The configuration of Oxalis for a key in a folder, which is also on the class path. */
final class Home {
  private Home() {}

  static Injector injector(String folder, String key) throws Exception {
    Path home = Files.createTempDirectory("oxalis");
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
  }
}
