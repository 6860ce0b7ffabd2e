import { type AuditHead, listHeads } from '@agent-wallet/audit';
import { done, type Outcome } from '../../command-line/outcome.ts';
import type { Config } from '../config.ts';
import { refuseOtherDeployment } from '../deployment.ts';
import { createHeadsFile, headsText } from './heads-file.ts';
import { openLog } from './open-log.ts';

/** `audit heads`: prints the heads of all audit chains, to keep outside the database. */
export async function headsCommand(config: Config): Promise<Outcome> {
  await using stack = new AsyncDisposableStack();
  const db = await openLog(config);
  stack.defer(() => db.end());
  const genesisHash = await refuseOtherDeployment(db, config, null);
  const heads: AuditHead[] = [];
  for await (const head of listHeads(db)) heads.push(head);
  const file = createHeadsFile({ ...config, genesisHash }, heads, new Date());
  return done(headsText(file), file);
}
