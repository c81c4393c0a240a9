package counterpart;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

import com.helger.base.debug.GlobalDebug;
import com.helger.phase4.crypto.AS4CryptoFactoryInMemoryKeyStore;
import com.helger.phase4.mgr.AS4ManagerFactoryInMemory;
import com.helger.phase4.mgr.MetaAS4Manager;
import com.helger.security.certificate.TrustedCAChecker;
import com.helger.security.revocation.ERevocationCheckMode;

/** Keys and certificates in a folder: NAME.p12 (alias cert, password test), NAME.pem, trust.p12. */
final class Material {
  private static final char[] PASSWORD = "test".toCharArray();
  private final Path folder;

  Material(String folder) {
    this.folder = Path.of(folder);
    // Plain HTTP on the loopback address is refused otherwise.
    GlobalDebug.setDebugModeDirect(true);
    GlobalDebug.setProductionModeDirect(false);
    MetaAS4Manager.setFactory(new AS4ManagerFactoryInMemory());
  }

  /** The values of name=value. */
  static Map<String, String> named(String... pairs) {
    Map<String, String> values = new HashMap<>();
    for (String pair : pairs)
      values.put(pair.substring(0, pair.indexOf('=')), pair.substring(pair.indexOf('=') + 1));
    return values;
  }

  AS4CryptoFactoryInMemoryKeyStore crypto(String name) throws Exception {
    return new AS4CryptoFactoryInMemoryKeyStore(store(name + ".p12"), "cert", PASSWORD, store("trust.p12"));
  }

  X509Certificate certificate(String name) throws Exception {
    try (InputStream in = Files.newInputStream(folder.resolve(name + ".pem"))) {
      return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(in);
    }
  }

  /** Whether a certificate is issued by the authority of access points. */
  TrustedCAChecker issuers(ERevocationCheckMode revocation) throws Exception {
    return new TrustedCAChecker(revocation, Duration.ofHours(1), 100, certificate("access-points"));
  }

  static String seat(X509Certificate certificate) {
    for (String part : certificate.getSubjectX500Principal().getName("RFC2253").split(","))
      if (part.startsWith("CN="))
        return part.substring(3);
    throw new IllegalArgumentException("a certificate without common name");
  }

  KeyStore store(String file) throws Exception {
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(folder.resolve(file))) {
      store.load(in, PASSWORD);
    }
    return store;
  }
}
