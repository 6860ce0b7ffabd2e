/** Loaded first: stops the tx-worker between the commit of an attempt and its first send. */
import { stopItself } from './stop-itself.ts';

const FIRST = 3;
const EVERY = 60;

const realFetch = globalThis.fetch;
let sends = 0;

globalThis.fetch = (input, init) => {
  if (typeof init?.body === 'string' && init.body.includes('"sendTransaction"')) {
    sends += 1;
    if (sends % EVERY === FIRST) stopItself('first', 'a send');
  }
  return realFetch(input, init);
};
