import { notOurs, section } from './row-class.ts';

/** "Errors". */
export const errorRows = section({
  'errors.body': 'every error body has `error`, a string, beside further fields',
  'errors.400.field-first': '400: the text begins with the name of the field',
  'errors.400.amount': '400: amount must be a positive number in base units',
  'errors.401.missing-bearer-token': '401 `missing bearer token`',
  'errors.401.invalid-token-format': '401 `invalid token format`',
  'errors.401.invalid-api-key': '401 `invalid api key`: no session has this key',
  'errors.401.api-key-revoked': '401 `api key revoked`: the key was rotated',
  'errors.401.session-revoked': '401 `session revoked`: revoked on chain',
  'errors.402.insufficient-liquid': '402 `INSUFFICIENT_LIQUID` with liquid, amount, deficit',
  'errors.402.insufficient-liquid.deployed':
    '402 `INSUFFICIENT_LIQUID` of a yield deposit also has deployed',
  'errors.402.on-chain': '402 `on-chain submission failed` with detail, the program’s words',
  'errors.402.quoted-over-max': '402 `QUOTED_OVER_MAX` with quoted, max_amount',
  'errors.403.outside-time-window': '403 `OUTSIDE_TIME_WINDOW`',
  'errors.403.url-not-allowed': '403 `URL_NOT_ALLOWED`',
  'errors.404.service': "404 `service '<slug>' not in catalog or disabled`",
  'errors.404.resource': '404 `<resource> not found`, also for resources of other owners',
  'errors.409.partial-liquidity': '409 `PARTIAL_LIQUIDITY` with available',
  'errors.500.server-misconfigured':
    '500 `server misconfigured`: configuration is missing or does not match the chain',
  'errors.502.service-probe-failed': '502 `service probe failed`: the service did not answer',
  'errors.503.rpc-unavailable': '503 `rpc unavailable`',
  'errors.503.yield-disabled': '503 `YIELD_DISABLED` with detail; position reads still work',
  'errors.cold-start': notOurs(
    'a property of one hosted instance that is put to sleep when idle',
    '502 or 503 with an empty body for about 30 seconds after idleness',
  ),

  'errors.detail.AccountNotInitialized':
    'detail has `0xbc4` and `AccountNotInitialized`: the recipient’s token account is missing',
  'errors.detail.AccountNotInitialized.session':
    'the same when the add-session transaction never confirmed',
  'errors.detail.RecipientNotAllowed': 'detail has `RecipientNotAllowed`',
  'errors.detail.AmountExceedsMaxPerTx': 'detail has `AmountExceedsMaxPerTx`',
  'errors.detail.DailyCapExceeded': 'detail has `DailyCapExceeded`',
  'errors.detail.SessionExpired': 'detail has `SessionExpired`',
  'errors.detail.InstructionNotAllowed': 'detail has `InstructionNotAllowed`',
  'errors.402.fraction': 'a deposit above max_deployed_fraction_bp is a 402',
});
