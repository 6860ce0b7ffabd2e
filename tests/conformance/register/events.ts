import { notOurs, type Section, tested } from './row-class.ts';

/** "Events" and the deny reasons. */
export const eventRows = {
  'events.transfer_usdc': tested('transfer_usdc emits a typed event'),
  'events.yield_deposit': tested('yield_deposit emits a typed event'),
  'events.yield_withdraw': tested('yield_withdraw emits a typed event'),
  'events.init_vault': tested('init_vault emits a typed event'),
  'events.add_session': tested('add_session emits a typed event'),
  'events.revoke_session': tested('revoke_session emits a typed event'),
  'events.set_max_deployed_fraction': tested('set_max_deployed_fraction emits a typed event'),
  'events.update_session_allowlist': tested('update_session_allowlist emits a typed event'),
  'events.from-any-node': tested(
    'they are read from the chain’s history, through any node, with the published description',
  ),
  'events.audit-superset': tested('the audit log also holds what the chain does not: denials'),
  'events.funding-has-no-row': tested('funding is seen on chain and has no audit row'),
  'events.push': notOurs(
    'left open by the interface and decided: not provided',
    'webhooks, streaming or other push',
  ),

  'deny.URL_NOT_ALLOWED': tested('URL_NOT_ALLOWED: no entry matched and no catalogued service'),
  'deny.OUTSIDE_TIME_WINDOW': tested('OUTSIDE_TIME_WINDOW: an attempt outside the window'),
  'deny.INSUFFICIENT_LIQUID': tested('INSUFFICIENT_LIQUID: liquid below the amount'),
  'deny.SessionRevoked': tested(
    'SessionRevoked: the session’s account was closed before the spend was in',
  ),
  'deny.program-errors': tested('the program’s own error name, of each hard limit'),
} as const satisfies Section;
