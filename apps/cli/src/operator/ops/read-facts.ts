import { type Database, readIntake } from '@agent-wallet/db';
import { keystoreFits, listFeePayers } from '@agent-wallet/spend';
import type { ServiceFacts } from './waits-for.ts';

/** Reads what can hold up every spend. */
export async function readFacts(db: Database): Promise<ServiceFacts> {
  const [intake, fits, feePayers] = await Promise.all([
    readIntake(db),
    keystoreFits(db),
    listFeePayers(db),
  ]);
  return { intake, keystoreFits: fits, feePayers };
}
