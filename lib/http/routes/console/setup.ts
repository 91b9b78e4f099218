import { newPasswordIssues } from "../../../console/auth/password-rules";
import { requireNotSetUp, setUpInstance } from "../../../console/setup/create-owner";
import { readProgress, readSetupState, updateProgress } from "../../../console/setup/state";
import { toUser } from "../../../console/users/to-user";
import { writeSessionCookie } from "../../console/session-cookie";
import { consoleRoute } from "../../core/route";

export const SETUP_ROUTES = [
  consoleRoute("GET /api/setup", {
    auth: "none",
    summary: "Show whether this instance is set up",
    handle: async (ctx) => ({ data: await readSetupState(ctx) }),
  }),
  consoleRoute("POST /api/setup", {
    auth: "none",
    summary: "Set the instance up and create its owner",
    checkFirst: requireNotSetUp,
    moreIssues: ({ instance }, fields) => newPasswordIssues(instance, fields),
    async handle(ctx, { body }) {
      const { user, started } = await setUpInstance(ctx, body);
      return {
        data: { user: toUser(user, false) },
        cookies: [await writeSessionCookie(ctx, started)],
      };
    },
  }),
  consoleRoute("GET /api/setup/progress", {
    auth: "session",
    summary: "Show the owner's progress in the wizard",
    handle: async (ctx) => ({ data: await readProgress(ctx) }),
  }),
  consoleRoute("PATCH /api/setup/progress", {
    auth: "session",
    summary: "Save a step of the wizard, or its end",
    handle: async (ctx, { body }) => ({ data: await updateProgress(ctx, body) }),
  }),
];
