/** Nudges for lanes over BullMQ. The row is the truth; a job only wakes a worker. */
export { type LaneQueue, openLaneQueue } from './lane-queue.ts';
export { type LaneWorker, openLaneWorker } from './lane-worker.ts';
export type { QueueTarget } from './backend.ts';
export { createQueueMetrics, type QueueLoad } from './queue-metrics.ts';
export { isQueueMigrated, migrateQueue } from './migrate-queue.ts';
