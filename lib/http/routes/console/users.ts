import { createUser } from "../../../console/users/create";
import { createPasswordReset } from "../../../console/users/create-password-reset";
import {
  deleteUser,
  endUserSessions,
  resetTwoFactor,
  unlockUser,
  updateUser,
} from "../../../console/users/manage";
import { getUser, listUsers } from "../../../console/users/managed-users";
import { InviteWithToken } from "../../../contracts/console/invites";
import { CreateUser, ManagedUser, UpdateUser } from "../../../contracts/console/user";
import { ListQuery, listOf } from "../../../contracts/paging";
import { consoleRoute } from "../../core/route";

export const USERS_ROUTES = [
  consoleRoute({
    method: "GET",
    path: "/api/users",
    auth: "adminSession",
    query: ListQuery,
    data: listOf(ManagedUser),
    summary: "List users",
    // The route pipeline has parsed the query with the schema above; its declared type is that of every route.
    handle: async (ctx, { query }) => ({ data: await listUsers(ctx, query as ListQuery) }),
  }),
  consoleRoute({
    method: "POST",
    path: "/api/users",
    auth: "adminSession",
    body: CreateUser,
    data: ManagedUser,
    summary: "Add a user",
    handle: async (ctx, { body }) => ({ data: await createUser(ctx, body) }),
  }),
  consoleRoute({
    method: "GET",
    path: "/api/users/{id}",
    auth: "adminSession",
    data: ManagedUser,
    summary: "Show a user",
    handle: async (ctx, { params }) => ({ data: await getUser(ctx, params.id ?? "") }),
  }),
  consoleRoute({
    method: "PATCH",
    path: "/api/users/{id}",
    auth: "adminSession",
    body: UpdateUser,
    data: ManagedUser,
    summary: "Change a user of a lower role",
    handle: async (ctx, { params, body }) => ({ data: await updateUser(ctx, params.id ?? "", body) }),
  }),
  consoleRoute({
    method: "DELETE",
    path: "/api/users/{id}",
    auth: "adminSession",
    summary: "Remove a user of a lower role with their keys",
    async handle(ctx, { params }) {
      await deleteUser(ctx, params.id ?? "");
      return { data: null };
    },
  }),
  consoleRoute({
    method: "POST",
    path: "/api/users/{id}/reset_2fa",
    auth: "adminSession",
    summary: "Disable 2FA of a user who has lost it",
    async handle(ctx, { params }) {
      await resetTwoFactor(ctx, params.id ?? "");
      return { data: null };
    },
  }),
  consoleRoute({
    method: "POST",
    path: "/api/users/{id}/unlock",
    auth: "adminSession",
    summary: "Clear a user's delays and locks",
    async handle(ctx, { params }) {
      await unlockUser(ctx, params.id ?? "");
      return { data: null };
    },
  }),
  consoleRoute({
    method: "POST",
    path: "/api/users/{id}/password_reset",
    auth: "adminSession",
    data: InviteWithToken,
    summary: "Create a one-time link to reset a user's password; its token is returned only once",
    handle: async (ctx, { params }) => ({ data: await createPasswordReset(ctx, params.id ?? "") }),
  }),
  consoleRoute({
    method: "DELETE",
    path: "/api/users/{id}/sessions",
    auth: "adminSession",
    summary: "Sign a user out everywhere",
    async handle(ctx, { params }) {
      await endUserSessions(ctx, params.id ?? "");
      return { data: null };
    },
  }),
];
