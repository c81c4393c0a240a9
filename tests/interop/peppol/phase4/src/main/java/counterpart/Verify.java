package counterpart;

import java.io.File;
import java.util.Locale;

import com.helger.diver.api.coord.DVRCoordinate;
import com.helger.io.resource.FileSystemResource;
import com.helger.phive.api.execute.ValidationExecutionManager;
import com.helger.phive.api.executorset.ValidationExecutorSetRegistry;
import com.helger.phive.api.validity.IValidityDeterminator;
import com.helger.phive.peppol.PeppolValidationMLS;
import com.helger.phive.peppol.PeppolValidationReporting;
import com.helger.phive.xml.source.IValidationSourceXML;
import com.helger.phive.xml.source.ValidationSourceXML;

/**
 * Official schemas and rules, run by phive: kind=file pairs, the kind one of mls, tsr, eusr. Prints
 * "valid FILE" or "invalid FILE" and the ids and texts of the findings.
 */
public final class Verify {
  public static void main(String[] given) throws Exception {
    ValidationExecutorSetRegistry<IValidationSourceXML> rules = new ValidationExecutorSetRegistry<>();
    PeppolValidationMLS.init(rules);
    PeppolValidationReporting.init(rules);
    for (int number = 1; number < given.length; number++) { // the first is the folder of the keys
      String[] pair = given[number].split("=", 2);
      System.out.println(verified(rules, pair[0], pair[1]));
    }
  }

  private static String verified(
      ValidationExecutorSetRegistry<IValidationSourceXML> rules, String kind, String file) {
    var source = ValidationSourceXML.create(new FileSystemResource(new File(file)));
    var result = ValidationExecutionManager.executeValidation(
        IValidityDeterminator.createDefault(), rules.getOfID(id(kind)), source);
    StringBuilder said = new StringBuilder(result.containsNoError() ? "valid " : "invalid ").append(file);
    result.forEachFlattened(error -> said.append(' ').append(error.getErrorID()).append(' ')
        .append(error.getErrorText(Locale.ENGLISH)));
    return said.toString().replace('\n', ' ');
  }

  private static DVRCoordinate id(String kind) {
    return switch (kind) {
      case "mls" -> PeppolValidationMLS.VID_OPENPEPPOL_MLS_V100;
      case "tsr" -> PeppolValidationReporting.VID_OPENPEPPOL_TSR_V105;
      case "eusr" -> PeppolValidationReporting.VID_OPENPEPPOL_EUSR_V115;
      default -> throw new IllegalArgumentException(kind);
    };
  }
}
