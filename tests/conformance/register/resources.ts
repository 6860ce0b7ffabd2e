import { later, type Section } from './row-class.ts';

const PAYMENTS = 'payments';
const POLICY = 'policy endpoints';
const YIELD = 'yield';
const SUITE = 'the rest of this suite';

/** "Resources and their fields". */
export const resourceRows = {
  'amounts.base-units': later(SUITE, 'amounts are integers in USDC base units, 6 decimals'),
  'amounts.above-2-53': later(SUITE, 'JSON numbers above 2^53 are returned as decimal strings'),

  'vault.on-chain': later(SUITE, 'the vault is an account of the program, one per owner'),
  'vault.vaultPda': later(SUITE, 'vaultPda: base58 address of the program, derived from the owner'),
  'vault.vaultUsdcAta': later(SUITE, 'vaultUsdcAta: the vault’s token account for USDC'),
  'vault.funding': later(SUITE, 'sending USDC to vaultUsdcAta funds the vault'),
  'vault.max_deployed_fraction_bp': later(SUITE, 'max_deployed_fraction_bp: integer basis points'),
  'vault.deployed_amount': later(
    YIELD,
    'deployed_amount: principal now in the reserve, base units',
  ),

  'session.session_id': later(SUITE, 'session_id: uuid of the session’s record'),
  'session.session_pda': later(SUITE, 'session_pda: base58 address of the session’s account'),
  'session.wallet_id': later(SUITE, 'wallet_id: the wallet that the session belongs to'),
  'session.session_pubkey': later(
    SUITE,
    'session_pubkey: the backend’s key, the only one that signs for the session',
  ),
  'session.max_per_tx': later(SUITE, 'max_per_tx: most that one transfer may move'),
  'session.daily_cap': later(SUITE, 'daily_cap: most that rolling 24 hours may spend'),
  'session.daily_spent': later(SUITE, 'daily_spent: what counts in the current window'),
  'session.daily_window_start': later(SUITE, 'daily_window_start: start of the current window'),
  'session.expiry': later(SUITE, 'expiry: integer timestamp after which nothing can be spent'),
  'session.allowed_recipients': later(SUITE, 'allowed_recipients: base58 addresses, at most 10'),
  'session.allowed_instructions': later(SUITE, 'allowed_instructions: integer bitmap'),
  'session.api_key': later(SUITE, 'api_key: bearer token of the agent'),
  'session.api_key.once': later(
    SUITE,
    'the api key is returned once, at creation, and never again',
  ),
  'session.api_key.hashed': later(SUITE, 'the api key is stored only as a hash'),
  'session.api_key.rotates': later(SUITE, 'the api key can be rotated'),
  'session.bit.transfer': later(SUITE, 'the value 1 lets a session transfer'),
  'session.bits.yield': later(
    YIELD,
    'bits 1 and 2 let a session deposit to and withdraw from yield',
  ),
  'session.agents-cannot-read': later(
    SUITE,
    'agents have no endpoint that returns their caps, recipients or bitmap',
  ),

  'policy.url.entry': later(POLICY, 'a URL entry is { pattern, max_per_call }'),
  'policy.url.https': later(POLICY, 'a pattern is an https URL'),
  'policy.url.wildcard-segments': later(POLICY, 'wildcards replace path segments only'),
  'policy.url.host-wildcard': later(POLICY, 'a wildcard in the host is rejected at insertion'),
  'policy.url.host-literal': later(POLICY, 'the host is always literal'),
  'policy.window.start_min': later(
    POLICY,
    'start_min: minute of the day in the wallet’s timezone, included',
  ),
  'policy.window.end_min': later(
    POLICY,
    'end_min: minute of the day in the wallet’s timezone, included',
  ),
  'policy.window.days': later(POLICY, 'days: bit 0 is Monday, bit 6 is Sunday'),
  'policy.window.timezone': later(POLICY, 'timezone: the wallet’s own'),
  'policy.window.daylight-saving': later(POLICY, 'the conversion knows daylight saving'),

  'audit.id': later(SUITE, 'id: uuid'),
  'audit.wallet_id': later(SUITE, 'wallet_id: uuid'),
  'audit.session_id': later(SUITE, 'session_id: uuid'),
  'audit.action': later(SUITE, 'action: what was asked for, such as transfer'),
  'audit.amount': later(SUITE, 'amount: decimal string, base units'),
  'audit.recipient': later(SUITE, 'recipient: base58'),
  'audit.recipient_or_url': later(SUITE, 'recipient_or_url: whom or what the spend was for'),
  'audit.decision': later(SUITE, 'decision: allow or deny'),
  'audit.reason': later(SUITE, 'reason: why a spend was denied'),
  'audit.tx_signature': later(
    SUITE,
    'tx_signature: only of a spend that was allowed and submitted',
  ),
  'audit.created_at': later(SUITE, 'created_at: ISO 8601 in UTC'),

  'position.liquid': later(SUITE, 'liquid: decimal string, USDC in the vault’s token account'),
  'position.liquid.zero': later(SUITE, 'liquid is "0" when the token account is missing or empty'),
  'position.liquid.null': later(SUITE, 'liquid is null when the balance could not be read'),
  'position.deployed': later(YIELD, 'deployed: decimal string, principal in the reserve'),
  'position.accrued': later(SUITE, 'accrued: null until the exchange rate is read'),
  'position.total_balance': later(YIELD, 'total_balance: liquid + deployed'),
  'position.total_balance.unread': later(
    SUITE,
    'total_balance equals deployed when liquid is null',
  ),

  'catalog.slug': later(PAYMENTS, 'a catalogue entry is addressed by its slug'),
  'catalog.explicit': later(PAYMENTS, 'entries are added explicitly'),
  'catalog.disabled': later(PAYMENTS, 'entries may be disabled'),
} as const satisfies Section;
