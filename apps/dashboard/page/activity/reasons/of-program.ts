import type { Words } from './words.ts';

const NEVER_BY_AGENT = 'The program refused a change of the owner';

/** The error names of the program, which are the codes of its refusals. */
export const PROGRAM_WORDS = {
  RecipientNotAllowed: {
    why: 'The recipient is not in the list of this session.',
    advice: 'Add the recipient to the session if it should be paid.',
  },
  AmountExceedsMaxPerTx: {
    why: 'The amount is above the limit for one transfer.',
    advice: 'Raise the limit per transfer of the session if it should pass.',
  },
  DailyCapExceeded: {
    why: 'The amount did not fit into the daily cap of the session.',
    advice: 'Wait: earlier spends stop counting hour by hour. Or raise the cap.',
  },
  SessionExpired: {
    why: 'The session had expired.',
    advice: 'Extend the session, or create a new one.',
  },
  InstructionNotAllowed: {
    why: 'The session may not do this kind of spend.',
    advice: 'Allow it in the limits of the session.',
  },
  SessionRevoked: { why: 'The session was revoked before the payment reached the chain.' },
  VaultPaused: { why: 'The wallet was paused.', advice: 'Resume it to let agents spend.' },
  InvalidAmount: { why: 'The amount was zero.' },
  AccountNotInitialized: {
    why: 'An account does not exist, usually the USDC account of the recipient.',
    advice: 'The recipient has to receive USDC once before agents can pay.',
  },
  SessionMismatch: { why: 'The transaction was made for another session.' },
  SpendAlreadyExecuted: { why: 'The same spend was executed before; it was not paid twice.' },
  SpendSequenceTooOld: { why: 'The spend was too old to be told from an earlier one.' },
  SpendSequenceTooFar: { why: 'The spend was numbered too far ahead.' },
  InvalidExpiry: { why: `${NEVER_BY_AGENT}: the expiry was not in the future.` },
  TooManyRecipients: { why: `${NEVER_BY_AGENT}: a session has at most 10 recipients.` },
  DuplicateRecipient: { why: `${NEVER_BY_AGENT}: a recipient was listed twice.` },
  RecipientForbidden: { why: `${NEVER_BY_AGENT}: the vault and its keys cannot be recipients.` },
  UnknownInstructionBit: { why: `${NEVER_BY_AGENT}: it named an unknown kind of spend.` },
  InvalidFraction: { why: `${NEVER_BY_AGENT}: a share is at most 100%.` },
  DeadlinePassed: { why: `${NEVER_BY_AGENT}: it was signed too long ago.` },
  SessionIndexMismatch: { why: `${NEVER_BY_AGENT}: another session was added before.` },
  SessionKeyForbidden: { why: `${NEVER_BY_AGENT}: the address cannot be a session key.` },
  SessionsOpen: { why: `${NEVER_BY_AGENT}: the vault still has sessions.` },
  VaultNotEmpty: { why: `${NEVER_BY_AGENT}: the vault still holds something.` },
  VaultTooNew: { why: `${NEVER_BY_AGENT}: the vault was created in the same moment.` },
  NothingToMigrate: { why: `${NEVER_BY_AGENT}: the vault has the newest layout.` },
  TokenAccountDelegated: { why: "The vault's USDC account has a delegate, which is not allowed." },
  TokenAccountCloseAuthority: { why: "The vault's USDC account can be closed by another key." },
  TokenAccountFrozen: { why: "The issuer of USDC has frozen the vault's account." },
  DeployedFractionExceeded: {
    why: 'The deposit would exceed the maximum deployed share.',
    advice: 'Raise the maximum deployed share if it should pass.',
  },
  WithdrawExceedsDeployed: { why: 'The withdrawal was above what is in yield.' },
  ReserveMismatch: { why: 'The transaction named another yield reserve than the vault uses.' },
  ReserveDeltaMismatch: { why: 'The yield reserve moved another amount than it should.' },
  MathOverflow: { why: 'The amount was too large to count.' },
  InvalidClock: { why: "The chain's clock could not be read." },
  UnsupportedRent: { why: "The chain's rent could not be read." },
} as const satisfies Record<string, Words>;
