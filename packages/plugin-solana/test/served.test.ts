import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeCloudWallet } from '@ledger-ops/adapter-kit/cloud-wallet';
import { listen, serveAdapter } from '@ledger-ops/cloud-wallet';
import { type SolanaProcess, startSolanaProcess } from '@ledger-ops/devnet-solana';
import { afterAll, beforeAll } from 'vitest';
import { memoProgram, recipient } from './conformance-harness.ts';
import { quickAdapter } from './quick.ts';
import { fundNow } from './stage.ts';

let ledger: SolanaProcess;

beforeAll(async () => {
  ledger = await startSolanaProcess({ slotTime: 40, confirmed: 0, finalized: 2 });
  await fundNow(ledger, recipient);
});
afterAll(() => ledger?.stop());

const locator = (resource: string) => ({ lookup_service: { type: 'ledger', value: 'solana' }, resource });
const transfer = (amount: string) => ({
  glo: { version: '0.1.0', type: 'transfer', options: { recipient: locator(recipient), amount } },
});

/** The memo program logs it, which is its event. */
const memo = {
  glo: {
    version: '0.1.0',
    type: 'contract_call',
    options: { contract_instance: locator(memoProgram), method_name: 'memo' },
    meta: {
      ledger: {
        solana: {
          version: '1',
          native_transaction_content: { instructions: [{ program: memoProgram, data: 'SGVsbG8=' }] },
        },
      },
    },
  },
};

/** A memo that says two signatures, and that the first of the other wallets pays for. */
const coSigned = {
  glo: {
    version: '0.1.0',
    type: 'contract_call',
    options: {
      contract_instance: locator(memoProgram),
      method_name: 'memo',
    },
    meta: {
      ledger: {
        solana: {
          version: '1',
          native_transaction_content: {
            feePayer: 'wallet:1',
            signers: ['wallet:2'],
            instructions: [
              {
                program: memoProgram,
                data: 'SGVsbG8=',
                accounts: ['wallet:0', 'wallet:2'].map((address) => ({ address, signer: true })),
              },
            ],
          },
        },
      },
    },
  },
};

describeCloudWallet({
  name: 'the Solana adapter, served over the cloud wallet protocol',
  async open() {
    const folder = mkdtempSync(join(tmpdir(), 'served-solana-'));
    const start = async () => {
      const adapter = await serveAdapter({
        definition: quickAdapter,
        ledgers: [
          {
            ...{ ledgerId: 'test', technology: 'solana', properties: {} },
            nodes: [{ nodeId: 'one', uri: ledger.url }],
          },
        ],
        database: join(folder, 'plugin.db'),
        masterKey: new Uint8Array(32).fill(3),
        timing: { poll: { first: 20, longest: 1_000 } },
      });
      return { adapter, port: await listen(adapter.handle, { port: 0 }) };
    };
    let running = await start();
    const stop = async () => {
      await running.port.close();
      await running.adapter.close();
    };
    const fundings = new Map<string, number>();
    return {
      url: running.port.url,
      ledgerId: 'test',
      funded: 'by-hook',
      samples: {
        operation: transfer('3'),
        other: transfer('5'),
        refused: transfer('99000000000000'),
        coSigned: { operation: coSigned, others: 2, payer: 1 },
        telling: {
          ...{ operation: memo, contractAddress: memoProgram, event: {} },
          // A program that nothing calls.
          silent: 'AddressLookupTab1e1111111111111111111111111',
        },
      },
      hooks: {
        async fund(address) {
          await fundNow(ledger, address);
          fundings.set(address, (fundings.get(address) ?? 0) + 1);
        },
        crash: async () => {
          await stop();
          running = await start();
          return { url: running.port.url };
        },
        async executions(address) {
          const all = await ledger.rpc<unknown[]>('getSignaturesForAddress', [
            address,
            { commitment: 'confirmed' },
          ]);
          return all.length - (fundings.get(address) ?? 0);
        },
      },
      close: async () => {
        await stop();
        rmSync(folder, { recursive: true });
      },
    };
  },
});
