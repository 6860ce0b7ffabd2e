import { type Section, tested } from './row-class.ts';

/** "Authentication". */
export const authenticationRows = {
  'auth.owner.nonce': tested('the nonce serves once'),
  'auth.owner.message': tested('the wallet signs a message that contains the nonce'),
  'auth.owner.exchange': tested(
    'pubkey, signature and nonce are exchanged for the cookie svc_session',
  ),
  'auth.owner.cookie-works': tested('the cookie opens the owner’s endpoints'),
  'auth.owner.only-the-key': tested(
    'a signature of another key, or of another text, opens nothing',
  ),
  'auth.owner.signs-transactions': tested(
    'what only the owner may do is a transaction that the owner signs',
  ),
  'auth.agent.header': tested('agents send Authorization: Bearer'),
  'auth.agent.prefix': tested(
    'a key starts with svc_dev_ on the test network; svc_prod_ has the right form too',
  ),
  'auth.agent.other-form': tested('a token of another form is rejected'),
  'auth.agent.bound': tested('a key is bound to one session and its wallet'),
  'auth.agent.rotated': tested('a rotated key is rejected at once'),
  'auth.agent.no-owner-endpoints': tested('agent keys open no owner endpoint'),
  'auth.agent.audit-invalid-jwt': tested('GET /v1/audit with an agent key answers `invalid jwt`'),
  'auth.agent.no-own-limits': tested('agents cannot change their caps or recipients'),
  'auth.agent.no-free-signing': tested(
    'agents cannot have anything signed but what the backend builds',
  ),
  'auth.agent.no-bypass-of-window': tested('agents cannot bypass the time window'),
} as const satisfies Section;
