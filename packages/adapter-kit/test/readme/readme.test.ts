import { readFileSync } from 'node:fs';
import { adapterChecks, createTestSigner, runCheck } from '@ledger-ops/adapter-kit/conformance';
import { expect, test } from 'vitest';
import { notebookAdapter } from './notebook.ts';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

test.each([
  ['adapter', 'notebook.ts'],
  ['adapter-kit', 'notebook.conformance.ts'],
  ['adapter-kit', 'notebook.harness.ts'],
  ['adapter-kit', 'memory.ts'],
  ['adapter-kit', 'utxo.ts'],
])('the README of %s contains the compiled source file %s', (name, file) => {
  const fence = `\`\`\`ts\n// ${file}\n${read(file)}\`\`\`\n`;
  expect(read(`../../../${name}/README.md`)).toContain(fence);
});

test("the README's UTXO ledger contains the created coin", async () => {
  const { found } = await import('./utxo.ts');
  expect(found).toBe(1_000_000n);
});

test("the README's adapter passes every conformance check of its declared capabilities", async () => {
  const definition = notebookAdapter([]);
  let passed = 0;
  for (const check of adapterChecks) {
    const result = await runCheck(check, definition, async () => ({
      ledger: { ledgerId: 'notes', technology: 'notebook', properties: {}, nodes: [] },
      signer: createTestSigner('p256', new Uint8Array(32).fill(3)),
      samples: {
        call: {
          type: 'contract_call',
          contract: { address: 'notes' },
          method: { name: 'write', args: ['Hello'] },
          value: 0n,
          native: { technology: 'notebook', content: {} },
        },
      },
      close: async () => undefined,
    }));
    if (result.status === 'passed') passed += 1;
  }
  expect(passed).toBeGreaterThan(25);
});
