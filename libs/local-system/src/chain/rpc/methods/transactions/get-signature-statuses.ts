import { z } from 'zod';
import { method } from '../../method.ts';
import { bankOf, signatureParam } from '../../params.ts';
import { statusJson } from '../../json/status-json.ts';
import { withContext } from '../../with-context.ts';

const MAX_SIGNATURES = 256;
/** Older statuses are found only by a search of the history. */
const RECENT_SLOTS = 300;

export const getSignatureStatuses = method(
  z.tuple([
    z.array(signatureParam).max(MAX_SIGNATURES, `Too many inputs provided; max ${MAX_SIGNATURES}`),
    z.object({ searchTransactionHistory: z.boolean().nullish() }).nullish(),
  ]),
  (chain, [signatures, config]) => {
    const bank = bankOf(chain, { commitment: 'processed' });
    const oldest = config?.searchTransactionHistory === true ? 0 : bank.slot - RECENT_SLOTS;
    const value = signatures.map((signature) => {
      const landed = chain.history.find(signature);
      return landed === undefined || landed.slot < oldest ? null : statusJson(chain, landed);
    });
    return withContext(bank, value);
  },
);
