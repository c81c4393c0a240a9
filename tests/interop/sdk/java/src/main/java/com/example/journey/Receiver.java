package com.example.journey;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.example.einvoice.JSON;
import com.example.einvoice.model.Event;
import com.example.einvoice.model.TransactionFailedEvent;
import com.example.einvoice.model.TransactionReceivedEvent;
import com.example.einvoice.model.TransactionSentEvent;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Receive webhooks: verify the signature, read the payload with the generated models. */
final class Receiver implements AutoCloseable {
  /** The verified events, in the order of their arrival. */
  final BlockingQueue<Object> events = new LinkedBlockingQueue<>();

  volatile String secret = "";
  volatile String signingSecret = "";
  private final HttpServer server;

  /** A server for webhooks, at a free port of this machine. */
  Receiver() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/events", this::receive);
    server.start();
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/events";
  }

  private void receive(HttpExchange exchange) throws IOException {
    try (exchange) {
      byte[] body = exchange.getRequestBody().readAllBytes();
      if (!isAuthentic(exchange.getRequestHeaders(), body, secret, signingSecret)) {
        exchange.sendResponseHeaders(401, -1);
        return;
      }
      events.add(read(body));
      exchange.sendResponseHeaders(200, -1);
    }
  }

  private static final Map<String, Class<?>> KINDS =
      Map.of(
          "transaction.sent", TransactionSentEvent.class,
          "transaction.failed", TransactionFailedEvent.class,
          "transaction.received", TransactionReceivedEvent.class);

  /** The event as an object of the class of its type; of any other type the common members. */
  static Object read(byte[] body) throws IOException {
    ObjectMapper mapper = JSON.getDefault().getMapper();
    JsonNode members = mapper.readTree(body);
    String type = members.path("eventType").asText();
    return mapper.treeToValue(members, KINDS.getOrDefault(type, Event.class));
  }

  /** Whether the request is authentic and fresh. `body`: as it was received. */
  static boolean isAuthentic(Headers headers, byte[] body, String secret, String signingSecret) {
    String sentAt = text(headers, "webhook-timestamp");
    if (!same(text(headers, "X-Webhook-Secret"), secret) || !sentAt.matches("\\d{1,15}")) {
      return false;
    }
    if (Math.abs(System.currentTimeMillis() / 1000 - Long.parseLong(sentAt)) > 300) {
      return false;
    }
    String expected = signature(text(headers, "webhook-id") + "." + sentAt + ".", body, signingSecret);
    for (String given : text(headers, "webhook-signature").split(" ")) {
      if (same(given, expected)) {
        return true;
      }
    }
    return false;
  }

  private static String signature(String prefix, byte[] body, String signingSecret) {
    try {
      byte[] key = Base64.getDecoder().decode(signingSecret.replaceFirst("^whsec_", ""));
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      mac.update(prefix.getBytes(UTF_8));
      return "v1," + Base64.getEncoder().encodeToString(mac.doFinal(body));
    } catch (GeneralSecurityException fault) {
      throw new IllegalStateException(fault);
    }
  }

  private static String text(Headers headers, String name) {
    String value = headers.getFirst(name);
    return value == null ? "" : value;
  }

  private static boolean same(String one, String other) {
    return MessageDigest.isEqual(one.getBytes(UTF_8), other.getBytes(UTF_8));
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
