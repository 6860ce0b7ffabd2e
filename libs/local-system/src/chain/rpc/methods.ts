/** The methods that the chain answers, by their names. */

import type { ChainEngine } from '../engine/chain-engine.ts';
import type { Method } from './method.ts';
import { getAccountInfo } from './methods/get-account-info.ts';
import { getBalance } from './methods/get-balance.ts';
import { getBlockHeight } from './methods/get-block-height.ts';
import { getBlockTime } from './methods/get-block-time.ts';
import { getEpochInfo } from './methods/get-epoch-info.ts';
import { getEpochSchedule } from './methods/get-epoch-schedule.ts';
import { getFeeForMessage } from './methods/get-fee-for-message.ts';
import { getFirstAvailableBlock } from './methods/get-first-available-block.ts';
import { getGenesisHash } from './methods/get-genesis-hash.ts';
import { getHealth } from './methods/get-health.ts';
import { getLatestBlockhash } from './methods/get-latest-blockhash.ts';
import { getMinimumBalanceForRentExemption } from './methods/get-minimum-balance-for-rent-exemption.ts';
import { getMultipleAccounts } from './methods/get-multiple-accounts.ts';
import { getProgramAccounts } from './methods/get-program-accounts.ts';
import { getRecentPrioritizationFees } from './methods/get-recent-prioritization-fees.ts';
import { getSignatureStatuses } from './methods/get-signature-statuses.ts';
import { getSignaturesForAddress } from './methods/get-signatures-for-address.ts';
import { getSlot } from './methods/get-slot.ts';
import { getTokenAccountBalance } from './methods/get-token-account-balance.ts';
import { getTokenAccountsByOwner } from './methods/get-token-accounts-by-owner.ts';
import { getTokenSupply } from './methods/get-token-supply.ts';
import { getTransaction } from './methods/get-transaction.ts';
import { getVersion } from './methods/get-version.ts';
import { isBlockhashValid } from './methods/is-blockhash-valid.ts';
import { requestAirdrop } from './methods/request-airdrop.ts';
import { sendTransaction } from './methods/send-transaction.ts';
import { simulateTransaction } from './methods/simulate-transaction.ts';
import { METHOD_NOT_FOUND, RpcError } from './rpc-error.ts';

const methods = new Map<string, Method>(
  Object.entries({
    getAccountInfo,
    getBalance,
    getBlockHeight,
    getBlockTime,
    getEpochInfo,
    getEpochSchedule,
    getFeeForMessage,
    getFirstAvailableBlock,
    getGenesisHash,
    getHealth,
    getLatestBlockhash,
    getMinimumBalanceForRentExemption,
    getMultipleAccounts,
    getProgramAccounts,
    getRecentPrioritizationFees,
    getSignatureStatuses,
    getSignaturesForAddress,
    getSlot,
    getTokenAccountBalance,
    getTokenAccountsByOwner,
    getTokenSupply,
    getTransaction,
    getVersion,
    isBlockhashValid,
    requestAirdrop,
    sendTransaction,
    simulateTransaction,
  }),
);

/** Answers one call with its `result`; throws RpcError. */
export function callMethod(chain: ChainEngine, name: string, params: readonly unknown[]): unknown {
  const run = methods.get(name);
  if (run === undefined) throw new RpcError(METHOD_NOT_FOUND, `Method not found: ${name}`);
  return run(chain, params);
}
