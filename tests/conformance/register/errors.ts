import { notOurs, type Section, tested } from './row-class.ts';

/** "Errors". */
export const errorRows = {
  'errors.body': tested('every error body has `error`, a string, beside further fields'),
  'errors.400.field-first': tested('400: the text begins with the name of the field'),
  'errors.400.amount': tested('400: amount must be a positive number in base units'),
  'errors.401.missing-bearer-token': tested('401 `missing bearer token`'),
  'errors.401.invalid-token-format': tested('401 `invalid token format`'),
  'errors.401.invalid-api-key': tested('401 `invalid api key`: no session has this key'),
  'errors.401.api-key-revoked': tested('401 `api key revoked`: the key was rotated'),
  'errors.401.session-revoked': tested('401 `session revoked`: revoked on chain'),
  'errors.402.insufficient-liquid': tested(
    '402 `INSUFFICIENT_LIQUID` with liquid, amount, deficit',
  ),
  'errors.402.insufficient-liquid.deployed': tested(
    '402 `INSUFFICIENT_LIQUID` of a yield deposit also has deployed',
  ),
  'errors.402.on-chain': tested(
    '402 `on-chain submission failed` with detail, the program’s words',
  ),
  'errors.402.quoted-over-max': tested('402 `QUOTED_OVER_MAX` with quoted, max_amount'),
  'errors.403.outside-time-window': tested('403 `OUTSIDE_TIME_WINDOW`'),
  'errors.403.url-not-allowed': tested('403 `URL_NOT_ALLOWED`'),
  'errors.404.service': tested("404 `service '<slug>' not in catalog or disabled`"),
  'errors.404.resource': tested('404 `<resource> not found`, also for what is somebody else’s'),
  'errors.409.partial-liquidity': tested('409 `PARTIAL_LIQUIDITY` with available'),
  'errors.500.server-misconfigured': tested(
    '500 `server misconfigured`: required configuration is missing or does not fit the chain',
  ),
  'errors.502.service-probe-failed': tested(
    '502 `service probe failed`: the service did not answer',
  ),
  'errors.503.rpc-unavailable': tested('503 `rpc unavailable`'),
  'errors.503.yield-disabled': tested('503 `YIELD_DISABLED` with detail; position reads go on'),
  'errors.cold-start': notOurs(
    'a property of one hosted instance that is put to sleep when idle',
    '502 or 503 with an empty body for about 30 seconds after idleness',
  ),

  'errors.detail.AccountNotInitialized': tested(
    'detail has `0xbc4` and `AccountNotInitialized`: the recipient’s token account is missing',
  ),
  'errors.detail.AccountNotInitialized.session': tested(
    'the same when the add-session transaction never confirmed',
  ),
  'errors.detail.RecipientNotAllowed': tested('detail has `RecipientNotAllowed`'),
  'errors.detail.AmountExceedsMaxPerTx': tested('detail has `AmountExceedsMaxPerTx`'),
  'errors.detail.DailyCapExceeded': tested('detail has `DailyCapExceeded`'),
  'errors.detail.SessionExpired': tested('detail has `SessionExpired`'),
  'errors.detail.InstructionNotAllowed': tested('detail has `InstructionNotAllowed`'),
  'errors.402.fraction': tested('a deposit above max_deployed_fraction_bp is a 402'),
} as const satisfies Section;
