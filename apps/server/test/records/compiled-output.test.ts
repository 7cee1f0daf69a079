import { expect, test } from 'vitest';
import { readCompiledOutput } from '../../src/routes/contracts/compiled-output.ts';

const abi = '[]';

test('readCompiledOutput reads creation code of two megabytes, and refuses invalid code of that size', async () => {
  const code = `0x${'ab'.repeat(2_000_000)}`;
  expect(await readCompiledOutput({ abi, bytecode: code }, '/x')).toMatchObject({ code });
  for (const wrong of [`${code}g`, `${code}a`, '0x', '']) {
    await expect(readCompiledOutput({ abi, bytecode: wrong }, '/x')).rejects.toMatchObject({
      problem: 'invalid-request',
      errors: [{ pointer: '/x/bytecode' }],
    });
  }
});

test('readCompiledOutput refuses an object or a JSON string that exceeds the size limit', async () => {
  const given = { abi, bytecode: '0x00', metadata: 'a'.repeat(5_242_880) };
  for (const output of [given, JSON.stringify(given)]) {
    await expect(readCompiledOutput(output, '/x')).rejects.toThrow(/at most 5242880 characters/);
  }
});
