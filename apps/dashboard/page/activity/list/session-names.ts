import type { Session } from '@agent-wallet/sdk/owner';

/** How a session is named in lists: by the first characters of its key, as its agent knows it. */
export const sessionName = ({ key_prefix, session_id }: Session): string =>
  key_prefix === null ? `Session ${session_id.slice(0, 8)}` : `${key_prefix}…`;

/** Names by id; a session that is not among them keeps the beginning of its id. */
export const createSessionNames = (sessions: readonly Session[]): ((id: string) => string) => {
  const names = new Map(sessions.map((session) => [session.session_id, sessionName(session)]));
  return (id) => names.get(id) ?? `Session ${id.slice(0, 8)}`;
};
