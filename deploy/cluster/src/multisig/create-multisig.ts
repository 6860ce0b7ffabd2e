import { addressOfBytes, multisigAddress, SQUADS_PROGRAM } from '@agent-wallet/chain';
import { Keypair, PublicKey, SystemProgram, TransactionInstruction } from '@solana/web3.js';
import type { Cluster } from '../chain/cluster.ts';
import { call } from '../chain/send.ts';
import { ClusterError } from '../cluster-error.ts';

/** The first 8 bytes of SHA-256 of `global:multisig_create_v2`, and of `account:ProgramConfig`. */
const CREATE = Buffer.from('32ddc75d28f58be9', 'hex');
const CONFIG = 'c4d25ae790958c3f';
/** Of the account that gets Squads' fee, behind discriminator, authority and fee. */
const TREASURY_OFFSET = 48;
/** Initiate, vote and execute. */
const EVERY_PERMISSION = 7;
const MAX_MEMBERS = 20;

const program = new PublicKey(SQUADS_PROGRAM);
const configAddress = PublicKey.findProgramAddressSync(
  [Buffer.from('multisig'), Buffer.from('program_config')],
  program,
)[0];

export type NewMultisig = {
  /** Base58; each may propose, vote and execute. */
  readonly members: readonly string[];
  /** Votes that a transaction needs, 2 or more. */
  readonly threshold: number;
};

/** Creates a Squads v4 multisig without a config authority; returns its address. */
export async function createMultisig(
  { connection, payer, send }: Cluster,
  wanted: NewMultisig,
): Promise<string> {
  checkMembers(wanted);
  const config = await call(() => connection.getAccountInfo(configAddress, 'confirmed'));
  const isConfig =
    config?.owner.equals(program) === true && config.data.subarray(0, 8).toString('hex') === CONFIG;
  if (!isConfig) throw new ClusterError('The program of Squads v4 does not exist on this chain.');
  const treasury = addressOfBytes(config.data.subarray(TREASURY_OFFSET, TREASURY_OFFSET + 32));
  const createKey = Keypair.generate();
  const creation = multisigCreateInstruction(wanted, {
    treasury,
    createKey: createKey.publicKey.toBase58(),
    creator: payer.publicKey.toBase58(),
  });
  await send([creation], [createKey]);
  return multisigAddress(createKey.publicKey.toBase58());
}

/** Throws a ClusterError for members that cannot protect a program. */
function checkMembers({ members, threshold }: NewMultisig): void {
  const different = new Set(members).size;
  if (different !== members.length) throw new ClusterError('A member is named twice.');
  if (members.length > MAX_MEMBERS) throw new ClusterError(`At most ${MAX_MEMBERS} members.`);
  if (threshold < 2 || threshold > members.length) {
    throw new ClusterError(
      `--threshold must be 2 to ${members.length}, the number of members; it is ${threshold}.`,
    );
  }
}

/**
 * `multisig_create_v2` with neither config authority, time lock, rent collector nor memo.
 *
 * @internal exported for its test
 */
export function multisigCreateInstruction(
  { members, threshold }: NewMultisig,
  keys: { readonly treasury: string; readonly createKey: string; readonly creator: string },
): TransactionInstruction {
  const counts = Buffer.alloc(7);
  counts.writeUInt16LE(threshold, 1);
  counts.writeUInt32LE(members.length, 3);
  const listed = [...members]
    .map((member) => new PublicKey(member).toBytes())
    .map((member) => Buffer.from([...member, EVERY_PERMISSION]));
  return new TransactionInstruction({
    programId: program,
    keys: [
      account(configAddress.toBase58(), false, false),
      account(keys.treasury, false, true),
      account(multisigAddress(keys.createKey), false, true),
      account(keys.createKey, true, false),
      account(keys.creator, true, true),
      account(SystemProgram.programId.toBase58(), false, false),
    ],
    data: Buffer.concat([CREATE, counts, ...listed, Buffer.alloc(6)]),
  });
}

const account = (address: string, isSigner: boolean, isWritable: boolean) => ({
  pubkey: new PublicKey(address),
  isSigner,
  isWritable,
});
