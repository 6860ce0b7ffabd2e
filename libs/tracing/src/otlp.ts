/** The OpenTelemetry SDK. Loaded only where spans are exported. */
import { diag, DiagLogLevel, ROOT_CONTEXT, trace, TraceFlags } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  RandomIdGenerator,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { TracingOptions } from './open-tracing.ts';
import type { EndedSpan, RecordSpan } from './span.ts';
import { traceOf } from './trace-ids.ts';

const EXPORT_EVERY_MS = 1_000;
const EXPORT_TIMEOUT_MS = 5_000;
/** Further spans are dropped while the receiver is slow or away. */
const MOST_WAITING = 8_192;

const silent = (): void => undefined;

/** Opens the export of spans to `<endpoint>/v1/traces`. */
export function openOtlp({
  service,
  endpoint,
  headers = '',
  ratio,
  onLost,
}: TracingOptions & { readonly endpoint: string }): {
  readonly record: RecordSpan;
  readonly close: () => Promise<void>;
} {
  // Without the library's texts: they can contain the address and the headers.
  const logger = { error: onLost, warn: silent, info: silent, debug: silent, verbose: silent };
  diag.setLogger(logger, { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true });
  const random = new RandomIdGenerator();
  let root: { readonly traceId: string; readonly spanId: string } | null = null;
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': service }),
    // Not by the parent: every process decides the same from the trace's id.
    sampler: new TraceIdRatioBasedSampler(ratio),
    idGenerator: {
      generateTraceId: () => root?.traceId ?? random.generateTraceId(),
      generateSpanId: () => root?.spanId ?? random.generateSpanId(),
    },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: new OTLPTraceExporter({
          url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
          headers: headersOf(headers),
          timeoutMillis: EXPORT_TIMEOUT_MS,
        }),
        maxQueueSize: MOST_WAITING,
        scheduledDelayMillis: EXPORT_EVERY_MS,
      }),
    ],
  });
  const tracer = provider.getTracer('agent-wallet');

  function record({ name, spend, startMs, endMs, isRoot = false, attributes }: EndedSpan): void {
    const ids = traceOf(spend.spendId);
    const parent = trace.setSpanContext(ROOT_CONTEXT, {
      ...ids,
      traceFlags: TraceFlags.SAMPLED,
      isRemote: true,
    });
    root = isRoot ? ids : null;
    const options = { startTime: startMs, attributes: { ...idsOf(spend), ...attributes } };
    const span = tracer.startSpan(name, options, isRoot ? ROOT_CONTEXT : parent);
    root = null;
    span.end(endMs);
  }

  return { record, close: () => provider.shutdown() };
}

function idsOf({ spendId, walletId, sessionId }: EndedSpan['spend']): Record<string, string> {
  return {
    'agent_wallet.spend_id': spendId,
    ...(walletId !== undefined && { 'agent_wallet.wallet_id': walletId }),
    ...(sessionId !== undefined && { 'agent_wallet.session_id': sessionId }),
  };
}

function headersOf(text: string): Record<string, string> {
  const pairs = text.split(',').filter((pair) => pair.includes('='));
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      return [pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())];
    }),
  );
}
