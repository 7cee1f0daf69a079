// Measures the cost of metrics: their share of a server's processor time while it executes transfers over HTTP and
// Prometheus scrapes it every 15 s. Uses a CPU profile, because two runs differ by more than this cost. Needs a build
// (npm run build).
//   node --conditions=@ledger-ops/source bench/metrics.ts [--transfers 5000]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { samplesOfBusiest } from './profile.ts';
import { freePort, startProduct } from './transfers/product.ts';
import { runServer } from './transfers/server.ts';

const { values } = parseArgs({ options: { transfers: { type: 'string', default: '5000' } } });
const scrapeInterval = 15_000;
/** Source files of metrics. Their functions, and everything that these call, run only for metrics. */
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
      throw new Error(`/metrics returned ${response.status} without metrics.`);
  };
  const scraper = setInterval(() => void scrape(), scrapeInterval);
  try {
    await scrape();
    await runServer(product, { transfers: Number(values.transfers), wallets: 10, connections: 64 });
  } finally {
    clearInterval(scraper);
    await product.stop();
  }
  let [busy, metrics] = [0, 0];
  for (const { stack, took } of samplesOfBusiest(folder)) {
    if (stack[0]?.functionName === '(program)') continue;
    busy += took;
    if (stack.some(({ url }) => ofMetrics.test(url))) metrics += took;
  }
  console.log(
    JSON.stringify({
      busySeconds: Number((busy / 1_000_000).toFixed(1)),
      shareOfMetrics: Number((metrics / busy).toFixed(4)),
    }),
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
