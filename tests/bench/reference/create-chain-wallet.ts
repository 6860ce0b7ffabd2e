import { randomUUID } from 'node:crypto';
import { createOwnerTransactions, createRpc, type WalletProgram } from '@agent-wallet/chain';
import type { Faucet } from '@agent-wallet/local-system/faucet/faucet.ts';
import { Keypair, PublicKey, Transaction } from '@solana/web3.js';
import bs58 from 'bs58';
import type { Agent } from '../load/agents.ts';
import type { PlainHandlerOptions } from './plain-handler-options.ts';
import { sendAll } from './send-all.ts';

const SOL = 1_000_000_000;
const FUNDS = 100_000_000_000n;

type ChainWallet = {
  readonly sessions: PlainHandlerOptions['sessions'];
  readonly agents: readonly Agent[];
};

/** A vault with funds and sessions on a chain, of which no service here has rows. */
export async function createChainWallet(
  rpcUrl: string,
  options: {
    readonly faucet: Faucet;
    readonly program: WalletProgram;
    readonly sessionsEach: number;
  },
): Promise<ChainWallet> {
  const { faucet, program } = options;
  const rpc = createRpc({ url: rpcUrl, timeoutMs: 5_000 });
  const build = createOwnerTransactions(program, () => rpc.latestBlockhash(), Date.now);
  const owner = Keypair.generate();
  const recipient = Keypair.generate().publicKey;
  const ownerAddress = owner.publicKey.toBase58();
  const vault = program.addresses.vaultPda(ownerAddress);
  await faucet.sol(owner.publicKey, 10 * SOL);
  await faucet.usdc(recipient, 0n);
  const signed = (txBase64: string): Uint8Array => {
    const transaction = Transaction.from(Buffer.from(txBase64, 'base64'));
    transaction.sign(owner);
    return transaction.serialize();
  };
  await sendAll(rpc, [signed(await build.initVault(ownerAddress, 0, null))]);
  await faucet.usdc(new PublicKey(program.addresses.usdcAta(vault)), FUNDS);
  const keys = Array.from({ length: options.sessionsEach }, () => Keypair.generate());
  const expiry = BigInt(Math.floor(Date.now() / 1_000)) + 3_600n;
  const limits = { maxPerTx: 1_000_000n, dailyCap: 1_000_000_000n, expiry, allowedInstructions: 1 };
  const recipients = [recipient.toBase58()];
  const { accounts: vaults } = await rpc.accounts([vault], { commitment: 'confirmed' });
  const created = vaults[0] ? program.decodeVault(vaults[0]) : null;
  if (created === null) throw new Error(`the vault ${vault} was not created`);
  const adding = keys.map(async ({ publicKey }, n) => {
    const one = { ...limits, sessionPubkey: publicKey.toBase58(), recipients };
    const sessionIndex = created.nextSessionIndex + BigInt(n);
    return signed(await build.addSession(ownerAddress, one, sessionIndex));
  });
  await sendAll(rpc, await Promise.all(adding));
  const sessions = await Promise.all(
    keys.map(async (key) => {
      const pda = program.addresses.sessionPda(vault, key.publicKey.toBase58());
      const { accounts } = await rpc.accounts([pda], { commitment: 'confirmed' });
      const state = accounts[0] ? program.decodeSession(accounts[0]) : null;
      if (state === null) throw new Error(`the session ${pda} was not created`);
      return {
        apiKey: randomUUID(),
        secretKey: bs58.encode(key.secretKey),
        vault,
        index: String(state.index),
      };
    }),
  );
  const agents = sessions.map(({ apiKey }) => ({ apiKey, recipient: recipient.toBase58() }));
  return { sessions, agents };
}
