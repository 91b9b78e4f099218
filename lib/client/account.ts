import useSWR from "swr";
import type { SessionList } from "../contracts/console/sessions";
import type { TwoFactorStatus } from "../contracts/console/two-factor";
import type { Self } from "../contracts/console/user";

export const SELF_PATH = "/api/user/self";
export const TWO_FACTOR_PATH = "/api/user/2fa/status";
export const SESSIONS_PATH = "/api/user/sessions";

/** The signed-in user. */
export const useSelf = () => useSWR<Self>(SELF_PATH);
/** The state of the user's second factor. */
export const useTwoFactor = () => useSWR<TwoFactorStatus>(TWO_FACTOR_PATH);
/** Every browser the user is signed in with. */
export const useSessions = () => useSWR<SessionList>(SESSIONS_PATH);
