import type { ImportStep } from "../../../contracts/console/settings-file";
import type { ChannelRecord, ModelRecord, Repositories, UserRecord } from "../../../ports/store";
import type { ConsoleContext } from "../../context";
import type { ModelNames } from "../../models/model-names";

/** The context of an import step: the transaction it is part of, and the user who asked for it. */
export interface Importing {
  tx: Repositories;
  ctx: ConsoleContext;
  user: UserRecord;
  /** The instance's models, kept up to date by the steps: read once, because a file may have thousands of entries. */
  models: ModelNames;
  /** Models of the file that were skipped: a channel with one of them must not create it without the file's prices. */
  skippedModels: { name: string }[];
  channels: Map<string, ChannelRecord>;
  /** New records, which are inserted together after the last step of their kind. */
  newModels: ModelRecord[];
  newChannels: ChannelRecord[];
}

type Named = Pick<ImportStep, "kind" | "name">;

export const created = (one: Named): ImportStep => ({ ...one, action: "create", fields: [], reason: null });
export const skipped = (one: Named, reason: string): ImportStep => ({
  ...one,
  action: "skip",
  fields: [],
  reason,
});
/** `change`, or `same` when no field differs. */
export const changed = (one: Named, fields: string[]): ImportStep => ({
  ...one,
  action: fields.length === 0 ? "same" : "change",
  fields,
  reason: null,
});
