import type { AddCommands } from '../command-line/parse-command-line.ts';
import { addPayments } from './add-payments.ts';
import { addReads } from './add-reads.ts';
import { addServices } from './add-services.ts';
import { addSpends } from './add-spends.ts';

/**
 * The commands of an agent. They ask nothing: they sign nothing, and pay at most what they name within
 * the limits that the owner has signed.
 */
export const addAgent: AddCommands = ({ group: program, onCall }) => {
  const group = program
    .command('agent')
    .description('an agent, with the key that the owner has created for it');
  for (const add of [addReads, addPayments, addServices, addSpends]) add({ group, onCall });
};
