import { notOurs, section } from './row-class.ts';

/** "Limits" and "Versioning". */
export const limitRows = section({
  'limits.max_per_tx': 'max_per_tx: that much passes, one base unit more does not',
  'limits.daily_cap': 'daily_cap: the sum of a day may reach it, one base unit more does not',
  'limits.recipients': 'ten recipients fit a session, eleven do not',
  'limits.expiry': 'expiry: bounds transfers',
  'limits.fraction':
    'max_deployed_fraction_bp: a deposit may reach it, one base unit more does not',
  'limits.withdraw': 'a withdrawal may take deployed_amount, one base unit more does not',
  'limits.amount-unit': 'all amounts are integers of base units, 6 decimals',
  'limits.json-numbers': 'numbers above 2^53 come as decimal strings',
  'limits.transaction-size': 'every submitted transaction fits 1232 bytes',
  'limits.max_amount': 'max_amount: the caller’s ceiling on a price; a quote may reach it',
  'limits.url-wildcard': 'wildcards in path segments only, never in the host',
  'limits.time-window': 'inside the window, on its weekdays only, for every spend endpoint',
  'limits.owner-funding': 'about 0.05 SOL are enough for an owner to start',

  'versioning.v1': 'all endpoints are under /v1',
  'versioning.test-network': 'keys of the test network begin with svc_dev_',
  'versioning.main-network': 'keys of the main network begin with svc_prod_',
  'versioning.upgrade-authority':
    'the program is upgraded by a multi-signature authority only: no process runs on the main network otherwise',
  'versioning.error-names': notOurs(
    'a warning to clients, not a promise',
    'error names of the program may change when it is redeployed',
  ),
});
