import {
  BackupCodes,
  TwoFactorEnable,
  TwoFactorEnrolment,
  TwoFactorProof,
  TwoFactorSetup,
  TwoFactorStatus,
} from "../../contracts/two-factor";
import { disableSecondFactor } from "../../domain/auth/second-factor/disable";
import { enableSecondFactor } from "../../domain/auth/second-factor/enable";
import { renewBackupCodes } from "../../domain/auth/second-factor/renew-backup-codes";
import { setUpSecondFactor } from "../../domain/auth/second-factor/set-up";
import { secondFactorStatus } from "../../domain/auth/second-factor/status";
import { consoleRoute } from "../route";

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
