package counterpart;

import java.io.File;

import eu.europa.esig.dss.diagnostic.SignatureWrapper;
import eu.europa.esig.dss.model.FileDocument;
import eu.europa.esig.dss.spi.validation.CommonCertificateVerifier;
import eu.europa.esig.dss.validation.SignedDocumentValidator;

/**
 * What EU DSS says of the signatures in files. Prints a line for each file: its name, format, "intact"
 * or "broken", "valid" or "invalid", indication and subindication. No certificate is trusted here, so
 * the indication of a good signature is INDETERMINATE, NO_CERTIFICATE_CHAIN_FOUND.
 */
public final class Judge {
  public static void main(String[] files) {
    for (String file : files) {
      System.out.println(new File(file).getName() + " " + judged(file));
    }
  }

  private static String judged(String file) {
    var validator = SignedDocumentValidator.fromDocument(new FileDocument(file));
    validator.setCertificateVerifier(new CommonCertificateVerifier());
    var reports = validator.validateDocument();
    var simple = reports.getSimpleReport();
    String id = simple.getFirstSignatureId();
    SignatureWrapper signature = reports.getDiagnosticData().getSignatureById(id);
    return String.join(
        " ",
        signature.getSignatureFormat().toString(),
        signature.isSignatureIntact() ? "intact" : "broken",
        signature.isSignatureValid() ? "valid" : "invalid",
        simple.getIndication(id).toString(),
        String.valueOf(simple.getSubIndication(id)));
  }
}
