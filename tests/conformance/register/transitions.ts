import { later, type Section } from './row-class.ts';

const YIELD = 'yield';
const SUITE = 'the rest of this suite';

/** "States and transitions". */
export const transitionRows = {
  'states.session.created': later(
    SUITE,
    'POST /v1/session answers an unsigned transaction and the key; the session awaits its owner',
  ),
  'states.session.live': later(
    SUITE,
    'the owner’s transaction confirmed: the session is live and its key spends',
  ),
  'states.session.spends': later(
    SUITE,
    'live, all checks pass: tx_signature and an allow row; still live',
  ),
  'states.session.denied': later(
    SUITE,
    'live, a rule or the pre-flight fails: nothing submitted, a deny row with its reason; still live',
  ),
  'states.session.violation': later(
    SUITE,
    'live, an on-chain limit is breached: reverted, 402 with detail; still live',
  ),
  'states.session.rotated': later(
    SUITE,
    'rotate-key: live with a new key, the old one is 401 `api key revoked` at once',
  ),
  'states.session.revoked': later(SUITE, 'revoke_session confirmed: 401 `session revoked`'),
  'states.session.revoked.race': later(
    SUITE,
    'a spend that races the revocation fails with SessionRevoked',
  ),
  'states.session.expired': later(SUITE, 'past its expiry the chain rejects with SessionExpired'),
  'states.vault.created': later(
    SUITE,
    'POST /v1/wallet answers an unsigned transaction; once submitted, vault and token account exist',
  ),
  'states.yield.deposit': later(YIELD, 'a deposit moves its amount from liquid to deployed'),
  'states.yield.withdraw': later(
    YIELD,
    'a withdrawal lowers deployed_amount by what really came back',
  ),
} as const satisfies Section;
