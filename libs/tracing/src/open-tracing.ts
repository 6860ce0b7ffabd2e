import { type RecordSpan, recordWith } from './span.ts';

export type TracingOptions = {
  /** The name of the process. */
  readonly service: string;
  /** Of an OTLP/HTTP receiver; tracing is off without it. */
  readonly endpoint: string | undefined;
  /** As `name=value`, separated by commas. */
  readonly headers?: string | undefined;
  /** The share of spends that are traced, the same ones in every process: 0 to 1. */
  readonly ratio: number;
  /** Called when spans could not be exported. They are lost; nothing else is affected. */
  readonly onLost: () => void;
};

export type Tracing = AsyncDisposable;

type Exporting = { readonly record: RecordSpan; readonly close: () => Promise<void> };
type Load = () => Promise<{
  readonly openOtlp: (options: TracingOptions & { readonly endpoint: string }) => Exporting;
}>;

/** How long the end of a process waits for its last spans. */
const CLOSE_MS = 3_000;

/**
 * Exports the spans of this process. Without an endpoint nothing is loaded, and a span costs one
 * comparison.
 */
export async function openTracing(
  options: TracingOptions,
  load: Load = () => import('./otlp.ts'),
): Promise<Tracing> {
  const { endpoint } = options;
  if (endpoint === undefined) return { [Symbol.asyncDispose]: () => Promise.resolve() };
  const { openOtlp } = await load();
  const { record, close } = openOtlp({ ...options, endpoint });
  recordWith(record);
  return {
    [Symbol.asyncDispose]: async () => {
      recordWith(null);
      const late = Promise.withResolvers<void>();
      const timer = setTimeout(late.resolve, CLOSE_MS);
      await Promise.race([close().catch(options.onLost), late.promise]);
      clearTimeout(timer);
    },
  };
}
