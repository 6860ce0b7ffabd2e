import { section } from './row-class.ts';

/** "What the service does" and the paragraph before it. */
export const serviceRows = section({
  'service.paths': 'all paths of the api begin with /v1 and are relative to its base address',
  'service.dashboard.other-origin': 'the dashboard is served from an origin of its own',
  'service.dashboard.html-404': '/v1/* on the dashboard’s origin is an HTML 404',
  'service.devnet-only': 'the beta runs on a test network only',
  'service.owner.creates-and-reads':
    'the owner creates and funds the vault, creates and revokes sessions, sets policy, reads the log',
  'service.owner.key-stays':
    'the owner’s key stays with the owner: the backend returns unsigned transactions',
  'service.backend.co-signs': 'the backend signs a spend with the session’s own key and submits it',
  'service.agent.no-authority': 'an agent has a bearer key and no on-chain authority',
  'service.layers.off-chain-first': 'off-chain rules are evaluated before any transaction is built',
  'service.layers.both': 'a spend that the off-chain layer denies never reaches the chain',
  'service.layers.no-partial': 'a violation of a hard limit leaves no partial effect',
  'service.layers.backend-compromised': 'on-chain limits bound a backend that skips its own rules',
  'service.capabilities':
    'transfer, the two payments, yield deposit and withdrawal, position and audit log exist',
  'service.yield.manual': 'no background process moves funds into or out of yield',
  'service.yield.no-withdraw-before-spend': 'a spend never withdraws from yield by itself',
  'service.yield.one-reserve': 'one compiled-in reserve; a caller cannot name another',
  'service.yield.accrued-is-the-owners': 'accrued yield returns to the vault, undivided',
  'service.audit.chain-is-truth': 'each allowed spend in the log is a transaction on chain',
  'service.audit.adds-reasons': 'the log adds the reason of each denial',
  'service.no-released-tools': 'command line and SDK are announced, without a published release',
  'service.all-over-http': 'every operation is available over HTTP',
  'service.all-in-dashboard': 'every operation is available through the dashboard',
  'service.catalog.fresh-is-empty': 'a fresh deployment has no enabled catalog entry',
  'service.yield.switched-off': 'yield can be switched off by configuration',
});
