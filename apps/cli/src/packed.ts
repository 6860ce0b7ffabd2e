#!/usr/bin/env node
/** `agent-wallet` as a package: without the operator's commands, which need the database's libraries. */
import { addAgent } from './agent/add-agent.ts';
import { runCommandLine } from './command-line/run.ts';
import { addExit } from './exit/add-exit.ts';
import { addOwner } from './owner/add-owner.ts';

process.exitCode = await runCommandLine(
  [addOwner, addAgent, addExit],
  "The agent spending wallet at the command line: owners sign with a key from a file, agents pay with the key in AGENT_WALLET_KEY. The operator's commands (audit, catalog, ops) are in the repository only.",
);
