// The cost of metrics: the share of a server's processor time that is spent in them, while it executes transfers over HTTP and is
// scraped as often as Prometheus does by default. Counted in a profile: two servers side by side differ by more than this.
// After a build: node --conditions=@ledger-ops/source bench/metrics.ts [--transfers 5000]
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { freePort, startProduct } from './transfers/product.ts';
import { runServer } from './transfers/server.ts';

const { values } = parseArgs({ options: { transfers: { type: 'string', default: '5000' } } });
const scrapeInterval = 15_000;
/** Sources whose functions, and all that they call, are there for metrics alone. */
const ofMetrics = /\/prom-client@|\/apps\/server\/(?:dist|src)\/metrics\//;

const folder = mkdtempSync(join(tmpdir(), 'ledger-ops-metrics-'));
try {
  const port = await freePort();
  const product = await startProduct({
    METRICS_PORT: String(port),
    NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${folder}`,
  });
  const scrape = async () => {
    const response = await fetch(`http://127.0.0.1:${port}/metrics`);
    if (!(await response.text()).includes('ledger_ops_actions_total'))
      throw new Error(`/metrics answered ${response.status} without metrics.`);
  };
  const scraper = setInterval(() => void scrape(), scrapeInterval);
  try {
    await scrape();
    await runServer(product, { transfers: Number(values.transfers), wallets: 10, connections: 64 });
  } finally {
    clearInterval(scraper);
    await product.stop();
  }
  // The process with the most work is the server; what it started for its ledgers has a profile too.
  const [profile] = readdirSync(folder)
    .map((file) => read(join(folder, file)))
    .toSorted((a, b) => b.busy - a.busy);
  if (profile === undefined) throw new Error('The server left no profile.');
  console.log(
    JSON.stringify({
      busySeconds: Number((profile.busy / 1_000_000).toFixed(1)),
      shareOfMetrics: Number((profile.metrics / profile.busy).toFixed(4)),
    }),
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}

interface ProfileNode {
  id: number;
  callFrame: { functionName: string; url: string };
  children?: number[];
}

/** Microseconds of a profile, as V8 writes it: those that were not idle, and those below a function of metrics. */
function read(file: string): { busy: number; metrics: number } {
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(file, 'utf8')) as {
    nodes: ProfileNode[];
    samples: number[];
    timeDeltas: number[];
  };
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const isOfMetrics = (id: number): boolean => {
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at))
      if (ofMetrics.test(byId.get(at)?.callFrame.url ?? '')) return true;
    return false;
  };
  const known = new Map(nodes.map(({ id }) => [id, isOfMetrics(id)]));
  let [busy, metrics] = [0, 0];
  for (const [index, id] of samples.entries()) {
    const name = byId.get(id)?.callFrame.functionName;
    if (name === '(idle)' || name === '(program)') continue;
    const took = timeDeltas[index] ?? 0;
    busy += took;
    if (known.get(id) === true) metrics += took;
  }
  return { busy, metrics };
}
