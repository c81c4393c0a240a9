package counterpart;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.time.YearMonth;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

import com.helger.peppol.reporting.api.PeppolReportingItem;
import com.helger.peppol.reporting.eusr.EndUserStatisticsReport;
import com.helger.peppol.reporting.jaxb.eusr.EndUserStatisticsReport110Marshaller;
import com.helger.peppol.reporting.jaxb.tsr.TransactionStatisticsReport101Marshaller;
import com.helger.peppol.reporting.tsr.TransactionStatisticsReport;

/**
 * The monthly reports as peppol-reporting makes them, as tsr.xml and eusr.xml. After the folder of
 * the keys, name=value: items, month, seat, out. A line of the items: time|sent or received|C2|C3|
 * type scheme|type|process scheme|process|country of C1|country of C4|end user.
 */
public final class Report {
  public static void main(String[] given) throws Exception {
    Map<String, String> values = Material.named(Arrays.copyOfRange(given, 1, given.length));
    List<PeppolReportingItem> items = new ArrayList<>();
    for (String line : Files.readAllLines(Path.of(values.get("items"))))
      items.add(item(line.split("\\|")));
    YearMonth month = YearMonth.parse(values.get("month"));
    String seat = values.get("seat");
    var transactions = TransactionStatisticsReport.builder()
        .monthOf(month).reportingServiceProviderID(seat).reportingItemList(items).build();
    var users = EndUserStatisticsReport.builder()
        .monthOf(month).reportingServiceProviderID(seat).reportingItemList(items).build();
    File out = new File(values.get("out"));
    boolean written = new TransactionStatisticsReport101Marshaller()
        .write(transactions, new File(out, "tsr.xml")).isSuccess();
    written &= new EndUserStatisticsReport110Marshaller()
        .write(users, new File(out, "eusr.xml")).isSuccess();
    System.out.println(written ? "written" : "not written");
  }

  private static PeppolReportingItem item(String[] part) {
    var item = PeppolReportingItem.builder()
        .exchangeDateTime(OffsetDateTime.parse(part[0]))
        .c2ID(part[2]).c3ID(part[3])
        .docTypeIDScheme(part[4]).docTypeIDValue(part[5])
        .processIDScheme(part[6]).processIDValue(part[7])
        .transportProtocolPeppolAS4v2()
        .c1CountryCode(part[8]).c4CountryCode(part[9].isEmpty() ? null : part[9])
        .endUserID(part[10]);
    return (part[1].equals("sent") ? item.directionSending() : item.directionReceiving()).build();
  }
}
