import java.io.File;
import org.apache.kerby.kerberos.kerb.client.KrbClient;

/** Does what kinit does, where there is none: folder of krb5.conf, principal, keytab, cache. */
public class Kinit {
  public static void main(String[] args) throws Exception {
    KrbClient client = new KrbClient(new File(args[0]));
    client.init();
    client.storeTicket(client.requestTgt(args[1], new File(args[2])), new File(args[3]));
  }
}
