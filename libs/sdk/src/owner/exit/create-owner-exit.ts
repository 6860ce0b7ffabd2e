import { decodeAddress } from '@agent-wallet/contract';
import { z } from 'zod';
import { badRequest, readUrl } from '../../http/read-url.ts';
import { type Clock, startTimeLimit, systemClock } from '../../http/time-limit.ts';
import { toBase64 } from '../chain/base64.ts';
import { createChainNode } from '../chain/chain-node.ts';
import { createRpcNode } from '../chain/rpc-node.ts';
import { createTransactionChecks } from '../check-transactions.ts';
import type { OwnerCallOptions } from '../owner-client.ts';
import { createOwnerTransaction, type OwnerTransaction } from '../owner-transaction.ts';
import { DEVNET } from '../transaction/addresses.ts';
import { composeTransaction } from '../transaction/compose-transaction.ts';
import type { Expectations } from '../transaction/expect-transaction.ts';
import type { ExpectedInstruction } from '../transaction/expected-instruction.ts';
import type { OwnerExit, OwnerExitOptions } from './owner-exit.ts';
import { readVault } from './read-vault.ts';

const TIMEOUT_MS = 120_000;
/** How long the program executes what the owner signs, where a later use could do harm. */
const DEADLINE_SECONDS = 600n;
/** So many revocations fit into a transaction of 1 232 bytes. */
const MOST_SESSIONS = 10;

const latestBlockhash = z.object({ value: z.looseObject({ blockhash: z.string() }) });

/**
 * The way out for an owner without the API. Sends nothing by itself. Throws `BAD_REQUEST` for a
 * `rpcUrl` that is not http or https, and for text that is not an address.
 */
export function createOwnerExit(options: OwnerExitOptions): OwnerExit {
  return createOwnerExitOn({ clock: systemClock, timeOfDayMs: Date.now }, options);
}

function createOwnerExitOn(
  { clock, timeOfDayMs }: { readonly clock: Clock; readonly timeOfDayMs: () => number },
  options: OwnerExitOptions,
): OwnerExit {
  const { signer, deployment = DEVNET } = options;
  const { fetch = (input, init) => globalThis.fetch(input, init) } = options;
  for (const given of [signer.address, deployment.programId, deployment.usdcMint]) {
    if (decodeAddress(given) === null) throw badRequest(`'${given}' must be a base58 address`);
  }
  const rpcUrl = readUrl(options.rpcUrl, 'rpcUrl').href;
  const rpc = createRpcNode({ rpcUrl, fetch, clock });
  const node = createChainNode(rpc, clock);
  const checks = createTransactionChecks(deployment, signer.address, timeOfDayMs);
  const limitOf = (given: OwnerCallOptions) =>
    startTimeLimit(clock, given.timeoutMs ?? options.timeoutMs ?? TIMEOUT_MS, given.signal);

  async function compose(
    given: OwnerCallOptions,
    expect: (
      expectations: Expectations,
    ) => readonly ExpectedInstruction[] | Promise<readonly ExpectedInstruction[]>,
  ): Promise<OwnerTransaction> {
    const instructions = await expect(await checks.expectations());
    const params = [{ commitment: 'confirmed' }];
    const { value } = await rpc.read('getLatestBlockhash', params, latestBlockhash, limitOf(given));
    const wire = composeTransaction(instructions, {
      owner: signer.address,
      blockhash: value.blockhash,
      deadline: BigInt(Math.floor(timeOfDayMs() / 1_000)) + DEADLINE_SECONDS,
    });
    // Read back and compared like the API's: what is shown is what is signed.
    const checked = checks.check(toBase64(wire), instructions);
    return createOwnerTransaction(checked, { signer, node, limitOf });
  }

  return {
    vault: async (given = {}) => {
      const reserve = deployment.reserve === undefined ? null : await checks.reserve();
      const collateralAta = reserve?.collateralAta ?? null;
      const addresses = await checks.addresses();
      return readVault(rpc, { deployment, addresses, collateralAta }, limitOf(given));
    },
    pause: async (given = {}) => compose(given, (expect) => expect.setPaused(true)),
    resume: async (given = {}) => compose(given, (expect) => expect.setPaused(false)),
    revoke: async (sessions, given = {}) => {
      if (sessions.length === 0 || sessions.length > MOST_SESSIONS) {
        throw badRequest(`sessions must be 1 to ${MOST_SESSIONS}`);
      }
      const named = await Promise.all(
        sessions.map((one) => checks.session(one.session_pubkey, one.session_index)),
      );
      return compose(given, (expect) => named.flatMap((one) => expect.revokeSession(one)));
    },
    redeem: async ({ collateral }, given = {}) => {
      if (collateral <= 0n) throw badRequest('collateral must be above 0');
      const reserve = await checks.reserve();
      return compose(given, (expect) => expect.redeem(reserve, collateral));
    },
    withdraw: async ({ amount, destination }, given = {}) => {
      if (amount !== 'all' && amount <= 0n) throw badRequest('amount must be above 0');
      return compose(given, (expect) => expect.withdraw(amount, destination ?? null));
    },
  };
}
