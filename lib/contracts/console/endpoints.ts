import { z } from "zod";
import { ListQuery, listOf, ShortListQuery } from "../paging";
import {
  Alert,
  AlertCheck,
  AlertsQuery,
  AlertsSummary,
  SnoozeAlert,
  TestWebhook,
  WebhookSecret,
  WebhookTest,
} from "./alerts";
import {
  ApiKey,
  ApiKeyWithSecret,
  CreateKey,
  KeyQuery,
  PlaygroundKey,
  RotateKey,
  UpdateKey,
} from "./api-keys";
import { AuditCheck, AuditQuery, AuditRow } from "./audit";
import { ChannelAttempts, ChannelAttemptsQuery, ChannelErrors, ChannelErrorsQuery } from "./channel-errors";
import {
  AllowedUpstreams,
  AllowUpstream,
  Channel,
  ChannelTest,
  CloseCircuit,
  CreateChannel,
  DraftChannel,
  DraftModels,
  OrderChannels,
  ProviderList,
  TestChannel,
  TestDraft,
  UpdateChannel,
  UpstreamModels,
} from "./channels";
import { InstanceStatus } from "./instances";
import {
  AcceptInvite,
  AcceptPasswordReset,
  CreateInvite,
  InspectInvite,
  Invite,
  InviteFacts,
  InviteWithToken,
  RegisterRequest,
} from "./invites";
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
import {
  SessionList,
  SignInRequest,
  SignInResult,
  TwoFactorSignInRequest,
  TwoFactorSignInResult,
} from "./sign-in";
import {
  BackupCodes,
  TwoFactorEnable,
  TwoFactorEnrolment,
  TwoFactorProof,
  TwoFactorSetup,
  TwoFactorStatus,
} from "./two-factor";
import { exportContent, USAGE_COLUMNS, UsageDetail, UsageExportQuery, UsageList, UsageQuery } from "./usage";
import { UsageSummary, UsageSummaryQuery } from "./usage-summary";
import {
  ChangePassword,
  CreateUser,
  ManagedUser,
  OwnBudget,
  Self,
  UpdateSelf,
  UpdateUser,
  User,
} from "./user";

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

  "POST /api/user/login": { body: SignInRequest, data: SignInResult },
  "POST /api/user/login/2fa": { body: TwoFactorSignInRequest, data: TwoFactorSignInResult },
  "POST /api/user/logout": {},

  "GET /api/user/2fa/status": { data: TwoFactorStatus },
  "POST /api/user/2fa/setup": { body: TwoFactorSetup, data: TwoFactorEnrolment },
  "POST /api/user/2fa/enable": { body: TwoFactorEnable, data: BackupCodes },
  "POST /api/user/2fa/disable": { body: TwoFactorProof },
  "POST /api/user/2fa/backup_codes": { body: TwoFactorProof, data: BackupCodes },

  "GET /api/user/self": { data: Self },
  "GET /api/user/budget": { data: OwnBudget },
  "PATCH /api/user/self": { body: UpdateSelf, data: Self },
  "POST /api/user/password": { body: ChangePassword, data: User },
  "GET /api/user/sessions": { data: SessionList },
  "DELETE /api/user/sessions": {},
  "DELETE /api/user/sessions/{id}": {},

  "GET /api/keys": { query: KeyQuery, data: listOf(ApiKey) },
  "POST /api/keys": { body: CreateKey, data: ApiKeyWithSecret },
  "POST /api/keys/playground": { data: PlaygroundKey },
  "GET /api/keys/{id}": { data: ApiKey },
  "PATCH /api/keys/{id}": { body: UpdateKey, data: ApiKey },
  "DELETE /api/keys/{id}": {},
  "POST /api/keys/{id}/rotate": { body: RotateKey, data: ApiKeyWithSecret },

  "GET /api/users": { query: ListQuery, data: listOf(ManagedUser) },
  "POST /api/users": { body: CreateUser, data: ManagedUser },
  "GET /api/users/{id}": { data: ManagedUser },
  "PATCH /api/users/{id}": { body: UpdateUser, data: ManagedUser },
  "DELETE /api/users/{id}": {},
  "POST /api/users/{id}/reset_2fa": {},
  "POST /api/users/{id}/unlock": {},
  "POST /api/users/{id}/password_reset": { data: InviteWithToken },
  "DELETE /api/users/{id}/sessions": {},

  "GET /api/invites": { query: ListQuery, data: listOf(Invite) },
  "POST /api/invites": { body: CreateInvite, data: InviteWithToken },
  "DELETE /api/invites/{id}": {},
  "POST /api/invites/inspect": { body: InspectInvite, data: InviteFacts },
  "POST /api/invites/accept": { body: AcceptInvite, data: User },
  "POST /api/password-resets/accept": { body: AcceptPasswordReset, data: User },
  "POST /api/user/register": { body: RegisterRequest, data: User },

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

  "GET /api/alerts": { query: AlertsQuery, data: listOf(Alert) },
  "GET /api/alerts/summary": { data: AlertsSummary },
  "POST /api/alerts/{id}/seen": { data: Alert },
  "POST /api/alerts/{id}/check": { data: AlertCheck },
  "POST /api/alerts/{id}/snooze": { body: SnoozeAlert, data: Alert },
  "POST /api/alerts/{id}/unsnooze": { data: Alert },
  "POST /api/alerts/webhook/secret": { data: WebhookSecret },
  "POST /api/alerts/webhook/test": { body: TestWebhook, data: WebhookTest },

  "GET /api/channels": { query: ShortListQuery, data: listOf(Channel) },
  "GET /api/channels/attempts": { query: ChannelAttemptsQuery, data: ChannelAttempts },
  "POST /api/channels": { body: CreateChannel, data: Channel },
  "GET /api/channels/{id}": { data: Channel },
  "GET /api/channels/{id}/errors": { query: ChannelErrorsQuery, data: ChannelErrors },
  "PATCH /api/channels/{id}": { body: UpdateChannel, data: Channel },
  "DELETE /api/channels/{id}": {},
  "POST /api/channels/{id}/test": { body: TestChannel, data: ChannelTest },
  "POST /api/channels/{id}/models": { data: UpstreamModels },
  "POST /api/channels/{id}/close": { body: CloseCircuit, data: Channel },
  "POST /api/channels/order": { body: OrderChannels, data: listOf(Channel) },
  "POST /api/channels/draft/models": { body: DraftChannel, data: DraftModels },
  "POST /api/channels/draft/test": { body: TestDraft, data: ChannelTest },
  "GET /api/providers": { data: ProviderList },
  "GET /api/upstreams/allowed": { data: AllowedUpstreams },
  "POST /api/upstreams/allowed": { body: AllowUpstream, data: AllowedUpstreams },
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
  "GET /api/usage/export": { query: UsageExportQuery, content: exportContent("call", USAGE_COLUMNS) },
  "GET /api/usage/{id}": { data: UsageDetail },

  "GET /api/overview": { query: OverviewQuery, data: Overview },

  "GET /api/events": { content: { "text/event-stream": LiveEvents } },
} satisfies Readonly<Record<`${Method} /api/${string}`, EndpointSchemas>>;
