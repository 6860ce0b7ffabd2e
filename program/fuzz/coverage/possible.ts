/**
 * Errors in which each instruction can end with accounts that a chain can hold and the sandbox
 * reserve, from the IDL and `docs/program-walk.md`. Excluded: errors that need a calling program or
 * another reserve.
 */

/** Wrong bytes, too few accounts, and the two last accounts of every instruction. */
const OF_EVERY_CALL = [101, 102, 3005, 2006, 3008];
/** Errors of a vault and of its owner's signature. */
const OF_A_VAULT = [2001, 3002, 3003, 3007, 3010, 3012];
const OF_A_SESSION = [6003, 6004, 6006, 6050, 6051, 6052, 6053];
const OF_TOKENS_ALONE = [6150, 6151, 6152];
const OF_YIELD = [...OF_A_VAULT, 2000, 2009, 2012, 6007, 6106, 6202, ...OF_TOKENS_ALONE];
const OF_A_DEPOSIT = [...OF_YIELD, 6200, 6250];
const OF_A_WITHDRAWAL = [...OF_YIELD, 6201, 6203];
const CALLED_BY_A_DEPOSIT = ['token 17', 'reserve 6002', 'reserve 6003', 'reserve 6090'];
const CALLED_BY_A_WITHDRAWAL = ['token 17', 'reserve 6003', 'reserve 6008'];
const OF_A_TRANSFER = [2000, 2009, 2012, 2014, 2015, 6000, 6001, 6002, 6007, 6251];
const OF_LIMITS = [6007, 6100, 6104];
const OF_RECIPIENTS = [6101, 6102, 6103];

const codes: Readonly<Record<string, readonly number[]>> = {
  init_vault: [2000, 2009, 2012, 3010, 3011, 6105, 6106, ...OF_TOKENS_ALONE],
  init_yield: [...OF_A_VAULT, 2000, 2009, 2012, 6202, ...OF_TOKENS_ALONE],
  add_session: [...OF_A_VAULT, 2000, 3011, 6106, 6107, 6108, ...OF_LIMITS, ...OF_RECIPIENTS],
  update_session_allowlist: [...OF_A_VAULT, 2000, 6050, 6106, ...OF_RECIPIENTS],
  update_session_limits: [...OF_A_VAULT, 2000, 6050, 6106, ...OF_LIMITS],
  revoke_session: [...OF_A_VAULT, 2000, 6050],
  set_max_deployed_fraction: [...OF_A_VAULT, 2000, 6105, 6106],
  set_paused: [...OF_A_VAULT, 2000, 6106],
  migrate_vault: [...OF_A_VAULT, 2000, 6112],
  sweep_token_account: [...OF_A_VAULT, 2000, 2012, 2014, 2015, 6007, 6106],
  sweep_lamports: [...OF_A_VAULT, 2000, 6007],
  close_vault: [...OF_A_VAULT, 2000, 2009, 6107, 6109, 6110, 6111],
  owner_withdraw: [...OF_A_VAULT, 2000, 2009, 2012, 2014, 2015, 6007],
  transfer_usdc: [...OF_A_VAULT, ...OF_A_SESSION, ...OF_A_TRANSFER],
  yield_deposit: [...OF_A_DEPOSIT, ...OF_A_SESSION],
  'yield_deposit by owner': OF_A_DEPOSIT,
  yield_withdraw: [...OF_A_WITHDRAWAL, ...OF_A_SESSION],
  'yield_withdraw by owner': OF_A_WITHDRAWAL,
};

/** Errors of the token program and of the reserve that a call passes on. */
const foreign: Readonly<Record<string, readonly string[]>> = {
  owner_withdraw: ['token 1', 'token 17'],
  sweep_token_account: ['token 4', 'token 17', 'token2022 4', 'token2022 17'],
  transfer_usdc: ['token 1', 'token 17'],
  yield_deposit: CALLED_BY_A_DEPOSIT,
  'yield_deposit by owner': CALLED_BY_A_DEPOSIT,
  yield_withdraw: CALLED_BY_A_WITHDRAWAL,
  'yield_withdraw by owner': CALLED_BY_A_WITHDRAWAL,
};

/** Possible outcomes of each instruction, including `accepted`. */
export const possible: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(codes).map(([instruction, own]) => [
    instruction,
    [
      'accepted',
      ...new Set([...OF_EVERY_CALL, ...own].map((code) => `wallet ${code}`)),
      ...(foreign[instruction] ?? []),
    ],
  ]),
);
