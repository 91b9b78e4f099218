import { Client } from "pg";
import type { BillingPeriod } from "../../ports/billing-period";
import { type AccountRows, accountQueries, toAccountRows } from "../account-rows";
import { StartError } from "../errors";
import { patientConfig } from "./migrate";
import { hostAndDatabaseOf } from "./session";

/** The rows that a restore compares. Changes nothing. Throws StartError when there is no store that can be read. */
export async function readPostgresAccountRows(url: string, periods: BillingPeriod): Promise<AccountRows> {
  const client = new Client(patientConfig(url));
  // Without a listener, a lost connection would end the process; the query that was using it reports the cause.
  client.on("error", () => {});
  try {
    await client.connect();
    const results: Record<string, unknown[]> = {};
    for (const [name, sql] of Object.entries(accountQueries(periods)))
      results[name] = (await client.query(sql)).rows;
    return toAccountRows(results);
  } catch (cause) {
    const words = cause instanceof Error ? cause.message : String(cause);
    throw new StartError(`The store at ${hostAndDatabaseOf(url)} cannot be read (${words}).`, { cause });
  } finally {
    await client.end().catch(() => {});
  }
}
