import { type Section, tested } from './row-class.ts';

/** "Resources and their fields". */
export const resourceRows = {
  'amounts.base-units': tested('amounts are integers in USDC base units, 6 decimals'),
  'amounts.above-2-53': tested('JSON numbers above 2^53 are returned as decimal strings'),

  'vault.on-chain': tested('the vault is an account of the program, one per owner'),
  'vault.vaultPda': tested('vaultPda: base58 address of the program, derived from the owner'),
  'vault.vaultUsdcAta': tested('vaultUsdcAta: the vault’s token account for USDC'),
  'vault.funding': tested('sending USDC to vaultUsdcAta funds the vault'),
  'vault.max_deployed_fraction_bp': tested('max_deployed_fraction_bp: integer basis points'),
  'vault.deployed_amount': tested('deployed_amount: principal now in the reserve, base units'),

  'session.session_id': tested('session_id: uuid of the session’s record'),
  'session.session_pda': tested('session_pda: base58 address of the session’s account'),
  'session.wallet_id': tested('wallet_id: the wallet that the session belongs to'),
  'session.session_pubkey': tested(
    'session_pubkey: the backend’s key, the only one that signs for the session',
  ),
  'session.max_per_tx': tested('max_per_tx: most that one transfer may move'),
  'session.daily_cap': tested('daily_cap: most that rolling 24 hours may spend'),
  'session.daily_spent': tested('daily_spent: what counts in the current window'),
  'session.daily_window_start': tested('daily_window_start: start of the current window'),
  'session.expiry': tested('expiry: integer timestamp after which nothing can be spent'),
  'session.allowed_recipients': tested('allowed_recipients: base58 addresses, at most 10'),
  'session.allowed_instructions': tested('allowed_instructions: integer bitmap'),
  'session.api_key': tested('api_key: bearer token of the agent'),
  'session.api_key.once': tested('the api key is returned once, at creation, and never again'),
  'session.api_key.hashed': tested('the api key is stored only as a hash'),
  'session.api_key.rotates': tested('the api key can be rotated'),
  'session.bit.transfer': tested('the value 1 lets a session transfer'),
  'session.bits.yield': tested('bits 1 and 2 let a session deposit to and withdraw from yield'),
  'session.agents-cannot-read': tested(
    'agents have no endpoint that returns their caps, recipients or bitmap',
  ),

  'policy.url.entry': tested('a URL entry is { pattern, max_per_call }'),
  'policy.url.https': tested('a pattern is an https URL'),
  'policy.url.wildcard-segments': tested('wildcards replace path segments only'),
  'policy.url.host-wildcard': tested('a wildcard in the host is rejected at insertion'),
  'policy.url.host-literal': tested('the host is always literal'),
  'policy.window.start_min': tested(
    'start_min: minute of the day in the wallet’s timezone, included',
  ),
  'policy.window.end_min': tested('end_min: minute of the day in the wallet’s timezone, included'),
  'policy.window.days': tested('days: bit 0 is Monday, bit 6 is Sunday'),
  'policy.window.timezone': tested('timezone: the wallet’s own'),
  'policy.window.daylight-saving': tested('the conversion knows daylight saving'),

  'audit.id': tested('id: uuid'),
  'audit.wallet_id': tested('wallet_id: uuid'),
  'audit.session_id': tested('session_id: uuid'),
  'audit.action': tested('action: what was asked for, such as transfer'),
  'audit.amount': tested('amount: decimal string, base units'),
  'audit.recipient': tested('recipient: base58'),
  'audit.recipient_or_url': tested('recipient_or_url: whom or what the spend was for'),
  'audit.decision': tested('decision: allow or deny'),
  'audit.reason': tested('reason: why a spend was denied'),
  'audit.tx_signature': tested('tx_signature: only of a spend that was allowed and submitted'),
  'audit.created_at': tested('created_at: ISO 8601 in UTC'),

  'position.liquid': tested('liquid: decimal string, USDC in the vault’s token account'),
  'position.liquid.zero': tested('liquid is "0" when the token account is missing or empty'),
  'position.liquid.null': tested('liquid is null when the balance could not be read'),
  'position.deployed': tested('deployed: decimal string, principal in the reserve'),
  'position.accrued': tested('accrued: null until the exchange rate is read'),
  'position.total_balance': tested('total_balance: liquid + deployed'),
  'position.total_balance.unread': tested('total_balance equals deployed when liquid is null'),

  'catalog.slug': tested('a catalogue entry is addressed by its slug'),
  'catalog.explicit': tested('entries are added explicitly'),
  'catalog.disabled': tested('entries may be disabled'),
} as const satisfies Section;
