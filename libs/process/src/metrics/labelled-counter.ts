import { Counter, type Registry } from 'prom-client';

/** A counter with one label whose values are known. */
export type LabelledCounter<Label extends string, Value extends string> = {
  readonly inc: (labels: Readonly<Record<Label, Value>>, by?: number) => void;
  /** The counts above 0, by value. */
  readonly counts: () => Promise<Readonly<Record<string, number>>>;
};

/**
 * Creates a counter that shows each of its values from the start, at 0. A series that begins with
 * its first event hides that event from `increase()`.
 */
export function createLabelledCounter<Label extends string, Value extends string>(
  registry: Registry,
  about: {
    readonly name: string;
    readonly help: string;
    readonly label: Label;
    readonly values: readonly Value[];
  },
): LabelledCounter<Label, Value> {
  const { name, help, label, values } = about;
  const counter = new Counter({ name, help, labelNames: [label], registers: [registry] });
  for (const value of values) counter.labels(value).inc(0);
  return {
    inc: (labels, by = 1) => counter.labels(labels[label]).inc(by),
    counts: async () => {
      const { values: series } = await counter.get();
      const counted = series.filter(({ value }) => value > 0);
      return Object.fromEntries(counted.map(({ labels, value }) => [labels[label], value]));
    },
  };
}
