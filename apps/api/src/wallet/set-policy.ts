import {
  type PolicyAnswer,
  type PolicyBody,
  toAmountOut,
  type WalletPolicyAnswer,
} from '@agent-wallet/contract';
import type { Database } from '@agent-wallet/db';
import { isTimezone, parsePattern } from '@agent-wallet/policy';
import { badRequest } from '../http/http-refusal.ts';
import { insertPolicy, type Wallet } from '@agent-wallet/wallet';

/**
 * Replaces the wallet's off-chain rules as a whole. They hold for the next ask, and for spends that
 * no lane has taken yet. Refuses with 400.
 */
export async function setPolicy(
  db: Database,
  wallet: Wallet,
  body: PolicyBody,
): Promise<WalletPolicyAnswer> {
  const { time_window: window } = body;
  if (window !== null && !isTimezone(window.timezone)) {
    throw badRequest('time_window.timezone must be an IANA name such as Europe/Berlin');
  }
  const policy = { url_allowlist: readAllowlist(body.url_allowlist), time_window: window };
  return { version: await insertPolicy(db, wallet.walletId, policy), ...policy };
}

/** Patterns are kept in their canonical spelling, so that the owner reads back what was understood. */
function readAllowlist(entries: PolicyBody['url_allowlist']): PolicyAnswer['url_allowlist'] {
  const seen = new Set<string>();
  return entries.map((entry, i) => {
    const parsed = parsePattern(entry.pattern);
    if (!parsed.ok) throw badRequest(`url_allowlist[${i}].pattern ${parsed.reason}`);
    if (seen.has(parsed.text)) {
      throw badRequest(`url_allowlist[${i}].pattern must not be listed twice`);
    }
    seen.add(parsed.text);
    return { pattern: parsed.text, max_per_call: toAmountOut(entry.max_per_call) };
  });
}
