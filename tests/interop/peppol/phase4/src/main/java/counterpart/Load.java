package counterpart;

import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Sends count messages by some threads: how many succeeded, and the seconds that it took. */
final class Load {
  private Load() {}

  static String run(Map<String, String> values, Callable<Boolean> send) throws Exception {
    int count = Integer.parseInt(values.get("count"));
    AtomicInteger left = new AtomicInteger(count);
    AtomicInteger good = new AtomicInteger();
    int threads = Integer.parseInt(values.getOrDefault("threads", "1"));
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    long begun = System.nanoTime();
    for (int number = 0; number < threads; number++)
      pool.submit(() -> {
        while (left.getAndDecrement() > 0)
          if (send.call())
            good.incrementAndGet();
        return null;
      });
    pool.shutdown();
    if (!pool.awaitTermination(10, TimeUnit.MINUTES))
      pool.shutdownNow();
    return String.format("%d of %d in %.2f", good.get(), count, (System.nanoTime() - begun) / 1e9);
  }
}
