import { type PolicyBody, toAmountOut, type WalletPolicyAnswer } from '@agent-wallet/contract';
import type { Database } from '@agent-wallet/db';
import { isTimezone, parsePattern } from '@agent-wallet/policy';
import { badRequest } from './http-refusal.ts';
import { insertPolicy } from './store/policies.ts';
import type { Wallet } from './store/wallets.ts';

/**
 * Replaces the wallet's off-chain rules as a whole. They hold for the next ask, and for spends that
 * no lane has taken yet. Refuses with 400.
 */
export async function setPolicy(
  db: Database,
  wallet: Wallet,
  body: PolicyBody,
): Promise<WalletPolicyAnswer> {
  refuseUnreadable(body);
  const policy = {
    url_allowlist: body.url_allowlist.map((entry) => ({
      pattern: entry.pattern,
      max_per_call: toAmountOut(entry.max_per_call),
    })),
    time_window: body.time_window,
  };
  return { version: await insertPolicy(db, wallet.walletId, policy), ...policy };
}

/** What the schema cannot see: patterns, each once, and the name of the zone. */
function refuseUnreadable(body: PolicyBody): void {
  const seen = new Set<string>();
  body.url_allowlist.forEach((entry, i) => {
    const parsed = parsePattern(entry.pattern);
    if (!parsed.ok) throw badRequest(`url_allowlist[${i}].pattern ${parsed.reason}`);
    const { host, segments } = parsed.pattern;
    const meaning = [host, ...segments].join('/');
    if (seen.has(meaning)) {
      throw badRequest(`url_allowlist[${i}].pattern must not be listed twice`);
    }
    seen.add(meaning);
  });
  const { time_window: window } = body;
  if (window !== null && !isTimezone(window.timezone)) {
    throw badRequest('time_window.timezone must be an IANA name such as Europe/Berlin');
  }
}
