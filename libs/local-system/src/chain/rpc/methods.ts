/** The methods that the chain answers, by their names. */

import type { ChainEngine } from '../engine/chain-engine.ts';
import type { Method } from './method.ts';
import { getAccountInfo } from './methods/accounts/get-account-info.ts';
import { getBalance } from './methods/accounts/get-balance.ts';
import { getBlockHeight } from './methods/blocks/get-block-height.ts';
import { getBlockTime } from './methods/blocks/get-block-time.ts';
import { getEpochInfo } from './methods/blocks/get-epoch-info.ts';
import { getEpochSchedule } from './methods/blocks/get-epoch-schedule.ts';
import { getFeeForMessage } from './methods/transactions/get-fee-for-message.ts';
import { getFirstAvailableBlock } from './methods/blocks/get-first-available-block.ts';
import { getGenesisHash } from './methods/node/get-genesis-hash.ts';
import { getHealth } from './methods/node/get-health.ts';
import { getLatestBlockhash } from './methods/blocks/get-latest-blockhash.ts';
import { getMinimumBalanceForRentExemption } from './methods/accounts/get-minimum-balance-for-rent-exemption.ts';
import { getMultipleAccounts } from './methods/accounts/get-multiple-accounts.ts';
import { getProgramAccounts } from './methods/accounts/get-program-accounts.ts';
import { getRecentPrioritizationFees } from './methods/transactions/get-recent-prioritization-fees.ts';
import { getSignatureStatuses } from './methods/transactions/get-signature-statuses.ts';
import { getSignaturesForAddress } from './methods/transactions/get-signatures-for-address.ts';
import { getSlot } from './methods/blocks/get-slot.ts';
import { getTokenAccountBalance } from './methods/accounts/get-token-account-balance.ts';
import { getTokenAccountsByOwner } from './methods/accounts/get-token-accounts-by-owner.ts';
import { getTokenSupply } from './methods/accounts/get-token-supply.ts';
import { getTransaction } from './methods/transactions/get-transaction.ts';
import { getVersion } from './methods/node/get-version.ts';
import { isBlockhashValid } from './methods/blocks/is-blockhash-valid.ts';
import { requestAirdrop } from './methods/transactions/request-airdrop.ts';
import { sendTransaction } from './methods/transactions/send-transaction.ts';
import { simulateTransaction } from './methods/transactions/simulate-transaction.ts';
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
