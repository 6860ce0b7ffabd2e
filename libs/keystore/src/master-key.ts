import { AppError } from '@agent-wallet/errors';

/** Parses the master key: base64 of 32 bytes. Throws SERVER_MISCONFIGURED without echoing it. */
export function parseMasterKey(base64: string, variable = 'KEYSTORE_KEY'): Buffer {
  const key = Buffer.from(base64, 'base64');
  // The decoder skips invalid characters and stops at padding; a typo must be detected.
  const isExact = withoutPadding(key.toString('base64')) === withoutPadding(base64.trim());
  if (key.length !== 32 || !isExact) {
    throw new AppError('SERVER_MISCONFIGURED', {
      reason: `${variable} must be base64 of exactly 32 bytes`,
    });
  }
  return key;
}

const withoutPadding = (base64: string): string => base64.replace(/=+$/, '');
