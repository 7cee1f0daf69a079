// Generates types from the cloud wallet protocol, and compiles the messages of a real exchange with them.
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import openapiTS, { astToString } from 'openapi-typescript';
import { expect, onTestFinished, test } from 'vitest';
import { harnessLedger } from '../../../../packages/adapter-kit/src/memory-harness.ts';
import {
  cloudWalletOpenApi,
  createCloudWalletClient,
  exchangeWith,
  type Fetch,
  remoteAdapter,
} from '../../../../packages/cloud-wallet/src/index.ts';
import { startMemoryPlugin, transferGlo } from '../../../../packages/cloud-wallet/test/memory-plugin.ts';
import { openFolder } from '../../../../testing/folder.ts';

const compiler = fileURLToPath(new URL('../../../../node_modules/typescript/bin/tsc', import.meta.url));

interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly body: unknown;
  readonly answer: unknown;
}

/** Returns the messages between the host's client and a plugin: for a wallet, a transfer, a check and a refusal. */
async function exchange(): Promise<Exchange[]> {
  const ledger = harnessLedger({ autoMine: true });
  const plugin = await startMemoryPlugin(ledger);
  const seen: Exchange[] = [];
  const recorded: Fetch = async (url, init) => {
    const response = await fetch(url, init);
    const { method = 'GET', body } = init;
    const path = new URL(url).pathname;
    const answer: unknown = await response.clone().json();
    const sent = typeof body === 'string' ? JSON.parse(body) : undefined;
    seen.push({ method: method.toLowerCase(), path, status: response.status, body: sent, answer });
    return response;
  };
  try {
    const client = createCloudWalletClient({
      url: plugin.url,
      exchange: exchangeWith(recorded),
      timeoutMs: 10_000,
    });
    const remote = (await remoteAdapter(client)).open('memory');
    const wallet = { walletId: 'w', secret: 'a secret that is long enough' };
    const { address } = await remote.createWallet(wallet);
    ledger.fund(address, 10n ** 9n);
    const operation = { glo: transferGlo('3') };
    await remote.check({ walletId: 'w', ...operation });
    const { txId } = await remote.send({ actionId: 'a', ...wallet, ...operation });
    await expect
      .poll(async () => (await remote.status([txId]))[0]?.status, { timeout: 10_000 })
      .toBe('SUCCEEDED');
    await expect(
      remote.send({ actionId: 'b', ...wallet, walletId: 'unknown', ...operation }),
    ).rejects.toThrow();
    return seen;
  } finally {
    await plugin.close();
  }
}

/** Declares each message with its generated type. */
function program(exchanges: readonly Exchange[]): string {
  const lines = exchanges.flatMap(({ method, path, status, body, answer }, index) => {
    const operation = `paths['${path}']['${method}']`;
    const kind = status < 300 ? 'application/json' : 'application/problem+json';
    const response = `${operation}['responses'][${status}]['content']['${kind}']`;
    const request = `NonNullable<${operation}['requestBody']>['content']['application/json']`;
    return [
      ...(body === undefined ? [] : [`export const request${index}: ${request} = ${JSON.stringify(body)};`]),
      `export const answer${index}: ${response} = ${JSON.stringify(answer)};`,
    ];
  });
  return `import type { paths } from './protocol.ts';\n${lines.join('\n')}\n`;
}

async function compile(folder: string, text: string): Promise<string> {
  await writeFile(join(folder, 'messages.ts'), text);
  const options = [
    '--ignoreConfig',
    '--strict',
    '--noEmit',
    '--skipLibCheck',
    '--allowImportingTsExtensions',
  ];
  return await promisify(execFile)(process.execPath, [
    compiler,
    ...options,
    join(folder, 'messages.ts'),
  ]).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  );
}

test('types generated from the protocol accept the messages of a host and a plugin, and reject wrong ones', async () => {
  const folder = await openFolder();
  onTestFinished(() => folder.remove());
  // The generator accepts the document as an object.
  const types = astToString(await openapiTS(JSON.stringify(cloudWalletOpenApi())));
  await writeFile(join(folder.path, 'protocol.ts'), types);
  const exchanges = await exchange();
  const kinds = new Set(exchanges.map(({ method, path, status }) => `${method} ${path} ${status}`));
  expect([...kinds].toSorted()).toEqual([
    'get /v1/cloud-wallet 200',
    'get /v1/cloud-wallet/transactions 200',
    'post /v1/cloud-wallet/checks 200',
    'post /v1/cloud-wallet/transactions 200',
    'post /v1/cloud-wallet/transactions 404',
    'post /v1/cloud-wallet/wallets 201',
  ]);
  const text = program(exchanges);
  expect(await compile(folder.path, text)).toBe('');
  for (const [right, wrong] of [
    ['"status":"SUCCEEDED"', '"status":"DONE"'],
    ['"blockHeight":', '"blockHeight":"1","height":'],
    ['"actionId":', '"action":'],
  ] as const) {
    expect(text).toContain(right);
    expect(await compile(folder.path, text.replaceAll(right, wrong))).toMatch(/error TS/);
  }
}, 120_000);
