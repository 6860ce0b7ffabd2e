import { createSecretKey } from 'node:crypto';
import { errors, jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';

/** The owner that a cookie authenticates. `ownerSessionId` is the row that can revoke it. */
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

    /** Returns null for a foreign, damaged or expired token. */
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
