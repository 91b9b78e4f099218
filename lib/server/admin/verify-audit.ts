import { isWhole } from "../../console/audit/verify";
import type { AuditChain } from "../../ports/store";
import { type Command, CommandError, readArguments } from "./command";
import { withStore } from "./open-store";

export const verifyAudit: Command = {
  name: "verify-audit",
  usage: "[--expect <hash>]",
  summary: "check that no audit row was changed or removed; --expect: the newest hash of an earlier check",
  async run({ env, terminal }, args) {
    const { values } = readArguments(args, { expect: { type: "string" } }, []);
    const chain = await withStore(env, ({ store }) => store.audit.verify(values.expect));
    terminal.note(`${chain.rows} audit ${chain.rows === 1 ? "row is" : "rows are"} intact.`);
    if (!isWhole(chain)) throw new CommandError(brokenChainMessage(chain));
    if (values.expect !== undefined && !chain.hasExpected) {
      throw new CommandError(
        `No row has the hash ${values.expect}: the store was restored to a state before that row, or the hash belongs to another store.`,
      );
    }
    if (chain.newestHash !== null) terminal.say(chain.newestHash);
  },
};

/** What is wrong with an audit log that is not whole. */
export function brokenChainMessage({ rows, brokenAt, expectedRows }: AuditChain): string {
  if (brokenAt !== null) {
    return `Audit row ${brokenAt} was changed, or does not follow from the one before it.`;
  }
  if (expectedRows === null) {
    return "The end of the audit log cannot be verified: the record of its newest row is missing or forged.";
  }
  if (expectedRows === rows + 1) return `Audit row ${expectedRows} is missing at the end.`;
  return `Audit rows ${rows + 1} to ${expectedRows} are missing at the end.`;
}
