/** What `exit` prints. */

import {
  collateralOf,
  countedSessions,
  type HeldTokenAccount,
  type Holdings,
  type LeaveStep,
  type Remainder,
} from '@agent-wallet/chain';

const USDC_DECIMALS = 6;
const SOL_DECIMALS = 9;

/** An amount of the smallest unit in whole units, such as 12.5. */
function decimal(amount: bigint, decimals: number): string {
  const digits = amount.toString().padStart(decimals + 1, '0');
  const fraction = digits.slice(-decimals).replace(/0+$/, '');
  return [digits.slice(0, -decimals), ...(fraction === '' ? [] : [fraction])].join('.');
}

const usdcOf = (amount: bigint): string => `${decimal(amount, USDC_DECIMALS)} USDC`;
export const solOf = (lamports: bigint): string => `${decimal(lamports, SOL_DECIMALS)} SOL`;

/** The lines about what was found. */
export function holdingLines(vaultPda: string, holdings: Holdings): readonly string[] {
  const { vault, sessions, liquid, tokenAccounts, spareLamports, yieldLamports } = holdings;
  const layout = vault.openSessions === null ? 1 : 2;
  const paused = vault.paused ? ', paused' : '';
  return [
    `owner           ${vault.owner}`,
    `vault           ${vaultPda}, layout ${layout}${paused}`,
    `sessions        ${sessions.length} open, the vault counts ${countedSessions(vault)}`,
    `in the vault    ${usdcOf(liquid)}`,
    `in the reserve  ${usdcOf(vault.deployedAmount)} deployed, ${collateralLine(holdings)}`,
    ...tokenAccounts.map((account) => `token account   ${accountText(account)}`),
    `SOL to sweep    ${solOf(spareLamports + yieldLamports)}`,
  ];
}

function collateralLine(holdings: Holdings): string {
  const units = `${collateralOf(holdings)} units of collateral`;
  const { payableCollateral } = holdings;
  if (payableCollateral === null) return `${units}, and no reserve that can be read`;
  return `${units}, of which the reserve can pay for ${payableCollateral} now`;
}

function accountText({ address, role, mint, amount }: HeldTokenAccount): string {
  const name = role === 'other' ? '' : ` (${role})`;
  return `${address}${name}: ${amount} units of mint ${mint}`;
}

/** What a step does, as a sentence without its end. */
export function stepText(step: LeaveStep): string {
  switch (step.kind) {
    case 'pause':
      return 'Pause the vault, so that no session can spend';
    case 'migrate':
      return 'Migrate the vault to the newest layout, so that it can be closed';
    case 'revoke':
      return `Revoke ${step.sessions.length} session(s)`;
    case 'redeem':
      return `Redeem ${step.collateral} units of collateral for USDC`;
    case 'withdraw':
      return 'Withdraw all USDC of the vault';
    case 'sweep': {
      const { account, close } = step;
      const verb = close ? (account.amount > 0n ? 'Sweep and close' : 'Close') : 'Sweep';
      return `${verb} token account ${accountText(account)}`;
    }
    case 'sweep_lamports':
      return 'Sweep the SOL';
    case 'close':
      return 'Close the vault, with the USDC and SOL that are in it by then';
  }
}

/** What stays, why, and what the owner can do about it. */
export function remainderText(remainder: Remainder): string {
  switch (remainder.kind) {
    case 'collateral': {
      const what = remainder.hasReserve
        ? `${remainder.units} units of collateral, which the reserve does not redeem now. Run the ` +
          'command again later, or'
        : `${remainder.units} units of collateral, without a reserve that redeems them. Run the command`;
      return `${what} with --collateral-in-kind to receive the collateral itself.`;
    }
    case 'sessions':
      return remainder.isCounted
        ? `The vault, which counts ${remainder.count} session(s) more than the node lists: another ` +
            'node may know them. A vault that was migrated after a revocation cannot be closed.'
        : `The vault, which has layout 1 and from which ${remainder.count} session(s) were revoked: ` +
            'such a vault cannot be closed.';
    case 'token_account':
      return `Token account ${accountText(remainder.account)}, which could not be moved.`;
    case 'failed':
      return `Not done: ${stepText(remainder.step)}: ${remainder.reason}`;
  }
}
