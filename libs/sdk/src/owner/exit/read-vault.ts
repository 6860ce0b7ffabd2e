import { z } from 'zod';
import { badRequest } from '../../http/read-url.ts';
import type { TimeLimit } from '../../http/time-limit.ts';
import { fromBase64 } from '../chain/base64.ts';
import type { RpcNode } from '../chain/rpc-node.ts';
import type { Deployment, OwnerAddresses } from '../transaction/addresses.ts';
import {
  decodeSession,
  decodeVault,
  type SessionAccount,
  type VaultAccount,
} from './decode-accounts.ts';

/** What the chain holds for an owner, at `confirmed`. Amounts are base units. */
export type VaultOnChain = VaultAccount & {
  readonly vaultPda: string;
  /** USDC in the vault's token account. */
  readonly liquid: bigint;
  /** Units of the yield reserve's collateral, which `redeem` turns into USDC. */
  readonly collateral: bigint;
  /** The open sessions that the node lists. */
  readonly sessions: readonly SessionAccount[];
};

const COMMITMENT = { commitment: 'confirmed', encoding: 'base64' };
/** Where a session names its vault, and a token account its amount. */
const VAULT_AT = 48;
const AMOUNT_AT = 64;
const TOKEN_ACCOUNT_BYTES = 165;

const account = z.looseObject({
  owner: z.string(),
  data: z.tuple([z.base64(), z.literal('base64')]).transform(([text]) => fromBase64(text)),
});
const accounts = z.object({ value: z.array(account.nullable()) });
const listed = z.array(z.looseObject({ pubkey: z.string(), account }));

/** Null without a vault. Throws `RPC_UNAVAILABLE`, and `BAD_REQUEST` for a vault that is unknown. */
export async function readVault(
  node: RpcNode,
  given: {
    readonly deployment: Deployment;
    readonly addresses: OwnerAddresses;
    /** The token account for collateral; null where the deployment names no reserve. */
    readonly collateralAta: string | null;
  },
  limit: TimeLimit,
): Promise<VaultOnChain | null> {
  const { deployment, addresses, collateralAta } = given;
  const { vault: vaultPda, vaultUsdcAta, owner } = addresses;
  const asked = [vaultPda, vaultUsdcAta, ...(collateralAta === null ? [] : [collateralAta])];
  const params = [asked, COMMITMENT];
  const { value } = await node.read('getMultipleAccounts', params, accounts, limit);
  const [found = null, liquid = null, collateral = null] = value;
  if (found === null) return null;
  const vault = found.owner === deployment.programId ? decodeVault(found.data) : null;
  if (vault?.owner !== owner) {
    throw badRequest(`${vaultPda} is no vault of ${owner} that this version can read`);
  }
  return {
    ...vault,
    vaultPda,
    liquid: amountOf(liquid),
    collateral: amountOf(collateral),
    sessions: await readSessions(node, deployment, vaultPda, limit),
  };
}

async function readSessions(
  node: RpcNode,
  { programId }: Deployment,
  vaultPda: string,
  limit: TimeLimit,
): Promise<readonly SessionAccount[]> {
  const filters = [{ memcmp: { offset: VAULT_AT, bytes: vaultPda } }];
  const params = [programId, { ...COMMITMENT, filters }];
  const found = await node.read('getProgramAccounts', params, listed, limit);
  return found.flatMap(({ pubkey, account: { data } }) => {
    const session = decodeSession(pubkey, data);
    return session?.vaultPda === vaultPda ? [session] : [];
  });
}

const amountOf = (token: z.output<typeof account> | null): bigint =>
  token === null || token.data.length < TOKEN_ACCOUNT_BYTES
    ? 0n
    : new DataView(token.data.buffer).getBigUint64(AMOUNT_AT, true);
