/** A refusal in preflight settles a spend whose bytes have gone out again meanwhile. */
import { replaceIn } from '../../support/replace-in.ts';

replaceIn(
  '/libs/spend/src/lane/refuse-unbroadcast.ts',
  "and status = 'in_flight' and attempt = ${attempt} and broadcasts = 0",
  "and status = 'in_flight' and attempt = ${attempt}",
);
