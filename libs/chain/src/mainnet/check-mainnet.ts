import { AppError } from '@agent-wallet/errors';
import type { RpcPool } from '../endpoints/rpc-pool.ts';
import { parseAddress } from '../program/addresses.ts';
import type { AccountSnapshot } from '../rpc/read/chain-reads.ts';
import type { Rpc } from '../rpc/rpc.ts';
import { type ChecklistItem, mainnetChecklist, type UpgradeFacts } from './mainnet-checklist.ts';
import { parseFinalProgram, parseProgramData, programDataAddress } from './program-code.ts';
import { parseMultisig } from './squads-multisig.ts';

export const MAINNET_GENESIS_HASH = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';

/** The settings that every process has for the main network; see libs/process. */
export type MainnetSettings = {
  readonly ALLOW_MAINNET: boolean;
  readonly AUDIT_SHA256?: string | undefined;
  readonly UPGRADE_MULTISIG?: string | undefined;
  readonly RPC_URL: readonly string[];
  readonly PROGRAM_ID: string;
};

type Endpoints = Pick<RpcPool, 'genesisHash' | 'readable'>;

/**
 * Each process calls this once, before it opens its database. Does nothing on a test network.
 *
 * Throws SERVER_MISCONFIGURED that lists every requirement of the main network that is not met, or
 * RPC_UNAVAILABLE when no endpoint responds.
 */
export async function checkMainnet(pool: Endpoints, settings: MainnetSettings): Promise<void> {
  if (pool.genesisHash !== MAINNET_GENESIS_HASH) return;
  const missing = (await readMainnetChecklist(pool, settings)).flatMap((item) =>
    item.missing === null ? [] : [`${item.requirement}: ${item.missing}`],
  );
  if (missing.length === 0) return;
  const list = missing.map((one, index) => `(${index + 1}) ${one}`).join('; ');
  throw new AppError('SERVER_MISCONFIGURED', {
    reason: `the RPC endpoint is on mainnet, and ${missing.length} of the requirements for it are not met: ${list}`,
  });
}

/**
 * Reads the program and its multisig from every readable endpoint and judges them. Throws
 * RPC_UNAVAILABLE when none responds.
 */
export async function readMainnetChecklist(
  pool: Pick<Endpoints, 'readable'>,
  settings: MainnetSettings,
): Promise<readonly ChecklistItem[]> {
  const { PROGRAM_ID: programId, UPGRADE_MULTISIG: upgradeMultisig } = settings;
  const answers = await Promise.allSettled(
    pool.readable().map(({ rpc }) => readUpgradeFacts(rpc, programId, upgradeMultisig)),
  );
  const upgrade = answers.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  if (upgrade.length === 0) {
    throw new AppError('RPC_UNAVAILABLE', { reason: 'no endpoint shows the program' });
  }
  return mainnetChecklist({
    allowMainnet: settings.ALLOW_MAINNET,
    rpcHosts: settings.RPC_URL.map((url) => new URL(url).hostname),
    auditSha256: settings.AUDIT_SHA256,
    upgradeMultisig,
    upgrade,
  });
}

/** The program and its multisig at `finalized`, as one endpoint shows them. */
async function readUpgradeFacts(
  rpc: Pick<Rpc, 'accounts'>,
  programId: string,
  upgradeMultisig: string | undefined,
): Promise<UpgradeFacts> {
  const read = async (address: string): Promise<AccountSnapshot | null> =>
    (await rpc.accounts([address], { commitment: 'finalized' })).accounts[0] ?? null;
  const program = await read(programId);
  const dataAddress = program === null ? null : programDataAddress(program);
  const [code, multisig] = await Promise.all([
    dataAddress === null ? null : read(dataAddress),
    upgradeMultisig === undefined || parseAddress(upgradeMultisig) === null
      ? null
      : read(upgradeMultisig),
  ]);
  return {
    program: code === null ? program && parseFinalProgram(program) : parseProgramData(code),
    multisig: multisig && parseMultisig(multisig),
  };
}
