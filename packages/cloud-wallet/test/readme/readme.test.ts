import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

test.each(['remote.ts', 'remote.conformance.ts'])(
  'the README contains the compiled source file %s',
  (file) => {
    const fence = `\`\`\`ts\n// ${file}\n${read(file)}\`\`\`\n`;
    expect(read('../../README.md')).toContain(fence);
  },
);
