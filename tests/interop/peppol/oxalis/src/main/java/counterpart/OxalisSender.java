package counterpart;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.BufferedReader;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Map;
import java.util.UUID;

import com.google.inject.Key;
import com.google.inject.name.Names;

import network.oxalis.api.outbound.MessageSender;
import network.oxalis.as4.common.As4MessageProperties;
import network.oxalis.as4.outbound.As4TransmissionRequest;
import network.oxalis.vefa.peppol.common.model.Endpoint;
import network.oxalis.vefa.peppol.common.model.Header;
import network.oxalis.vefa.peppol.common.model.TransportProfile;
import network.oxalis.vefa.peppol.sbdh.SbdReader;

/**
 * Sends an envelope for each line of standard input, name=value separated by tabs, and prints one
 * line: SUCCESS or what failed. Names: url doc to message. With count and threads: that many
 * messages, and the number of successes.
 */
public final class OxalisSender {
  private static MessageSender sender;
  private static Path folder;

  public static void main(String[] given) throws Exception {
    PrintStream out = System.out;
    System.setOut(System.err); // what libraries print
    folder = Path.of(given[0]);
    var injector = Home.injector(given[0], given[1], Files.createTempDirectory("oxalis"));
    sender = injector.getInstance(Key.get(MessageSender.class, Names.named("oxalis-as4")));
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
    out.println("ready");
    for (String line = lines.readLine(); line != null; line = lines.readLine())
      out.println("result " + answer(Home.named(line.split("\t"))));
  }

  private static String answer(Map<String, String> values) throws Exception {
    if (!values.containsKey("count"))
      return send(values);
    return Load.run(values, () -> send(values).equals("SUCCESS"));
  }

  private static String send(Map<String, String> values) {
    try {
      byte[] envelope = Files.readAllBytes(Path.of(values.get("doc")));
      if (values.containsKey("count"))
        envelope = renamed(envelope, values.get("instance"));
      Endpoint endpoint = Endpoint.of(TransportProfile.PEPPOL_AS4_2_0, URI.create(values.get("url")),
          certificate(values.getOrDefault("to", "c3")));
      String id = values.getOrDefault("message", UUID.randomUUID() + "@oxalis");
      sender.send(new Request(envelope, header(envelope), endpoint, id));
      return "SUCCESS";
    } catch (Exception problem) {
      StringBuilder said = new StringBuilder("FAILURE");
      for (Throwable cause = problem; cause != null; cause = cause.getCause())
        said.append(' ').append(cause.getMessage());
      return said.toString().replace('\n', ' ');
    }
  }

  /** The envelope with another instance id: each of many messages is a document of its own. */
  private static byte[] renamed(byte[] envelope, String instance) {
    String text = new String(envelope, StandardCharsets.UTF_8);
    return text.replace(instance, UUID.randomUUID().toString()).getBytes(StandardCharsets.UTF_8);
  }

  private static Header header(byte[] envelope) throws Exception {
    try (SbdReader reader = SbdReader.newInstance(new ByteArrayInputStream(envelope))) {
      return reader.getHeader();
    }
  }

  private static X509Certificate certificate(String name) throws Exception {
    try (InputStream in = Files.newInputStream(folder.resolve(name + ".pem"))) {
      return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(in);
    }
  }

  private record Request(byte[] envelope, Header header, Endpoint endpoint, String id)
      implements As4TransmissionRequest {
    @Override
    public Endpoint getEndpoint() {
      return endpoint;
    }

    @Override
    public Header getHeader() {
      return header;
    }

    @Override
    public InputStream getPayload() {
      return new ByteArrayInputStream(envelope);
    }

    @Override
    public String getMessageId() {
      return id;
    }

    @Override
    public String getConversationId() {
      return UUID.randomUUID().toString();
    }

    @Override
    public String getRefToMessageId() {
      return null;
    }

    @Override
    public As4MessageProperties getMessageProperties() {
      return null;
    }

    @Override
    public String getPayloadHref() {
      return null;
    }

    @Override
    public Charset getPayloadCharset() {
      return null;
    }

    @Override
    public String getCompressionType() {
      return null;
    }

    @Override
    public boolean isPing() {
      return false;
    }
  }
}
