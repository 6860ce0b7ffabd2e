import { later, type Section, tested } from './row-class.ts';

/** "What the service does" and the paragraph before it. */
export const serviceRows = {
  'service.paths': tested(
    'all paths of the api begin with /v1 and are relative to its base address',
  ),
  'service.dashboard.other-origin': tested('the dashboard is served from an origin of its own'),
  'service.dashboard.html-404': tested('/v1/* on the dashboard’s origin is an HTML 404'),
  'service.devnet-only': tested('the beta runs on a test network only'),
  'service.owner.creates-and-reads': tested(
    'the owner creates and funds the vault, creates and revokes sessions, sets policy, reads the log',
  ),
  'service.owner.key-stays': tested(
    'the owner’s key never reaches the backend: it hands out unsigned transactions, which do nothing unsigned',
  ),
  'service.backend.co-signs': tested(
    'the backend signs a spend with the session’s own key and submits it',
  ),
  'service.agent.no-authority': tested(
    'an agent holds a bearer key and no key that signs on chain',
  ),
  'service.layers.off-chain-first': tested(
    'off-chain rules are evaluated before any transaction is built',
  ),
  'service.layers.both': tested('a spend that the off-chain layer denies never reaches the chain'),
  'service.layers.no-partial': tested('a violation of a hard limit leaves no partial effect'),
  'service.layers.backend-compromised': tested(
    'a backend that skips its own rules is still bounded by the on-chain limits',
  ),
  'service.capabilities': tested(
    'transfer, the two payments, yield deposit and withdrawal, position and audit log exist',
  ),
  'service.yield.manual': tested('no background process moves funds into or out of yield'),
  'service.yield.no-withdraw-before-spend': tested('a spend never withdraws from yield by itself'),
  'service.yield.one-reserve': tested('one compiled-in reserve; a caller cannot name another'),
  'service.yield.accrued-is-the-owners': tested('accrued yield comes home to the vault, undivided'),
  'service.audit.chain-is-truth': tested(
    'each allowed spend of the log is a transaction of the chain’s history',
  ),
  'service.audit.adds-reasons': tested(
    'the log adds the reason of each denial, which the chain does not have',
  ),
  'service.no-released-tools': later(
    'command line and SDK releases',
    'command line and SDK are announced, without a published release',
  ),
  'service.all-over-http': tested('every operation is available over HTTP'),
  'service.all-in-dashboard': later(
    'dashboard',
    'every operation is available through the dashboard',
  ),
  'service.catalog.fresh-is-empty': tested(
    'a fresh deployment may have no enabled catalogue entry: it has none',
  ),
  'service.yield.switched-off': tested('yield can be switched off by configuration'),
} as const satisfies Section;
