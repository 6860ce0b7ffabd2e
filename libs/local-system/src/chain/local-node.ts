import { readFileSync } from 'node:fs';
import { Connection, type Keypair, SystemProgram, Transaction } from '@solana/web3.js';
import type { EmbeddedNode } from './embedded-node.ts';
import type { AccountState } from './engine/accounts/account-state.ts';
import type { ChainEngine } from './engine/chain-engine.ts';
import { describeTransactionError } from './engine/transactions/transaction-error.ts';
import { parseTransaction } from './engine/transactions/wire-transaction.ts';
import { createChainFetch } from './rpc/chain-fetch.ts';
import type { SendAndConfirm } from './send-and-confirm.ts';
import { StartError } from '../system/start-error.ts';

/** Our own chain as a node to set up, before its slots pass by themselves. */
export function createLocalNode(engine: ChainEngine): EmbeddedNode {
  // The URL is never connected to: the engine answers in this process.
  const connection = new Connection('http://chain.invalid', {
    commitment: 'confirmed',
    fetch: createChainFetch(engine),
  });
  return {
    connection,
    sendAndConfirm: (payer) => createSendNow(engine, connection, payer),
    fundSol: (address, lamports) =>
      engine.setAccount(address, accountOf(lamports, [], SystemProgram.programId.toBase58())),
    setAccount: (address, lamports, data, owner) =>
      engine.setAccount(address, accountOf(lamports, data, owner)),
    deploy: ({ programId, soPath }) => engine.addProgram(programId, readFileSync(soPath)),
  };
}

/** Lands a transaction and begins the next slot, so that it is confirmed. */
function createSendNow(
  engine: ChainEngine,
  connection: Connection,
  payer: Keypair,
): SendAndConfirm {
  return async (instructions) => {
    const { blockhash } = await connection.getLatestBlockhash();
    const transaction = new Transaction({ feePayer: payer.publicKey, recentBlockhash: blockhash });
    transaction.add(...instructions).sign(payer);
    const wire = parseTransaction(transaction.serialize());
    const submission = engine.submit(wire, { preflight: 'processed' });
    if (submission.kind !== 'landed') {
      const { err, logs } = submission.execution;
      const reason = err === null ? '' : describeTransactionError(err);
      throw new StartError(`The local chain transaction failed: ${reason} ${logs.join(' / ')}`);
    }
    engine.advance();
    return submission.landed.signature;
  };
}

function accountOf(lamports: number, data: readonly number[], owner: string): AccountState {
  const bytes = Uint8Array.from(data);
  return { lamports: BigInt(lamports), data: bytes, owner, executable: false, rentEpoch: 0n };
}
