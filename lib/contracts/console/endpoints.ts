import { z } from "zod";
import { ListQuery, listOf, ShortListQuery } from "../paging";
import * as alerts from "./alerts";
import * as keys from "./api-keys";
import { AuditCheck, AuditQuery, AuditRow } from "./audit";
import { ChannelAttempts, ChannelAttemptsQuery, ChannelErrors, ChannelErrorsQuery } from "./channel-errors";
import * as channels from "./channels";
import { InstanceStatus } from "./instances";
import * as invites from "./invites";
import { LiveEvents } from "./live";
import { DownloadVoice, LocalVoiceList, UploadedPart, UploadVoiceQuery, VoiceCheck } from "./local-voices";
import { CreateModel, Model, ModelList, UpdateModel } from "./models";
import { Overview, OverviewQuery } from "./overview";
import { EncodeRecordingQuery } from "./recordings";
import { REJECTION_COLUMNS, RejectionExportQuery, RejectionList, RejectionQuery } from "./rejections";
import { RoutePreview } from "./routing";
import { InstanceFacts, MetricsToken, OwnerProof, UpdateSettings, VersionedSettings } from "./settings";
import { ImportReport, ImportSettings, SettingsFile } from "./settings-file";
import { SetupProgress, SetupRequest, SetupResult, SetupState, UpdateSetupProgress } from "./setup";
import * as signIn from "./sign-in";
import * as twoFactor from "./two-factor";
import {
  exportContent,
  USAGE_EXPORT_COLUMNS,
  UsageDetail,
  UsageExportQuery,
  UsageList,
  UsageQuery,
} from "./usage";
import { UsageSummary, UsageSummaryQuery } from "./usage-summary";
import * as users from "./user";

/** `GET /api/health/live` and `/api/health/ready`. */
const Health = z.object({ status: z.enum(["live", "ready"]) });

/** `GET /api/status`: public facts, and the version for signed-in users. */
const Status = z.object({
  /** True once the instance is set up. */
  setup: z.boolean(),
  self_use_mode: z.boolean(),
  demo_site: z.boolean(),
  /** Visitors may create an account. */
  self_registration: z.boolean(),
  /** Shortest new password. */
  password_minimum: z.int(),
  version: z.string().optional(),
});

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Schemas of a reply by content type. */
export type ReplyContent = Readonly<Record<string, z.ZodType>>;

/** The declaration of an endpoint, under its method and path. */
export interface EndpointSchemas {
  /** Strict schema of the query's parameters; absent: unknown parameters are ignored. */
  query?: z.ZodType;
  /** Strict schema of the JSON body; absent: no body is read. */
  body?: z.ZodType;
  /** The content type of a body that is not JSON. */
  rawBody?: string;
  /** Schema of `data`; absent: null. */
  data?: z.ZodType;
  /** Replies without the JSON envelope, by content type: files and streams. */
  content?: ReplyContent;
}

const BINARY = z.string().meta({ format: "binary" });

/**
 * The console API: one declaration per endpoint. The route table takes method, path and schemas from it, the handlers
 * and lib/client their types (endpoint.ts), /openapi.json the document.
 */
export const ENDPOINTS = {
  "GET /api/health/live": { data: Health },
  "GET /api/health/ready": { data: Health },
  "GET /api/status": { data: Status },

  "GET /api/setup": { data: SetupState },
  "POST /api/setup": { body: SetupRequest, data: SetupResult },
  "GET /api/setup/progress": { data: SetupProgress },
  "PATCH /api/setup/progress": { body: UpdateSetupProgress, data: SetupProgress },

  "POST /api/user/login": { body: signIn.SignInRequest, data: signIn.SignInResult },
  "POST /api/user/login/2fa": { body: signIn.TwoFactorSignInRequest, data: signIn.TwoFactorSignInResult },
  "POST /api/user/logout": {},

  "GET /api/user/2fa/status": { data: twoFactor.TwoFactorStatus },
  "POST /api/user/2fa/setup": { body: twoFactor.TwoFactorSetup, data: twoFactor.TwoFactorEnrolment },
  "POST /api/user/2fa/enable": { body: twoFactor.TwoFactorEnable, data: twoFactor.BackupCodes },
  "POST /api/user/2fa/disable": { body: twoFactor.TwoFactorProof },
  "POST /api/user/2fa/backup_codes": { body: twoFactor.TwoFactorProof, data: twoFactor.BackupCodes },

  "GET /api/user/self": { data: users.Self },
  "GET /api/user/budget": { data: users.OwnBudget },
  "PATCH /api/user/self": { body: users.UpdateSelf, data: users.Self },
  "POST /api/user/password": { body: users.ChangePassword, data: users.User },
  "GET /api/user/sessions": { data: signIn.SessionList },
  "DELETE /api/user/sessions": {},
  "DELETE /api/user/sessions/{id}": {},

  "GET /api/keys": { query: keys.KeyQuery, data: listOf(keys.ApiKey) },
  "POST /api/keys": { body: keys.CreateKey, data: keys.ApiKeyWithSecret },
  "POST /api/keys/playground": { data: keys.PlaygroundKey },
  "GET /api/keys/{id}": { data: keys.ApiKey },
  "PATCH /api/keys/{id}": { body: keys.UpdateKey, data: keys.ApiKey },
  "DELETE /api/keys/{id}": {},
  "POST /api/keys/{id}/rotate": { body: keys.RotateKey, data: keys.ApiKeyWithSecret },

  "GET /api/users": { query: ListQuery, data: listOf(users.ManagedUser) },
  "POST /api/users": { body: users.CreateUser, data: users.ManagedUser },
  "GET /api/users/{id}": { data: users.ManagedUser },
  "PATCH /api/users/{id}": { body: users.UpdateUser, data: users.ManagedUser },
  "DELETE /api/users/{id}": {},
  "POST /api/users/{id}/reset_2fa": {},
  "POST /api/users/{id}/unlock": {},
  "POST /api/users/{id}/password_reset": { data: invites.InviteWithToken },
  "DELETE /api/users/{id}/sessions": {},

  "GET /api/invites": { query: ListQuery, data: listOf(invites.Invite) },
  "POST /api/invites": { body: invites.CreateInvite, data: invites.InviteWithToken },
  "DELETE /api/invites/{id}": {},
  "POST /api/invites/inspect": { body: invites.InspectInvite, data: invites.InviteFacts },
  "POST /api/invites/accept": { body: invites.AcceptInvite, data: users.User },
  "POST /api/password-resets/accept": { body: invites.AcceptPasswordReset, data: users.User },
  "POST /api/user/register": { body: invites.RegisterRequest, data: users.User },

  "GET /api/settings": { data: VersionedSettings },
  "PATCH /api/settings": { body: UpdateSettings, data: VersionedSettings },
  "GET /api/settings/instance": { data: InstanceFacts },
  "POST /api/settings/caches/clear": {},
  "POST /api/settings/metrics-token": { body: OwnerProof, data: MetricsToken },
  "DELETE /api/settings/metrics-token": {},
  "POST /api/settings/export": { content: { "application/json": SettingsFile } },
  "POST /api/settings/import": { body: ImportSettings, data: ImportReport },
  "POST /api/settings/backup": { body: OwnerProof, content: { "application/vnd.sqlite3": BINARY } },

  "GET /api/instances": { data: listOf(InstanceStatus) },

  "GET /api/audit": { query: AuditQuery, data: listOf(AuditRow) },
  "GET /api/audit/verify": { data: AuditCheck },

  "GET /api/alerts": { query: alerts.AlertsQuery, data: listOf(alerts.Alert) },
  "GET /api/alerts/summary": { data: alerts.AlertsSummary },
  "POST /api/alerts/{id}/seen": { data: alerts.Alert },
  "POST /api/alerts/{id}/check": { data: alerts.AlertCheck },
  "POST /api/alerts/{id}/snooze": { body: alerts.SnoozeAlert, data: alerts.Alert },
  "POST /api/alerts/{id}/unsnooze": { data: alerts.Alert },
  "POST /api/alerts/webhook/secret": { data: alerts.WebhookSecret },
  "POST /api/alerts/webhook/test": { body: alerts.TestWebhook, data: alerts.WebhookTest },

  "GET /api/channels": { query: ShortListQuery, data: listOf(channels.Channel) },
  "GET /api/channels/attempts": { query: ChannelAttemptsQuery, data: ChannelAttempts },
  "POST /api/channels": { body: channels.CreateChannel, data: channels.Channel },
  "GET /api/channels/{id}": { data: channels.Channel },
  "GET /api/channels/{id}/errors": { query: ChannelErrorsQuery, data: ChannelErrors },
  "PATCH /api/channels/{id}": { body: channels.UpdateChannel, data: channels.Channel },
  "DELETE /api/channels/{id}": {},
  "POST /api/channels/{id}/test": { body: channels.TestChannel, data: channels.ChannelTest },
  "POST /api/channels/{id}/models": { data: channels.UpstreamModels },
  "POST /api/channels/{id}/close": { body: channels.CloseCircuit, data: channels.Channel },
  "POST /api/channels/order": { body: channels.OrderChannels, data: listOf(channels.Channel) },
  "POST /api/channels/draft/models": { body: channels.DraftChannel, data: channels.DraftModels },
  "POST /api/channels/draft/test": { body: channels.TestDraft, data: channels.ChannelTest },
  "GET /api/providers": { data: channels.ProviderList },
  "GET /api/upstreams/allowed": { data: channels.AllowedUpstreams },
  "POST /api/upstreams/allowed": { body: channels.AllowUpstream, data: channels.AllowedUpstreams },
  "DELETE /api/upstreams/allowed/{target}": {},

  "GET /api/models": { query: ShortListQuery, data: ModelList },
  "POST /api/models": { body: CreateModel, data: Model },
  "PATCH /api/models/{model}": { body: UpdateModel, data: Model },
  "DELETE /api/models/{model}": {},
  "GET /api/models/{model}/route": { data: RoutePreview },

  "GET /api/voices": { data: LocalVoiceList },
  "POST /api/voices": { body: DownloadVoice },
  "DELETE /api/voices/{name}": {},
  "DELETE /api/voices/{name}/installation": {},
  "POST /api/voices/{name}/upload": {
    query: UploadVoiceQuery,
    rawBody: "application/octet-stream",
    data: UploadedPart,
  },
  "POST /api/voices/{name}/verify": { data: VoiceCheck },

  "POST /api/recordings/encode": {
    query: EncodeRecordingQuery,
    rawBody: "audio/pcm",
    content: { "audio/mpeg": BINARY, "audio/ogg": BINARY, "audio/aac": BINARY, "audio/flac": BINARY },
  },

  "GET /api/usage": { query: UsageQuery, data: UsageList },
  "GET /api/usage/summary": { query: UsageSummaryQuery, data: UsageSummary },
  "GET /api/usage/rejected": { query: RejectionQuery, data: RejectionList },
  "GET /api/usage/rejected/export": {
    query: RejectionExportQuery,
    content: exportContent("minute, key, model and error", REJECTION_COLUMNS),
  },
  "GET /api/usage/export": { query: UsageExportQuery, content: exportContent("call", USAGE_EXPORT_COLUMNS) },
  "GET /api/usage/{id}": { data: UsageDetail },

  "GET /api/overview": { query: OverviewQuery, data: Overview },

  "GET /api/events": { content: { "text/event-stream": LiveEvents } },
} satisfies Readonly<Record<`${Method} /api/${string}`, EndpointSchemas>>;
