/** What the test wallet does when the page wants something from it. */
export type Orders = {
  /** 32 bytes in base58 each: the accounts that it can offer. */
  readonly seeds: readonly string[];
  /** Which of the accounts it offers; -1 for none. */
  readonly selected: number;
  /**
   * `other-bytes`: signs something other than what it was given, as a stolen wallet could;
   * `other-account`: signs with the account that is not selected; `other-network`: refuses, because
   * it is on another one; `adds-budget`: pays for priority, as many wallets do.
   */
  readonly signing:
    | 'approves'
    | 'rejects'
    | 'other-bytes'
    | 'other-account'
    | 'other-network'
    | 'adds-budget';
  readonly connecting: 'approves' | 'rejects';
};
