import { disableSecondFactor } from "../../../console/auth/two-factor/disable";
import { enableSecondFactor } from "../../../console/auth/two-factor/enable";
import { renewBackupCodes } from "../../../console/auth/two-factor/renew-backup-codes";
import { setUpSecondFactor } from "../../../console/auth/two-factor/set-up";
import { secondFactorStatus } from "../../../console/auth/two-factor/status";
import {
  BackupCodes,
  TwoFactorEnable,
  TwoFactorEnrolment,
  TwoFactorProof,
  TwoFactorSetup,
  TwoFactorStatus,
} from "../../../contracts/console/two-factor";
import { consoleRoute } from "../../core/route";

export const TWO_FACTOR_ROUTES = [
  consoleRoute({
    method: "GET",
    path: "/api/user/2fa/status",
    auth: "session",
    openWithoutSecondFactor: true,
    data: TwoFactorStatus,
    summary: "Tell how your second factor stands",
    handle: async (ctx) => ({ data: await secondFactorStatus(ctx) }),
  }),
  consoleRoute({
    method: "POST",
    path: "/api/user/2fa/setup",
    auth: "session",
    openWithoutSecondFactor: true,
    body: TwoFactorSetup,
    data: TwoFactorEnrolment,
    summary: "Begin to set up a second factor",
    handle: async (ctx, { body }) => ({ data: await setUpSecondFactor(ctx, body) }),
  }),
  consoleRoute({
    method: "POST",
    path: "/api/user/2fa/enable",
    auth: "session",
    openWithoutSecondFactor: true,
    body: TwoFactorEnable,
    data: BackupCodes,
    summary: "Turn the second factor on with its first code",
    handle: async (ctx, { body }) => ({ data: await enableSecondFactor(ctx, body) }),
  }),
  consoleRoute({
    method: "POST",
    path: "/api/user/2fa/disable",
    auth: "session",
    openWithoutSecondFactor: true,
    body: TwoFactorProof,
    summary: "Turn the second factor off",
    async handle(ctx, { body }) {
      await disableSecondFactor(ctx, body);
      return { data: null };
    },
  }),
  consoleRoute({
    method: "POST",
    path: "/api/user/2fa/backup_codes",
    auth: "session",
    openWithoutSecondFactor: true,
    body: TwoFactorProof,
    data: BackupCodes,
    summary: "Replace your backup codes",
    handle: async (ctx, { body }) => ({ data: await renewBackupCodes(ctx, body) }),
  }),
];
