import { section } from './row-class.ts';

/** "States and transitions". */
export const transitionRows = section({
  'states.session.created':
    'POST /v1/session returns an unsigned transaction and the key; the session awaits its owner',
  'states.session.live':
    'the owner’s transaction confirmed: the session is live and its key spends',
  'states.session.spends': 'live, all checks pass: tx_signature and an allow row; still live',
  'states.session.denied':
    'live, a rule or the pre-flight fails: nothing submitted, a deny row; still live',
  'states.session.violation':
    'live, an on-chain limit is breached: reverted, 402 with detail; still live',
  'states.session.rotated':
    'rotate-key: live with a new key, the old one is 401 `api key revoked` at once',
  'states.session.revoked': 'revoke_session confirmed: 401 `session revoked`',
  'states.session.revoked.race': 'a spend that races the revocation fails with SessionRevoked',
  'states.session.expired': 'past its expiry the chain rejects with SessionExpired',
  'states.vault.created':
    'POST /v1/wallet returns an unsigned transaction; once submitted, vault and token account exist',
  'states.yield.deposit': 'a deposit moves its amount from liquid to deployed',
  'states.yield.withdraw': 'a withdrawal lowers deployed_amount by the amount actually returned',
});
