import { hashProgram } from '@agent-wallet/chain';
import { type Keypair, PublicKey, SystemProgram } from '@solana/web3.js';
import type { Cluster } from '../chain/cluster.ts';
import { call } from '../chain/send.ts';
import { ClusterError } from '../cluster-error.ts';
import {
  deployBuffer,
  extendProgram,
  LOADER,
  MIN_EXTENSION_BYTES,
  PROGRAM_BYTES,
  setAuthority,
  upgradeProgram,
} from './loader-instructions.ts';
import { type DeployedProgram, readProgram } from './read-program.ts';
import { readBufferAuthority, writeProgramBuffer } from './write-buffer.ts';

/** What became of a deployment. */
export type Deployed =
  | { readonly kind: 'deployed' | 'upgraded' | 'unchanged'; readonly sha256: string }
  /** Somebody else can replace the program, and now also the buffer with the new one. */
  | { readonly kind: 'proposed'; readonly buffer: string; readonly authority: string };

/**
 * Puts the program on the chain: deploys it at its address, upgrades it, or does nothing when the
 * chain has these bytes. It reads the state before each step, so it can be run again after any
 * failure. Afterwards it compares the hash of what the chain has. Where another authority has to
 * decide on the upgrade, it writes the buffer and gives it to that one.
 *
 * `programKey` signs the first deployment; afterwards its address is enough. Throws a ClusterError.
 */
export async function deployProgram(
  cluster: Cluster,
  { programKey, bytes }: { readonly programKey: Keypair | PublicKey; readonly bytes: Uint8Array },
): Promise<Deployed> {
  const { payer } = cluster;
  const program = programKey instanceof PublicKey ? programKey : programKey.publicKey;
  const sha256 = hashProgram(bytes);
  const found = await readProgram(cluster, program);
  if (found?.sha256 === sha256) return { kind: 'unchanged', sha256 };
  if (found === null) {
    if (programKey instanceof PublicKey) {
      throw new ClusterError('There is no such program: its first deployment needs its key file.');
    }
    await deployNew(cluster, programKey, bytes);
  } else if (found.authority === null) {
    throw new ClusterError(
      `Nobody can replace ${program.toBase58()}: it has no upgrade authority.`,
    );
  } else if (found.authority !== payer.publicKey.toBase58()) {
    return propose(cluster, found.authority, bytes);
  } else {
    await upgrade(cluster, program, found, bytes);
  }
  const now = await readProgram(cluster, program);
  if (now?.sha256 !== sha256) {
    throw new ClusterError(`The chain has ${now?.sha256 ?? 'no program'} and not ${sha256}.`);
  }
  return { kind: found === null ? 'deployed' : 'upgraded', sha256 };
}

async function deployNew(cluster: Cluster, programKey: Keypair, bytes: Uint8Array): Promise<void> {
  const { connection, payer, send } = cluster;
  const program = programKey.publicKey;
  const buffer = await writeProgramBuffer(cluster, bytes);
  const lamports = await call(() => connection.getMinimumBalanceForRentExemption(PROGRAM_BYTES));
  const create = SystemProgram.createAccount({
    fromPubkey: payer.publicKey,
    newAccountPubkey: program,
    lamports,
    space: PROGRAM_BYTES,
    programId: LOADER,
  });
  const deploy = deployBuffer({ program, buffer }, payer.publicKey, bytes.length);
  await send([create, deploy], [programKey]);
}

async function upgrade(
  cluster: Cluster,
  program: PublicKey,
  found: DeployedProgram,
  bytes: Uint8Array,
): Promise<void> {
  const { payer, send, say } = cluster;
  const more = bytes.length - found.capacity;
  if (more > 0) {
    const extension = Math.max(more, MIN_EXTENSION_BYTES);
    say(`extending the program by ${extension} bytes`);
    const { withAuthority, without } = extendProgram(program, payer.publicKey, extension);
    await send([withAuthority]).catch((error: unknown) => {
      if (!String(error).includes('invalid instruction data')) throw error;
      return send([without]);
    });
  }
  const buffer = await writeProgramBuffer(cluster, bytes);
  await send([upgradeProgram({ program, buffer }, payer.publicKey)]);
}

async function propose(cluster: Cluster, authority: string, bytes: Uint8Array): Promise<Deployed> {
  const { payer, send } = cluster;
  const buffer = await writeProgramBuffer(cluster, bytes);
  if ((await readBufferAuthority(cluster, buffer)) !== authority) {
    await send([setAuthority(buffer, payer.publicKey, new PublicKey(authority))]);
  }
  return { kind: 'proposed', buffer: buffer.toBase58(), authority };
}
