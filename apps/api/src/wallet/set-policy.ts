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
 * Replaces all off-chain rules of the wallet. They apply from the next request on, and to spends
 * that no lane has started. Throws 400.
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

/** Patterns are stored in canonical form, so that the owner reads back how they were parsed. */
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
