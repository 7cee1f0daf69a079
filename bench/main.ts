// Compares transfers over HTTP through the server with a plain ethers script and with pre-signed transactions, in one run
// on the same node. Only the ratios are meaningful: absolute figures depend on the machine. Then measures the latency of
// transfers at half of that rate, and the server's processor time by stage, for transfers and for contract calls.
//
// Rarely, a run takes 10 to 18 s longer. If a transaction reaches anvil while anvil mines the previous one, anvil may keep
// it in its queue forever. The server replaces such a transaction after 10 s. A program that only sends pre-signed
// transactions to anvil has the same problem (2 of 15 runs with 3,000 transactions in 8 concurrent streams).
//
//   npm run bench [-- --transfers 5000 --wallets 10 --connections 64 --postgres]
import { parseArgs } from 'node:util';
import { startPostgresCluster } from '@ledger-ops/store/testing';
import { printCosts } from './transfers/costs.ts';
import { runEthersScript } from './transfers/ethers-script.ts';
import { runLatency } from './transfers/latency.ts';
import { runPresigned } from './transfers/presigned.ts';
import { startProduct } from './transfers/product.ts';
import { runServer } from './transfers/server.ts';

const { values } = parseArgs({
  options: {
    transfers: { type: 'string', default: '5000' },
    wallets: { type: 'string', default: '10' },
    connections: { type: 'string', default: '64' },
    postgres: { type: 'boolean', default: false },
  },
});
const load = {
  transfers: Number(values.transfers),
  wallets: Number(values.wallets),
  connections: Number(values.connections),
};

const cluster = values.postgres ? await startPostgresCluster() : undefined;
const environment = async (): Promise<Record<string, string>> =>
  cluster === undefined ? {} : { DATABASE_URL: await cluster.createDatabase({ bare: true }) };
let perSecond: number;
const product = await startProduct(await environment());
try {
  console.log(`${load.transfers} transfers from ${load.wallets} wallets, ${load.connections} connections`);
  const idleRssMb = product.memory();
  const server = await runServer(product, load);
  perSecond = server.perSecond;
  console.log(
    `server         ${server.perSecond.toFixed(0)} actions/s, from first request to last confirmation`,
  );
  console.log(`acceptance     p50 ${server.p50.toFixed(1)} ms, p99 ${server.p99.toFixed(1)} ms`);
  console.log(`server CPU     ${server.cost.toFixed(2)} ms per transfer`);
  const peakRssMb = product.peakMemory();
  await new Promise((resolve) => setTimeout(resolve, 30_000));
  const afterRssMb = product.memory();
  console.log(
    `server memory  ${idleRssMb.toFixed(0)} MB idle, ${peakRssMb.toFixed(0)} MB peak, ${afterRssMb.toFixed(0)} MB after 30 s`,
  );
  const ethers = await runEthersScript(product, load);
  console.log(`ethers script  ${ethers.toFixed(0)} transfers/s`);
  const presigned = await runPresigned(product, load);
  console.log(`pre-signed     ${presigned.toFixed(0)} transfers/s, including reading every receipt`);
  const result = {
    actionsPerSecond: round(server.perSecond, 0),
    vsEthersScript: round(server.perSecond / ethers, 2),
    vsPresigned: round(server.perSecond / presigned, 3),
    acceptP50Ms: round(server.p50, 1),
    acceptP99Ms: round(server.p99, 1),
    idleRssMb: round(idleRssMb, 0),
    peakRssMb: round(peakRssMb, 0),
    afterRssMb: round(afterRssMb, 0),
  };
  console.log(JSON.stringify(result));
} finally {
  await product.stop();
}
try {
  const latency = await runLatency(load, perSecond / 2, await environment());
  console.log(
    `at half of this rate: acceptance p50 ${latency.p50.toFixed(1)} ms, p99 ${latency.p99.toFixed(1)} ms; delay of the event loop p99 ${latency.loopDelayP99.toFixed(1)} ms`,
  );
  for (const operation of ['transfer', 'call'] as const)
    await printCosts(load, operation, await environment());
} finally {
  await cluster?.stop();
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
