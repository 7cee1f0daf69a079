import { expect, test } from 'vitest';
import * as cloudWallet from './cloud-wallet/index.ts';
import * as conformance from './conformance/index.ts';
import * as conformanceRemote from './conformance-remote/index.ts';
import * as adapter from './index.ts';
import * as memory from './memory/index.ts';
import * as process from './process/index.ts';

const surface = (module: object) =>
  Object.entries(module)
    .map(([name, value]) => `${name}: ${Array.isArray(value) ? 'array' : typeof value}`)
    .toSorted();

test('@ledger-ops/adapter exports these values', () => {
  expect(surface(adapter)).toMatchInlineSnapshot(`
    [
      "AdapterError: function",
      "adapterError: function",
      "adapterErrorCodes: array",
      "defineAdapter: function",
      "interfaceVersion: string",
      "isTransient: function",
    ]
  `);
});

test('@ledger-ops/adapter/conformance exports these values', () => {
  expect(surface(conformance)).toMatchInlineSnapshot(`
    [
      "adapterChecks: array",
      "createTestSigner: function",
      "describeAdapter: function",
      "finishRounds: function",
      "missingNeeds: function",
      "prepareAndSign: function",
      "runCheck: function",
      "signAttempt: function",
    ]
  `);
});

test('@ledger-ops/adapter/memory exports these values', () => {
  expect(surface(memory)).toMatchInlineSnapshot(`
    [
      "addressOfPublicKey: function",
      "counterContract: object",
      "createMemoryLedger: function",
      "keyValueContract: object",
      "memoryAdapter: function",
      "systemContract: string",
    ]
  `);
});

test('@ledger-ops/adapter/process exports these values', () => {
  expect(surface(process)).toMatchInlineSnapshot(`
    [
      "closedPaths: function",
      "createRedactor: function",
      "failureOf: function",
      "failureWords: function",
      "findIsolation: function",
      "guardDefinition: function",
      "importAdapter: function",
      "isCompatibleInterface: function",
      "openProcessAdapter: function",
      "plainProblem: function",
      "plainWords: function",
      "wordLimits: object",
      "workspaceOf: function",
    ]
  `);
});

test('@ledger-ops/adapter/cloud-wallet exports these values', () => {
  expect(surface(cloudWallet)).toMatchInlineSnapshot(`
    [
      "cloudWalletOpenApi: function",
      "createCloudWalletClient: function",
      "listen: function",
      "remoteAdapter: function",
      "serveAdapter: function",
    ]
  `);
});

test('@ledger-ops/adapter/conformance-remote exports these values', () => {
  expect(surface(conformanceRemote)).toMatchInlineSnapshot(`
    [
      "cloudWalletChecks: array",
      "describeCloudWallet: function",
      "runCloudWalletCheck: function",
    ]
  `);
});
