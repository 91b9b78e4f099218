import { alertsContract } from "./alerts";
import { keysContract } from "./api-keys";
import { auditContract } from "./audit";
import { catalogueContract } from "./catalogue";
import { changesContract } from "./changes";
import { instancesContract } from "./instances";
import { invitesContract } from "./invites";
import { ledgerContract } from "./ledger";
import { pagesContract } from "./pages";
import { rejectionsContract } from "./rejections";
import { setupContract } from "./setup";
import { signInContract } from "./sign-in";
import { summaryContract } from "./summary";
import type { NewTestDatabase } from "./test-database";
import { textContract } from "./text";
import { transactionsContract } from "./transactions";
import { twoFactorsContract } from "./two-factors";
import { usageContract } from "./usage";
import { usersContract } from "./users";

/** The contract of every store, on any database. */
export function storeContract(newDatabase: NewTestDatabase): void {
  setupContract(newDatabase);
  usersContract(newDatabase);
  twoFactorsContract(newDatabase);
  signInContract(newDatabase);
  invitesContract(newDatabase);
  keysContract(newDatabase);
  catalogueContract(newDatabase);
  auditContract(newDatabase);
  alertsContract(newDatabase);
  rejectionsContract(newDatabase);
  ledgerContract(newDatabase);
  instancesContract(newDatabase);
  summaryContract(newDatabase);
  usageContract(newDatabase);
  changesContract(newDatabase);
  transactionsContract(newDatabase);
  textContract(newDatabase);
  pagesContract(newDatabase);
}
