import type { AddCommands } from '../command-line/parse-command-line.ts';
import { addKeypair } from './add-keypair.ts';
import { addLogs } from './add-logs.ts';
import { addMoney } from './add-money.ts';
import { addPolicy } from './add-policy.ts';
import { addSessions } from './session/add-sessions.ts';
import { addYield } from './add-yield.ts';
import { addWallet } from './add-wallet.ts';

/** The commands of an owner, who signs with a key from a file. */
export const addOwner: AddCommands = ({ group: program, onCall }) => {
  const group = program
    .command('owner')
    .description('the owner of a wallet, with a key from a file');
  for (const add of [addKeypair, addWallet, addSessions, addPolicy, addMoney, addYield, addLogs]) {
    add({ group, onCall });
  }
};
