// Transfers over HTTP through the server, against a plain ethers script and against pre-signed transactions,
// on the same node in the same run. Ratios are what counts: absolute figures are this machine's.
//   npm run bench [-- --transfers 5000 --wallets 10 --connections 64]
import { parseArgs } from 'node:util';
import { runEthersScript } from './transfers/ethers-script.ts';
import { runPresigned } from './transfers/presigned.ts';
import { startProduct } from './transfers/product.ts';
import { runServer } from './transfers/server.ts';

const { values } = parseArgs({
  options: {
    transfers: { type: 'string', default: '5000' },
    wallets: { type: 'string', default: '10' },
    connections: { type: 'string', default: '64' },
  },
});
const load = {
  transfers: Number(values.transfers),
  wallets: Number(values.wallets),
  connections: Number(values.connections),
};

const product = await startProduct();
try {
  console.log(`${load.transfers} transfers from ${load.wallets} wallets, ${load.connections} connections`);
  const server = await runServer(product, load);
  console.log(
    `server         ${server.perSecond.toFixed(0)} actions/s, from first request to last confirmation`,
  );
  console.log(`acceptance     p50 ${server.p50.toFixed(1)} ms, p99 ${server.p99.toFixed(1)} ms`);
  console.log(`processor time ${server.cost.toFixed(2)} ms of the server's process for a transfer`);
  const peakRssMb = product.peakMemory();
  console.log(`server memory  ${peakRssMb.toFixed(0)} MB at its peak`);
  const ethers = await runEthersScript(product, load);
  console.log(`ethers script  ${ethers.toFixed(0)} transfers/s`);
  const presigned = await runPresigned(product, load);
  console.log(`pre-signed     ${presigned.toFixed(0)} transfers/s, with every receipt`);
  const result = {
    actionsPerSecond: round(server.perSecond, 0),
    vsEthersScript: round(server.perSecond / ethers, 2),
    vsPresigned: round(server.perSecond / presigned, 3),
    acceptP50Ms: round(server.p50, 1),
    acceptP99Ms: round(server.p99, 1),
    peakRssMb: round(peakRssMb, 0),
  };
  console.log(JSON.stringify(result));
} finally {
  await product.stop();
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
