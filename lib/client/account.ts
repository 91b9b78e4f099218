import useSWR from "swr";
import type { SessionList } from "../contracts/console/sessions";
import type { TwoFactorStatus } from "../contracts/console/two-factor";
import type { Self } from "../contracts/console/user";

export const SELF_PATH = "/api/user/self";
export const TWO_FACTOR_PATH = "/api/user/2fa/status";
export const SESSIONS_PATH = "/api/user/sessions";

/** The signed-in user, as far as permissions depend on it. */
export type Viewer = Pick<Self, "id" | "role">;

/** The signed-in user. */
export const useSelf = () => useSWR<Self>(SELF_PATH);
/** The user's 2FA status. */
export const useTwoFactor = () => useSWR<TwoFactorStatus>(TWO_FACTOR_PATH);
/** The user's sessions. */
export const useSessions = () => useSWR<SessionList>(SESSIONS_PATH);
