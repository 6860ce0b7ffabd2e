import {
  multisigGap,
  parseMultisig,
  type SquadsMultisig,
  vaultOfMultisig,
} from '@agent-wallet/chain';
import { PublicKey } from '@solana/web3.js';
import type { Cluster } from '../chain/cluster.ts';
import { call } from '../chain/send.ts';
import { ClusterError } from '../cluster-error.ts';
import { programDataOf, setAuthority } from '../loader/loader-instructions.ts';
import { readProgram } from '../loader/read-program.ts';

/** The hand-over to confirm. Only the multisig can reverse it. */
export type HandOver = {
  readonly program: string;
  readonly from: string;
  readonly multisig: string;
  /** The vault of the multisig, which becomes the authority. */
  readonly to: string;
  readonly votes: string;
};

/**
 * Makes the vault of a Squads multisig the upgrade authority of a program. It checks the program and
 * the multisig on the chain, asks `confirm`, and reads the authority back. Returns null when the
 * vault was the authority already. Throws a ClusterError, also when it is not confirmed.
 */
export async function handOver(
  cluster: Cluster,
  { program, multisig }: { readonly program: PublicKey; readonly multisig: string },
  confirm: (plan: HandOver) => Promise<boolean>,
): Promise<HandOver | null> {
  const { payer, send } = cluster;
  const to = vaultOfMultisig(multisig);
  const { threshold, voters } = await readMultisig(cluster, multisig);
  const found = await readProgram(cluster, program);
  if (found === null) throw new ClusterError(`${program.toBase58()} is no program on this chain.`);
  if (found.authority === to) return null;
  const from = payer.publicKey.toBase58();
  if (found.authority !== from) {
    throw new ClusterError(
      `The upgrade authority is ${found.authority ?? 'nobody'}, and this key is ${from}.`,
    );
  }
  const votes = `${threshold} of ${voters}`;
  const plan = { program: program.toBase58(), from, multisig, to, votes };
  if (!(await confirm(plan))) throw new ClusterError('Not confirmed: nothing has changed.');
  await send([setAuthority(programDataOf(program), payer.publicKey, new PublicKey(to))]);
  const now = await readProgram(cluster, program);
  if (now?.authority !== to) {
    throw new ClusterError(`The upgrade authority is ${now?.authority ?? 'nobody'} and not ${to}.`);
  }
  return plan;
}

/** Throws a ClusterError for a multisig that one member could control. */
async function readMultisig({ connection }: Cluster, address: string): Promise<SquadsMultisig> {
  const account = await call(() => connection.getAccountInfo(new PublicKey(address), 'confirmed'));
  const multisig =
    account &&
    parseMultisig({
      address,
      owner: account.owner.toBase58(),
      lamports: BigInt(account.lamports),
      data: account.data,
    });
  const gap = multisigGap(multisig);
  if (multisig === null || gap !== null) throw new ClusterError(`${address}: ${gap ?? 'unknown'}.`);
  return multisig;
}
