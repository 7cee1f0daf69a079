// Splits the processor time of a server by stage, from the CPU profile that its process writes when it exits.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Frame, samplesOfBusiest } from '../profile.ts';
import { type Load, startProduct } from './product.ts';
import { type Operation, runServer } from './server.ts';
import type { Span } from './span.ts';

/**
 * Stages by source file. The innermost stack frame with a listed source determines the stage of a sample, so the time of
 * a library counts toward the code that called it. A library is listed only if a single stage uses it.
 */
const stages: readonly (readonly [stage: string, sources: RegExp])[] = [
  ['storing', /\/packages\/store\/|\/better-sqlite3\/|\/node_modules\/pg|\/runtime\/\w+\/rows\//],
  ['sealing', /\/runtime\/\w+\/keys\/(?:vault|shared-keys|sign-rounds)|\/auth\/\w+\/passwords\/|sealer/],
  ['unlocking', /\/runtime\/\w+\/(?:keys|wallets)\/(?:unlock|signers|throttle|wallets?|opened)/],
  ['signing', /\/runtime\/\w+\/keys\/|\/secp256k1\/|\/tiny-secp256k1\//],
  ['preparing and queueing', /\/runtime\/\w+\/engine\/signing\//],
  ['accepting', /\/runtime\/\w+\/(?:actions|idempotency|suspensions|retention)/],
  ['sending and confirming', /\/runtime\/\w+\/engine\/(?:tracking|replacing)\//],
  ['settling', /\/runtime\/\w+\/engine\//],
  ['events and webhooks', /\/runtime\/\w+\/(?:events|webhooks|contract-events)\//],
  ['adapter: node client', /\/plugin-ethereum\/\w+\/rpc\/|\/adapter\/\w+\/outbound\/|\/undici\//],
  ['adapter: blocks', /\/plugin-ethereum\/\w+\/(?:blocks|confirm)/],
  ['adapter: checks, fees, transactions', /\/plugin-ethereum\//],
  ['adapter: guards', /\/packages\/adapter\/|\/runtime\/\w+\/plugins\//],
  ['parsing', /\/glo-core\//],
  ['authentication and permission', /\/packages\/auth\//],
  ['registry', /\/packages\/registry\//],
  ['HTTP', /\/hono\/|\/@hono\/|\/apps\/server\/|\/zod/],
  ['concurrency and base', /\/packages\/base\/|\/runtime\//],
];

/** Milliseconds by stage, longest first, and the functions that took the most time. */
interface Costs {
  stages: [stage: string, milliseconds: number][];
  functions: [name: string, milliseconds: number][];
}

/** Runs operations on a server that writes a CPU profile. Prints the processor time of one operation by stage, in microseconds. */
export async function printCosts(
  load: Load,
  operation: Operation,
  environment: Record<string, string>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'ledger-ops-costs-'));
  try {
    const product = await startProduct({
      ...environment,
      NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${folder}`,
    });
    const { cost, span } = await runServer(product, load, operation).finally(() => product.stop());
    const costs = readCosts(folder, span);
    const each = (milliseconds: number) => ((1_000 * milliseconds) / load.transfers).toFixed(0).padStart(6);
    console.log(
      `\n${(1_000 * cost).toFixed(0).padStart(6)} µs of CPU time per ${operation}; by stage, on the main thread:`,
    );
    for (const [stage, milliseconds] of costs.stages) console.log(`${each(milliseconds)} µs ${stage}`);
    console.log(`${' '.repeat(9)} functions that took the most time:`);
    for (const [name, milliseconds] of costs.functions.slice(0, 25))
      console.log(`${each(milliseconds)} µs ${name}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param folder folder with the profiles of all processes */
function readCosts(folder: string, { from, to }: Span): Costs {
  const stagesOfStacks = new Map<readonly Frame[], string>();
  const byStage = new Map<string, number>();
  const byFunction = new Map<string, number>();
  for (const { stack, took, at } of samplesOfBusiest(folder)) {
    if (at < from || at > to) continue;
    const stage = stagesOfStacks.get(stack) ?? stageOf(stack);
    stagesOfStacks.set(stack, stage);
    const { functionName = '', url = '' } = stack[0] ?? {};
    add(byStage, stage, took);
    add(byFunction, `${functionName} ${url.split('/').slice(-3).join('/')}`, took);
  }
  return { stages: longest(byStage), functions: longest(byFunction) };
}

function stageOf(stack: readonly Frame[]): string {
  const name = stack[0]?.functionName;
  if (name === '(garbage collector)') return 'garbage collection';
  if (name === '(program)') return 'native code outside JavaScript';
  for (const { url } of stack) {
    const stage = stages.find(([, sources]) => sources.test(url));
    if (stage !== undefined) return stage[0];
  }
  const outermost = stack.findLast(({ url }) => url !== '')?.url ?? '';
  return outermost.startsWith('node:') ? socketsOrNode(outermost) : 'others';
}

const socketsOrNode = (url: string): string =>
  /node:(?:_http|net|internal\/(?:streams|stream_base))/.test(url)
    ? 'HTTP and sockets of Node'
    : 'Node: promises, timers';

const add = (counts: Map<string, number>, name: string, value: number) =>
  counts.set(name, (counts.get(name) ?? 0) + value);

const longest = (counts: ReadonlyMap<string, number>): [string, number][] =>
  [...counts]
    .map(([name, value]): [string, number] => [name, value / 1_000])
    .toSorted(([, a], [, b]) => b - a);
