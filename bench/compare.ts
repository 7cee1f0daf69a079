// Compares the servers of several checkouts: processor time per transfer on SQLite or PostgreSQL. The servers run side
// by side and take turns with slices of transfers, so that changes of a busy machine affect all of them equally. Whole
// runs, one after the other, differ by up to a fifth without any reason in the code.
//
//   node --conditions=@ledger-ops/source bench/compare.ts [--slices 24 --transfers 500 --postgres] <folder> <folder> …
//
// Each folder is a checkout that is installed and built. The others are compared with the first one.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgresCluster } from '@ledger-ops/store/testing';
import { startProduct } from './transfers/product.ts';
import { prepareSlices } from './transfers/server.ts';

/** Transfers before the first slice, so that the servers' code is compiled. */
const warmUp = 1_500;

const { values, positionals } = parseArgs({
  options: {
    slices: { type: 'string', default: '24' },
    transfers: { type: 'string', default: '500' },
    postgres: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});
if (positionals.length < 2) throw new Error('Name at least two checkouts.');
const load = { transfers: Number(values.transfers), wallets: 16, connections: 64 };

const cluster = values.postgres ? await startPostgresCluster() : undefined;
const servers: Awaited<ReturnType<typeof startServer>>[] = [];
try {
  for (const folder of positionals) servers.push(await startServer(resolve(folder)));
  for (let slice = 0; slice < Number(values.slices); slice += 1)
    for (const { run, costs } of slice % 2 === 0 ? servers : servers.toReversed())
      costs.push((await run(load.transfers)).cost);
  const [first] = servers;
  for (const { folder, costs, product } of servers) {
    const ratio = mean(costs) / mean(first?.costs ?? []);
    const peak = product.peakMemory().toFixed(0);
    console.log(`${folder}  ${mean(costs).toFixed(3)} ms per transfer, ${ratio.toFixed(3)}; peak ${peak} MB`);
  }
  console.log(JSON.stringify(servers.map(({ folder, costs }) => ({ folder, cost: mean(costs) }))));
} finally {
  for (const { close } of servers) await close();
  await cluster?.stop();
}

async function startServer(folder: string) {
  const environment: Record<string, string> =
    cluster === undefined ? {} : { DATABASE_URL: await cluster.createDatabase({ bare: true }) };
  const product = await startProduct(environment, folder);
  const { run, close } = await prepareSlices(product, load);
  await run(warmUp);
  return {
    folder,
    product,
    run,
    costs: [] as number[],
    close: async () => {
      await close();
      await product.stop();
    },
  };
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
}
