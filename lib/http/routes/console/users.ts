import { newPasswordIssues } from "../../../console/auth/password-rules";
import {
  createUser,
  deleteUser,
  endUserSessions,
  resetTwoFactor,
  unlockUser,
  updateUser,
} from "../../../console/users/manage";
import { getUser, listUsers } from "../../../console/users/managed-users";
import { createPasswordReset } from "../../../console/users/password-reset";
import { consoleRoute } from "../../core/route";

export const USERS_ROUTES = [
  consoleRoute("GET /api/users", {
    auth: "adminSession",
    summary: "List users",
    handle: async (ctx, { query }) => ({ data: await listUsers(ctx, query) }),
  }),
  consoleRoute("POST /api/users", {
    auth: "adminSession",
    summary: "Add a user",
    moreIssues: ({ instance }, fields) => newPasswordIssues(instance, fields),
    handle: async (ctx, { body }) => ({ data: await createUser(ctx, body) }),
  }),
  consoleRoute("GET /api/users/{id}", {
    auth: "adminSession",
    summary: "Show a user",
    handle: async (ctx, { params }) => ({ data: await getUser(ctx, params.id) }),
  }),
  consoleRoute("PATCH /api/users/{id}", {
    auth: "adminSession",
    summary: "Change a user of a lower role",
    handle: async (ctx, { params, body }) => ({ data: await updateUser(ctx, params.id, body) }),
  }),
  consoleRoute("DELETE /api/users/{id}", {
    auth: "adminSession",
    summary: "Remove a user of a lower role with their keys",
    handle: (ctx, { params }) => deleteUser(ctx, params.id),
  }),
  consoleRoute("POST /api/users/{id}/reset_2fa", {
    auth: "adminSession",
    summary: "Disable 2FA of a user who has lost it",
    handle: (ctx, { params }) => resetTwoFactor(ctx, params.id),
  }),
  consoleRoute("POST /api/users/{id}/unlock", {
    auth: "adminSession",
    summary: "Clear a user's delays and locks",
    handle: (ctx, { params }) => unlockUser(ctx, params.id),
  }),
  consoleRoute("POST /api/users/{id}/password_reset", {
    auth: "adminSession",
    summary: "Create a one-time link to reset a user's password; its token is returned only once",
    handle: async (ctx, { params }) => ({ data: await createPasswordReset(ctx, params.id) }),
  }),
  consoleRoute("DELETE /api/users/{id}/sessions", {
    auth: "adminSession",
    summary: "Sign a user out everywhere",
    handle: (ctx, { params }) => endUserSessions(ctx, params.id),
  }),
];
