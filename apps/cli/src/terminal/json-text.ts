import { formatUsdc } from '@agent-wallet/sdk';

/** JSON in which an amount, a bigint of base units, is a decimal string of USDC. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, (_name, inner: unknown) =>
    typeof inner === 'bigint' ? formatUsdc(inner) : inner,
  );
}
