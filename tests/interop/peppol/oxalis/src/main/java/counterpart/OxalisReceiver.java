package counterpart;

import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Map;

import org.eclipse.jetty.ee10.servlet.DefaultServlet;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

import com.google.inject.Injector;
import com.google.inject.servlet.GuiceFilter;
import com.google.inject.servlet.GuiceServletContextListener;

import jakarta.servlet.DispatcherType;

/**
 * Receives at /as4. After the folder of the keys, name=value: port, and home: a folder in which
 * Oxalis keeps what it received, below inbound.
 */
public final class OxalisReceiver {
  public static void main(String[] given) throws Exception {
    PrintStream out = System.out;
    System.setOut(System.err); // what libraries print
    Map<String, String> values = Home.named(Arrays.copyOfRange(given, 1, given.length));
    Path home = values.containsKey("home") ? Path.of(values.get("home")) : Files.createTempDirectory("oxalis");
    Injector injector = Home.injector(given[0], "c3", home);
    Server server = new Server();
    ServerConnector connector = new ServerConnector(server);
    connector.setHost("127.0.0.1");
    connector.setPort(Integer.parseInt(values.get("port")));
    server.addConnector(connector);
    ServletContextHandler context = new ServletContextHandler("/");
    context.addFilter(GuiceFilter.class, "/*", EnumSet.allOf(DispatcherType.class));
    context.addEventListener(new GuiceServletContextListener() {
      @Override
      protected Injector getInjector() {
        return injector;
      }
    });
    context.addServlet(DefaultServlet.class, "/");
    server.setHandler(context);
    server.start();
    out.println("ready");
    server.join();
  }
}
