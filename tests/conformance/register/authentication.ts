import { later, type Section } from './row-class.ts';

const SUITE = 'the rest of this suite';

/** "Authentication". */
export const authenticationRows = {
  'auth.owner.nonce': later(SUITE, 'the nonce serves once'),
  'auth.owner.message': later(SUITE, 'the wallet signs a message that contains the nonce'),
  'auth.owner.exchange': later(
    SUITE,
    'pubkey, signature and nonce are exchanged for the cookie svc_session',
  ),
  'auth.owner.cookie-works': later(SUITE, 'the cookie opens the owner’s endpoints'),
  'auth.owner.only-the-key': later(
    SUITE,
    'a signature of another key, or of another text, opens nothing',
  ),
  'auth.owner.signs-transactions': later(
    SUITE,
    'what only the owner may do is a transaction that the owner signs',
  ),
  'auth.agent.header': later(SUITE, 'agents send Authorization: Bearer'),
  'auth.agent.prefix': later(
    SUITE,
    'a key starts with svc_dev_ on the test network; svc_prod_ has the right form too',
  ),
  'auth.agent.other-form': later(SUITE, 'a token of another form is rejected'),
  'auth.agent.bound': later(SUITE, 'a key is bound to one session and its wallet'),
  'auth.agent.rotated': later(SUITE, 'a rotated key is rejected at once'),
  'auth.agent.no-owner-endpoints': later(SUITE, 'agent keys open no owner endpoint'),
  'auth.agent.audit-invalid-jwt': later(
    SUITE,
    'GET /v1/audit with an agent key answers `invalid jwt`',
  ),
  'auth.agent.no-own-limits': later(SUITE, 'agents cannot change their caps or recipients'),
  'auth.agent.no-free-signing': later(
    SUITE,
    'agents cannot have anything signed but what the backend builds',
  ),
  'auth.agent.no-bypass-of-window': later(
    'policy endpoints',
    'agents cannot bypass the time window',
  ),
} as const satisfies Section;
