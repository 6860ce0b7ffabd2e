import { notOurs, section } from './row-class.ts';

/** "Events" and the deny reasons. */
export const eventRows = section({
  'events.transfer_usdc': 'transfer_usdc emits a typed event',
  'events.yield_deposit': 'yield_deposit emits a typed event',
  'events.yield_withdraw': 'yield_withdraw emits a typed event',
  'events.init_vault': 'init_vault emits a typed event',
  'events.add_session': 'add_session emits a typed event',
  'events.revoke_session': 'revoke_session emits a typed event',
  'events.set_max_deployed_fraction': 'set_max_deployed_fraction emits a typed event',
  'events.update_session_allowlist': 'update_session_allowlist emits a typed event',
  'events.from-any-node': 'events can be read from any node with the published IDL',
  'events.audit-superset': 'the audit log also holds denials, which the chain does not',
  'events.funding-has-no-row': 'funding is seen on chain and has no audit row',
  'events.push': notOurs(
    'left open by the interface and decided: webhooks beyond it, no streaming',
    'webhooks, streaming or other push',
  ),

  'deny.URL_NOT_ALLOWED': 'URL_NOT_ALLOWED: no entry matched and no service of the catalog',
  'deny.OUTSIDE_TIME_WINDOW': 'OUTSIDE_TIME_WINDOW: an attempt outside the window',
  'deny.INSUFFICIENT_LIQUID': 'INSUFFICIENT_LIQUID: liquid below the amount',
  'deny.SessionRevoked': 'SessionRevoked: the session was closed before the spend landed',
  'deny.program-errors': 'the program’s own error name, of each hard limit',
});
