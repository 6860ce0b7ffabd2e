import { parseProgramData, PROGRAM_DATA_HEADER_BYTES, type ProgramCode } from '@agent-wallet/chain';
import type { PublicKey } from '@solana/web3.js';
import type { Cluster } from '../chain/cluster.ts';
import { call } from '../chain/send.ts';
import { programDataOf } from './loader-instructions.ts';

/** A program as the chain has it. */
export type DeployedProgram = ProgramCode & {
  /** Bytes that it has room for. */
  readonly capacity: number;
};

/** Reads a program of the upgradeable loader at `confirmed`; null when there is none. */
export async function readProgram(
  { connection }: Pick<Cluster, 'connection'>,
  program: PublicKey,
): Promise<DeployedProgram | null> {
  const address = programDataOf(program);
  const account = await call(() => connection.getAccountInfo(address, 'confirmed'));
  if (account === null) return null;
  const code = parseProgramData({
    address: address.toBase58(),
    owner: account.owner.toBase58(),
    lamports: BigInt(account.lamports),
    data: account.data,
  });
  return code && { ...code, capacity: account.data.length - PROGRAM_DATA_HEADER_BYTES };
}
