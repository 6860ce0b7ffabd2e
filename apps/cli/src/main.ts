#!/usr/bin/env node
import { verifyCommand } from './audit/verify-command.ts';
import { catalogCommand } from './catalog/catalog-command.ts';
import { sentenceOf } from './cli-error.ts';
import { parseCommand, USAGE } from './command.ts';
import { parseCatalogConfig, parseConfig, parseLeaveConfig } from './config.ts';
import { restoredCommand } from './ops/restored-command.ts';
import { leaveCommand } from './owner/leave-command.ts';

const COULD_NOT = 2;

async function run(): Promise<number> {
  const command = parseCommand(process.argv.slice(2));
  switch (command.kind) {
    case 'help':
      console.log(USAGE);
      return 0;
    case 'ops_restored':
      return restoredCommand(parseConfig(process.env), console.log);
    case 'audit_verify':
      return verifyCommand(parseConfig(process.env), command.walletId, console.log);
    case 'owner_leave':
      return leaveCommand(parseLeaveConfig(process.env, command), command, console.log);
    default:
      return catalogCommand(parseCatalogConfig(process.env), command, console.log);
  }
}

try {
  process.exitCode = await run();
} catch (error) {
  console.error(sentenceOf(error));
  process.exitCode = COULD_NOT;
}
