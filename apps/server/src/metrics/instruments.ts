import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { type Metric, type MetricName, metrics } from './catalogue.ts';

type Labels<Name extends MetricName> = Readonly<
  Record<(typeof metrics)[Name]['labels'][number], string | number>
>;
type NamesOf<Type extends Metric['type']> = {
  [Name in MetricName]: (typeof metrics)[Name]['type'] extends Type ? Name : never;
}[MetricName];

/** Records values of the metrics in the catalogue. */
export interface Instruments {
  add<Name extends NamesOf<'counter'>>(name: Name, labels: Labels<Name>, value?: number): void;
  observe<Name extends NamesOf<'histogram'>>(name: Name, labels: Labels<Name>, value: number): void;
  set<Name extends NamesOf<'gauge'>>(name: Name, labels: Labels<Name>, value: number): void;
  increase<Name extends NamesOf<'gauge'>>(name: Name, labels: Labels<Name>, value: number): void;
  /** Removes the series of a gauge. */
  clear(name: NamesOf<'gauge'>): void;
}

/** Registers all metrics of the catalogue. */
export function createInstruments(registry: Registry): Instruments {
  const counters = new Map<string, Counter>();
  const gauges = new Map<string, Gauge>();
  const histograms = new Map<string, Histogram>();
  for (const [name, metric] of Object.entries<Metric>(metrics)) {
    const { type, help, labels, buckets } = metric;
    const common = { name, help, labelNames: [...labels], registers: [registry] };
    if (type === 'counter') counters.set(name, new Counter(common));
    else if (type === 'gauge') gauges.set(name, new Gauge(common));
    else histograms.set(name, new Histogram({ ...common, buckets: [...(buckets ?? [])] }));
  }
  return {
    add: (name, labels, value = 1) => counters.get(name)?.inc(labels, value),
    observe: (name, labels, value) => histograms.get(name)?.observe(labels, value),
    set: (name, labels, value) => gauges.get(name)?.set(labels, value),
    increase: (name, labels, value) => gauges.get(name)?.inc(labels, value),
    clear: (name) => gauges.get(name)?.reset(),
  };
}
