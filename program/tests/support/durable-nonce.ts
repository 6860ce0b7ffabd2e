import { createHash } from 'node:crypto';
import { NONCE_ACCOUNT_LENGTH, PublicKey, SystemProgram } from '@solana/web3.js';
import { type Call, toInstruction } from './call.ts';
import { keypair, land, type Outcome, setAccount, sign, type Signed } from './chain.ts';
import type { World } from './world.ts';

/*
 * The owner signs a transaction with a durable nonce, and the backend holds it back. It stays
 * valid until the nonce advances, so it may land months later, after other signatures.
 */

/** The same call with this deadline, in unix seconds. */
export function until(deadline: bigint, call: Call): Call {
  return { ...call, args: { ...call.args, deadline } };
}

let nonces = 0;

/** Signs the call with a durable nonce of its own, and does not send it. */
export function signed(world: World, call: Call): Signed {
  nonces += 1;
  const nonceAccount = keypair(`nonce account ${nonces}`).publicKey;
  const nonce = createHash('sha256').update(`nonce ${nonces}`).digest();
  const authority = world.payer.publicKey;
  // Version and state, authority, nonce, fee.
  const data = Buffer.alloc(NONCE_ACCOUNT_LENGTH);
  data.writeUInt32LE(1, 0);
  data.writeUInt32LE(1, 4);
  authority.toBuffer().copy(data, 8);
  nonce.copy(data, 40);
  data.writeBigUInt64LE(5_000n, 72);
  setAccount(world.svm, nonceAccount, { data, owner: SystemProgram.programId });
  const advance = SystemProgram.nonceAdvance({
    noncePubkey: nonceAccount,
    authorizedPubkey: authority,
  });
  const instructions = [advance, toInstruction(call)];
  return sign(instructions, [world.payer, ...call.signers], new PublicKey(nonce).toBase58());
}

/** Sends a transaction whose blockhash would have expired. */
export function release(world: World, held: Signed): Outcome {
  world.svm.expireBlockhash();
  return land(world.svm, held);
}
