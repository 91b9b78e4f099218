import { enableTwoFactor, setUpTwoFactor } from "../../../console/auth/two-factor/enrol";
import { disableTwoFactor, renewBackupCodes, twoFactorStatus } from "../../../console/auth/two-factor/manage";
import { consoleRoute } from "../../core/route";

export const TWO_FACTOR_ROUTES = [
  consoleRoute("GET /api/user/2fa/status", {
    auth: "session",
    allowedWithoutTwoFactor: true,
    summary: "Show the state of your 2FA",
    handle: async (ctx) => ({ data: await twoFactorStatus(ctx) }),
  }),
  consoleRoute("POST /api/user/2fa/setup", {
    auth: "session",
    allowedWithoutTwoFactor: true,
    summary: "Start setting up 2FA",
    handle: async (ctx, { body }) => ({ data: await setUpTwoFactor(ctx, body) }),
  }),
  consoleRoute("POST /api/user/2fa/enable", {
    auth: "session",
    allowedWithoutTwoFactor: true,
    summary: "Enable 2FA with its first code",
    handle: async (ctx, { body }) => ({ data: await enableTwoFactor(ctx, body) }),
  }),
  consoleRoute("POST /api/user/2fa/disable", {
    auth: "session",
    allowedWithoutTwoFactor: true,
    summary: "Disable 2FA",
    handle: (ctx, { body }) => disableTwoFactor(ctx, body),
  }),
  consoleRoute("POST /api/user/2fa/backup_codes", {
    auth: "session",
    allowedWithoutTwoFactor: true,
    summary: "Replace your backup codes",
    handle: async (ctx, { body }) => ({ data: await renewBackupCodes(ctx, body) }),
  }),
];
