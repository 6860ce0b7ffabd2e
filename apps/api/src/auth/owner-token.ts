import { createSecretKey } from 'node:crypto';
import { errors, jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';

/** Who an owner's cookie speaks for. `ownerSessionId` names the row that can end it. */
export type OwnerToken = { readonly owner: string; readonly ownerSessionId: string };

const ISSUER = 'agent-wallet';
const AUDIENCE = 'owner';
const ALGORITHM = 'HS256';
const claims = z.object({ sub: z.string(), jti: z.uuid() });

/** Signs and reads the JWT inside the `svc_session` cookie; `secret` has at least 32 bytes. */
export function createOwnerTokens(secret: string, now: () => Date) {
  const key = createSecretKey(Buffer.from(secret, 'utf8'));
  return {
    sign: (token: OwnerToken, expiresAt: Date): Promise<string> =>
      new SignJWT()
        .setProtectedHeader({ alg: ALGORITHM })
        .setIssuer(ISSUER)
        .setAudience(AUDIENCE)
        .setSubject(token.owner)
        .setJti(token.ownerSessionId)
        .setIssuedAt(now())
        .setExpirationTime(expiresAt)
        .sign(key),

    /** Null for a token that is not ours, is damaged or has run out. */
    read: async (jwt: string): Promise<OwnerToken | null> => {
      try {
        const { payload } = await jwtVerify(jwt, key, {
          algorithms: [ALGORITHM],
          issuer: ISSUER,
          audience: AUDIENCE,
          currentDate: now(),
        });
        const parsed = claims.safeParse(payload);
        return parsed.success ? { owner: parsed.data.sub, ownerSessionId: parsed.data.jti } : null;
      } catch (error) {
        if (error instanceof errors.JOSEError) return null;
        throw error;
      }
    },
  };
}

export type OwnerTokens = ReturnType<typeof createOwnerTokens>;
