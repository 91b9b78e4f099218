import { z } from "zod";
import { setUpInstance, requireNotSetUp } from "../../../console/setup/create-owner";
import { readProgress, updateProgress } from "../../../console/setup/progress";
import { readSetupState } from "../../../console/setup/read-state";
import { toUser } from "../../../console/users/to-user";
import {
  SetupProgress,
  SetupRequest,
  SetupResult,
  SetupState,
  UpdateSetupProgress,
} from "../../../contracts/console/setup";
import { parseInput } from "../../console/pipeline";
import { writeSessionCookie } from "../../console/session-cookie";
import { consoleRoute } from "../../core/route";

// Any object passes the door, so that a late call is told 409 whatever it says; documented as what is wanted.
const AnyObject = z
  .looseObject({})
  .meta(z.toJSONSchema(SetupRequest, { io: "input", unrepresentable: "any" }));

export const SETUP_ROUTES = [
  consoleRoute({
    method: "GET",
    path: "/api/setup",
    auth: "none",
    openBeforeSetup: true,
    data: SetupState,
    summary: "Tell whether this instance is set up",
    handle: async (ctx) => ({ data: await readSetupState(ctx) }),
  }),
  consoleRoute({
    method: "POST",
    path: "/api/setup",
    auth: "none",
    openBeforeSetup: true,
    body: AnyObject,
    data: SetupResult,
    summary: "Set the instance up and create its owner",
    async handle(ctx, { body }) {
      await requireNotSetUp(ctx);
      const { user, started } = await setUpInstance(ctx, parseInput(SetupRequest, body));
      return {
        data: { user: toUser(user, false) },
        cookies: [await writeSessionCookie(ctx, ctx.peer.isSecure, started)],
      };
    },
  }),
  consoleRoute({
    method: "GET",
    path: "/api/setup/progress",
    auth: "session",
    data: SetupProgress,
    summary: "Tell where the owner stands in the wizard",
    handle: async (ctx) => ({ data: await readProgress(ctx) }),
  }),
  consoleRoute({
    method: "PATCH",
    path: "/api/setup/progress",
    auth: "session",
    body: UpdateSetupProgress,
    data: SetupProgress,
    summary: "Note a step of the wizard, or its end",
    handle: async (ctx, { body }) => ({ data: await updateProgress(ctx, body) }),
  }),
];
