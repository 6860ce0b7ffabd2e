import { createHmac } from 'node:crypto';
import { open, seal, type SealContext } from '../seal.ts';
import { contextOf, type WrappingKey } from './wrapping-key.ts';

/** Wraps with AES-256-GCM under 32 bytes in the memory of this process. */
export function createLocalKey(key: Buffer): WrappingKey {
  const digest = createHmac('sha256', key).update('agent-wallet wrapping key').digest('hex');
  return {
    id: `local:${digest.slice(0, 16)}`,
    wrap: async (dataKey, version) => seal(key, dataKey, sealContextOf(version)),
    unwrap: async (wrapped, version) => open(key, wrapped, sealContextOf(version)),
    direct: key,
  };
}

function sealContextOf(version: number): SealContext {
  return { pubkey: contextOf(version), keyVersion: version };
}
