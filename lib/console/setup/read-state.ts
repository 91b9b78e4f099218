import type { SetupState } from "../../contracts/console/setup";
import { takeAttempt } from "../auth/attempt-limit";
import type { ConsoleContext } from "../context";

/** The setup state for the wizard; after setup only `status`. Throws `rate_limited`, `storage_unavailable`. */
export async function readSetupState(ctx: ConsoleContext): Promise<SetupState> {
  takeAttempt(ctx, "setup-state", "setupReadsPerMinute");
  if (await ctx.store.setup.isSetUp()) return { status: true };
  const catalog = await ctx.catalog.all();
  return {
    status: false,
    root_init: false,
    database_type: ctx.store.kind,
    setup_token_required: ctx.setupGuard.isTokenRequired(ctx.peer),
    version: ctx.instance.version,
    engines: catalog.map(({ model }) => ({
      model: model.name,
      operation: model.operation,
      description: model.description,
    })),
  };
}
