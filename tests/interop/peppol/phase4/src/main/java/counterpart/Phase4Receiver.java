package counterpart;

import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.Map;

import org.apache.wss4j.dom.WSConstants;
import org.apache.wss4j.dom.engine.WSSConfig;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.w3c.dom.Node;

import com.helger.collection.commons.CommonsArrayList;
import com.helger.collection.commons.ICommonsList;
import com.helger.http.EHttpMethod;
import com.helger.http.header.HttpHeaderMap;
import com.helger.peppol.sbdh.PeppolSBDHData;
import com.helger.peppol.sbdh.PeppolSBDHDataReader;
import com.helger.peppolid.factory.PeppolIdentifierFactory;
import com.helger.phase4.attachment.WSS4JAttachment;
import com.helger.phase4.crypto.AS4CryptoFactoryInMemoryKeyStore;
import com.helger.phase4.crypto.IAS4DecryptParameterModifier;
import com.helger.phase4.ebms3header.Ebms3SignalMessage;
import com.helger.phase4.ebms3header.Ebms3UserMessage;
import com.helger.phase4.error.AS4ErrorList;
import com.helger.phase4.incoming.AS4RequestHandler;
import com.helger.phase4.incoming.AS4ServerInitializer;
import com.helger.phase4.incoming.IAS4IncomingMessageMetadata;
import com.helger.phase4.incoming.IAS4IncomingMessageState;
import com.helger.phase4.incoming.crypto.AS4IncomingSecurityConfiguration;
import com.helger.phase4.incoming.mgr.AS4ProfileSelector;
import com.helger.phase4.incoming.spi.AS4MessageProcessorResult;
import com.helger.phase4.incoming.spi.AS4SignalMessageProcessorResult;
import com.helger.phase4.incoming.spi.IAS4IncomingMessageProcessorSPI;
import com.helger.phase4.mgr.AS4ManagerFactoryPersistingFileSystem;
import com.helger.phase4.mgr.MetaAS4Manager;
import com.helger.phase4.model.error.EEbmsError;
import com.helger.phase4.model.pmode.IPMode;
import com.helger.phase4.profile.peppol.AS4PeppolProfileRegistarSPI;
import com.helger.phase4.servlet.AS4UnifiedResponse;
import com.helger.phase4.servlet.AS4XServletHandler;
import com.helger.phase4.servlet.IAS4ServletRequestHandlerCustomizer;
import com.helger.phase4.wss.AS4CertificateOnlySignatureTrustValidator;
import com.helger.photon.io.WebFileIO;
import com.helger.security.certificate.TrustedCAChecker;
import com.helger.security.revocation.ERevocationCheckMode;
import com.helger.web.scope.IRequestWebScopeWithoutResponse;
import com.helger.web.scope.mgr.WebScopeManager;
import com.helger.xservlet.AbstractXServlet;

import jakarta.servlet.ServletContextEvent;
import jakarta.servlet.ServletContextListener;

/**
 * Receives at /as4. Participants that end in 97 are not served; those that end in 98 make the
 * handler fail. After the folder of the keys, name=value: port, key (default c3), out: a folder that
 * keeps the envelopes and phase4's record of message ids, also when the process is killed, crl=yes:
 * with revocation lists.
 */
public final class Phase4Receiver {
  private static AS4CryptoFactoryInMemoryKeyStore crypto;
  private static TrustedCAChecker issuers;
  private static Path out;

  public static void main(String[] given) throws Exception {
    PrintStream output = System.out;
    System.setOut(System.err); // what libraries print
    Material material = new Material(given[0]);
    Map<String, String> values = Material.named(Arrays.copyOfRange(given, 1, given.length));
    crypto = material.crypto(values.getOrDefault("key", "c3"));
    issuers = material.issuers(
        values.containsKey("crl") ? ERevocationCheckMode.CRL : ERevocationCheckMode.NONE);
    if (values.containsKey("out"))
      keep(Path.of(values.get("out")));
    Server server = new Server();
    ServerConnector connector = new ServerConnector(server);
    connector.setHost("127.0.0.1");
    connector.setPort(Integer.parseInt(values.get("port")));
    server.addConnector(connector);
    ServletContextHandler context = new ServletContextHandler("/");
    context.addEventListener(new Life());
    context.addServlet(new ServletHolder(Endpoint.class), "/as4");
    server.setHandler(context);
    server.start();
    output.println("ready");
    server.join();
  }

  private static void keep(Path folder) throws Exception {
    out = Files.createDirectories(folder.resolve("taken"));
    File state = Files.createDirectories(folder.resolve("state")).toFile();
    WebFileIO.initPaths(state, state.getAbsolutePath(), false);
    MetaAS4Manager.setFactory(new AS4ManagerFactoryPersistingFileSystem());
  }

  private static final class Life implements ServletContextListener {
    @Override
    public void contextInitialized(ServletContextEvent event) {
      WebScopeManager.onGlobalBegin(event.getServletContext());
      AS4ProfileSelector.setCustomDefaultAS4ProfileID(AS4PeppolProfileRegistarSPI.AS4_PROFILE_ID);
      AS4ServerInitializer.initAS4Server();
    }
  }

  public static final class Endpoint extends AbstractXServlet {
    public Endpoint() {
      settings().setMultipartEnabled(false);
      handlerRegistry().registerHandler(
          EHttpMethod.POST, new AS4XServletHandler().setRequestHandlerCustomizer(new Customizer()));
    }
  }

  private static final class Customizer implements IAS4ServletRequestHandlerCustomizer {
    @Override
    public void customizeBeforeHandling(
        IRequestWebScopeWithoutResponse scope, AS4UnifiedResponse response, AS4RequestHandler handler) {
      AS4IncomingSecurityConfiguration security = AS4IncomingSecurityConfiguration.createDefaultInstance();
      security.setDecryptParameterModifier(new IAS4DecryptParameterModifier() {
        @Override
        public void modifyWSSConfig(WSSConfig config) {
          config.setValidator(WSConstants.SIGNATURE, new AS4CertificateOnlySignatureTrustValidator());
        }
      });
      handler.setIncomingSecurityConfiguration(security);
      handler.setCryptoFactory(crypto);
      handler.setProcessorSupplier(() -> new CommonsArrayList<>(new Processor()));
    }

    @Override
    public void customizeAfterHandling(
        IRequestWebScopeWithoutResponse scope, AS4UnifiedResponse response, AS4RequestHandler handler) {}
  }

  private static final class Processor implements IAS4IncomingMessageProcessorSPI {
    @Override
    public AS4MessageProcessorResult processAS4UserMessage(
        IAS4IncomingMessageMetadata metadata, HttpHeaderMap headers, Ebms3UserMessage message, IPMode pmode,
        Node payload, ICommonsList<WSS4JAttachment> attachments, IAS4IncomingMessageState state,
        AS4ErrorList errors) {
      String wrong;
      try {
        wrong = taken(attachments, state);
      } catch (Exception problem) {
        wrong = problem.toString();
      }
      if (wrong == null)
        return AS4MessageProcessorResult.createSuccess();
      errors.add(EEbmsError.EBMS_OTHER.errorBuilder(state.getLocale())
          .refToMessageInError(state.getMessageID()).errorDetail(wrong).build());
      return AS4MessageProcessorResult.createFailure();
    }

    /** Why the message is refused; null if it is taken. */
    private static String taken(ICommonsList<WSS4JAttachment> attachments, IAS4IncomingMessageState state)
        throws Exception {
      X509Certificate signer = state.getSigningCertificate();
      if (signer == null || !issuers.checkCertificate(signer).isValid())
        return "the signer is not trusted";
      if (state.getDecryptingCertificate() == null || attachments == null || attachments.size() != 1)
        return "one encrypted payload is needed";
      byte[] bytes;
      try (InputStream in = attachments.getFirstOrNull().getSourceStream()) {
        bytes = in.readAllBytes();
      }
      PeppolSBDHData envelope = new PeppolSBDHDataReader(PeppolIdentifierFactory.INSTANCE)
          .extractData(new ByteArrayInputStream(bytes));
      if (envelope.getReceiverValue().endsWith("97"))
        return "PEPPOL:NOT_SERVICED";
      if (envelope.getReceiverValue().endsWith("98"))
        throw new IllegalStateException("the handler failed");
      if (out != null)
        store(bytes, state.getMessageID());
      return null;
    }

    /** Keep an envelope, each in a file of its own; durable before the receipt is made. */
    private static void store(byte[] bytes, String id) throws Exception {
      Path file = Files.createTempFile(out, id + ".", ".part");
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
        channel.write(ByteBuffer.wrap(bytes));
        channel.force(true);
      }
      Files.move(file, Path.of(file.toString().replace(".part", ".xml")));
    }

    @Override
    public AS4SignalMessageProcessorResult processAS4SignalMessage(
        IAS4IncomingMessageMetadata metadata, HttpHeaderMap headers, Ebms3SignalMessage message, IPMode pmode,
        IAS4IncomingMessageState state, AS4ErrorList errors) {
      return AS4SignalMessageProcessorResult.createSuccess();
    }

    @Override
    public void processAS4ResponseMessage(
        IAS4IncomingMessageMetadata metadata, IAS4IncomingMessageState state, String id, byte[] bytes,
        boolean available, AS4ErrorList errors) {}
  }
}
