import { signOut } from "../../../console/auth/sessions";
import { signIn } from "../../../console/auth/sign-in";
import { verifyTwoFactor } from "../../../console/auth/verify-two-factor";
import { toUser } from "../../../console/users/to-user";
import type { TwoFactorNeeded } from "../../../contracts/console/sign-in";
import { toTimestamp } from "../../../contracts/timestamp";
import {
  clearPendingCookie,
  clearSessionCookie,
  pendingCookie,
  readCookie,
  writePendingCookie,
  writeSessionCookie,
} from "../../console/session-cookie";
import { consoleRoute } from "../../core/route";

export const SIGN_IN_ROUTES = [
  consoleRoute("POST /api/user/login", {
    auth: "none",
    summary: "Sign in with name and password",
    async handle(ctx, { body }) {
      const outcome = await signIn(ctx, body);
      if (outcome.kind === "second-step") {
        const data: TwoFactorNeeded = {
          require_2fa: true,
          flow_token: outcome.flowToken,
          expires_at: toTimestamp(outcome.expiresAt),
          methods: ["totp", "backup_code"],
        };
        return { data, cookies: [writePendingCookie(ctx, outcome.flowToken)] };
      }
      return {
        data: toUser(outcome.user, false),
        cookies: [await writeSessionCookie(ctx, outcome.started), clearPendingCookie(ctx)],
      };
    },
  }),
  consoleRoute("POST /api/user/login/2fa", {
    auth: "none",
    summary: "Complete a sign-in with a 2FA code",
    async handle(ctx, { body, request }) {
      const { name } = pendingCookie(ctx.peer.isSecure);
      const pendingToken = readCookie(request.headers.get("cookie"), name);
      const { user, started, method } = await verifyTwoFactor(ctx, { ...body, pendingToken });
      return {
        data: { ...toUser(user, true), login_method: method },
        cookies: [await writeSessionCookie(ctx, started), clearPendingCookie(ctx)],
      };
    },
  }),
  consoleRoute("POST /api/user/logout", {
    // Also for signed-out callers, whose cookie must still be cleared.
    auth: "none",
    summary: "Sign out",
    async handle(ctx) {
      await signOut(ctx);
      return { data: null, cookies: [clearSessionCookie(ctx), clearPendingCookie(ctx)] };
    },
  }),
];
