import type { Invite } from "../../../contracts/console/invites";
import { toTimestamp } from "../../../contracts/timestamp";
import type { InviteRecord, UserRecord } from "../../../ports/store";
import { isBacked, type LinkParties } from "./link";

const named = (user: UserRecord | null) => (user === null ? null : { id: user.id, username: user.username });

/** A link as the API returns it, field by field; never its digest. */
export function toInvite(invite: InviteRecord, parties: LinkParties): Invite {
  return {
    id: invite.id,
    kind: invite.kind,
    role: invite.role,
    email: invite.email,
    user: named(parties.target),
    made_by: named(parties.maker),
    created_at: toTimestamp(invite.createdAt),
    expires_at: toTimestamp(invite.expiresAt),
    works: isBacked(invite, parties),
  };
}
