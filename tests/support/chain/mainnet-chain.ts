import { readFileSync } from 'node:fs';
import { MAINNET_GENESIS_HASH, SQUADS_PROGRAM } from '@agent-wallet/chain';
import {
  localProgramId,
  PROGRAM_FILE,
  USDC_MINT,
} from '@agent-wallet/local-system/chain/chain-facts.ts';
import { createFaucet, type Faucet } from '@agent-wallet/local-system/faucet/faucet.ts';
import { startLocalNode } from '@agent-wallet/local-system/chain/start-local-node.ts';
import { Connection, Keypair, PublicKey } from '@solana/web3.js';
import bs58 from 'bs58';
import { SQUADS } from '../../../libs/chain/fixtures/squads-bytes.ts';

const SLOT_TIME_MS = 200;
const LOADER = 'BPFLoaderUpgradeab1e11111111111111111111111';
const PROGRAM_DATA_TAG = 3;
const LAMPORTS = 1_000_000_000;

/** A local chain that presents itself as the main network, with our program. */
export type MainnetChain = AsyncDisposable & {
  /** Two names of the one endpoint: different hosts, as a deployment needs them. */
  readonly rpcUrls: readonly [string, string];
  readonly programId: string;
  readonly usdcMint: string;
  /** A multisig of 2 of 3 on this chain. */
  readonly multisig: string;
  readonly faucet: Faucet;
  readonly connection: Connection;
  /** Makes an address the one that can replace the program. */
  setAuthority(address: string): void;
};

/** Starts it in this process; the program's authority is the vault of the multisig. */
export async function startMainnetChain(): Promise<MainnetChain> {
  const genesisHash = MAINNET_GENESIS_HASH;
  const { node, faucet } = await startLocalNode({ slotTimeMs: SLOT_TIME_MS, genesisHash });
  const programId = localProgramId();
  const connection = new Connection(node.rpcUrl, 'confirmed');
  const [dataAddress] = PublicKey.findProgramAddressSync(
    [new PublicKey(programId).toBytes()],
    new PublicKey(LOADER),
  );
  const setAuthority = (address: string): void => {
    const head = Buffer.alloc(45);
    head.writeUInt32LE(PROGRAM_DATA_TAG);
    head[12] = 1;
    head.set(bs58.decode(address), 13);
    const bytes = [...head, ...readFileSync(PROGRAM_FILE)];
    node.setAccount(dataAddress.toBase58(), LAMPORTS, bytes, LOADER);
  };
  const multisig = [...Buffer.from(SQUADS.twoOfThree, 'base64')];
  node.setAccount(SQUADS.multisig, LAMPORTS, multisig, SQUADS_PROGRAM);
  setAuthority(SQUADS.vault);
  return {
    rpcUrls: [node.rpcUrl, node.rpcUrl.replace('127.0.0.1', 'localhost')],
    programId,
    usdcMint: USDC_MINT,
    multisig: SQUADS.multisig,
    faucet: createFaucet({
      connection,
      usdcMint: new PublicKey(USDC_MINT),
      mintAuthority: faucet,
    }),
    connection,
    setAuthority,
    [Symbol.asyncDispose]: () => node.stop(),
  };
}

/** An address under which somebody alone has the key. */
export const somebody = (): string => Keypair.generate().publicKey.toBase58();
