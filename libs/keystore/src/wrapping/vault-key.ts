import type { VaultAccess } from '@agent-wallet/signer';
import { z } from 'zod';
import { keyServiceFault } from './key-service-fault.ts';
import { contextOf, WRAPPING_TIMEOUT_MS, type WrappingKey } from './wrapping-key.ts';

const reply = z.object({
  data: z.object({ ciphertext: z.string().optional(), plaintext: z.string().optional() }),
});

/** Wraps by a key of the transit engine of Vault, whose type must be an AEAD such as aes256-gcm96. */
export function createVaultKey(key: string, vault: VaultAccess): WrappingKey {
  async function call(operation: 'encrypt' | 'decrypt', body: object) {
    const url = new URL(`v1/transit/${operation}/${key}`, withSlash(vault.url));
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-vault-token': vault.token },
        body: JSON.stringify(body),
        redirect: 'error',
        signal: AbortSignal.timeout(WRAPPING_TIMEOUT_MS),
      });
      if (!response.ok) throw new Error(`Vault responded with ${response.status}`);
      return reply.parse(await response.json()).data;
    } catch (cause) {
      throw keyServiceFault('Vault', key, cause);
    }
  }
  return {
    id: `vault:${key}`,
    wrap: async (dataKey, version) => {
      const plaintext = dataKey.toString('base64');
      const request = { plaintext, associated_data: base64ContextOf(version) };
      const { ciphertext } = await call('encrypt', request);
      return Buffer.from(required(ciphertext), 'utf8');
    },
    unwrap: async (wrapped, version) => {
      const ciphertext = wrapped.toString('utf8');
      const request = { ciphertext, associated_data: base64ContextOf(version) };
      const { plaintext } = await call('decrypt', request);
      return Buffer.from(required(plaintext), 'base64');
    },
    direct: null,
  };

  function required(text: string | undefined): string {
    if (text !== undefined) return text;
    throw keyServiceFault('Vault', key, new Error('the reply is incomplete'));
  }
}

const base64ContextOf = (version: number): string =>
  Buffer.from(contextOf(version)).toString('base64');

const withSlash = (url: string): string => (url.endsWith('/') ? url : `${url}/`);
