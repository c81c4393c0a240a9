package counterpart;

import java.net.InetAddress;
import java.util.Arrays;
import java.util.Map;

import com.helger.peppol.sml.SMLInfo;
import com.helger.peppol.smp.ESMPTransportProfile;
import com.helger.peppolid.factory.PeppolIdentifierFactory;
import com.helger.smpclient.peppol.SMPClientReadOnly;
import com.helger.smpclient.url.PeppolNaptrURLProvider;
import com.helger.smpclient.url.SMPDNSResolutionException;

/**
 * Looks a participant up with peppol-commons: NAPTR, service group and signed metadata. After the
 * folder of the certificates, name=value: dns (an address; it asks port 53), zone, receiver, type,
 * process. Prints the document types of the group, then the endpoint and its seat, or what is wrong.
 */
public final class Lookup {
  private static final PeppolIdentifierFactory IDS = PeppolIdentifierFactory.INSTANCE;

  public static void main(String[] given) throws Exception {
    Material material = new Material(given[0]);
    Map<String, String> values = Material.named(Arrays.copyOfRange(given, 1, given.length));
    try {
      System.out.println(found(client(material, values), values));
    } catch (SMPDNSResolutionException problem) {
      System.out.println("not registered");
    } catch (Exception problem) {
      System.out.println("failure " + problem);
    }
  }

  private static SMPClientReadOnly client(Material material, Map<String, String> values) throws Exception {
    PeppolNaptrURLProvider names = new PeppolNaptrURLProvider();
    names.customDNSServers().add(InetAddress.getByName(values.get("dns")));
    var sml = new SMLInfo("closed", "closed", values.get("zone") + ".", "http://127.0.0.1", false);
    var receiver = IDS.createParticipantIdentifierWithDefaultScheme(values.get("receiver"));
    SMPClientReadOnly client = new SMPClientReadOnly(names, receiver, sml);
    client.setTrustStore(material.store("smp-trust.p12"));
    return client;
  }

  private static String found(SMPClientReadOnly client, Map<String, String> values) throws Exception {
    var receiver = IDS.createParticipantIdentifierWithDefaultScheme(values.get("receiver"));
    var group = client.getServiceGroupOrNull(receiver);
    if (group == null)
      return "no service group";
    for (var type : SMPClientReadOnly.getAllDocumentTypes(group))
      System.out.println("type " + type.getURIEncoded());
    var type = IDS.createDocumentTypeIdentifierWithDefaultScheme(values.get("type"));
    var metadata = client.getServiceMetadataOrNull(receiver, type, null);
    if (metadata == null)
      return "type not offered";
    var process = IDS.createProcessIdentifierWithDefaultScheme(values.get("process"));
    var endpoint = SMPClientReadOnly.getEndpoint(
        metadata, process, ESMPTransportProfile.TRANSPORT_PROFILE_PEPPOL_AS4_V2);
    if (endpoint == null)
      return "no endpoint of the process";
    return "endpoint " + SMPClientReadOnly.getEndpointAddress(endpoint) + " of "
        + Material.seat(SMPClientReadOnly.getEndpointCertificate(endpoint));
  }
}
