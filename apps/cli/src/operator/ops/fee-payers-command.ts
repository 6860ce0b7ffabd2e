import { countOpen, listFeePayers } from '@agent-wallet/spend';
import { CliError, EXIT } from '../../cli-error.ts';
import { done, type Outcome } from '../../command-line/outcome.ts';
import { tableOf } from '../../terminal/table.ts';
import type { OpsConfig } from '../config.ts';
import { openDatabase } from './open-database.ts';
import { areFeePayersEmpty, isBelowFloor } from './waits-for.ts';

const LAMPORTS_PER_SOL_DIGITS = 9;

/**
 * `ops fee-payers`: the accounts that pay fees, as the tx-workers last read them. Exit code 1 when one
 * is below its floor. Throws a CliError when no tx-worker has recorded any.
 */
export async function feePayersCommand(config: OpsConfig): Promise<Outcome> {
  await using stack = new AsyncDisposableStack();
  const db = await openDatabase(stack, config);
  const [payers, open] = await Promise.all([listFeePayers(db), countOpen(db)]);
  if (payers.length === 0) {
    throw new CliError('No tx-worker has recorded its fee payers: has one been started?');
  }
  const isEmpty = areFeePayersEmpty(payers);
  const waiting = isEmpty ? open.queued : 0;
  const json = {
    fee_payers: payers.map((payer) => ({
      address: payer.address,
      sol: solOf(payer.lamports),
      floor_sol: solOf(payer.floorLamports),
      below_floor: isBelowFloor(payer),
      in_flight: payer.inFlight,
      read_seconds_ago: Math.floor(payer.secondsAgo),
    })),
    queued_spends_waiting: waiting,
  };
  const table = tableOf(
    ['ADDRESS', 'SOL', 'FLOOR', 'IN FLIGHT', 'READ', ''],
    json.fee_payers.map((payer) => [
      payer.address,
      payer.sol,
      payer.floor_sol,
      String(payer.in_flight),
      `${payer.read_seconds_ago} s ago`,
      payer.below_floor ? 'below its floor and not used: send it SOL' : '',
    ]),
  );
  const waits = `${waiting} queued spends wait, because no fee payer can pay.`;
  const text = isEmpty ? `${table}\n${waits}` : table;
  if (!payers.some(isBelowFloor)) return done(text, json);
  return { exitCode: EXIT.refused, text, json };
}

/** A decimal amount of SOL. */
function solOf(lamports: bigint): string {
  const digits = lamports.toString().padStart(LAMPORTS_PER_SOL_DIGITS + 1, '0');
  const whole = digits.slice(0, -LAMPORTS_PER_SOL_DIGITS);
  return `${whole}.${digits.slice(-LAMPORTS_PER_SOL_DIGITS)}`;
}
