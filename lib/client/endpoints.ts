/** Names for the endpoints that the browser calls. Their declarations: lib/contracts/console/endpoints.ts. */

export const readSetupState = "GET /api/setup";
export const setUpInstance = "POST /api/setup";
export const updateSetupProgress = "PATCH /api/setup/progress";

export const signIn = "POST /api/user/login";
export const signInWithCode = "POST /api/user/login/2fa";
export const signOut = "POST /api/user/logout";
export const readTwoFactor = "GET /api/user/2fa/status";
export const setUpTwoFactor = "POST /api/user/2fa/setup";
export const enableTwoFactor = "POST /api/user/2fa/enable";
export const disableTwoFactor = "POST /api/user/2fa/disable";
export const renewBackupCodes = "POST /api/user/2fa/backup_codes";
export const readSelf = "GET /api/user/self";
export const readOwnBudget = "GET /api/user/budget";
export const updateSelf = "PATCH /api/user/self";
export const changePassword = "POST /api/user/password";
export const listSessions = "GET /api/user/sessions";
export const endOtherSessions = "DELETE /api/user/sessions";
export const endSession = "DELETE /api/user/sessions/{id}";

export const listKeys = "GET /api/keys";
export const createKey = "POST /api/keys";
export const createPlaygroundKey = "POST /api/keys/playground";
export const getKey = "GET /api/keys/{id}";
export const updateKey = "PATCH /api/keys/{id}";
export const deleteKey = "DELETE /api/keys/{id}";
export const rotateKey = "POST /api/keys/{id}/rotate";

export const listUsers = "GET /api/users";
export const createUser = "POST /api/users";
export const getUser = "GET /api/users/{id}";
export const updateUser = "PATCH /api/users/{id}";
export const deleteUser = "DELETE /api/users/{id}";
export const resetTwoFactor = "POST /api/users/{id}/reset_2fa";
export const unlockUser = "POST /api/users/{id}/unlock";
export const createPasswordReset = "POST /api/users/{id}/password_reset";
export const endUserSessions = "DELETE /api/users/{id}/sessions";

export const listInvites = "GET /api/invites";
export const createInvite = "POST /api/invites";
export const revokeInvite = "DELETE /api/invites/{id}";
export const inspectInvite = "POST /api/invites/inspect";
export const acceptInvite = "POST /api/invites/accept";
export const acceptPasswordReset = "POST /api/password-resets/accept";

export const registerUser = "POST /api/user/register";

export const readSettings = "GET /api/settings";
export const updateSettings = "PATCH /api/settings";
export const readInstanceFacts = "GET /api/settings/instance";
export const clearCaches = "POST /api/settings/caches/clear";
export const createMetricsToken = "POST /api/settings/metrics-token";
export const removeMetricsToken = "DELETE /api/settings/metrics-token";
export const exportSettings = "POST /api/settings/export";
export const importSettings = "POST /api/settings/import";
export const downloadBackup = "POST /api/settings/backup";

export const listInstances = "GET /api/instances";

export const listAudit = "GET /api/audit";
export const verifyAudit = "GET /api/audit/verify";

export const listAlerts = "GET /api/alerts";
export const summarizeAlerts = "GET /api/alerts/summary";
export const markAlertSeen = "POST /api/alerts/{id}/seen";
export const checkAlert = "POST /api/alerts/{id}/check";
export const snoozeAlert = "POST /api/alerts/{id}/snooze";
export const endAlertSnooze = "POST /api/alerts/{id}/unsnooze";
export const createWebhookSecret = "POST /api/alerts/webhook/secret";
export const testWebhook = "POST /api/alerts/webhook/test";

export const listChannels = "GET /api/channels";
export const createChannel = "POST /api/channels";
export const getChannel = "GET /api/channels/{id}";
export const countChannelAttempts = "GET /api/channels/attempts";
export const listChannelErrors = "GET /api/channels/{id}/errors";
export const updateChannel = "PATCH /api/channels/{id}";
export const deleteChannel = "DELETE /api/channels/{id}";
export const testChannel = "POST /api/channels/{id}/test";
export const closeCircuit = "POST /api/channels/{id}/close";
export const orderChannels = "POST /api/channels/order";
export const listDraftModels = "POST /api/channels/draft/models";
export const testDraft = "POST /api/channels/draft/test";
export const listProviders = "GET /api/providers";
export const listAllowedUpstreams = "GET /api/upstreams/allowed";
export const allowUpstream = "POST /api/upstreams/allowed";
export const disallowUpstream = "DELETE /api/upstreams/allowed/{target}";

export const listModels = "GET /api/models";
export const createModel = "POST /api/models";
export const updateModel = "PATCH /api/models/{model}";
export const deleteModel = "DELETE /api/models/{model}";
export const previewRoute = "GET /api/models/{model}/route";

export const listVoices = "GET /api/voices";
export const downloadVoice = "POST /api/voices";
export const removeVoice = "DELETE /api/voices/{name}";
export const cancelInstallation = "DELETE /api/voices/{name}/installation";
export const uploadVoice = "POST /api/voices/{name}/upload";
export const verifyVoice = "POST /api/voices/{name}/verify";

export const encodeRecording = "POST /api/recordings/encode";

export const listCalls = "GET /api/usage";
export const summarizeUsage = "GET /api/usage/summary";
export const listRejections = "GET /api/usage/rejected";
export const exportCalls = "GET /api/usage/export";
export const exportRejections = "GET /api/usage/rejected/export";
export const getCall = "GET /api/usage/{id}";

export const readOverview = "GET /api/overview";
export const checkHealth = "GET /api/health/live";

export const watchChanges = "GET /api/events";
