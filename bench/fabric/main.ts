// Compares submissions through the server over HTTP with a direct client of the Fabric gateway, on the same
// network in interleaved rounds. Only the ratios are meaningful: absolute figures depend on the machine.
//   npm run bench:fabric [-- --actions 1000 --in-flight 50 --rounds 5 --profile <folder>]
//   FABRIC_PROFILE=<file> npm run bench:fabric     # uses a running network
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { openDirectClient } from './direct-client.ts';
import { openNetwork } from './network.ts';
import { median, quantile } from './rounds.ts';
import { startServer } from './server.ts';

const { values } = parseArgs({
  options: {
    actions: { type: 'string', default: '1000' },
    'in-flight': { type: 'string', default: '50' },
    rounds: { type: 'string', default: '5' },
    profile: { type: 'string' },
  },
});
const load = { actions: Number(values.actions), inFlight: Number(values['in-flight']) };
const rounds = Number(values.rounds);
const warmUp = { ...load, actions: Math.min(load.actions, 300) };

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
const network = await openNetwork();
try {
  const direct = openDirectClient(network);
  const server = await startServer(network, values.profile);
  try {
    // Keys are unique to this run, because the network may contain keys of earlier runs.
    const run = randomBytes(4).toString('hex');
    await direct.run(warmUp, `${run}-warm-direct`);
    await server.run(warmUp, `${run}-warm-server`);
    console.log(`${load.actions} submits, ${load.inFlight} in flight, ${rounds} rounds`);
    const speeds: { server: number; direct: number }[] = [];
    const acceptances: number[] = [];
    const costs: number[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      const asDirect = () => direct.run(load, `${run}-${round}-direct`);
      const throughServer = async () => {
        const before = server.processorTime();
        const figures = await server.run(load, `${run}-${round}-server`);
        costs.push((1_000 * (server.processorTime() - before)) / load.actions);
        return figures;
      };
      // Rounds alternate between starting with the direct client and starting with the server.
      const early = round % 2 === 0 ? undefined : await asDirect();
      const own = await throughServer();
      const other = early ?? (await asDirect());
      await direct.verify([...own.sent, ...other.sent], load.inFlight);
      acceptances.push(...own.acceptances);
      speeds.push({ server: own.perSecond, direct: other.perSecond });
      const ratio = (own.perSecond / other.perSecond).toFixed(2);
      console.log(
        `round ${round}   server ${own.perSecond.toFixed(0)} a second, direct ${other.perSecond.toFixed(0)}, ratio ${ratio}; all ${2 * load.actions} are VALID and their values were written`,
      );
    }
    const actionsPerSecond = median(speeds.map((one) => one.server));
    const vsDirectGateway = median(speeds.map((one) => one.server / one.direct));
    const [p50, p99] = [quantile(acceptances, 0.5), quantile(acceptances, 0.99)];
    console.log(`server           ${actionsPerSecond.toFixed(0)} actions/s, median of ${rounds} rounds`);
    console.log(`direct client    ${median(speeds.map((one) => one.direct)).toFixed(0)} submits/s`);
    console.log(`ratio            ${vsDirectGateway.toFixed(2)}, median of all rounds`);
    console.log(`acceptance       p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`);
    console.log(`server CPU       ${median(costs).toFixed(2)} ms per action`);
    console.log(
      JSON.stringify({
        actionsPerSecond: rounded(actionsPerSecond, 0),
        vsDirectGateway: rounded(vsDirectGateway, 3),
        acceptP50Ms: rounded(p50, 1),
        acceptP99Ms: rounded(p99, 1),
      }),
    );
  } finally {
    await server.stop();
    direct.close();
  }
} finally {
  await network.stop();
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
