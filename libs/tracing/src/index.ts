/** Traces of spends: one trace for each spend, across the processes that work on it. */
export { openTracing, type Tracing, type TracingOptions } from './open-tracing.ts';
export { type EndSpan, startSpan, type TracedSpend } from './span.ts';
