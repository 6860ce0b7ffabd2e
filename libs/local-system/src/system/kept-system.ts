/**
 * What `npm start -- --keep` keeps between starts: the embedded chain, the embedded database, and
 * the keys that both need. One folder holds them; removing it means a fresh start.
 */

import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Keypair } from '@solana/web3.js';
import bs58 from 'bs58';
import { z } from 'zod';

const FEE_PAYERS = 4;

const keysSchema = z.object({
  postgresPassword: z.string(),
  keystoreKey: z.string(),
  apiKeyPepper: z.string(),
  cookieSecret: z.string(),
  /** Systems of earlier versions have none. */
  webhookKey: z.string().default(() => secret()),
  /** Base58 secret keys. */
  feePayerKeys: z.array(z.string()),
});

type Keys = z.infer<typeof keysSchema>;

export type KeptSystem = {
  /** True until the first start has succeeded: its fee payers have no SOL. */
  readonly isNew: boolean;
  readonly chainFile: string;
  readonly postgres: { readonly folder: string; readonly password: string };
  readonly feePayerKeys: readonly string[];
  /** The secrets of the processes, by role. */
  readonly env: {
    readonly 'tx-worker': Readonly<Record<string, string>>;
    readonly 'confirm-worker': Readonly<Record<string, string>>;
    readonly api: Readonly<Record<string, string>>;
  };
  /** Called when the system has started: only now is there something to continue. */
  begun(): void;
};

/** Opens a kept system. What a first start that failed has left behind is removed. */
export function openKeptSystem(folder: string): KeptSystem {
  const keysFile = join(folder, 'keys.json');
  const known = readKeys(keysFile);
  if (known === undefined) rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true, mode: 0o711 });
  const keys = known ?? makeKeys();
  return {
    isNew: known === undefined,
    chainFile: join(folder, 'chain.state'),
    postgres: { folder: join(folder, 'postgres'), password: keys.postgresPassword },
    feePayerKeys: keys.feePayerKeys,
    env: {
      'tx-worker': { KEYSTORE_KEY: keys.keystoreKey },
      'confirm-worker': { WEBHOOK_KEY: keys.webhookKey },
      api: { API_KEY_PEPPER: keys.apiKeyPepper, COOKIE_SECRET: keys.cookieSecret },
    },
    begun: () => {
      writeFileSync(`${keysFile}.new`, `${JSON.stringify(keys, null, 2)}\n`, { mode: 0o600 });
      renameSync(`${keysFile}.new`, keysFile);
    },
  };
}

function readKeys(file: string): Keys | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
  return keysSchema.parse(JSON.parse(text));
}

const secret = (): string => randomBytes(32).toString('base64');

function makeKeys(): Keys {
  return {
    postgresPassword: randomBytes(24).toString('base64url'),
    keystoreKey: secret(),
    apiKeyPepper: secret(),
    cookieSecret: secret(),
    webhookKey: secret(),
    feePayerKeys: Array.from({ length: FEE_PAYERS }, () =>
      bs58.encode(Keypair.generate().secretKey),
    ),
  };
}
