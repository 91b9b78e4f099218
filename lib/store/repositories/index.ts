import type { BillingPeriod } from "../../ports/billing-period";
import type { Repositories } from "../../ports/store";
import type { AuditKey } from "../audit-chain";
import type { Scope } from "../transactions";
import { alertsRepository } from "./alerts";
import { keysRepository } from "./api-keys";
import { auditRepository } from "./audit";
import { channelsRepository } from "./channels";
import { invitesRepository } from "./invites";
import { modelsRepository } from "./models";
import { rejectionsRepository } from "./rejections";
import { sessionsRepository } from "./sessions";
import { settingsRepository, setupRepository } from "./settings";
import { flowsRepository, signInThrottlesRepository } from "./sign-in";
import { twoFactorsRepository } from "./two-factors";
import { usersRepository } from "./users";

export function repositoriesOn(
  scope: Scope,
  periodsAt: (now: number) => BillingPeriod,
  auditKey: AuditKey,
): Repositories {
  return {
    setup: setupRepository(scope),
    users: usersRepository(scope, periodsAt),
    twoFactors: twoFactorsRepository(scope),
    sessions: sessionsRepository(scope),
    flows: flowsRepository(scope),
    signInThrottles: signInThrottlesRepository(scope),
    invites: invitesRepository(scope),
    keys: keysRepository(scope, periodsAt),
    channels: channelsRepository(scope),
    models: modelsRepository(scope),
    settings: settingsRepository(scope),
    audit: auditRepository(scope, auditKey),
    alerts: alertsRepository(scope, periodsAt),
    rejections: rejectionsRepository(scope),
  };
}
