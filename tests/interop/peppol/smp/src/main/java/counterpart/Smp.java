package counterpart;

import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.webapp.WebAppContext;

/** phoss SMP in Jetty: Smp PORT WEBAPP. Settings come from the file in -Dconfig.file. */
public final class Smp {
  public static void main(final String[] args) throws Exception {
    final Server server = new Server();
    final ServerConnector connector = new ServerConnector(server);
    connector.setHost("127.0.0.1");
    connector.setPort(Integer.parseInt(args[0]));
    server.addConnector(connector);
    final WebAppContext context = new WebAppContext(args[1], "/");
    context.setParentLoaderPriority(true);
    context.setThrowUnavailableOnStartupException(true);
    server.setHandler(context);
    server.start();
    System.out.println("ready http://127.0.0.1:" + connector.getLocalPort());
    server.join();
  }
}
