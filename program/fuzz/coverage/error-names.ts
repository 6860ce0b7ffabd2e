import { LangErrorCode } from '@coral-xyz/anchor';
import idl from '../../idl/agent_wallet.json' with { type: 'json' };
import reserveIdl from '../../idl/reserve_sandbox.json' with { type: 'json' };

const anchor = Object.entries(LangErrorCode).map(([name, code]) => [code, name] as const);
const tokenErrors = new Map([
  [1, 'InsufficientFunds'],
  [4, 'OwnerMismatch'],
  [17, 'AccountFrozen'],
]);
const names: Readonly<Record<string, ReadonlyMap<number, string>>> = {
  wallet: new Map([...anchor, ...idl.errors.map(({ code, name }) => [code, name] as const)]),
  reserve: new Map([
    ...anchor,
    ...reserveIdl.errors.map(({ code, name }) => [code, name] as const),
  ]),
  token: tokenErrors,
  token2022: tokenErrors,
};

/** `RecipientNotAllowed` for `wallet 6000`; errors of other programs keep the program’s name. */
export function errorName(outcome: string): string {
  const [program = '', code = ''] = outcome.split(' ');
  const name = names[program]?.get(Number(code));
  if (name === undefined) return outcome;
  return program === 'wallet' ? name : `${program} ${name}`;
}
