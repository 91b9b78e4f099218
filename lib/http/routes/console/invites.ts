import { newPasswordIssues } from "../../../console/auth/password-rules";
import { acceptInvite } from "../../../console/users/invites/accept";
import { inspectInvite } from "../../../console/users/invites/link";
import { createInvite, listInvites, revokeInvite } from "../../../console/users/invites/manage";
import { acceptPasswordReset } from "../../../console/users/password-reset";
import { registerUser, requireSelfRegistration } from "../../../console/users/register";
import { toUser } from "../../../console/users/to-user";
import { clearPendingCookie, writeSessionCookie } from "../../console/session-cookie";
import { consoleRoute } from "../../core/route";

export const INVITES_ROUTES = [
  consoleRoute("GET /api/invites", {
    auth: "adminSession",
    summary: "List one-time links that were not used yet",
    handle: async (ctx, { query }) => ({ data: await listInvites(ctx, query) }),
  }),
  consoleRoute("POST /api/invites", {
    auth: "adminSession",
    summary: "Invite a user by a one-time link; its token is returned only once",
    handle: async (ctx, { body }) => ({ data: await createInvite(ctx, body) }),
  }),
  consoleRoute("DELETE /api/invites/{id}", {
    auth: "adminSession",
    summary: "Revoke a one-time link",
    handle: (ctx, { params }) => revokeInvite(ctx, params.id),
  }),
  consoleRoute("POST /api/invites/inspect", {
    auth: "none",
    summary: "Show what a one-time link is for",
    handle: async (ctx, { body }) => ({ data: await inspectInvite(ctx, body) }),
  }),
  consoleRoute("POST /api/invites/accept", {
    auth: "none",
    summary: "Accept an invite and create its user",
    moreIssues: ({ instance }, fields) => newPasswordIssues(instance, fields),
    async handle(ctx, { body }) {
      const { user, started } = await acceptInvite(ctx, body);
      return {
        data: toUser(user, false),
        cookies: [await writeSessionCookie(ctx, started), clearPendingCookie(ctx)],
      };
    },
  }),
  consoleRoute("POST /api/password-resets/accept", {
    auth: "none",
    summary: "Choose a new password by a reset link; every session of the user ends",
    moreIssues: ({ instance }, fields) => newPasswordIssues(instance, fields),
    async handle(ctx, { body }) {
      const { user, started, hasTwoFactor } = await acceptPasswordReset(ctx, body);
      return {
        data: toUser(user, hasTwoFactor),
        cookies: [await writeSessionCookie(ctx, started), clearPendingCookie(ctx)],
      };
    },
  }),
  consoleRoute("POST /api/user/register", {
    auth: "none",
    summary: "Create your own account, if self-registration is on",
    async checkFirst({ store }) {
      await requireSelfRegistration(store);
    },
    moreIssues: ({ instance }, fields) => newPasswordIssues(instance, fields),
    async handle(ctx, { body }) {
      const { user, started } = await registerUser(ctx, body);
      return {
        data: toUser(user, false),
        cookies: [await writeSessionCookie(ctx, started), clearPendingCookie(ctx)],
      };
    },
  }),
];
