/** Calls that come together, made as one. */
export { type Batches, createBatches } from './batches.ts';
