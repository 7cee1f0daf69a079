import { randomBytes } from 'node:crypto';
import { createMasterKey } from '@ledger-ops/base';
import type { RemoteAdapterDefinition } from '@ledger-ops/cloud-wallet';
import { expect, test } from 'vitest';
import { remoteDefinition } from './remote-definition.ts';

const remote: RemoteAdapterDefinition = {
  ...{ custody: 'remote', name: 'theirs', technology: 'tally', version: '1.0.0', interfaceVersion: '0.1.0' },
  capabilities: { operations: ['transfer'], checks: false, emulations: false },
  open: () => {
    throw new Error('The plugin must not be called.');
  },
};

test('a remote plugin does not open a ledger with a confirmation depth, whatever made it the plugin of the ledger', async () => {
  const definition = remoteDefinition(remote, {
    masterKey: createMasterKey(randomBytes(32)),
    url: 'https://plugin.example',
  });
  const host = { now: Date.now, log: () => undefined, signal: new AbortController().signal };
  const ledger = { ledgerId: 'deep', technology: 'tally', properties: { confirmations: 6 }, nodes: [] };
  await expect(definition.open(ledger, host)).rejects.toMatchObject({
    code: 'unsupported-operation',
    message: expect.stringContaining('confirmations'),
  });
});
