import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listen, serveAdapter } from '@ledger-ops/adapter/cloud-wallet';
import { describeCloudWallet } from '@ledger-ops/adapter/conformance-remote';
import { afterAll, beforeAll } from 'vitest';
import { fabricAdapter } from '../src/index.ts';
import { openNetwork, skipped, type TestNetwork } from './network.ts';
import { functionOf, ledgerOf, organizationAt } from './profile.ts';
import { freshKey } from './stage.ts';

let network: TestNetwork;

beforeAll(async () => {
  network = await openNetwork();
});
afterAll(() => network?.close());
