import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import * as surface from './index.ts';

test('the package exports the definition by name and as the default export', () => {
  expect(surface.default).toBe(surface.fabricAdapter);
  expect(surface.fabricAdapter.capabilities).toEqual({
    operations: ['transfer', 'contract_call', 'contract_deploy'],
    sequence: 'none',
    replacement: false,
    emulation: true,
    signedEmulation: true,
    lookup: true,
    balance: false,
    describesContracts: true,
    contractEvents: true,
  });
});

test('importing the definition and reading an interface loads neither gRPC nor Fabric messages', () => {
  const index = new URL('./index.ts', import.meta.url).href;
  const program = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
    const { default: adapter } = await import(${JSON.stringify(index)});
    await adapter.readInterface('{"contracts": {"C": {"transactions": []}}}');
    const heavy = /grpc|fabric-protos|fabric-gateway|google-protobuf|peculiar/;
    console.log(JSON.stringify({ loaded: loaded.length, heavy: loaded.filter((url) => heavy.test(url)) }));
  `;
  const args = ['--conditions=@ledger-ops/source', '--input-type=module', '--eval', program];
  const cwd = fileURLToPath(new URL('..', import.meta.url));
  const { loaded, heavy } = JSON.parse(execFileSync(process.execPath, args, { cwd, encoding: 'utf8' }));
  expect(loaded).toBeGreaterThan(5);
  expect(heavy).toEqual([]);
});
