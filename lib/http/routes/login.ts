import { LoginRequest, LoginResult, SecondStepRequest, SecondStepResult } from "../../contracts/login";
import { toTimestamp } from "../../contracts/timestamp";
import { logIn } from "../../domain/auth/log-in";
import { logOut } from "../../domain/auth/log-out";
import { verifySecondStep } from "../../domain/auth/verify-second-step";
import { toUser } from "../../domain/users/to-user";
import { consoleRoute } from "../route";
import {
  clearPendingCookie,
  clearSessionCookie,
  pendingCookie,
  readCookie,
  writePendingCookie,
  writeSessionCookie,
} from "../session-cookie";

export const LOGIN_ROUTES = [
  consoleRoute({
    method: "POST",
    path: "/api/user/login",
    auth: "none",
    body: LoginRequest,
    data: LoginResult,
    summary: "Sign in with name and password",
    async handle(ctx, { body }) {
      const { isSecure } = ctx.peer;
      const outcome = await logIn(ctx, body);
      if (outcome.kind === "second-step") {
        return {
          data: {
            require_2fa: true,
            flow_token: outcome.flowToken,
            expires_at: toTimestamp(outcome.expiresAt),
            methods: ["totp", "backup_code"],
          },
          cookies: [writePendingCookie(isSecure, outcome.flowToken)],
        };
      }
      return {
        data: toUser(outcome.user, false),
        cookies: [await writeSessionCookie(ctx, isSecure, outcome.started), clearPendingCookie(isSecure)],
      };
    },
  }),
  consoleRoute({
    method: "POST",
    path: "/api/user/login/2fa",
    auth: "none",
    body: SecondStepRequest,
    data: SecondStepResult,
    summary: "Finish a sign-in with the second factor",
    async handle(ctx, { body, request }) {
      const { isSecure } = ctx.peer;
      const pendingToken = readCookie(request.headers.get("cookie"), pendingCookie(isSecure).name);
      const { user, started, method } = await verifySecondStep(ctx, { ...body, pendingToken });
      return {
        data: { ...toUser(user, true), login_method: method },
        cookies: [await writeSessionCookie(ctx, isSecure, started), clearPendingCookie(isSecure)],
      };
    },
  }),
  consoleRoute({
    method: "POST",
    path: "/api/user/logout",
    // Anybody: whoever is signed out already wants the cookie gone all the same.
    auth: "none",
    summary: "Sign out",
    async handle(ctx) {
      await logOut(ctx);
      return {
        data: null,
        cookies: [clearSessionCookie(ctx.peer.isSecure), clearPendingCookie(ctx.peer.isSecure)],
      };
    },
  }),
];
