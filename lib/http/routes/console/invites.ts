import { z } from "zod";
import { acceptPasswordReset } from "../../../console/users/accept-password-reset";
import { acceptInvite } from "../../../console/users/invites/accept";
import { inspectInvite } from "../../../console/users/invites/link";
import { createInvite, listInvites, revokeInvite } from "../../../console/users/invites/manage";
import { registerUser, requireSelfRegistration } from "../../../console/users/register";
import { toUser } from "../../../console/users/to-user";
import {
  AcceptInvite,
  AcceptPasswordReset,
  CreateInvite,
  InspectInvite,
  Invite,
  InviteFacts,
  InviteWithToken,
  RegisterRequest,
} from "../../../contracts/console/invites";
import { User } from "../../../contracts/console/user";
import { ListQuery, listOf } from "../../../contracts/paging";
import { parseInput } from "../../console/pipeline";
import { clearPendingCookie, writeSessionCookie } from "../../console/session-cookie";
import { consoleRoute } from "../../core/route";

// Accepts any object, so that the reply is 404 when self-registration is off; documented as RegisterRequest.
const AnyObject = z
  .looseObject({})
  .meta(z.toJSONSchema(RegisterRequest, { io: "input", unrepresentable: "any" }));

/** Invites, password-reset links and self-registration. */
export const INVITES_ROUTES = [
  consoleRoute({
    method: "GET",
    path: "/api/invites",
    auth: "adminSession",
    query: ListQuery,
    data: listOf(Invite),
    summary: "List one-time links that were not used yet",
    // The route pipeline has parsed the query with the schema above; its declared type is that of every route.
    handle: async (ctx, { query }) => ({ data: await listInvites(ctx, query as ListQuery) }),
  }),
  consoleRoute({
    method: "POST",
    path: "/api/invites",
    auth: "adminSession",
    body: CreateInvite,
    data: InviteWithToken,
    summary: "Invite a user by a one-time link; its token is returned only once",
    handle: async (ctx, { body }) => ({ data: await createInvite(ctx, body) }),
  }),
  consoleRoute({
    method: "DELETE",
    path: "/api/invites/{id}",
    auth: "adminSession",
    summary: "Revoke a one-time link",
    async handle(ctx, { params }) {
      await revokeInvite(ctx, params.id ?? "");
      return { data: null };
    },
  }),
  consoleRoute({
    method: "POST",
    path: "/api/invites/inspect",
    auth: "none",
    body: InspectInvite,
    data: InviteFacts,
    summary: "Show what a one-time link is for",
    handle: async (ctx, { body }) => ({ data: await inspectInvite(ctx, body) }),
  }),
  consoleRoute({
    method: "POST",
    path: "/api/invites/accept",
    auth: "none",
    body: AcceptInvite,
    data: User,
    summary: "Accept an invite and create its user",
    async handle(ctx, { body }) {
      const { isSecure } = ctx.peer;
      const { user, started } = await acceptInvite(ctx, body);
      return {
        data: toUser(user, false),
        cookies: [await writeSessionCookie(ctx, isSecure, started), clearPendingCookie(isSecure)],
      };
    },
  }),
  consoleRoute({
    method: "POST",
    path: "/api/password-resets/accept",
    auth: "none",
    body: AcceptPasswordReset,
    data: User,
    summary: "Choose a new password by a reset link; every session of the user ends",
    async handle(ctx, { body }) {
      const { isSecure } = ctx.peer;
      const { user, started, hasTwoFactor } = await acceptPasswordReset(ctx, body);
      return {
        data: toUser(user, hasTwoFactor),
        cookies: [await writeSessionCookie(ctx, isSecure, started), clearPendingCookie(isSecure)],
      };
    },
  }),
  consoleRoute({
    method: "POST",
    path: "/api/user/register",
    auth: "none",
    body: AnyObject,
    data: User,
    summary: "Create your own account, if self-registration is on",
    async handle(ctx, { body }) {
      const { isSecure } = ctx.peer;
      await requireSelfRegistration(ctx.store);
      const { user, started } = await registerUser(ctx, parseInput(RegisterRequest, body));
      return {
        data: toUser(user, false),
        cookies: [await writeSessionCookie(ctx, isSecure, started), clearPendingCookie(isSecure)],
      };
    },
  }),
];
