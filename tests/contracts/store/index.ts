import { alertsContract } from "./alerts";
import { keysContract } from "./api-keys";
import { auditContract } from "./audit";
import { catalogueContract } from "./catalogue";
import { changesContract } from "./changes";
import { instancesContract } from "./instances";
import { invitesContract } from "./invites";
import { ledgerContract } from "./ledger";
import { pagesContract } from "./pages";
import { setupContract } from "./setup";
import { signInContract } from "./sign-in";
import { summaryContract } from "./summary";
import type { NewPlace } from "./test-database";
import { textContract } from "./text";
import { transactionsContract } from "./transactions";
import { twoFactorsContract } from "./two-factors";
import { usageContract } from "./usage";
import { usersContract } from "./users";

/** The contract of every store, on any database. */
export function storeContract(newPlace: NewPlace): void {
  setupContract(newPlace);
  usersContract(newPlace);
  twoFactorsContract(newPlace);
  signInContract(newPlace);
  invitesContract(newPlace);
  keysContract(newPlace);
  catalogueContract(newPlace);
  auditContract(newPlace);
  alertsContract(newPlace);
  ledgerContract(newPlace);
  instancesContract(newPlace);
  summaryContract(newPlace);
  usageContract(newPlace);
  changesContract(newPlace);
  transactionsContract(newPlace);
  textContract(newPlace);
  pagesContract(newPlace);
}
