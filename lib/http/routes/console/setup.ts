import { z } from "zod";
import { requireNotSetUp, setUpInstance } from "../../../console/setup/create-owner";
import { readProgress, readSetupState, updateProgress } from "../../../console/setup/state";
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

// Accepts any object, so that a request after setup always gets 409; documented as SetupRequest.
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
    summary: "Show whether this instance is set up",
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
    summary: "Show the owner's progress in the wizard",
    handle: async (ctx) => ({ data: await readProgress(ctx) }),
  }),
  consoleRoute({
    method: "PATCH",
    path: "/api/setup/progress",
    auth: "session",
    body: UpdateSetupProgress,
    data: SetupProgress,
    summary: "Save a step of the wizard, or its end",
    handle: async (ctx, { body }) => ({ data: await updateProgress(ctx, body) }),
  }),
];
