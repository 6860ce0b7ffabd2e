#!/usr/bin/env node
/** `agent-wallet` with all its commands, as it runs in the repository. */
import { addAgent } from './agent/add-agent.ts';
import { runCommandLine } from './command-line/run.ts';
import { addExit } from './exit/add-exit.ts';
import { addOperator } from './operator/add-operator.ts';
import { addOwner } from './owner/add-owner.ts';

process.exitCode = await runCommandLine(
  [addOwner, addAgent, addExit, addOperator],
  'The agent spending wallet at the command line: owners sign with a key from a file, agents pay with the key in AGENT_WALLET_KEY, operators log in to the database.',
);
