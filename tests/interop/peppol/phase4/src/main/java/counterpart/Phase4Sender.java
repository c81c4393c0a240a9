package counterpart;

import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.file.Files;
import java.security.cert.X509Certificate;
import java.util.Map;

import org.w3c.dom.Element;
import org.w3c.dom.Node;

import com.helger.peppol.sbdh.EPeppolMLSType;
import com.helger.peppolid.factory.PeppolIdentifierFactory;
import com.helger.phase4.peppol.Phase4PeppolSender;
import com.helger.phase4.util.Phase4Exception;
import com.helger.security.revocation.ERevocationCheckMode;
import com.helger.servlet.mock.MockServletContext;
import com.helger.web.scope.mgr.WebScopeManager;
import com.helger.xml.serialize.read.DOMReader;

/**
 * Sends a document for each line of standard input, name=value separated by tabs, and prints one
 * line: the result, the codes and details of errors. Names: url doc key to message instance sender
 * receiver mls plain, scheme of the document type, envelope if the document is one. With count and
 * threads: that many messages, and the number of successes.
 */
public final class Phase4Sender {
  private static final PeppolIdentifierFactory IDS = PeppolIdentifierFactory.INSTANCE;

  public static void main(String[] given) throws Exception {
    PrintStream out = System.out;
    System.setOut(System.err); // what libraries print
    Material material = new Material(given[0]);
    WebScopeManager.onGlobalBegin(MockServletContext.create());
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
    out.println("ready");
    for (String line = lines.readLine(); line != null; line = lines.readLine())
      out.println("result " + answer(material, Material.named(line.split("\t"))));
  }

  private static String answer(Material material, Map<String, String> values) throws Exception {
    if (!values.containsKey("count"))
      return send(material, values);
    return Load.run(values, () -> send(material, values).equals("SUCCESS"));
  }

  private static String send(Material material, Map<String, String> values) {
    StringBuilder said = new StringBuilder();
    try {
      File file = new File(values.get("doc"));
      Element document = DOMReader.readXMLDOM(file).getDocumentElement();
      if (values.containsKey("envelope"))
        return sent(material, values, said, business(document),
            Phase4PeppolSender.sbdhBuilder().payload(Files.readAllBytes(file.toPath())));
      var builder = Phase4PeppolSender.builder().payload(document);
      if (values.containsKey("instance"))
        builder.sbdhInstanceIdentifier(values.get("instance"));
      if (values.containsKey("mls"))
        builder.mlsType(EPeppolMLSType.valueOf(values.get("mls")));
      return sent(material, values, said, document, builder);
    } catch (Exception problem) {
      return ("EXCEPTION " + problem + said).replace('\n', ' ');
    }
  }

  private static <B extends Phase4PeppolSender.AbstractPeppolUserMessageBuilder<B>> String sent(
      Material material, Map<String, String> values, StringBuilder said, Element document, B started)
      throws Exception {
    var crypto = material.crypto(values.getOrDefault("key", "c2"));
    X509Certificate own = (X509Certificate) crypto.getKeyStore().getCertificate("cert");
    B builder = started
        .cryptoFactory(crypto)
        .peppolAP_CAChecker(material.issuers(ERevocationCheckMode.NONE))
        .checkReceiverAPCertificate(false)
        .documentTypeID(IDS.createDocumentTypeIdentifier(
            values.getOrDefault("scheme", "busdox-docid-qns"), type(document)))
        .processID(IDS.createProcessIdentifierWithDefaultScheme(child(document, "ProfileID")))
        .senderParticipantID(IDS.createParticipantIdentifierWithDefaultScheme(
            values.getOrDefault("sender", "0208:0848934496")))
        .receiverParticipantID(IDS.createParticipantIdentifierWithDefaultScheme(values.get("receiver")))
        .senderPartyID(Material.seat(own))
        .countryC1("BE")
        .compressPayload(!values.containsKey("plain"))
        .receiverEndpointDetails(material.certificate(values.getOrDefault("to", "c3")), values.get("url"))
        .signalMsgConsumer((signal, metadata, state) -> {
          for (var error : signal.getError())
            said.append(' ').append(error.getErrorCode()).append(' ').append(error.getErrorDetail());
        });
    if (values.containsKey("message"))
      builder.messageID(values.get("message"));
    var result = builder.sendMessageAndCheckForReceipt(
        (Phase4Exception problem) -> said.append(' ').append(problem.getMessage()));
    return (result + said.toString()).replace('\n', ' ');
  }

  private static Element business(Element envelope) {
    for (Node node = envelope.getLastChild(); node != null; node = node.getPreviousSibling())
      if (node instanceof Element found)
        return found;
    throw new IllegalArgumentException("an envelope without a document");
  }

  private static String type(Element root) {
    return root.getNamespaceURI() + "::" + root.getLocalName() + "##" + child(root, "CustomizationID") + "::2.1";
  }

  private static String child(Element root, String name) {
    for (Node node = root.getFirstChild(); node != null; node = node.getNextSibling())
      if (name.equals(node.getLocalName()))
        return node.getTextContent().trim();
    return null;
  }
}
