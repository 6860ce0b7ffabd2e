import { type Section, tested } from './row-class.ts';

/** "States and transitions". */
export const transitionRows = {
  'states.session.created': tested(
    'POST /v1/session answers an unsigned transaction and the key; the session awaits its owner',
  ),
  'states.session.live': tested(
    'the owner’s transaction confirmed: the session is live and its key spends',
  ),
  'states.session.spends': tested(
    'live, all checks pass: tx_signature and an allow row; still live',
  ),
  'states.session.denied': tested(
    'live, a rule or the pre-flight fails: nothing submitted, a deny row with its reason; still live',
  ),
  'states.session.violation': tested(
    'live, an on-chain limit is breached: reverted, 402 with detail; still live',
  ),
  'states.session.rotated': tested(
    'rotate-key: live with a new key, the old one is 401 `api key revoked` at once',
  ),
  'states.session.revoked': tested('revoke_session confirmed: 401 `session revoked`'),
  'states.session.revoked.race': tested(
    'a spend that races the revocation fails with SessionRevoked',
  ),
  'states.session.expired': tested('past its expiry the chain rejects with SessionExpired'),
  'states.vault.created': tested(
    'POST /v1/wallet answers an unsigned transaction; once submitted, vault and token account exist',
  ),
  'states.yield.deposit': tested('a deposit moves its amount from liquid to deployed'),
  'states.yield.withdraw': tested('a withdrawal lowers deployed_amount by what really came back'),
} as const satisfies Section;
