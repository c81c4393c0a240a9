import java.io.File;
import java.io.FileInputStream;
import java.util.Locale;
import org.verapdf.gf.foundry.VeraGreenfieldFoundryProvider;
import org.verapdf.pdfa.Foundries;
import org.verapdf.pdfa.PDFAParser;
import org.verapdf.pdfa.PDFAValidator;
import org.verapdf.pdfa.flavours.PDFAFlavour;
import org.verapdf.pdfa.results.TestAssertion;
import org.verapdf.pdfa.results.ValidationResult;

/** Check.java FLAVOUR FILE…: says what veraPDF has against each file, one line for each objection. */
public class Check {
    public static void main(String[] arguments) throws Exception {
        VeraGreenfieldFoundryProvider.initialise();
        PDFAFlavour flavour = PDFAFlavour.byFlavourId(arguments[0]);
        for (int at = 1; at < arguments.length; at++) {
            try (FileInputStream file = new FileInputStream(new File(arguments[at]));
                 PDFAParser parser = Foundries.defaultInstance().createParser(file, flavour)) {
                PDFAValidator validator = Foundries.defaultInstance().createValidator(flavour, false);
                ValidationResult result = validator.validate(parser);
                for (TestAssertion one : result.getTestAssertions()) {
                    if (one.getStatus() == TestAssertion.Status.FAILED) {
                        System.out.println(arguments[at] + "\t" + one.getRuleId().getClause()
                            + "\t" + one.getMessage());
                    }
                }
                System.out.println(arguments[at] + "\t" + (result.isCompliant() ? "compliant" : "not compliant"));
            }
        }
    }
}
