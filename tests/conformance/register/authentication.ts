import { section } from './row-class.ts';

/** "Authentication". */
export const authenticationRows = section({
  'auth.owner.nonce': 'the nonce serves once',
  'auth.owner.message': 'the wallet signs a message that contains the nonce',
  'auth.owner.exchange': 'pubkey, signature and nonce are exchanged for the svc_session cookie',
  'auth.owner.cookie-works': 'the cookie opens the owner’s endpoints',
  'auth.owner.only-the-key': 'a signature by another key or of another text is refused',
  'auth.owner.signs-transactions': 'owner-only operations are transactions that the owner signs',
  'auth.agent.header': 'agents send Authorization: Bearer',
  'auth.agent.prefix':
    'a key starts with svc_dev_ on the test network; svc_prod_ has the right form too',
  'auth.agent.other-form': 'a token of another form is rejected',
  'auth.agent.bound': 'a key is bound to one session and its wallet',
  'auth.agent.rotated': 'a rotated key is rejected at once',
  'auth.agent.no-owner-endpoints': 'agent keys open no owner endpoint',
  'auth.agent.audit-invalid-jwt': 'GET /v1/audit with an agent key returns `invalid jwt`',
  'auth.agent.no-own-limits': 'agents cannot change their caps or recipients',
  'auth.agent.no-free-signing':
    'agents cannot have anything signed except backend-built transactions',
  'auth.agent.no-bypass-of-window': 'agents cannot bypass the time window',
});
