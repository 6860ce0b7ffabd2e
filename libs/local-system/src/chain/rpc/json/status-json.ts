import type { ChainEngine } from '../../engine/chain-engine.ts';
import type { Landing } from '../../engine/history/landed-transaction.ts';

export function confirmationStatus(chain: ChainEngine, slot: number) {
  if (slot <= chain.slot('finalized')) return 'finalized';
  return slot <= chain.slot('confirmed') ? 'confirmed' : 'processed';
}

export function statusJson(chain: ChainEngine, { slot, err }: Landing) {
  const status = confirmationStatus(chain, slot);
  return {
    slot,
    confirmations: status === 'finalized' ? null : chain.slot('processed') - slot,
    err,
    status: err === null ? { Ok: null } : { Err: err },
    confirmationStatus: status,
  };
}
