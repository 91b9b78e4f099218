import { changePassword } from "../../../console/auth/change-password";
import { newPasswordIssues } from "../../../console/auth/password-rules";
import { endOtherSessions, endSession, listSessions } from "../../../console/auth/sessions";
import { readOwnBudget, readSelf, updateSelf } from "../../../console/users/self";
import { hasTwoFactor, toUser } from "../../../console/users/to-user";
import { writeSessionCookie } from "../../console/session-cookie";
import { consoleRoute } from "../../core/route";

export const ACCOUNT_ROUTES = [
  consoleRoute("GET /api/user/self", {
    auth: "session",
    allowedWithoutTwoFactor: true,
    summary: "Show the signed-in user",
    handle: async (ctx) => ({ data: await readSelf(ctx) }),
  }),
  consoleRoute("GET /api/user/budget", {
    auth: "session",
    summary: "Show what your keys may spend, and have spent",
    handle: async (ctx) => ({ data: await readOwnBudget(ctx) }),
  }),
  consoleRoute("PATCH /api/user/self", {
    auth: "session",
    allowedWithoutTwoFactor: true,
    summary: "Change your profile",
    handle: async (ctx, { body }) => ({ data: await updateSelf(ctx, body) }),
  }),
  consoleRoute("POST /api/user/password", {
    auth: "session",
    allowedWithoutTwoFactor: true,
    summary: "Change your password; every other session ends",
    moreIssues: ({ instance }, fields) => newPasswordIssues(instance, fields, "new_password"),
    async handle(ctx, { body }) {
      const { user, started } = await changePassword(ctx, body);
      return {
        data: toUser(user, await hasTwoFactor(ctx.store, user.id)),
        cookies: [await writeSessionCookie(ctx, started)],
      };
    },
  }),
  consoleRoute("GET /api/user/sessions", {
    auth: "session",
    allowedWithoutTwoFactor: true,
    summary: "List your sessions",
    handle: async (ctx) => ({ data: await listSessions(ctx) }),
  }),
  consoleRoute("DELETE /api/user/sessions", {
    auth: "session",
    allowedWithoutTwoFactor: true,
    summary: "End all your other sessions",
    handle: (ctx) => endOtherSessions(ctx),
  }),
  consoleRoute("DELETE /api/user/sessions/{id}", {
    auth: "session",
    allowedWithoutTwoFactor: true,
    summary: "End one of your sessions",
    handle: (ctx, { params }) => endSession(ctx, params.id),
  }),
];
