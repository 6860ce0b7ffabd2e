/** What a session can be allowed to do. */
export type SessionAction = 'transfer' | 'yield_deposit' | 'yield_withdraw';

type ActionWords = {
  readonly action: SessionAction;
  readonly bit: number;
  readonly label: string;
  readonly hint: string;
};

/** In the order of the bits of `allowed_instructions`. */
export const ACTIONS: readonly ActionWords[] = [
  {
    action: 'transfer',
    bit: 1,
    label: 'Pay its recipients and services',
    hint: 'Within the limits above.',
  },
  {
    action: 'yield_deposit',
    bit: 2,
    label: 'Move USDC into the yield reserve',
    hint: 'It stays yours; the limits above do not count it.',
  },
  {
    action: 'yield_withdraw',
    bit: 4,
    label: 'Move USDC out of the yield reserve',
    hint: 'Back into your vault.',
  },
];

/** The sum of the bits of these actions. */
export const bitsOf = (actions: readonly SessionAction[]): number =>
  ACTIONS.reduce((sum, { action, bit }) => (actions.includes(action) ? sum + bit : sum), 0);

/** The actions of a sum of bits. */
export const actionsOf = (bits: number): readonly SessionAction[] =>
  ACTIONS.filter(({ bit }) => (bits & bit) !== 0).map(({ action }) => action);
