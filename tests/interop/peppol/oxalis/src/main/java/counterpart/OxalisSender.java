package counterpart;

import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;

import com.google.inject.Key;
import com.google.inject.name.Names;

import network.oxalis.api.outbound.MessageSender;
import network.oxalis.api.outbound.TransmissionRequest;
import network.oxalis.vefa.peppol.common.model.Endpoint;
import network.oxalis.vefa.peppol.common.model.Header;
import network.oxalis.vefa.peppol.common.model.TransportProfile;
import network.oxalis.vefa.peppol.sbdh.SbdReader;

/** Sends an envelope for each line of standard input, URL and file separated by a tab. */
public final class OxalisSender {
  public static void main(String[] given) throws Exception {
    PrintStream out = System.out;
    System.setOut(System.err); // what libraries print
    Path folder = Path.of(given[0]);
    var injector = Home.injector(given[0], given[1]);
    var sender = injector.getInstance(Key.get(MessageSender.class, Names.named("oxalis-as4")));
    X509Certificate to;
    try (InputStream in = Files.newInputStream(folder.resolve("c3.pem"))) {
      to = (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(in);
    }
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
    out.println("ready");
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      String[] parts = line.split("\t");
      out.println("result " + send(sender, to, parts[0], Files.readAllBytes(Path.of(parts[1]))));
    }
  }

  private static String send(MessageSender sender, X509Certificate to, String url, byte[] envelope) {
    try (SbdReader reader = SbdReader.newInstance(new ByteArrayInputStream(envelope))) {
      Header header = reader.getHeader();
      sender.send(new TransmissionRequest() {
        @Override
        public Endpoint getEndpoint() {
          return Endpoint.of(TransportProfile.PEPPOL_AS4_2_0, URI.create(url), to);
        }

        @Override
        public Header getHeader() {
          return header;
        }

        @Override
        public InputStream getPayload() {
          return new ByteArrayInputStream(envelope);
        }
      });
      return "SUCCESS";
    } catch (Exception problem) {
      StringBuilder said = new StringBuilder("FAILURE");
      for (Throwable cause = problem; cause != null; cause = cause.getCause())
        said.append(' ').append(cause.getMessage());
      return said.toString().replace('\n', ' ');
    }
  }
}
