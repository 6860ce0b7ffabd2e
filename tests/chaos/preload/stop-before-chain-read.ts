/**
 * Loaded first: now and then, stops a tx-worker (`CHAOS_PART=first`) between the read of a lane's
 * rows and the read of its session on the chain. When it resumes, the other worker has claimed in
 * the lane, and the chain shows numbers above those that the first one has read.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { editOnLoad } from '../../mutants/on-load.ts';
import { chainReadEdits } from './edits.ts';
import { stopItself } from './stop-itself.ts';

const FIRST = 10;
const EVERY = 50;
/** Time to notice the sockets that the node has closed meanwhile. */
const AWAKE_MS = 100;

const isFirst = process.env['CHAOS_PART'] === 'first';
let reads = 0;

async function readChain(): Promise<void> {
  reads += 1;
  if (!isFirst || reads % EVERY !== FIRST) return;
  stopItself('first', 'a read of the chain');
  await delay(AWAKE_MS);
}

Object.assign(globalThis, { chaosReadChain: readChain });

editOnLoad(chainReadEdits);
