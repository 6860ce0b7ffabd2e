import { AppError } from '@agent-wallet/errors';

/** Parses the master key: base64 of 32 bytes. Throws SERVER_MISCONFIGURED without echoing it. */
export function parseMasterKey(base64: string): Buffer {
  const key = Buffer.from(base64, 'base64');
  if (key.length !== 32) {
    throw new AppError('SERVER_MISCONFIGURED', {
      reason: 'KEYSTORE_KEY must be base64 of exactly 32 bytes',
    });
  }
  return key;
}
